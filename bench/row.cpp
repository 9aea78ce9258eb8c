// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "row.h"

namespace nnburst::bench {

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
    }
}

}  // namespace nnburst::bench
