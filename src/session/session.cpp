// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/session.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "model/invalid.h"
#include "model/operand_info.h"
#include "nnburst/tflite.h"
#include "nnburst/validation.h"
#include "session/operand_list.h"
#include "session/operand_memory.h"
#include "system/time.h"

namespace nnburst {
namespace {

using session::kPhases;
using session::OperandList;
using session::OperandMemory;

/// Completes the inputs of `signature` with the dimensions that the user says. Gives what requests
/// have to say of each input: its dimensions if the model leaves some open, else none.
Result<std::vector<Dimensions>> completeInputs(ModelSignature& signature,
                                               const SessionOptions& options) {
    std::vector<Dimensions> ofRequests(signature.inputs.size());
    for (const auto& [name, dimensions] : options.inputDimensions) {
        const auto input = std::find_if(
            signature.inputs.begin(), signature.inputs.end(),
            [&name = name](const NamedOperand& operand) { return operand.name == name; });
        if (input == signature.inputs.end()) {
            return invalid("SessionOptions::inputDimensions[\"{}\"]: the model has no such input",
                           name);
        }
        if (!allows(input->dimensions, dimensions)) {
            return invalid(
                "SessionOptions::inputDimensions[\"{}\"] is {}: must agree with those of the "
                "model, {}",
                name, dimensionsText(dimensions), dimensionsText(input->dimensions));
        }
        if (input->dimensions != dimensions) {
            input->dimensions = dimensions;
            ofRequests[static_cast<std::size_t>(input - signature.inputs.begin())] = dimensions;
        }
    }
    return ofRequests;
}

Result<> checkOptions(const SessionOptions& options) {
    const std::uint64_t maximum = options.maximumOpenOutputBytes;
    if (options.openOutputBytes == 0 || options.openOutputBytes > maximum ||
        maximum > kMaximumOperandBytes) {
        return invalid(
            "SessionOptions::openOutputBytes {} and maximumOpenOutputBytes {}: must be at least 1, "
            "in this order, and at most {}",
            options.openOutputBytes, maximum, kMaximumOperandBytes);
    }
    return {};
}

/// One flag an operand: whether it is a state.
std::vector<bool> stateFlags(std::size_t count, const std::vector<ModelState>& states,
                             std::uint32_t ModelState::*index) {
    std::vector<bool> flags(count);
    for (const ModelState& state : states) {
        flags[state.*index] = true;
    }
    return flags;
}

/// Refuses to exchange a model for one whose operands of this kind differ.
Result<> checkSame(const char* kind, const std::vector<NamedOperand>& now,
                   const std::vector<NamedOperand>& next) {
    if (now.size() != next.size()) {
        return invalid("session replaceModel: the new model has {} {}s: must be {}", next.size(),
                       kind, now.size());
    }
    for (std::size_t index = 0; index < now.size(); ++index) {
        const NamedOperand& a = now[index];
        const NamedOperand& b = next[index];
        if (a != b) {
            return invalid(
                "session replaceModel: {} {} of the new model is {} of scale {} and zero point {}: "
                "must be {} of scale {} and zero point {}",
                kind, index, toString(b), b.scale, b.zeroPoint, toString(a), a.scale, a.zeroPoint);
        }
    }
    return {};
}

/// Interval at which runs are polled, because one whose time is over does not make the descriptor
/// readable.
constexpr std::chrono::milliseconds kPollInterval{10};

/// Waits until `descriptor` is readable, or for `time`, or for a signal.
void pollFor(int descriptor, std::chrono::nanoseconds time) noexcept {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
    const timespec timeout{.tv_sec = seconds.count(), .tv_nsec = (time - seconds).count()};
    pollfd readable{.fd = descriptor, .events = POLLIN, .revents = 0};
    (void)::ppoll(&readable, 1, &timeout, nullptr);
}

tl::unexpected<Error> notSubmitted() {
    return invalid("session wait: there is no run to wait for: call submit first");
}

tl::unexpected<Error> notWaitedFor(const char* call) {
    return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                   std::string("session ") + call +
                       ": a run was submitted and not waited for, and one is under way at most: "
                       "call wait first");
}

}  // namespace

class Session::Impl {
  public:
    /// `signature` is complete, and `memory` was made for it.
    Impl(SharedPreparedModel prepared, ModelSignature signature, const SessionOptions& options,
         OperandMemory memory)
        : prepared_(std::move(prepared)),
          options_(options),
          signature_(std::move(signature)),
          memory_(std::move(memory)),
          inputs_("input", signature_.inputs,
                  stateFlags(signature_.inputs.size(), signature_.states, &ModelState::input)),
          outputs_("output", signature_.outputs,
                   stateFlags(signature_.outputs.size(), signature_.states, &ModelState::output)),
          outputBytes_(outputs_.operands().size()) {
        for (std::size_t index = 0; index < outputBytes_.size(); ++index) {
            const std::size_t output = outputs_.modelIndex(index);
            if (!memory_.isOpen(output)) {
                outputBytes_[index] = memory_.output(output).size();
                continue;
            }
            openOutputs_.push_back(index);
            outputs_.operand(index).dimensions.reserve(kMaximumDimensions);
        }
    }

