# What makes building faster without a change of the library: ccache, several sources compiled at once,
# and less optimisation for files whose speed does not matter.

# ccache, where it is installed and no other launcher is chosen.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(NNBURST_CCACHE ccache)
    if(NNBURST_CCACHE)
        set(CMAKE_C_COMPILER_LAUNCHER ${NNBURST_CCACHE})
        set(CMAKE_CXX_COMPILER_LAUNCHER ${NNBURST_CCACHE})
    endif()
endif()

# Reading the headers takes as long as compiling what a source has of its own. A changed source is
# compiled with at most seven others.
option(NNBURST_UNITY_BUILD "Compile up to eight sources of a library as one" OFF)
option(NNBURST_UNITY_TESTS "Compile up to eight sources of a test program as one" OFF)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
if(NNBURST_UNITY_BUILD OR NNBURST_UNITY_TESTS)
    # g++ takes the types of such sources for those of a header.
    add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()

# nnburst_compile_in_groups(TARGET...): up to eight sources of a target as one, if that is chosen. Its
# unnamed namespaces have no two things of one name.
function(nnburst_compile_in_groups)
    set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ${NNBURST_UNITY_BUILD})
endfunction()

set(NNBURST_QUICK_OPTIMIZATION "-O1" CACHE STRING
    "Optimisation of the tests and of the programs' own files in release builds")

# nnburst_compile_quickly(TARGET...): for files whose speed does not matter.
function(nnburst_compile_quickly)
    foreach(target ${ARGN})
        target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${NNBURST_QUICK_OPTIMIZATION}>)
    endforeach()
endfunction()
