// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Lets an allocation fail: a program that links failing_allocations.cpp has an operator new that
/// throws std::bad_alloc when a test wants it to. Sanitizers keep their own: there nothing fails.

namespace nnburst::test {

/// After `count` allocations of the calling thread from now on, one fails.
void failAllocationAfter(int count) noexcept;

/// No allocation of the calling thread fails any more. Gives whether one has failed since
/// failAllocationAfter.
bool stopFailingAllocations() noexcept;

}  // namespace nnburst::test