    /// Makes the burst. Once, before the first run. `inputDimensions` as OperandMemory::request.
    Result<> connect(std::vector<Dimensions> inputDimensions) {
        options_.burst.inFlight = 1;
        return useModel(prepared_, std::move(inputDimensions));
    }

    [[nodiscard]] const OperandList& inputs() const noexcept { return inputs_; }
    [[nodiscard]] const OperandList& outputs() const noexcept { return outputs_; }

    template <class Key>
    Result<std::span<std::byte>> inputBytes(Key key, ElementType type) const {
        NNBURST_TRY_ASSIGN(const std::size_t index, inputs_.find(key, type));
        return memory_.input(inputs_.modelIndex(index));
    }
    template <class Key>
    Result<std::span<std::byte>> outputBytes(Key key, ElementType type) const {
        NNBURST_TRY_ASSIGN(const std::size_t index, outputs_.find(key, type));
        return memory_.output(outputs_.modelIndex(index)).first(outputBytes_[index]);
    }

    Result<> run(const OptionalTimePoint& deadline) {
        if (submission_) {
            return notWaitedFor("run");
        }
        return finish(compute(deadline), deadline);
    }

    Result<> submit(const OptionalTimePoint& deadline) {
        if (submission_) {
            return notWaitedFor("submit");
        }
        NNBURST_TRY_ASSIGN(ReusableExecution * execution, this->execution());
        NNBURST_TRY_ASSIGN(submission_, execution->submit(deadline));
        deadline_ = deadline;
        return {};
    }

    Result<> wait() {
        if (!submission_) {
            return notSubmitted();
        }
        return finish(burst_->wait(*std::exchange(submission_, std::nullopt), outcome_), deadline_);
    }

    Result<bool> wait(std::chrono::nanoseconds timeout) {
        if (!submission_) {
            return notSubmitted();
        }
        const TimePoint end = system::saturatingAdd(std::chrono::steady_clock::now(), timeout);
        NNBURST_TRY_ASSIGN(const int descriptor, burst_->completionDescriptor());
        while (!isDone()) {
            // Again each time: the descriptor may become readable for nothing.
            NNBURST_TRY_ASSIGN(const bool hasEnded, burst_->armCompletion());
            const auto left = system::saturatingDifference(end, std::chrono::steady_clock::now());
            if (left <= std::chrono::nanoseconds(0)) {
                if (isDone()) {
                    break;
                }
                return false;
            }
            if (!hasEnded) {
                pollFor(descriptor, std::min<std::chrono::nanoseconds>(left, kPollInterval));
            }
        }
        NNBURST_TRY(wait());
        return true;
    }

    [[nodiscard]] bool isRunning() const noexcept { return submission_.has_value(); }
    [[nodiscard]] bool isDone() { return submission_ && burst_->isDone(*submission_); }
    [[nodiscard]] Burst& burst() const noexcept { return *burst_; }
    [[nodiscard]] const Timing& timing() const noexcept { return outcome_.timing; }

    Result<> resetStates() {
        NNBURST_TRY(checkIdle("resetStates"));
        memory_.resetStates();
        return {};
    }

    Result<> replaceModel(const Impl& next) {
        NNBURST_TRY(checkIdle("replaceModel"));
        NNBURST_TRY(checkSame("input", signature_.inputs, next.signature_.inputs));
        NNBURST_TRY(checkSame("output", signature_.outputs, next.signature_.outputs));
        const auto isSame = [](const ModelState& a, const ModelState& b) {
            return a.input == b.input && a.output == b.output;
        };
        if (!std::ranges::equal(signature_.states, next.signature_.states, isSame)) {
            return invalid("session replaceModel: the states of both models must be the same");
        }
        return useModel(next.prepared_, next.inputDimensions_);
    }

  private:
    using Executions =
        std::array<std::unique_ptr<ReusableExecution>, kPhases>;  ///< one for each phase

    /// Runs are those of `prepared` from now on, on a new burst. Changes nothing if it fails.
    Result<> useModel(const SharedPreparedModel& prepared,
                      std::vector<Dimensions> inputDimensions) {
        NNBURST_TRY_ASSIGN(std::unique_ptr<Burst> burst,
                           prepared->configureExecutionBurst(options_.burst));
        NNBURST_TRY_ASSIGN(Executions executions, makeExecutions(*burst, inputDimensions));
        executions_ = std::move(executions);  // before the burst on which the earlier ones ran
        burst_ = std::move(burst);
        prepared_ = prepared;
        inputDimensions_ = std::move(inputDimensions);
        return {};
    }

