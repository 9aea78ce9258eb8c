# Warnings, assertions and sanitizers for every target of the project.

# Designated initialisers may leave out members that keep their defaults.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-missing-field-initializers)
if(PROJECT_IS_TOP_LEVEL)
    add_compile_options(-Werror)
endif()
add_compile_options("$<$<CONFIG:Debug>:-D_GLIBCXX_ASSERTIONS>")

if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    # A product is rounded before something is added to it, so that results have the same bits on all
    # processors. x86-64 has no instruction for both in one, unless it is asked for.
    add_compile_options(-ffp-contract=off)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 warns of overflows in fmt's inlined formatting at -O3 that cannot happen.
    add_compile_options(-Wno-stringop-overflow)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 14)
        # False positives: g++ 14 reports reads past the end of one-element vectors.
        add_compile_options(-Wno-array-bounds -Wno-stringop-overread)
    endif()
    if(NNBURST_SANITIZER)
        # With a sanitizer it warns of uninitialized members of alternatives that a std::variant does
        # not hold.
        add_compile_options(-Wno-maybe-uninitialized)
        # False positives for copies of strings.
        add_compile_options(-Wno-array-bounds)
    endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options(-Wthread-safety)
endif()

if(NNBURST_SANITIZER)
    # With the default -O2 -g, instrumented code takes two to three times as long to compile, which is
    # more than its tests gain.
    set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
    add_compile_options(-fsanitize=${NNBURST_SANITIZER} -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS)
    add_link_options(-fsanitize=${NNBURST_SANITIZER})
    if(NNBURST_SANITIZER MATCHES "undefined")
        # The check of types of objects (vptr) reads them through a pipe, and takes every object for
        # an invalid one where a process has no descriptor left, as some tests want it.
        add_compile_options(-fno-sanitize-recover=all -fno-sanitize=vptr)
    endif()
endif()

if(NNBURST_FUZZ)
    # Counts coverage in everything; libFuzzer itself comes with nnburst_add_fuzzer.
    add_compile_options(-fsanitize=fuzzer-no-link)
    add_link_options(-fsanitize=fuzzer-no-link)
endif()

if(NNBURST_COVERAGE)
    # Threads count in the same places.
    set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
    add_compile_options(--coverage -fprofile-update=atomic -DNNBURST_COVERAGE)
    add_link_options(--coverage)
endif()
