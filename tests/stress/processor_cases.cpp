// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Clients that want all of the processors: work without end, big models, bursts that spin. The
/// client with the same network as the good one is no attack: its ratio is what others compare to.

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "attack_models.h"
#include "device/foreign_memory.h"
#include "nnburst/builtin_models.h"
#include "nnburst/device.h"
#include "scenario.h"
#include "stress_case.h"

namespace nnburst::stress {

namespace {

using namespace std::chrono_literals;

/// A model by number, and the bytes of its only input and output.
struct Work {
    std::function<Model(float)> make;
    std::uint32_t inputBytes = sizeof(float);
    std::uint32_t outputBytes = sizeof(float);
};

/// Executes by `client` what it has prepared, again and again, each model on a thread.
void keepBusy(const DriverUnderAttack& target, const Work& work, std::size_t models,
              Priority priority) {
    const auto device = nnburst::connect(target.socketPath);
    if (!device) {
        return;
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < models; ++i) {
        threads.emplace_back([&, i] {
            const Model model = work.make(1.0F + static_cast<float>(i));
            const Request request = makeRequest(work.inputBytes, work.outputBytes);
            while (true) {
                const auto prepared = prepareModel(**device, model, {.priority = priority});
                if (!prepared) {
                    target.log.note(prepared);
                    std::this_thread::sleep_for(10ms);
                    continue;
                }
                const auto burst = (*prepared)->configureExecutionBurst({});
                ExecutionOutcome outcome;
                for (int run = 0; run < 10 && burst; ++run) {
                    target.log.note((*burst)->execute(request, {.loopTimeout = 15s}, outcome));
                }
            }
        });
    }
    holdUntilKilled();
}

Model makeRivalNetwork(float /*number*/) {
    return std::move(*makeMobileNetV1({.precision = BuiltinPrecision::QUANT8}));
}

const Work kRivalNetwork{makeRivalNetwork, 128 * 128 * 3, 1001};
const Work kHugeOperation{makeHugeOperation, kHugeOperationBytes, kHugeOperationBytes};
const Work kHugeFolding{makeHugeFolding, sizeof(float), kHugeOperationBytes};
const Work kBigConvolution{makeBigConvolution, kBigConvolutionBytes, kBigConvolutionBytes};
const Work kNestedLoops{[](float number) { return makeNestedLoops(20, number); }};
const Work kEndlessLoops{[](float number) { return makeNestedLoops(1, number); }};

StressCase busy(const std::string& name, const std::string& description, const Work& work,
                std::size_t models, Priority priority = Priority::MEDIUM) {
    return attacking(name, description, [=](const DriverUnderAttack& target) {
        keepBusy(target, work, models, priority);
    });
}

/// Prepares models whose graph is 2^60 branches if it is expanded.
void prepareNestedBranches(const DriverUnderAttack& target) {
    const auto device = nnburst::connect(target.socketPath);
    if (!device) {
        return;
    }
    std::vector<std::thread> threads;
    for (std::uint32_t thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
            for (float number = 0;; number += 1) {
                const Model model =
                    makeNestedBranches(60, number + 1000.0F * static_cast<float>(thread));
                target.log.note((*device)->getSupportedOperations(model));
                target.log.note(prepareModel(**device, model));
            }
        });
    }
    holdUntilKilled();
}

/// 64 bursts whose driver side is asked to spin, each with an execution every few milliseconds.
void spinOnBursts(const DriverUnderAttack& target, PreparedModel& prepared) {
    constexpr std::size_t kBursts = 64;
    const WaitPolicy spinning{.spinWindow = std::chrono::seconds(10), .mode = WaitMode::SPIN};
    std::vector<std::unique_ptr<Burst>> bursts;
    for (std::size_t i = 0; i < kBursts; ++i) {
        auto burst = prepared.configureExecutionBurst(
            {.clientWait = {.spinWindow = 0ns, .mode = WaitMode::BLOCK}, .driverWait = spinning});
        if (burst) {
            bursts.push_back(std::move(*burst));
        }
    }
    const test::AddRequest add;
    ExecutionOutcome outcome;
    while (!bursts.empty()) {
        for (const auto& burst : bursts) {
            target.log.note(burst->execute(add.request, {}, outcome));
        }
    }
}

/// Executes `request` of makeFirstFloat by eight bursts: the driver does little but copy the input.
void executeByEightBursts(const DriverUnderAttack& target, PreparedModel& prepared,
                          const Request& request) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
            const auto burst = prepared.configureExecutionBurst({});
            ExecutionOutcome outcome;
            while (burst) {
                target.log.note((*burst)->execute(request, {}, outcome));
            }
        });
    }
    holdUntilKilled();
}

void makeUnalignedCopies(const DriverUnderAttack& target, PreparedModel& prepared) {
    Request request = makeRequest(kCopiedBytes + sizeof(float), sizeof(float));
    request.inputs[0].location = {.poolIndex = 0, .offset = 1, .length = kCopiedBytes};
    executeByEightBursts(target, prepared, request);
}

void makeForeignCopies(const DriverUnderAttack& target, PreparedModel& prepared) {
    const test::ForeignMemory memory(kCopiedBytes + sizeof(float));
    Request request = makeRequest(kCopiedBytes, sizeof(float));
    request.pools = {memory.region};
    executeByEightBursts(target, prepared, request);
}

/// One prepared model, executed by four threads.
void executeFromFourThreads(const DriverUnderAttack& target) {
    const auto device = nnburst::connect(target.socketPath);
    if (!device) {
        return;
    }
    const auto prepared =
        prepareModel(**device, makeBigConvolution(1.0F), {.priority = Priority::HIGH});
    if (!prepared) {
        return;
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            const Request request = makeRequest(kBigConvolutionBytes, kBigConvolutionBytes);
            ExecutionOutcome outcome;
            while (true) {
                target.log.note((*prepared)->executeSynchronously(request, {}, outcome));
            }
        });
    }
    holdUntilKilled();
}

}  // namespace

StressCases processorCases() {
    return {
        busy("honest_rival", "another client with the same network, without pauses", kRivalNetwork,
             1),
        busy("big_convolutions", "two CONV_2D of 39 GMAC at LOW", kBigConvolution, 2,
             Priority::LOW),
        attacking("same_model_high", "four threads with the same model of 39 GMAC at HIGH",
                  executeFromFourThreads),
        attacking("unaligned_copies", "eight bursts with unaligned inputs of 64 MiB",
                  withPreparedModel(makeFirstFloat(), makeUnalignedCopies)),
        attacking("foreign_copies", "eight bursts with inputs of 64 MiB in foreign memory",
                  withPreparedModel(makeFirstFloat(), makeForeignCopies)),
        attacking("spinning_bursts", "64 bursts whose driver threads are asked to spin",
                  withPreparedModel(test::makeAddModel(), spinOnBursts)),
        busy("endless_loops", "eight WHILE loops that end at their time limit", kEndlessLoops, 8),
        busy("nested_loops", "eight times 20 WHILE loops in each other", kNestedLoops, 8),
        busy("huge_operation", "four operations of minutes, three of them waiting", kHugeOperation,
             4),
        busy("huge_folding", "four models whose constants take minutes to compute", kHugeFolding,
             4),
        attacking("nested_branches", "60 levels of IF, twice in each other: 2^60 branches",
                  prepareNestedBranches),
    };
}

}  // namespace nnburst::stress
