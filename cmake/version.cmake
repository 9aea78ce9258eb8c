# NNBURST_VERSION, as include/nnburst/version.h says it: the version stands there and nowhere else.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../include/nnburst/version.h NNBURST_VERSION
    REGEX "^#define NNBURST_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
list(TRANSFORM NNBURST_VERSION REPLACE "^.* " "")
list(JOIN NNBURST_VERSION . NNBURST_VERSION)
if(NOT NNBURST_VERSION MATCHES "^[0-9]+\\.[0-9]+\\.[0-9]+$")
    message(FATAL_ERROR "include/nnburst/version.h gives the version '${NNBURST_VERSION}': it must "
        "define NNBURST_VERSION_MAJOR, _MINOR and _PATCH, a number each")
endif()
set_property(DIRECTORY APPEND PROPERTY
    CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/../include/nnburst/version.h)
