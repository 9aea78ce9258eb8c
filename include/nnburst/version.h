// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The version of nnburst, by the rules of semantic versioning (semver.org): the major number
/// changes when programs have to be compiled again, and is the soname of libnnburst.so. These three
/// lines are the only place of the version: the build, the packages and the programs read them.

#include "nnburst/export.h"

#define NNBURST_VERSION_MAJOR 1
#define NNBURST_VERSION_MINOR 0
#define NNBURST_VERSION_PATCH 0

#define NNBURST_VERSION_TEXT_INNER(major, minor, patch) #major "." #minor "." #patch
#define NNBURST_VERSION_TEXT(major, minor, patch) NNBURST_VERSION_TEXT_INNER(major, minor, patch)
/// The version of the headers as text, such as "1.0.0".
#define NNBURST_VERSION \
    NNBURST_VERSION_TEXT(NNBURST_VERSION_MAJOR, NNBURST_VERSION_MINOR, NNBURST_VERSION_PATCH)

namespace nnburst {

/// The version of the library that runs, which may be newer than the headers of the program.
[[nodiscard]] NNBURST_EXPORT const char* libraryVersion() noexcept;

}  // namespace nnburst
