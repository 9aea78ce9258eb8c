// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "row.h"

#include "length.h"

namespace nnburst::bench {
namespace {

/// The extent of short calls in a tiny run. Without it Google Benchmark would repeat a benchmark
/// until it takes long enough.
constexpr Extent kTinyExtent{.rounds = 1, .calls = 3};

}  // namespace

void registerRow(const std::string& name, const std::string& label,
                 const std::function<void(benchmark::State&)>& run,
                 const std::optional<Extent>& extent) {
    auto* const registered =
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            state.SetLabel(label);
            run(state);
        });
    registered->UseManualTime();
    if (extent) {
        registered->Repetitions(extent->rounds)->Iterations(extent->calls);
    } else if (length() == Length::TINY) {
        registered->Repetitions(kTinyExtent.rounds)->Iterations(kTinyExtent.calls);
    }
}

}  // namespace nnburst::bench
