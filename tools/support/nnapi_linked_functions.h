// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The C API as a table, for programs that link it (nnburst_nnapi) instead of loading the library.

#include "support/nnapi_functions.h"

namespace nnburst::tools {

inline NnapiFunctions linkedNnapi() {
    NnapiFunctions functions;
#define NNBURST_NNAPI_LINKED(Name) functions.Name = &::Name;
    NNBURST_NNAPI_FUNCTIONS(NNBURST_NNAPI_LINKED)
#undef NNBURST_NNAPI_LINKED
    return functions;
}

}  // namespace nnburst::tools
