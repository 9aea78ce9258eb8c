# nnburst_hide_symbols(TARGET): of the static library TARGET, only what NNBURST_EXPORT names is visible
# outside of libnnburst.so.
function(nnburst_hide_symbols target)
    set_target_properties(${target} PROPERTIES
        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# nnburst_add_room(ROOM SOURCE...): the static library nnburst_ROOM (slashes become underscores) of
# the folder src/ROOM. Its headers are included by their path from src/, such as
# "exec/plan/planner.h", and only by rooms that link it: the include path of a room is a folder of
# its own in the build directory, in which nothing but a link to src/ROOM can be seen. Public
# headers come from include/.
function(nnburst_add_room room)
    string(REPLACE / _ name ${room})
    set(visible ${CMAKE_BINARY_DIR}/rooms/${name})
    get_filename_component(parent ${visible}/${room} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${room} ${visible}/${room} SYMBOLIC)
    add_library(nnburst_${name} STATIC ${ARGN})
    nnburst_hide_symbols(nnburst_${name})
    set_property(GLOBAL APPEND PROPERTY NNBURST_ROOMS nnburst_${name})
    target_compile_features(nnburst_${name} PUBLIC cxx_std_20)
    target_include_directories(nnburst_${name} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<BUILD_INTERFACE:${visible}>)
endfunction()
