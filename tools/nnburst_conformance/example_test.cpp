// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_conformance/example_test.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <optional>

#include "nnburst_conformance/derive.h"
#include "nnburst_conformance/invalid_models.h"

namespace nnburst::conformance {

namespace {

/// The loop timeout with which AOSP runs endless loops.
constexpr std::chrono::milliseconds kShortLoopTimeout{1};

/// How long a device may take to refuse a model.
constexpr std::chrono::seconds kLongestRefusal{10};

std::string text(const Error& error) {
    return fmt::format("{}: {}", toString(error.status), error.message);
}

/// The description of a failure; empty if there is none.
using Complaint = std::string;

Complaint checkTiming(const Execution& execution, bool measures) {
    const Timing& timing = execution.timing;
    if (!measures && timing != Timing{}) {
        return fmt::format("not measured, but timing is {} and {} us", timing.timeOnDevice,
                           timing.timeInDriver);
    }
    const bool areBoth =
        timing.timeOnDevice != kTimeNotAvailable && timing.timeInDriver != kTimeNotAvailable;
    if (areBoth && timing.timeOnDevice > timing.timeInDriver) {
        return fmt::format("{} us on the device, but {} us in the driver", timing.timeOnDevice,
                           timing.timeInDriver);
    }
    return {};
}

/// Output shapes of an execution that succeeded; `mustReport` if dimensions were left open.
Complaint checkShapes(const VectorExample& example, const Execution& execution, bool mustReport) {
    if (execution.outputShapes.empty() && !mustReport) {
        return {};
    }
    if (execution.outputShapes.size() != example.outputs.size()) {
        return fmt::format("{} output shapes; expected {}", execution.outputShapes.size(),
                           example.outputs.size());
    }
    for (std::size_t i = 0; i < example.outputs.size(); ++i) {
        const OutputShape& shape = execution.outputShapes[i];
        if (shape.dimensions != example.outputs[i].dimensions || !shape.isSufficient) {
            return fmt::format("output {}: dimensions {}, sufficient {}; expected {}, true", i,
                               fmt::join(shape.dimensions, "x"), shape.isSufficient,
                               fmt::join(example.outputs[i].dimensions, "x"));
        }
    }
    return {};
}

Complaint checkContents(const VectorExample& example, const Execution& execution) {
    for (std::size_t i = 0; i < example.outputs.size(); ++i) {
        if (Complaint complaint = compareOutput(example, i, execution.outputs[i]);
            !complaint.empty()) {
            return complaint;
        }
    }
    return {};
}

bool hasEmptyOutput(const VectorExample& example) {
    return std::any_of(example.outputs.begin(), example.outputs.end(),
                       [](const VectorOutput& output) { return output.expected.empty(); });
}

bool hasOpenOutput(const VectorExample& example) {
    const Subgraph& main = example.model.main;
    return std::any_of(main.outputIndexes.begin(), main.outputIndexes.end(),
                       [&](std::uint32_t index) {
                           const Dimensions& dimensions = main.operands[index].dimensions;
                           return std::count(dimensions.begin(), dimensions.end(), 0U) != 0;
                       });
}

/// Executes with and without timing, and compares the outputs.
class OutputsTest {
  public:
    OutputsTest(Executor& executor, const VectorExample& example, Via via)
        : executor_(executor), example_(example), via_(via) {}

    Complaint run() {
        const bool isOpen = hasOpenOutput(example_) || hasEmptyOutput(example_);
        for (const bool measures : {false, true}) {
            auto execution = executor_.execute(example_, via_, {.measures = measures});
            if (!execution) {
                return text(execution.error());
            }
            Complaint complaint = via_ == Via::FENCED && isOpen ? expectRefusal(*execution)
                                                                : check(*execution, measures);
            if (!complaint.empty()) {
                return measures ? "with timing: " + complaint : complaint;
            }
        }
        return {};
    }

