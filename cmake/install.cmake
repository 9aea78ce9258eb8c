# What `cmake --install` installs, by components:
#   runtime   libnnburst.so.1
#   nnapi     libneuralnetworks.so
#   dev       headers, libnnburst.a, CMake and pkg-config files, documents
#   driver    nnburst-driver with its systemd units
#   tools     nnburst-run and the other programs
#   python    the Python package (python/CMakeLists.txt)
#   serve     nnburst-serve and libnnburst_remote.so, where they are built (serve/CMakeLists.txt)
# and for each the licence (cmake/packages.cmake). docs/packages.md explains them; cmake/package/ has
# the templates.
include(CMakePackageConfigHelpers)

install(TARGETS nnburst_shared EXPORT nnburst
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev)
install(TARGETS nnburst_static EXPORT nnburst ARCHIVE COMPONENT dev)
install(TARGETS nnburst_neural_networks EXPORT nnburst LIBRARY COMPONENT nnapi)
install(DIRECTORY include/nnburst include/nnapi TYPE INCLUDE COMPONENT dev
    FILES_MATCHING PATTERN "*.h" PATTERN remote_model.h EXCLUDE)  # which comes with its library

# To write a driver, or what a driver loads.
add_library(nnburst_driver_interface INTERFACE)
set_target_properties(nnburst_driver_interface PROPERTIES EXPORT_NAME driver)
target_link_libraries(nnburst_driver_interface INTERFACE nnburst_shared)
install(TARGETS nnburst_driver_interface EXPORT nnburst)

set(cmake_directory ${CMAKE_INSTALL_LIBDIR}/cmake/nnburst)
install(EXPORT nnburst NAMESPACE nnburst:: FILE nnburst-targets.cmake
    DESTINATION ${cmake_directory} COMPONENT dev)
configure_package_config_file(cmake/package/nnburst-config.cmake.in
    ${PROJECT_BINARY_DIR}/package/nnburst-config.cmake
    INSTALL_DESTINATION ${cmake_directory} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/nnburst-config-version.cmake
    COMPATIBILITY SameMajorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/package/nnburst-config.cmake
    ${PROJECT_BINARY_DIR}/package/nnburst-config-version.cmake
    DESTINATION ${cmake_directory} COMPONENT dev)
list(JOIN NNBURST_STATIC_NEEDS " " NNBURST_STATIC_LIBS)
file(RELATIVE_PATH NNBURST_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(library nnburst nnapi)
    configure_file(cmake/package/${library}.pc.in ${PROJECT_BINARY_DIR}/package/${library}.pc @ONLY)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/package/nnburst.pc ${PROJECT_BINARY_DIR}/package/nnapi.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

set(documents ${CMAKE_INSTALL_DATADIR}/doc/libnnburst-dev)
install(FILES README.md CONTRIBUTING.md SECURITY.md DESTINATION ${documents} COMPONENT dev)
install(DIRECTORY docs examples DESTINATION ${documents} COMPONENT dev PATTERN Doxyfile EXCLUDE)

if(NNBURST_BUILD_TOOLS)
    install(TARGETS nnburst-driver RUNTIME COMPONENT driver)
    install(TARGETS nnburst-conformance nnburst-demo nnburst-run nnburst-stream
        nnburst-top
        RUNTIME COMPONENT tools)
    install(FILES cmake/package/nnburst-driver.service cmake/package/nnburst-driver.socket
        DESTINATION lib/systemd/system COMPONENT driver)
    install(FILES cmake/package/nnburst.sysusers RENAME nnburst.conf
        DESTINATION lib/sysusers.d COMPONENT driver)
    install(FILES cmake/package/nnburst.tmpfiles RENAME nnburst.conf
        DESTINATION lib/tmpfiles.d COMPONENT driver)
endif()

if(NNBURST_BUILD_TOOLS AND NOT CMAKE_CROSSCOMPILING)
    # Manual pages and completions for bash, made from what the programs print as their help:
    # for that they have to run here.
    set(pages ${PROJECT_BINARY_DIR}/package)
    set(programs nnburst-conformance nnburst-demo nnburst-driver nnburst-run nnburst-stream nnburst-top)
    if(TARGET nnburst-serve)
        list(APPEND programs nnburst-serve)
    endif()
    foreach(program ${programs})
        add_custom_command(
            OUTPUT ${pages}/${program}.1.gz ${pages}/${program}.bash
            COMMAND ${PROJECT_SOURCE_DIR}/cmake/package/man_page $<TARGET_FILE:${program}>
                    > ${pages}/${program}.1
            COMMAND gzip -9nf ${pages}/${program}.1
            COMMAND ${PROJECT_SOURCE_DIR}/cmake/package/bash_completion $<TARGET_FILE:${program}>
                    > ${pages}/${program}.bash
            DEPENDS ${program} cmake/package/man_page cmake/package/bash_completion
            VERBATIM)
        list(APPEND generated ${pages}/${program}.1.gz ${pages}/${program}.bash)
        set(component tools)
        if(program STREQUAL "nnburst-driver")
            set(component driver)
        elseif(program STREQUAL "nnburst-serve")
            set(component serve)
        endif()
        install(FILES ${pages}/${program}.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
            COMPONENT ${component})
        install(FILES ${pages}/${program}.bash RENAME ${program}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
            COMPONENT ${component})
    endforeach()
    add_custom_target(nnburst_pages ALL DEPENDS ${generated})
endif()