    Result<Executions> makeExecutions(Burst& burst,
                                      std::span<const Dimensions> inputDimensions) const {
        const ExecutionOptions options{.measure = options_.measure,
                                       .loopTimeout = options_.loopTimeout};
        Executions executions;
        for (std::size_t phase = 0; phase < (hasStates() ? kPhases : 1); ++phase) {
            NNBURST_TRY_ASSIGN(
                executions[phase],
                burst.createReusableExecution(memory_.request(phase, inputDimensions), options));
        }
        return executions;
    }

    /// The execution of the next run.
    Result<ReusableExecution*> execution() {
        if (executions_[phase_] == nullptr) [[unlikely]] {
            NNBURST_TRY_ASSIGN(executions_, makeExecutions(*burst_, inputDimensions_));
        }
        return executions_[phase_].get();
    }

    Result<> compute(const OptionalTimePoint& deadline) {
        NNBURST_TRY_ASSIGN(ReusableExecution * execution, this->execution());
        return execution->compute(deadline, outcome_);
    }

    [[nodiscard]] bool hasStates() const noexcept { return !signature_.states.empty(); }

    /// Refuses `call` while the driver may use memory of this session.
    Result<> checkIdle(const char* call) {
        if (submission_) {
            return notWaitedFor(call);
        }
        if (burst_->isMemoryInUse()) {
            return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                           std::string("session ") + call +
                               ": the driver may still use memory of a run that it has not "
                               "answered: wait until Session::isMemoryInUse is false");
        }
        return {};
    }

    /// Ends a run with `result`, after it was repeated as long as outputs of open dimensions were
    /// too small.
    Result<> finish(Result<> result, const OptionalTimePoint& deadline) {
        while (!result && result.error().status == ErrorStatus::OUTPUT_INSUFFICIENT_SIZE) {
            NNBURST_TRY_ASSIGN(const bool hasGrown, growOutputs());
            if (!hasGrown) {
                return result;
            }
            result = compute(deadline);
        }
        if (result) [[likely]] {
            NNBURST_TRY(noteOpenOutputs());
            phase_ = hasStates() ? 1 - phase_ : 0;
        }
        return result;
    }

    /// The size of open output `index` in the last run.
    Result<std::uint64_t> bytesOfLastRun(std::size_t index) const {
        const NamedOperand& operand = outputs_.operands()[index];
        const std::size_t output = outputs_.modelIndex(index);
        if (output < outcome_.outputShapes.size()) {
            const Dimensions& dimensions = outcome_.outputShapes[output].dimensions;
            const auto bytes = operandBytes(operand.type, dimensions);
            if (bytes && dimensions.size() <= kMaximumDimensions) {
                return *bytes;
            }
        }
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("session output {}: the driver did not say how large it is",
                                   toString(operand)));
    }

    /// Gives outputs that were too small the memory that the last run says they need. False if
    /// there are none.
    Result<bool> growOutputs() {
        bool hasGrown = false;
        for (const std::size_t index : openOutputs_) {
            NNBURST_TRY_ASSIGN(const std::uint64_t bytes, bytesOfLastRun(index));
            const std::size_t output = outputs_.modelIndex(index);
            if (bytes <= memory_.output(output).size()) {
                continue;
            }
            if (bytes > options_.maximumOpenOutputBytes) {
                return failure(
                    ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                    fmt::format("session output {} takes {} bytes in this run: must be at most {} "
                                "(SessionOptions::maximumOpenOutputBytes)",
                                toString(outputs_.operands()[index]), bytes,
                                options_.maximumOpenOutputBytes));
            }
            executions_ = {};  // they name the memory that is exchanged
            // At least to the double, so that a run is repeated a few times at most.
            const std::uint64_t doubled = 2 * std::uint64_t{memory_.output(output).size()};
            NNBURST_TRY(memory_.grow(
                output, std::max(bytes, std::min(doubled, options_.maximumOpenOutputBytes))));
            hasGrown = true;
        }
        return hasGrown;
    }

    /// Takes the dimensions of open outputs from the last run, which has succeeded. GENERAL_FAILURE
    /// if they do not fit into the memory of the output.
    Result<> noteOpenOutputs() {
        for (const std::size_t index : openOutputs_) {
            NNBURST_TRY_ASSIGN(const std::uint64_t bytes, bytesOfLastRun(index));
            const std::size_t output = outputs_.modelIndex(index);
            if (bytes > memory_.output(output).size()) {
                return failure(
                    ErrorStatus::GENERAL_FAILURE,
                    fmt::format("session output {}: the driver says that it has written {} bytes "
                                "into memory of {}",
                                toString(outputs_.operands()[index]), bytes,
                                memory_.output(output).size()));
            }
            outputBytes_[index] = bytes;
            const Dimensions& dimensions = outcome_.outputShapes[output].dimensions;
            outputs_.operand(index).dimensions.assign(dimensions.begin(), dimensions.end());
        }
        return {};
    }

    SharedPreparedModel prepared_;
    SessionOptions options_;
    const ModelSignature signature_;
    std::vector<Dimensions> inputDimensions_;  ///< for OperandMemory::request, of prepared_
    OperandMemory memory_;
    const OperandList inputs_;
    OperandList outputs_;
    std::vector<std::size_t> outputBytes_;  ///< of the last run, one for each output
    std::vector<std::size_t> openOutputs_;  ///< of outputs_
    std::unique_ptr<Burst> burst_;
    Executions executions_;  ///< null: to be made for the memory that there is
    std::size_t phase_ = 0;
    ExecutionOutcome outcome_;
    std::optional<Submission> submission_;
    OptionalTimePoint deadline_;  ///< of the submission
};

