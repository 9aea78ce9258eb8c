// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A library for LD_PRELOAD in which operator new fails when a test wants it to. Test and driver
/// share the file that NNBURST_FAILING_MEMORY names.

#include <atomic>
#include <cstdint>

namespace nnburst::test {

/// Written by the test while the driver allocates: relaxed, since it orders nothing.
struct FailingMemory {
    std::atomic<std::int64_t> until{0};   ///< attempts before the first one that fails
    std::atomic<std::int64_t> count{0};   ///< attempts that fail then
    std::atomic<std::int64_t> failed{0};  ///< attempts that have failed
};

}  // namespace nnburst::test
