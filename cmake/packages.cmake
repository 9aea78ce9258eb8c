# `cpack` in a build directory makes a Debian package of each component of cmake/install.cmake, and
# one with the debug symbols of each that has programs or a library.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME nnburst)
set(CPACK_PACKAGE_VENDOR "The nnburst authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)  # the debug symbols go into packages of their own
set(CPACK_COMPONENTS_ALL runtime nnapi dev)
if(NNBURST_BUILD_TOOLS)
    list(APPEND CPACK_COMPONENTS_ALL driver tools)
endif()
if(NNBURST_BUILD_PYTHON)
    list(APPEND CPACK_COMPONENTS_ALL python)
endif()
if(TARGET nnburst-serve)
    list(APPEND CPACK_COMPONENTS_ALL serve)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# Programs of other packages run with every later version of the same soname.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
# Where the programs' libnnburst.so is while packages are made; they name its package themselves.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(same_version "(= ${PROJECT_VERSION})")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libnnburst${PROJECT_VERSION_MAJOR})
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
    "Applications run neural networks with it, in their own process or in a driver process.")
set(CPACK_DEBIAN_RUNTIME_DEBUGINFO_PACKAGE ON)

set(CPACK_DEBIAN_NNAPI_PACKAGE_NAME libneuralnetworks)
set(CPACK_DEBIAN_NNAPI_PACKAGE_DEPENDS "${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME} ${same_version}")
set(CPACK_COMPONENT_NNAPI_DESCRIPTION
    "Programs written for NNAPI find it by its name, and run neural networks with nnburst.")
set(CPACK_DEBIAN_NNAPI_DEBUGINFO_PACKAGE ON)

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libnnburst-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME} ${same_version}, \
${CPACK_DEBIAN_NNAPI_PACKAGE_NAME} ${same_version}, libexpected-dev")
# To link libnnburst.a.
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "capnproto, libcapnp-dev, libfarmhash-dev, libflatbuffers-dev, \
libfmt-dev, libpthreadpool-dev, libseccomp-dev, libspdlog-dev, libssl-dev, \
libxnnpack-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION
    "Headers, and files for CMake and pkg-config, to compile applications with nnburst.")

set(CPACK_DEBIAN_DRIVER_PACKAGE_NAME nnburst-driver)
set(CPACK_DEBIAN_DRIVER_PACKAGE_SECTION misc)
# Of the alternatives any makes the driver's user and folders.
set(CPACK_DEBIAN_DRIVER_PACKAGE_DEPENDS
    "${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME} ${same_version}, passwd, \
systemd | systemd-standalone-sysusers, systemd | systemd-standalone-tmpfiles")
set(CPACK_DEBIAN_DRIVER_PACKAGE_CONTROL_EXTRA
    ${PROJECT_SOURCE_DIR}/cmake/package/driver/postinst
    ${PROJECT_SOURCE_DIR}/cmake/package/driver/prerm
    ${PROJECT_SOURCE_DIR}/cmake/package/driver/postrm)
set(CPACK_COMPONENT_DRIVER_DESCRIPTION
    "The driver process, which runs neural networks for applications, and its systemd units.")
set(CPACK_DEBIAN_DRIVER_DEBUGINFO_PACKAGE ON)

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME nnburst-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION misc)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME} ${same_version}")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "nnburst-driver ${same_version}")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION
    "Programs that run, check and measure models on an nnburst driver.")
set(CPACK_DEBIAN_TOOLS_DEBUGINFO_PACKAGE ON)

set(CPACK_DEBIAN_SERVE_PACKAGE_NAME nnburst-serve)
set(CPACK_DEBIAN_SERVE_PACKAGE_SECTION misc)
set(CPACK_DEBIAN_SERVE_PACKAGE_DEPENDS "${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME} ${same_version}")
set(CPACK_DEBIAN_SERVE_PACKAGE_RECOMMENDS "nnburst-driver ${same_version}")
set(CPACK_COMPONENT_SERVE_DESCRIPTION
    "The Open Inference Protocol in front of a driver, and the library of its clients.")
set(CPACK_DEBIAN_SERVE_DEBUGINFO_PACKAGE ON)

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-nnburst)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
math(EXPR next_minor "${Python3_VERSION_MINOR} + 1")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME} ${same_version}, python3-numpy, \
python3 (>= 3.${Python3_VERSION_MINOR}), python3 (<< 3.${next_minor})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS
    "nnburst-driver ${same_version}, nnburst-tools ${same_version}")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    ${PROJECT_SOURCE_DIR}/cmake/package/python/postinst
    ${PROJECT_SOURCE_DIR}/cmake/package/python/prerm)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION
    "The package nnburst for Python 3: models and sessions on arrays of NumPy in shared memory.")

# Each package has the licence where Debian wants it.
foreach(component ${CPACK_COMPONENTS_ALL})
    string(TOUPPER ${component} name)
    install(FILES LICENSE RENAME copyright
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${name}_PACKAGE_NAME}
        COMPONENT ${component})
endforeach()
# A project that adds this one makes packages of its own.
if(PROJECT_IS_TOP_LEVEL)
    # Debian wants an address here; a distributor sets the one that answers.
    set(CPACK_PACKAGE_CONTACT "The nnburst authors <nnburst@localhost>" CACHE STRING
        "Maintainer of the Debian packages")
    include(CPack)
endif()
