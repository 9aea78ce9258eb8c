// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/threads/lane_processors.h"

namespace nnburst::exec {

std::optional<std::uint32_t> LaneProcessors::take(const cpu_set_t& allowed) noexcept {
    const auto tryTake = [&](int processor) {
        if (processor < 0 || !CPU_ISSET(processor, &allowed) || CPU_ISSET(processor, &taken_)) {
            return false;
        }
        CPU_SET(processor, &taken_);
        return true;
    };
    const int own = ::sched_getcpu();
    if (tryTake(own)) {
        return own;
    }
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
        if (tryTake(processor)) {
            return processor;
        }
    }
    return std::nullopt;
}

}  // namespace nnburst::exec
