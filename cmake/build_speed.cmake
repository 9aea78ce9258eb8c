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
# compiled with at most seven others, and the unnamed namespaces of a target have no two things of one
# name, but for the sources with SKIP_UNITY_BUILD_INCLUSION.
option(NNBURST_UNITY_BUILD "Compile up to eight sources of a target as one" OFF)
set(CMAKE_UNITY_BUILD ${NNBURST_UNITY_BUILD})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
if(NNBURST_UNITY_BUILD)
    # g++ takes the types of such sources for those of a header.
    add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()

set(NNBURST_QUICK_OPTIMIZATION "-O1" CACHE STRING
    "Optimisation of the tests and of the programs' own files in release builds")

# nnburst_compile_quickly(TARGET...): for files whose speed does not matter.
function(nnburst_compile_quickly)
    foreach(target ${ARGN})
        target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${NNBURST_QUICK_OPTIMIZATION}>)
    endforeach()
endfunction()
