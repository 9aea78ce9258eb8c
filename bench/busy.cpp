// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What is the cost of other processes that compute on the same processors? One process shares the
/// driver's processor; of two, one shares the client's, too. The system gives them whole time
/// slices, which shows only far out in the tail.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "burst_path.h"
#include "devices.h"
#include "forked_process.h"
#include "length.h"
#include "measure.h"
#include "processors.h"
#include "row.h"
#include "small_models.h"
#include "suites.h"
#include "word_ping_pong.h"

namespace nnburst::bench {
namespace {

void computeForEver() {
    for (volatile std::uint32_t iterations = 0;;) {
        iterations = iterations + 1;
    }
}

/// Busy processes. The destructor ends them.
class Load {
  public:
    explicit Load(int processes) {
        const std::vector<std::uint32_t> processors{processorPair()->driver,
                                                    processorPair()->client};
        for (int i = 0; i < processes; ++i) {
            processes_.push_back(std::make_unique<ForkedProcess>(processors.at(i), computeForEver));
        }
    }

  private:
    std::vector<std::unique_ptr<ForkedProcess>> processes_;
};

BurstPath& busyPath() {
    static BurstPath path(makeSmallestModel(), driver(DriverPlacement::OWN_PROCESSOR));
    return path;
}

void registerBeside(int processes, const std::string& name, const std::string& label,
                    const std::function<void(benchmark::State&)>& run) {
    const std::string number = std::to_string(processes);
    registerRow("busy" + number + "/" + name, number + " busy beside, " + label, run,
                byLength<Extent>({1, 100}, {4, 50'000}, {10, 500'000}));
}

}  // namespace

void registerBusy() {
    for (const int processes : {1, 2}) {
        registerBeside(processes, "cacheLineWord", "one word in one cache line",
                       [=](benchmark::State& state) {
                           const Load load(processes);
                           measureWordPingPong(state);
                       });
        registerBeside(processes, "burst", "burst, RESHAPE of one float",
                       [=](benchmark::State& state) {
                           BurstPath& measured = busyPath();
                           const Load load(processes);
                           measureEach(state, [&] { return measured.execute(); });
                       });
    }
}

}  // namespace nnburst::bench
