# libnnburst.so and libnnburst.a, which packages have: the public API over all rooms, and driverMain if the tools are
# built. Programs and tests of this tree link the static rooms.
get_property(rooms GLOBAL PROPERTY NNBURST_ROOMS)
list(TRANSFORM rooms REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)

if(NNBURST_BUILD_TOOLS)
    list(APPEND objects $<TARGET_OBJECTS:nnburst_driver_main>)
    list(APPEND rooms nnburst_tools)
endif()
add_library(nnburst_shared SHARED ${objects} $<TARGET_OBJECTS:nnburst_schema>)
set_target_properties(nnburst_shared PROPERTIES
    OUTPUT_NAME nnburst
    EXPORT_NAME nnburst
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
    LINKER_LANGUAGE CXX
    LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/package/libnnburst.map)
target_compile_features(nnburst_shared INTERFACE cxx_std_20)
target_include_directories(nnburst_shared INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# All objects are named above; the rooms name the libraries that these need.
target_link_libraries(nnburst_shared PRIVATE ${rooms} INTERFACE tl::expected)
target_link_options(nnburst_shared PRIVATE
    LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/package/libnnburst.map
    LINKER:-z,defs LINKER:-z,now LINKER:-z,relro LINKER:--as-needed)

# The same as one archive, for programs that want the library inside. They link the libraries that it
# needs themselves.
if(NNBURST_BUILD_TOOLS)
    list(APPEND objects $<TARGET_OBJECTS:nnburst_tools>)
endif()
set(NNBURST_STATIC_NEEDS flatbuffers XNNPACK pthreadpool farmhash spdlog fmt capnp-rpc capnp kj-async
    kj crypto seccomp)
# A name alone would be a target of the user's project, if that has one of this name.
list(TRANSFORM NNBURST_STATIC_NEEDS PREPEND -l)
add_library(nnburst_static STATIC ${objects} $<TARGET_OBJECTS:nnburst_schema>)
set_target_properties(nnburst_static PROPERTIES
    OUTPUT_NAME nnburst
    EXPORT_NAME nnburst_static
    ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
    LINKER_LANGUAGE CXX)
target_compile_features(nnburst_static INTERFACE cxx_std_20)
target_include_directories(nnburst_static INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(nnburst_static INTERFACE tl::expected ${NNBURST_STATIC_NEEDS})
add_custom_command(TARGET nnburst_static POST_BUILD
    COMMAND ${CMAKE_STRIP} --strip-debug $<TARGET_FILE:nnburst_static> VERBATIM)
