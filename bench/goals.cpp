// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "goals.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "number_names.h"
#include "summary.h"

namespace nnburst::bench {
namespace {

constexpr std::array kGoals{
    Goal{"empty reusable execution, spinning / 56-byte mailbox ping-pong",
         "roundTrip/reusableSpinning", "roundTrip/cacheLineMailbox", 1.3},
    Goal{"empty reusable execution, spinning / Boost.Lockfree, 64 bytes each way",
         "roundTrip/reusableSpinning", "roundTrip/boostLockfree", 0.8},
    Goal{"empty reusable execution, adaptive / spinning", "roundTrip/reusable",
         "roundTrip/reusableSpinning", 1.1},
    Goal{"plain execution with 2 operands, empty model, spinning / 56-byte mailbox ping-pong",
         "roundTrip/burstSpinning", "roundTrip/cacheLineMailbox", 2.5},
    Goal{"empty execution, blocking / raw futex ping-pong", "roundTrip/burstBlocking",
         "roundTrip/futex", 1.1},
    Goal{"empty execution, adaptive / gRPC over a Unix socket", "roundTrip/burst", "roundTrip/grpc",
         0.01},
    Goal{"client and driver on one processor, empty execution, adaptive / futex ping-pong there",
         "oneProcessor/burst", "oneProcessor/futex", 1.3},
    Goal{"ADD of 64 floats, what the local device adds to a direct XNNPACK call / word ping-pong",
         "oneOperation/local", "roundTrip/cacheLineWord", 0.5, Statistic::P50,
         "oneOperation/direct"},
    Goal{"MobileNet 0.25/128 float32 through a burst / direct XNNPACK calls",
         "mobilenetFloat32/burst", "mobilenetFloat32/direct", 1.02},
    Goal{"MobileNet 0.25/128 quant8 through a burst / direct XNNPACK calls",
         "mobilenetQuant8/burst", "mobilenetQuant8/direct", 0.6},
    Goal{"MobileNet 0.25/128 float32 from Python / from C++", "pythonMobileNet/python",
         "pythonMobileNet/cpp", 1.02},
    Goal{"MobileNet 1.0/224 float32 through a burst / direct XNNPACK calls",
         "largeFloat32Threads1/burst", "largeFloat32Threads1/direct", 1.02},
    Goal{"MobileNet 1.0/224 float32 on 2 threads through a burst / direct XNNPACK calls",
         "largeFloat32Threads2/burst", "largeFloat32Threads2/direct", 1.02},
    Goal{"MobileNet 1.0/224 float32 on 2 threads, tail", "largeFloat32Threads2/burst",
         "largeFloat32Threads2/direct", 1.1, Statistic::P99},
    Goal{"MobileNet 1.0/224 quant8 through a burst / direct XNNPACK calls",
         "largeQuant8Threads1/burst", "largeQuant8Threads1/direct", 0.42},
    Goal{"MobileNet 1.0/224 quant8 on 2 threads through a burst / direct XNNPACK calls",
         "largeQuant8Threads2/burst", "largeQuant8Threads2/direct", 0.42},
    Goal{"MobileNet 1.0/224 quant8 on 2 threads, tail", "largeQuant8Threads2/burst",
         "largeQuant8Threads2/direct", 1.1, Statistic::P99},
    Goal{"MobileNet 0.25/128 every 33 ms through a burst / direct XNNPACK calls",
         "pacedThreads1/burst", "pacedThreads1/direct", 1.05},
    Goal{"MobileNet 0.25/128 every 33 ms, tail", "pacedThreads1/burst", "pacedThreads1/direct", 1.1,
         Statistic::P99},
    Goal{"MobileNet 0.25/128 every 33 ms on 2 threads through a burst / direct XNNPACK calls",
         "pacedThreads2/burst", "pacedThreads2/direct", 1.05},
    Goal{"MobileNet 0.25/128 every 33 ms on 2 threads, tail", "pacedThreads2/burst",
         "pacedThreads2/direct", 1.1, Statistic::P99},
    Goal{"MobileNet 0.25/128, first execution of model and burst / executions in a row",
         "firstExecution/first", "firstExecution/later", 2},
    Goal{"MobileNet 0.25/128, execution after 3 s of rest / executions in a row",
         "firstExecution/afterRest", "firstExecution/later", 2},
    Goal{"TRANSPOSE_CONV_2D of 8 bits, our kernels / others", "transposeConv2d/own",
         "transposeConv2d/others", 0.6},
    Goal{"AVERAGE_POOL_2D of 8 bits, padded, our kernels / others", "averagePool2d/own",
         "averagePool2d/others", 0.25},
    Goal{"HARD_SWISH of 8 bits, our kernels / others", "hardSwish/own", "hardSwish/others", 0.5},
    Goal{"CONCATENATION of 8 bits to another scale, our kernels / others", "concatenation/own",
         "concatenation/others", 0.5},
    Goal{"QUANTIZED_16BIT_LSTM of 256 units, our kernels / others", "lstm/own", "lstm/others", 0.3},
    Goal{"MobileNet 1.0/224 quant8, prepared from the cache / prepared, in process",
         "prepareQuant8/localCache", "prepareQuant8/localModel", 0.2},
    Goal{"MobileNet 1.0/224 quant8, prepared from the cache / prepared, in a driver",
         "prepareQuant8/driverCache", "prepareQuant8/driverModel", 0.2},
    Goal{"MobileNet 1.0/224, prepared from the cache / prepared, in process",
         "prepareLargePacked/localCache", "prepareLargePacked/localModel", 0.2},
    Goal{"MobileNet 1.0/224, prepared from the cache / prepared, in a driver",
         "prepareLargePacked/driverCache", "prepareLargePacked/driverModel", 0.2},
    Goal{"MobileNet 0.5/224 at 30 Hz, adaptive / spinning", "stream/adaptive", "stream/spinning",
         1.02},
    Goal{"MobileNet 0.25/128 through a burst beside four endless loops of another client / alone",
         "neighboursBurst/endlessLoops", "neighboursBurst/alone", 2},
    Goal{"MobileNet 0.25/128 through a burst beside four endless loops of another client / alone, "
         "tail",
         "neighboursBurst/endlessLoops", "neighboursBurst/alone", 2, Statistic::P99},
    Goal{"MobileNet 0.25/128 through a burst beside 150 executions at HIGH of another client / "
         "alone",
         "neighboursBurst/highPriority", "neighboursBurst/alone", 2},
    Goal{"MobileNet 0.25/128 through a burst beside 150 executions at HIGH of another client / "
         "alone, tail",
         "neighboursBurst/highPriority", "neighboursBurst/alone", 2, Statistic::P99},
    Goal{"MobileNet 0.25/128 through a burst beside a flood of preparations of another client / "
         "alone",
         "neighboursBurst/preparations", "neighboursBurst/alone", 2},
    Goal{"MobileNet 0.25/128 through a burst beside a flood of preparations of another client / "
         "alone, tail",
         "neighboursBurst/preparations", "neighboursBurst/alone", 2, Statistic::P99},
    Goal{"MobileNet 0.25/128 single executions beside four endless loops of another client / alone",
         "neighboursSingle/endlessLoops", "neighboursSingle/alone", 3},
    Goal{"MobileNet 0.25/128 single executions beside four endless loops of another client / "
         "alone, tail",
         "neighboursSingle/endlessLoops", "neighboursSingle/alone", 3, Statistic::P99},
    Goal{"MobileNet 0.25/128 single executions beside 150 executions at HIGH of another client / "
         "alone",
         "neighboursSingle/highPriority", "neighboursSingle/alone", 3},
    Goal{"MobileNet 0.25/128 single executions beside 150 executions at HIGH of another client / "
         "alone, tail",
         "neighboursSingle/highPriority", "neighboursSingle/alone", 3, Statistic::P99},
    Goal{"MobileNet 0.25/128 single executions beside a flood of preparations of another client / "
         "alone",
         "neighboursSingle/preparations", "neighboursSingle/alone", 3},
    Goal{"MobileNet 0.25/128 single executions beside a flood of preparations of another client / "
         "alone, tail",
         "neighboursSingle/preparations", "neighboursSingle/alone", 3, Statistic::P99},
    Goal{"empty model through ANeuralNetworksExecution_burstCompute / reusable execution from C++",
         "nnapiEmpty/burstCompute", "nnapiEmpty/cpp", 1.15},
    Goal{"MobileNet 0.25/128 through ANeuralNetworksExecution_burstCompute / reusable execution "
         "from C++",
         "nnapiMobileNet/burstCompute", "nnapiMobileNet/cpp", 1.02},
    Goal{"MobileNet v1 0.25/128 unsigned, threads: 1, through a burst / ONNX Runtime",
         "onnxV1SmallUnsignedThreads1/burst", "onnxV1SmallUnsignedThreads1/onnxRuntime", 0.6},
    Goal{"MobileNet v1 0.25/128 unsigned, threads: 2, through a burst / ONNX Runtime",
         "onnxV1SmallUnsignedThreads2/burst", "onnxV1SmallUnsignedThreads2/onnxRuntime", 0.6},
    Goal{"MobileNet v1 0.25/128 signed filters, threads: 1, through a burst / ONNX Runtime",
         "onnxV1SmallSignedThreads1/burst", "onnxV1SmallSignedThreads1/onnxRuntime", 0.9},
    Goal{"MobileNet v1 0.25/128 signed filters, threads: 2, through a burst / ONNX Runtime",
         "onnxV1SmallSignedThreads2/burst", "onnxV1SmallSignedThreads2/onnxRuntime", 0.9},
    Goal{"MobileNet v1 0.25/128 float32, threads: 1, through a burst / ONNX Runtime",
         "onnxV1SmallFloat32Threads1/burst", "onnxV1SmallFloat32Threads1/onnxRuntime", 1.0},
    Goal{"MobileNet v1 0.25/128 float32, threads: 2, through a burst / ONNX Runtime",
         "onnxV1SmallFloat32Threads2/burst", "onnxV1SmallFloat32Threads2/onnxRuntime", 1.0},
    Goal{"MobileNet v1 1.0/224 unsigned, threads: 1, through a burst / ONNX Runtime",
         "onnxV1LargeUnsignedThreads1/burst", "onnxV1LargeUnsignedThreads1/onnxRuntime", 0.6},
    Goal{"MobileNet v1 1.0/224 unsigned, threads: 2, through a burst / ONNX Runtime",
         "onnxV1LargeUnsignedThreads2/burst", "onnxV1LargeUnsignedThreads2/onnxRuntime", 0.6},
    Goal{"MobileNet v1 1.0/224 signed filters, threads: 1, through a burst / ONNX Runtime",
         "onnxV1LargeSignedThreads1/burst", "onnxV1LargeSignedThreads1/onnxRuntime", 0.9},
    Goal{"MobileNet v1 1.0/224 signed filters, threads: 2, through a burst / ONNX Runtime",
         "onnxV1LargeSignedThreads2/burst", "onnxV1LargeSignedThreads2/onnxRuntime", 0.9},
    Goal{"MobileNet v1 1.0/224 float32, threads: 1, through a burst / ONNX Runtime",
         "onnxV1LargeFloat32Threads1/burst", "onnxV1LargeFloat32Threads1/onnxRuntime", 1.0},
    Goal{"MobileNet v1 1.0/224 float32, threads: 2, through a burst / ONNX Runtime",
         "onnxV1LargeFloat32Threads2/burst", "onnxV1LargeFloat32Threads2/onnxRuntime", 1.0},
    Goal{"MobileNet v2 1.0/224 unsigned, threads: 1, through a burst / ONNX Runtime",
         "onnxV2UnsignedThreads1/burst", "onnxV2UnsignedThreads1/onnxRuntime", 0.6},
    Goal{"MobileNet v2 1.0/224 unsigned, threads: 2, through a burst / ONNX Runtime",
         "onnxV2UnsignedThreads2/burst", "onnxV2UnsignedThreads2/onnxRuntime", 0.6},
    Goal{"MobileNet v2 1.0/224 signed filters, threads: 1, through a burst / ONNX Runtime",
         "onnxV2SignedThreads1/burst", "onnxV2SignedThreads1/onnxRuntime", 0.9},
    Goal{"MobileNet v2 1.0/224 signed filters, threads: 2, through a burst / ONNX Runtime",
         "onnxV2SignedThreads2/burst", "onnxV2SignedThreads2/onnxRuntime", 0.9},
    Goal{"MobileNet v2 1.0/224 float32, threads: 1, through a burst / ONNX Runtime",
         "onnxV2Float32Threads1/burst", "onnxV2Float32Threads1/onnxRuntime", 1.0},
    Goal{"MobileNet v2 1.0/224 float32, threads: 2, through a burst / ONNX Runtime",
         "onnxV2Float32Threads2/burst", "onnxV2Float32Threads2/onnxRuntime", 1.0},
};

constexpr std::array kNumberGoals{
    NumberGoal{"MobileNet 0.5/224 at 30 Hz, adaptive: burnt by waiting, both sides, % of a "
               "processor",
               "stream/adaptive", kBurntNumber, 5},
    NumberGoal{"system calls: RESHAPE, plain, spinning", "systemCalls/plainSpinning", kCallsNumber,
               0},
    NumberGoal{"system calls: RESHAPE, plain, adaptive", "systemCalls/plainAdaptive", kCallsNumber,
               0},
    NumberGoal{"system calls: RESHAPE, reusable, spinning", "systemCalls/reusableSpinning",
               kCallsNumber, 0},
    NumberGoal{"system calls: RESHAPE, reusable, adaptive", "systemCalls/reusableAdaptive",
               kCallsNumber, 0},
    NumberGoal{"system calls: MobileNet 0.25/128, spinning", "systemCalls/networkSpinning",
               kCallsNumber, 0},
    NumberGoal{"system calls: MobileNet 0.25/128, adaptive", "systemCalls/networkAdaptive",
               kCallsNumber, 0},
    NumberGoal{"system calls: MobileNet 0.25/128 on 2 threads, spinning",
               "systemCalls/networkSpinningThreads2", kCallsNumber, 2},
    NumberGoal{"throughput of 2 clients, for each processor of use / of 1 client", "throughput/2",
               kProcessorNumber, 0.9, Relation::AT_LEAST, "throughput/1"},
    NumberGoal{"throughput of 4 clients, for each processor of use / of 1 client", "throughput/4",
               kProcessorNumber, 0.9, Relation::AT_LEAST, "throughput/1"},
    NumberGoal{"throughput of 16 clients, for each processor of use / of 1 client", "throughput/16",
               kProcessorNumber, 0.9, Relation::AT_LEAST, "throughput/1"},
    NumberGoal{"throughput of 64 clients, for each processor of use / of 1 client", "throughput/64",
               kProcessorNumber, 0.9, Relation::AT_LEAST, "throughput/1"},
    NumberGoal{"throughput of 2 clients / of 2 threads with a device each", "throughput/2",
               kTotalNumber, 0.9, Relation::AT_LEAST, "throughputApart/2"},
    NumberGoal{"throughput of 4 clients / of 4 threads with a device each", "throughput/4",
               kTotalNumber, 0.9, Relation::AT_LEAST, "throughputApart/4"},
    NumberGoal{"throughput of 16 clients / of 16 threads with a device each", "throughput/16",
               kTotalNumber, 0.9, Relation::AT_LEAST, "throughputApart/16"},
    NumberGoal{"throughput of 64 clients / of 64 threads with a device each", "throughput/64",
               kTotalNumber, 0.9, Relation::AT_LEAST, "throughputApart/64"},
    NumberGoal{"slowest / fastest of 2 clients", "throughput/2", kFairnessNumber, 0.9,
               Relation::AT_LEAST},
    NumberGoal{"slowest / fastest of 4 clients", "throughput/4", kFairnessNumber, 0.9,
               Relation::AT_LEAST},
    NumberGoal{"slowest / fastest of 16 clients", "throughput/16", kFairnessNumber, 0.9,
               Relation::AT_LEAST},
    NumberGoal{"slowest / fastest of 64 clients", "throughput/64", kFairnessNumber, 0.9,
               Relation::AT_LEAST},
    NumberGoal{"cost of an operand: of 1000 / of 100", "operands/1000", kInputNumber, 1.1,
               Relation::AT_MOST, "operands/100"},
    NumberGoal{"1000 idle bursts: processor time of the driver, %", "idleBursts/burst", kIdleNumber,
               0.1},
    NumberGoal{"1000 idle bursts: threads a burst", "idleBursts/burst", kThreadsNumber, 0.1},
};

/// The summary of benchmark `name`; an empty one if there is no such benchmark.
Summary summaryOf(const Results& results, std::string_view name) {
    const auto found =
        std::find_if(results.benchmarks.begin(), results.benchmarks.end(),
                     [&](const BenchmarkResult& result) { return result.name == name; });
    return found == results.benchmarks.end() ? Summary()
                                             : summarise(*found, medianPingPongNs(results));
}

/// Looks up the terms of one goal in the results, and remembers the first one that is missing.
class Lookup {
  public:
    explicit Lookup(const Results& results) : results_(results) {}

