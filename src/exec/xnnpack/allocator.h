// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where XNNPACK's packed weights lie.

#include <xnnpack.h>

namespace nnburst::exec::xnnpack {

/// The system's, and on huge pages what is large, if those are wanted. For xnn_initialize, which
/// keeps what the first call in the process gives it.
[[nodiscard]] const xnn_allocator& allocator() noexcept;

}  // namespace nnburst::exec::xnnpack