Session::Session(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::open(Device& device, const std::string& path,
                              const SessionOptions& options) {
    NNBURST_TRY_ASSIGN(const TfliteModel model,
                       loadTflite(path, {.inputDimensions = options.inputDimensions,
                                         .integersFitInt32 = options.integersFitInt32}));
    return create(device, model, options);
}

Result<Session> Session::create(Device& device, const TfliteModel& model,
                                const SessionOptions& options) {
    NNBURST_TRY_ASSIGN(SharedPreparedModel prepared,
                       prepareModel(device, model.model, options.prepare));
    return create(std::move(prepared), signatureOf(model), options);
}

Result<Session> Session::create(Device& device, const Model& model, const SessionOptions& options) {
    NNBURST_TRY_ASSIGN(SharedPreparedModel prepared, prepareModel(device, model, options.prepare));
    return create(std::move(prepared), signatureOf(model), options);
}

Result<Session> Session::create(SharedPreparedModel prepared, ModelSignature signature,
                                const SessionOptions& options) {
    if (prepared == nullptr) {
        return invalid("Session::create: the prepared model is null: must be one");
    }
    NNBURST_TRY(checkOptions(options));
    NNBURST_TRY_ASSIGN(std::vector<Dimensions> inputDimensions, completeInputs(signature, options));
    NNBURST_TRY_ASSIGN(OperandMemory memory,
                       OperandMemory::create(signature, options.openOutputBytes));
    auto impl = std::make_unique<Impl>(std::move(prepared), std::move(signature), options,
                                       std::move(memory));
    NNBURST_TRY(impl->connect(std::move(inputDimensions)));
    return Session(std::move(impl));
}

std::span<const NamedOperand> Session::inputs() const noexcept {
    return impl_->inputs().operands();
}
std::span<const NamedOperand> Session::outputs() const noexcept {
    return impl_->outputs().operands();
}

Result<std::span<std::byte>> Session::inputBytes(std::string_view name, ElementType type) {
    return impl_->inputBytes(name, type);
}
Result<std::span<std::byte>> Session::inputBytes(std::size_t index, ElementType type) {
    return impl_->inputBytes(index, type);
}
Result<std::span<std::byte>> Session::outputBytes(std::string_view name, ElementType type) const {
    return impl_->outputBytes(name, type);
}
Result<std::span<std::byte>> Session::outputBytes(std::size_t index, ElementType type) const {
    return impl_->outputBytes(index, type);
}

Result<> Session::run(const OptionalTimePoint& deadline) {
    return impl_->run(deadline);
}
Result<> Session::submit(const OptionalTimePoint& deadline) {
    return impl_->submit(deadline);
}
Result<> Session::wait() {
    return impl_->wait();
}
Result<bool> Session::wait(std::chrono::nanoseconds timeout) {
    return impl_->wait(timeout);
}
Result<int> Session::completionDescriptor() {
    return impl_->burst().completionDescriptor();
}
Result<bool> Session::armCompletion() {
    return impl_->burst().armCompletion();
}
bool Session::isDone() {
    return impl_->isDone();
}
bool Session::isRunning() const noexcept {
    return impl_->isRunning();
}

bool Session::isMemoryInUse() {
    return impl_->burst().isMemoryInUse();
}
Result<> Session::waitForMemory(const OptionalTimePoint& deadline) {
    return impl_->burst().waitForMemory(deadline);
}
Result<> Session::resetStates() {
    return impl_->resetStates();
}

Result<> Session::replaceModel(Session next) {
    if (next.impl_ == nullptr) {
        return invalid("session replaceModel: the next session was moved from: must have a model");
    }
    return impl_->replaceModel(*next.impl_);
}

Timing Session::timing() const noexcept {
    return impl_->timing();
}
BurstWaitStats Session::waitStats() const {
    return impl_->burst().waitStats();
}

}  // namespace nnburst
