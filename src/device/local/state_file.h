// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Files that the drivers of one user keep from one start to the next.

#include <string>

namespace nnburst::device {

/// The path of the file `name`: in $XDG_STATE_HOME/nnburst, or else in ~/.local/state/nnburst.
/// Empty if the user has neither (XDG Base Directory Specification).
[[nodiscard]] std::string stateFile(const std::string& name);

}  // namespace nnburst::device
