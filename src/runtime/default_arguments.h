// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Removes arguments that later HAL versions have added at the end of an operation's inputs. If
/// they have their default values, the operation computes the same without them, and older devices
/// can run it.

#include "nnburst/types.h"

namespace nnburst::runtime {

/// `model`, which is valid, without the trailing default arguments of the operations of its main
/// subgraph. It computes the same.
[[nodiscard]] Model withoutDefaultArguments(Model model);

/// `model`, which is valid, without the constants of its main subgraph that no operation takes: an
/// older device may not know their types. Inputs and outputs stay as they are.
[[nodiscard]] Model withoutUnusedConstants(Model model);

}  // namespace nnburst::runtime