  private:
    /// HAL 1.3 executeFenced refuses models with outputs whose dimensions are unknown.
    static Complaint expectRefusal(const Execution& execution) {
        if (execution.status) {
            return "fenced with dynamic outputs: succeeded; expected INVALID_ARGUMENT";
        }
        return execution.status.error().status == ErrorStatus::INVALID_ARGUMENT
                   ? Complaint()
                   : "fenced with dynamic outputs: " + text(execution.status.error()) +
                         "; expected INVALID_ARGUMENT";
    }

    [[nodiscard]] Complaint check(const Execution& execution, bool measures) const {
        if (!execution.status) {
            return text(execution.status.error());
        }
        Complaint complaint = checkTiming(execution, measures);
        if (complaint.empty()) {
            complaint =
                checkShapes(example_, execution, hasOpenOutput(example_) && via_ != Via::FENCED);
        }
        return complaint.empty() ? checkContents(example_, execution) : complaint;
    }

    Executor& executor_;
    const VectorExample& example_;
    Via via_;
};

/// Executes with a buffer for the first output that is one byte too small.
Complaint testInsufficient(Executor& executor, const VectorExample& example, Via via) {
    const auto execution = executor.execute(example, via, {.missingBytes = 1});
    if (!execution) {
        return text(execution.error());
    }
    if (execution->status ||
        execution->status.error().status != ErrorStatus::OUTPUT_INSUFFICIENT_SIZE) {
        return fmt::format("{}; expected OUTPUT_INSUFFICIENT_SIZE",
                           execution->status ? "succeeded" : text(execution->status.error()));
    }
    if (execution->outputShapes.size() != example.outputs.size()) {
        return fmt::format("{} output shapes; expected {}", execution->outputShapes.size(),
                           example.outputs.size());
    }
    for (std::size_t i = 0; i < example.outputs.size(); ++i) {
        const OutputShape& shape = execution->outputShapes[i];
        if (shape.isSufficient != (i != 0)) {
            return fmt::format("output {}: sufficient {}; expected {}", i, shape.isSufficient,
                               i != 0);
        }
        const Dimensions& expected = example.outputs[i].dimensions;
        const bool isRight =
            shape.dimensions.empty() ||
            std::equal(shape.dimensions.begin(), shape.dimensions.end(), expected.begin(),
                       expected.end(),
                       [](std::uint32_t is, std::uint32_t size) { return is == 0 || is == size; });
        if (!isRight) {
            return fmt::format("output {}: dimensions {}; expected {}", i,
                               fmt::join(shape.dimensions, "x"), fmt::join(expected, "x"));
        }
    }
    return {};
}

/// Tests an example that must fail, either when it is prepared or when it is executed. An endless
/// loop must be prepared, and end at its timeout.
Complaint testFailure(const Result<SharedPreparedModel>& prepared, const VectorExample& example,
                      Via via) {
    const bool isLoop = example.model.main.operations.back().type == OperationType::WHILE;
    if (!prepared) {
        return isLoop
                   ? "a loop without end: " + text(prepared.error()) + "; expected to be prepared"
                   : Complaint();
    }
    Executor executor(*prepared);
    ExecutionWish wish;
    if (isLoop) {
        wish.loopTimeout = kShortLoopTimeout;
    }
    const auto execution = executor.execute(example, via, wish);
    if (!execution) {
        return text(execution.error());
    }
    if (execution->status) {
        return "succeeded; expected to fail";
    }
    const ErrorStatus status = execution->status.error().status;
    if (status == ErrorStatus::DEVICE_UNAVAILABLE ||
        (isLoop && status != ErrorStatus::MISSED_DEADLINE_TRANSIENT &&
         status != ErrorStatus::MISSED_DEADLINE_PERSISTENT)) {
        return text(execution->status.error());
    }
    return {};
}

/// What a call gave if that was not INVALID_ARGUMENT.
template <class T>
Complaint checkIsInvalid(const char* call, const Result<T>& result) {
    if (result) {
        return fmt::format("{}: succeeded; expected INVALID_ARGUMENT", call);
    }
    return result.error().status == ErrorStatus::INVALID_ARGUMENT
               ? Complaint()
               : fmt::format("{}: {}; expected INVALID_ARGUMENT", call, text(result.error()));
}

/// Breaks `model` and expects INVALID_ARGUMENT from each call that checks it, and from the
/// callback.
Complaint testRefusal(Device& device, const Model& model, const InvalidChange& change) {
    Preparation preparation{.model = model, .options = {}};
    change.apply(preparation);
    if (change.isOfModel) {
        Complaint complaint = checkIsInvalid("getSupportedOperations",
                                             device.getSupportedOperations(preparation.model));
        if (!complaint.empty()) {
            return complaint;
        }
    }
    // Shared: the device may call later than the wait.
    const auto ended = std::make_shared<std::promise<Result<SharedPreparedModel>>>();
    const Result<> launched = device.prepareModel(
        preparation.model, preparation.options,
        [ended](Result<SharedPreparedModel> prepared) { ended->set_value(std::move(prepared)); });
    auto prepared = ended->get_future();
    const bool isCalled = prepared.wait_for(kLongestRefusal) == std::future_status::ready;
    Complaint complaint = checkIsInvalid("prepareModel", launched);
    if (!complaint.empty()) {
        return complaint;
    }
    return isCalled ? checkIsInvalid("callback of prepareModel", prepared.get())
                    : "callback of prepareModel: not called";
}

bool isSupported(Device& device, const Model& model) {
    const auto supported = device.getSupportedOperations(model);
    return supported &&
           std::all_of(supported->begin(), supported->end(), [](bool is) { return is; });
}

bool canExecute(HalVersion version, Via via) {
    return via != Via::FENCED || supportsFences(version);
}

/// The HAL's way to say that the device has no dynamic output shapes.
template <class T>
bool isGeneralFailure(const Result<T>& result) {
    return !result && result.error().status == ErrorStatus::GENERAL_FAILURE;
}

/// All tests of one example.
class ExampleTest {
  public:
    ExampleTest(Device& device, const VectorExample& example, const Options& options,
                const std::function<void(const TestResult&)>& report)
        : device_(device),
          version_(device.getHalVersion()),
          example_(example),
          options_(options),
          report_(report) {}

