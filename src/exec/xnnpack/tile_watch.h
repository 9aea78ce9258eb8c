// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Limits that act inside an operator of XNNPACK. XNNPACK cannot be interrupted, but it runs an
/// operator tile by tile, through a function of pthreadpool. In the programs of this tree, which
/// have these functions themselves (exec/pool), a run can look at its limit between two tiles. In
/// other programs this does nothing.

#include "exec/operation/time_limit.h"

/// Has the tiles that the calling thread runs from now on be interrupted about `looks` times for
/// each operator, to call `isOver(state)`; null: not any more. Where that returns true, the
/// operator's other tiles are left out. Programs of this tree have it (exec/pool/pthreadpool.cpp).
// NOLINTNEXTLINE(readability-identifier-naming): named as pthreadpool names its functions
extern "C" [[gnu::weak, gnu::visibility("default")]] void nnburst_watch_tiles(
    bool (*isOver)(void* state), void* state, double looks) noexcept;

namespace nnburst::exec::xnnpack {

/// RAII: operators that the calling thread runs alone look at `limit` about `looks` times each, let
/// other threads run there, and end if it is over; what they compute is undefined then.
class ScopedTileWatch {
  public:
    ScopedTileWatch(TimeLimit& limit, double looks) noexcept {
        if (nnburst_watch_tiles != nullptr) {
            nnburst_watch_tiles(isOver, &limit, looks);
        }
    }
    ~ScopedTileWatch() {
        if (nnburst_watch_tiles != nullptr) {
            nnburst_watch_tiles(nullptr, nullptr, 0.0);
        }
    }
    ScopedTileWatch(const ScopedTileWatch&) = delete;
    ScopedTileWatch& operator=(const ScopedTileWatch&) = delete;

  private:
    static bool isOver(void* limit) noexcept {
        return static_cast<TimeLimit*>(limit)->isOverAfter(TimeLimit::kWorkPerLook);
    }
};

}  // namespace nnburst::exec::xnnpack
