// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>

#include "support/machine.h"

namespace nnburst::bench {

Machine describeMachine() {
    const auto now =
        std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    return {.date = fmt::format("{:%Y-%m-%d %H:%M} UTC", now),
            .processor =
                fmt::format("{} x {}", ::sysconf(_SC_NPROCESSORS_ONLN), tools::processorName()),
            .kernel = tools::kernelName(),
            .compiler = fmt::format("compiled by {}", __VERSION__)};
}

}  // namespace nnburst::bench
