// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What libnnburst.so exports. The library is compiled with hidden visibility: a function, variable
/// or interface of the public API that is defined in the library has NNBURST_EXPORT, and
/// tests/packages/symbols.txt lists it. Inline functions, templates and plain structs need nothing.

#if __cplusplus < 202002L
#error "nnburst needs C++20: compile with -std=c++20, or link the CMake target nnburst::nnburst"
#endif

#define NNBURST_EXPORT [[gnu::visibility("default")]]
