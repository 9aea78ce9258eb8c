# What makes building faster without a change of the library: ccache, precompiled headers, and less
# optimisation for files whose speed does not matter.

# ccache, where it is installed and no other launcher is chosen. It caches files that use precompiled
# headers only with this sloppiness; a launcher that was chosen may not have it.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(NNBURST_CCACHE ccache)
    if(NNBURST_CCACHE)
        set(CMAKE_C_COMPILER_LAUNCHER ${NNBURST_CCACHE})
        set(CMAKE_CXX_COMPILER_LAUNCHER
            ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${NNBURST_CCACHE})
    endif()
    set(precompile ON)
else()
    set(precompile OFF)
endif()
option(NNBURST_PRECOMPILED_HEADERS "Precompile the headers that most files include" ${precompile})

set(NNBURST_QUICK_OPTIMIZATION "-O1" CACHE STRING
    "Optimisation of the tests and of the programs' own files in release builds")

# nnburst_compile_quickly(TARGET...): for files whose speed does not matter.
function(nnburst_compile_quickly)
    foreach(target ${ARGN})
        target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${NNBURST_QUICK_OPTIMIZATION}>)
    endforeach()
endfunction()

# What most files of the rooms include, precompiled once. A file includes what it needs all the same:
# the checks compile without this.
if(NNBURST_PRECOMPILED_HEADERS)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        add_compile_options(-fpch-preprocess)  # ccache must see that a precompiled header is used
    endif()
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cpp CONTENT "")
    add_library(nnburst_precompiled OBJECT ${CMAKE_BINARY_DIR}/precompiled.cpp)
    target_link_libraries(nnburst_precompiled PRIVATE spdlog::spdlog fmt::fmt tl::expected)
    target_include_directories(nnburst_precompiled PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_precompile_headers(nnburst_precompiled PRIVATE
        <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <cstring> <functional> <limits> <memory>
        <optional> <span> <string> <string_view> <utility> <vector>
        <fmt/format.h> <nnburst/result.h> <nnburst/types.h>)
endif()

# nnburst_precompile(TARGET): lets a room use them.
function(nnburst_precompile target)
    if(NNBURST_PRECOMPILED_HEADERS)
        target_precompile_headers(${target} REUSE_FROM nnburst_precompiled)
    endif()
endfunction()