    /// All zero if the benchmark has no figures.
    Figures figures(const char* name) {
        const std::optional<Figures> found = summaryOf(results_, name).figures;
        return found ? *found : missing(name, Figures{});
    }
    double number(const char* name, const char* number) {
        const Summary summary = summaryOf(results_, name);
        const auto found = summary.numbers.find(number);
        return found != summary.numbers.end() ? found->second.median : missing(name, 0.0);
    }

    [[nodiscard]] const std::string& missing() const noexcept { return missing_; }

  private:
    template <class T>
    T missing(const char* name, T nothing) {
        if (missing_.empty()) {
            missing_ = name;
        }
        return nothing;
    }

    const Results& results_;
    std::string missing_;
};

}  // namespace

const char* machineDependence(std::string_view name) noexcept {
    struct Dependence {
        std::string_view prefix;  ///< of groups
        const char* what;
    };
    static constexpr const char* kDotProducts =
        "needs a processor with dot-product instructions (AVX512-VNNI, AVX-VNNI)";
    static constexpr const char* kTwoProcessors = "needs two processors that do nothing else";
    static constexpr std::array kDependences{
        Dependence{"mobilenetQuant8", kDotProducts},
        Dependence{"largeQuant8", kDotProducts},
        Dependence{"transposeConv2d", kDotProducts},
        Dependence{"averagePool2d", kDotProducts},
        Dependence{"hardSwish", kDotProducts},
        Dependence{"concatenation", kDotProducts},
        Dependence{"prepareQuant8", kDotProducts},
        Dependence{"prepareLargePacked", "needs an XNNPACK that takes packed weights (Debian 13)"},
        Dependence{"onnxV1SmallUnsigned", kDotProducts},
        Dependence{"onnxV1SmallSigned", kDotProducts},
        Dependence{"onnxV1LargeUnsigned", kDotProducts},
        Dependence{"onnxV1LargeSigned", kDotProducts},
        Dependence{"onnxV2Unsigned", kDotProducts},
        Dependence{"onnxV2Signed", kDotProducts},
        Dependence{"largeFloat32Threads2", kTwoProcessors},
        Dependence{"pacedThreads2", kTwoProcessors},
        Dependence{"oneProcessor", "depends on the cost of a switch between two processes"},
        Dependence{"throughput", "depends on the number of processors"},
    };
    const auto* found = std::find_if(
        kDependences.begin(), kDependences.end(),
        [&](const Dependence& dependence) { return name.starts_with(dependence.prefix); });
    return found == kDependences.end() ? nullptr : found->what;
}

std::span<const Goal> projectGoals() noexcept {
    return kGoals;
}

std::span<const NumberGoal> projectNumberGoals() noexcept {
    return kNumberGoals;
}

std::vector<GoalOutcome> judge(std::span<const Goal> goals, const Results& results) {
    std::vector<GoalOutcome> outcomes;
    for (const Goal& goal : goals) {
        GoalOutcome& outcome = outcomes.emplace_back(GoalOutcome{.goal = goal});
        Lookup lookup(results);
        const Figures numerator = lookup.figures(goal.numerator);
        const Figures less = goal.less != nullptr ? lookup.figures(goal.less) : Figures{};
        const Figures denominator = lookup.figures(goal.denominator);
        outcome.missing = lookup.missing();
        if (!outcome.missing.empty()) {
            continue;
        }
        outcome.medianRatio = (numerator.medianNs - less.medianNs) / denominator.medianNs;
        outcome.tailRatio = (numerator.tailNs - less.tailNs) / denominator.tailNs;
        const double ratio =
            goal.statistic == Statistic::P50 ? outcome.medianRatio : outcome.tailRatio;
        outcome.verdict = ratio <= goal.bound ? Verdict::MET : Verdict::MISSED;
    }
    return outcomes;
}

std::vector<NumberOutcome> judge(std::span<const NumberGoal> goals, const Results& results) {
    std::vector<NumberOutcome> outcomes;
    for (const NumberGoal& goal : goals) {
        NumberOutcome& outcome = outcomes.emplace_back(NumberOutcome{.goal = goal});
        Lookup lookup(results);
        const double number = lookup.number(goal.benchmark, goal.number);
        const double denominator =
            goal.denominator != nullptr ? lookup.number(goal.denominator, goal.number) : 1;
        outcome.missing = lookup.missing();
        if (!outcome.missing.empty()) {
            continue;
        }
        outcome.number = number / denominator;
        const bool isMet = goal.relation == Relation::AT_MOST ? outcome.number <= goal.bound
                                                              : outcome.number >= goal.bound;
        outcome.verdict = isMet ? Verdict::MET : Verdict::MISSED;
    }
    return outcomes;
}

}  // namespace nnburst::bench
