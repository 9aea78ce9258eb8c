// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "stolen_time.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace nnburst::bench {

std::uint64_t stolenTicks(std::string_view procStat, std::span<const std::uint32_t> processors) {
    constexpr int kStealColumn = 8;  // after user, nice, system, idle, iowait, irq and softirq
    std::uint64_t sum = 0;
    std::istringstream lines{std::string(procStat)};
    for (std::string text; std::getline(lines, text);) {
        std::istringstream line(text);
        std::string name;
        line >> name;
        const bool isCounted = std::any_of(
            processors.begin(), processors.end(),
            [&](std::uint32_t processor) { return name == "cpu" + std::to_string(processor); });
        std::uint64_t ticks = 0;
        for (int column = 0; isCounted && column < kStealColumn; ++column) {
            ticks = 0;
            line >> ticks;
        }
        sum += ticks;
    }
    return sum;
}

double stolenSeconds(std::span<const std::uint32_t> processors) {
    std::ifstream file("/proc/stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return static_cast<double>(stolenTicks(text, processors)) /
           static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace nnburst::bench