    void run() {
        // VTS has no examples for the runtime.
        if (isWanted(Derivation::INVALID) && !example_.isForRuntime) {
            testInvalid();
        }
        if (example_.expectsFailure) {
            const auto prepared = prepareModel(device_, example_.model);
            testEachWay(Derivation::NONE,
                        [&](Via via) { return testFailure(prepared, example_, via); });
            return;
        }
        if (example_.isForRuntime && !isSupported(device_, example_.model)) {
            for (const Via via : options_.vias) {
                skip(Derivation::NONE, via);
            }
            return;
        }
        testOutputs(Derivation::NONE, example_);
        if (isWanted(Derivation::SHAPES) || isWanted(Derivation::INSUFFICIENT)) {
            if (const auto derived = withOpenOutputs(example_)) {
                testOpenOutputs(*derived);
            }
        }
        if (isWanted(Derivation::COUPLING)) {
            testCoupling();
        }
    }

  private:
    [[nodiscard]] bool isWanted(Derivation derivation) const {
        return std::find(options_.derivations.begin(), options_.derivations.end(), derivation) !=
               options_.derivations.end();
    }

    void conclude(Derivation derivation, Via via, Complaint complaint) const {
        const Verdict verdict = complaint.empty() ? Verdict::PASSED : Verdict::FAILED;
        report_({verdict, derivation, via, std::move(complaint)});
    }

    void skip(Derivation derivation, Via via) const {
        report_({Verdict::SKIPPED, derivation, via, {}});
    }

    /// Tests in each way to execute that the device's version of the HAL has.
    template <class Test>
    void testEachWay(Derivation derivation, const Test& test) const {
        for (const Via via : options_.vias) {
            if (canExecute(version_, via)) {
                conclude(derivation, via, test(via));
            } else {
                skip(derivation, via);
            }
        }
    }

