// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Micro-kernels in plain C++, for products and depthwise convolutions alone: what those of an
/// instruction set have to compute, bit for bit, on every processor.

#include "exec/dot8/microkernel.h"

namespace nnburst::exec {

/// Their layout differs from that of any instruction set. `multipliesSigned`: activations.
[[nodiscard]] const dot8::Microkernels& plainMicrokernels(bool multipliesSigned);

}  // namespace nnburst::exec
