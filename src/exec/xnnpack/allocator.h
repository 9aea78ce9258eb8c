// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The allocator of XNNPACK's packed weights.

#include <xnnpack.h>

namespace nnburst::exec::xnnpack {

/// The system's allocator, with huge pages for large blocks if those are enabled
/// (system/huge_pages.h). For xnn_initialize, which keeps the allocator of its first call in the
/// process.
[[nodiscard]] const xnn_allocator& allocator() noexcept;

}  // namespace nnburst::exec::xnnpack