    void testOutputs(Derivation derivation, const VectorExample& example) {
        const auto prepared = prepareModel(device_, example.model);
        if (!prepared) {
            testEachWay(derivation, [&](Via) { return "not prepared: " + text(prepared.error()); });
            return;
        }
        Executor executor(*prepared);
        testEachWay(derivation, [&](Via via) { return OutputsTest(executor, example, via).run(); });
    }

    /// Reports each broken model that is not refused.
    void testInvalid() {
        bool areAllRefused = true;
        for (const InvalidChange& change : invalidChanges(example_.model)) {
            const Complaint complaint = testRefusal(device_, example_.model, change);
            if (complaint.empty()) {
                continue;
            }
            areAllRefused = false;
            conclude(Derivation::INVALID, options_.vias[0], change.name + ": " + complaint);
            if (device_.getStatus() == DeviceStatus::OFFLINE) {
                break;
            }
        }
        if (areAllRefused) {
            conclude(Derivation::INVALID, options_.vias[0], {});
        }
    }

    void testOpenOutputs(const VectorExample& derived) {
        if (!supportsOutputShapes(version_)) {
            skipOpenOutputs();
            return;
        }
        const auto prepared = prepareModel(device_, derived.model);
        if (isGeneralFailure(prepared)) {
            skipOpenOutputs();
            return;
        }
        if (!prepared) {
            testEachWay(
                isWanted(Derivation::SHAPES) ? Derivation::SHAPES : Derivation::INSUFFICIENT,
                [&](Via) { return "not prepared: " + text(prepared.error()); });
            return;
        }
        Executor executor(*prepared);
        if (lacksDynamicShapes(executor, derived)) {
            skipOpenOutputs();
            return;
        }
        for (const Via via : options_.vias) {
            if (!canExecute(version_, via)) {
                skipOpenOutputs(via);
                continue;
            }
            if (isWanted(Derivation::SHAPES)) {
                conclude(Derivation::SHAPES, via, OutputsTest(executor, derived, via).run());
            }
            if (isWanted(Derivation::INSUFFICIENT) && via != Via::FENCED &&
                derived.outputs[0].expected.size() > 1) {
                conclude(Derivation::INSUFFICIENT, via, testInsufficient(executor, derived, via));
            }
        }
    }

    /// One way to execute tells: a device that has them in this way must have them in all.
    static bool lacksDynamicShapes(Executor& executor, const VectorExample& derived) {
        const auto execution = executor.execute(derived, Via::SYNC, {});
        return execution && isGeneralFailure(execution->status);
    }

    void skipOpenOutputs() const {
        for (const Via via : options_.vias) {
            skipOpenOutputs(via);
        }
    }
    void skipOpenOutputs(Via via) const {
        if (isWanted(Derivation::SHAPES)) {
            skip(Derivation::SHAPES, via);
        }
        if (isWanted(Derivation::INSUFFICIENT) && via != Via::FENCED) {
            skip(Derivation::INSUFFICIENT, via);
        }
    }

    void testCoupling() {
        const auto derived = withSignedOperands(example_);
        if (!derived) {
            conclude(Derivation::COUPLING, options_.vias[0], text(derived.error()));
            return;
        }
        if (!*derived) {
            return;
        }
        if (version_ < HalVersion::V1_3) {  // it has no signed 8-bit tensors
            skip(Derivation::COUPLING, options_.vias[0]);
            return;
        }
        if (isSupported(device_, example_.model) != isSupported(device_, (*derived)->model)) {
            conclude(Derivation::COUPLING, options_.vias[0],
                     "supported with unsigned or with signed operands, but not with both");
            return;
        }
        testOutputs(Derivation::COUPLING, **derived);
    }

    Device& device_;
    const HalVersion version_;
    const VectorExample& example_;
    const Options& options_;
    const std::function<void(const TestResult&)>& report_;
};

}  // namespace

void testExample(Device& device, const VectorExample& example, const Options& options,
                 const std::function<void(const TestResult&)>& report) {
    ExampleTest(device, example, options, report).run();
}

}  // namespace nnburst::conformance
