// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Limits that act inside an operator of XNNPACK. XNNPACK cannot be interrupted, but it runs an
/// operator tile by tile, through a function of pthreadpool. In the programs of this tree, which
/// have these functions themselves (exec/pool), a run can check its limit between two tiles. In
/// other programs this does nothing.

#include "exec/operation/time_limit.h"

/// From now on the calling thread calls `isOver(state)` between tiles, about `checks` times for
/// each operator; null: nothing any more. Where that returns true, the operator's other tiles are
/// left out. Programs of this tree have this function (exec/pool/pthreadpool.cpp); null in others.
// NOLINTNEXTLINE(readability-identifier-naming): named as pthreadpool names its functions
extern "C" [[gnu::weak, gnu::visibility("default")]] void nnburst_watch_tiles(
    bool (*isOver)(void* state), void* state, double checks) noexcept;

namespace nnburst::exec::xnnpack {

/// RAII: operators that the calling thread runs alone check `limit` about `checks` times each, let
/// other threads run there, and end if it is over; what they compute is undefined then.
class ScopedTileWatch {
  public:
    ScopedTileWatch(TimeLimit& limit, double checks) noexcept {
        if (nnburst_watch_tiles != nullptr) {
            nnburst_watch_tiles(isOver, &limit, checks);
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
        return static_cast<TimeLimit*>(limit)->isOverAfter(TimeLimit::kWorkPerCheck);
    }
};

}  // namespace nnburst::exec::xnnpack
