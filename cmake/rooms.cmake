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
    target_compile_features(nnburst_${name} PUBLIC cxx_std_20)
    target_include_directories(nnburst_${name} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<BUILD_INTERFACE:${visible}>)
endfunction()
