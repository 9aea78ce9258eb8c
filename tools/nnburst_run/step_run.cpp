// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/step_run.h"

#include <algorithm>
#include <span>

namespace nnburst::run {

namespace {

/// Latencies for which there is room from the beginning, so that a large --repeat takes memory only
/// as it runs.
constexpr std::uint64_t kMaximumReserved = std::uint64_t{1} << 20U;

std::uint64_t now() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
}

}  // namespace

Result<StepResults> runSteps(Runner& runner, std::size_t outputCount, const InputSteps& inputs,
                             std::uint64_t repeat, ProfileReader* profile) {
    StepResults results;
    results.outputs.resize(outputCount);
    results.latencies.reserve(std::min(inputs.count() * repeat, kMaximumReserved));
    for (std::uint64_t step = 0; step < inputs.count(); ++step) {
        NNBURST_TRY(inputs.write(step, runner));
        if (step == 0 && profile != nullptr) {
            NNBURST_TRY(runner.execute());
            profile->setRecording(true);
        }
        for (std::uint64_t i = 0; i < repeat; ++i) {
            const std::uint64_t begin = profile == nullptr ? 0 : now();
            NNBURST_TRY_ASSIGN(const std::chrono::nanoseconds latency, runner.execute());
            results.latencies.push_back(latency);
            if (profile != nullptr) {
                results.calls.push_back({.beginNs = begin, .endNs = now()});
            }
        }
        for (std::size_t i = 0; i < outputCount; ++i) {
            const std::span<const std::byte> output = runner.output(i);
            results.outputs[i].insert(results.outputs[i].end(), output.begin(), output.end());
        }
        runner.feedBack();
    }
    if (profile != nullptr) {
        profile->setRecording(false);
    }
    return results;
}

}  // namespace nnburst::run
