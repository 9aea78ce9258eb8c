# What makes building faster without a change of the library: ccache, and less optimisation for files
# whose speed does not matter.

# ccache, where it is installed and no other launcher is chosen.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(NNBURST_CCACHE ccache)
    if(NNBURST_CCACHE)
        set(CMAKE_C_COMPILER_LAUNCHER ${NNBURST_CCACHE})
        set(CMAKE_CXX_COMPILER_LAUNCHER ${NNBURST_CCACHE})
    endif()
endif()

set(NNBURST_QUICK_OPTIMIZATION "-O1" CACHE STRING
    "Optimisation of the tests and of the programs' own files in release builds")

# nnburst_compile_quickly(TARGET...): for files whose speed does not matter.
function(nnburst_compile_quickly)
    foreach(target ${ARGN})
        target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${NNBURST_QUICK_OPTIMIZATION}>)
    endforeach()
endfunction()
