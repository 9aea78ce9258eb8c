# Everything comes from packages of Debian 12 or 13 (tools/dependencies lists them); nothing is downloaded.

if(POLICY CMP0167)
    cmake_policy(SET CMP0167 NEW)  # Boost's own file for CMake, since CMake 3.30
endif()
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(tl-expected REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(FlatBuffers NAMES FlatBuffers Flatbuffers flatbuffers REQUIRED)
find_package(CapnProto REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
pkg_check_modules(seccomp REQUIRED IMPORTED_TARGET libseccomp)
if(NNBURST_BUILD_TOOLS OR NNBURST_BUILD_TESTS OR NNBURST_BUILD_BENCHMARKS)
    find_package(CLI11 REQUIRED)
    pkg_check_modules(png REQUIRED IMPORTED_TARGET libpng)
    pkg_check_modules(turbojpeg REQUIRED IMPORTED_TARGET libturbojpeg)
endif()
if(NNBURST_BUILD_TESTS)
    find_package(GTest REQUIRED)
endif()
if(NNBURST_BUILD_BENCHMARKS)
    find_package(benchmark REQUIRED)
endif()
if(NNBURST_BUILD_PYTHON)
    # Debian's Python, which has Debian's NumPy, also where another one comes first on the PATH.
    if(NOT DEFINED Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
        set(Python3_EXECUTABLE /usr/bin/python3)
    endif()
    find_package(Python3 REQUIRED COMPONENTS Interpreter Development.Module)
    find_package(pybind11 2.10 REQUIRED)
endif()

# Debian ships these without CMake or pkg-config files.
foreach(library XNNPACK pthreadpool farmhash)
    string(TOLOWER ${library} header)
    find_library(${library}_LIBRARY NAMES ${library} REQUIRED)
    find_path(${library}_INCLUDE_DIR NAMES ${header}.h REQUIRED)
    if(NOT TARGET ${library}::${library})
        add_library(${library}::${library} UNKNOWN IMPORTED)
        set_target_properties(${library}::${library} PROPERTIES
            IMPORTED_LOCATION "${${library}_LIBRARY}"
            INTERFACE_INCLUDE_DIRECTORIES "${${library}_INCLUDE_DIR}")
    endif()
endforeach()

# Which release of XNNPACK src/exec/xnnpack is compiled for: that of Debian 13 (November 2024) has functions
# that Debian 12's (February 2022) lacks.
file(STRINGS ${XNNPACK_INCLUDE_DIR}/xnnpack.h reshape_functions REGEX "xnn_reshape_unary_elementwise_nc")
if(reshape_functions)
    set(NNBURST_XNNPACK_RELEASE 2024)
else()
    set(NNBURST_XNNPACK_RELEASE 2022)
endif()
