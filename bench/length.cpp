// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "length.h"

#include "fail.h"

namespace nnburst::bench {
namespace {

Length lengthOfRun = Length::FULL;

}  // namespace

void setLength(const std::string& name) {
    if (name == "tiny") {
        lengthOfRun = Length::TINY;
    } else if (name == "quick") {
        lengthOfRun = Length::QUICK;
    } else if (!name.empty() && name != "full") {
        fail("--length is tiny, quick or full, not " + name);
    }
}

Length length() noexcept {
    return lengthOfRun;
}

std::vector<std::string> argumentsOfLength() {
    return {byLength("--benchmark_repetitions=1", "--benchmark_repetitions=8",
                     "--benchmark_repetitions=20"),
            byLength("--benchmark_min_time=0.001", "--benchmark_min_time=0.03",
                     "--benchmark_min_time=0.1") +
                std::string(NNBURST_BENCHMARK_SECONDS),
            "--benchmark_enable_random_interleaving=true"};
}

}  // namespace nnburst::bench
