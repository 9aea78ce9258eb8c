# libneuralnetworks.so: the C API of src/nnapi over libnnburst.so, under the name by which programs
# load it. The name has no version, as Android's: programs written for NNAPI ask for this one.
add_library(nnburst_neural_networks SHARED $<TARGET_OBJECTS:nnburst_nnapi>)
set_target_properties(nnburst_neural_networks PROPERTIES
    OUTPUT_NAME neuralnetworks
    EXPORT_NAME nnapi
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
    LINKER_LANGUAGE CXX
    # Programs that load it by its path find libnnburst.so beside it, wherever that is.
    INSTALL_RPATH "$ORIGIN"
    LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/package/libneuralnetworks.map)
target_include_directories(nnburst_neural_networks INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/nnapi>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/nnapi>)
target_link_libraries(nnburst_neural_networks PRIVATE nnburst_shared fmt::fmt)
# It stays loaded when a program closes it: its threads run until the process ends.
target_link_options(nnburst_neural_networks PRIVATE
    LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/package/libneuralnetworks.map
    LINKER:-z,defs LINKER:-z,nodelete LINKER:-z,now LINKER:-z,relro LINKER:--as-needed)
add_library(nnburst::nnapi ALIAS nnburst_neural_networks)
