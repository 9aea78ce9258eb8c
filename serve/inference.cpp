// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "inference.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "data_type.h"
#include "nnburst/type_queries.h"

namespace nnburst::serve {
namespace {

using Clock = std::chrono::steady_clock;

/// Pauses before a run is repeated because the driver was lost. The first attempts may come before
/// the loss is noticed everywhere, and fail at once; later ones wait for the next driver. There are
/// few, because the model itself may be what ends each driver.
constexpr std::array kRetryPauses{std::chrono::milliseconds(2), std::chrono::milliseconds(20),
                                  std::chrono::milliseconds(200)};

/// How long a request without a deadline waits for memory that a driver may still use.
constexpr std::chrono::seconds kMemoryWait{5};

/// Places of the inputs and outputs that a request names.
struct Places {
    std::vector<std::size_t> inputs;  ///< index into the model's inputs, one an InputTensor
    std::vector<OutputChoice> choices;
    std::vector<std::size_t> outputs;  ///< index into the model's outputs, one for each choice
};

std::optional<std::size_t> indexOf(const std::vector<NamedOperand>& operands,
                                   const std::string& name) {
    const auto found = std::ranges::find(operands, name, &NamedOperand::name);
    if (found == operands.end()) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(found - operands.begin());
}

/// The sizes agree; a scalar is a tensor of one element in the protocol.
bool isShapeOf(const std::vector<std::int64_t>& shape, const NamedOperand& operand) {
    const std::vector<std::int64_t> expected = shapeOf(operand);
    return shape == expected || (expected.empty() && shape == std::vector<std::int64_t>{1});
}

std::uint64_t bytesOf(const InputContents& contents) {
    const auto* shared = std::get_if<SharedRange>(&contents);
    return shared != nullptr ? shared->bytes
                             : std::get<std::span<const std::byte>>(contents).size();
}

Outcome<> checkInput(const InputTensor& input, const NamedOperand& operand,
                     const SharedRegions& regions) {
    const DataType& type = *dataTypeOf(operand.type);
    if (input.datatype != type.name) {
        return refuse(Code::INVALID_ARGUMENT, "input '{}' has data type '{}': must be {}",
                      input.name, input.datatype, type.name);
    }
    if (!isShapeOf(input.shape, operand)) {
        return refuse(Code::INVALID_ARGUMENT, "input '{}' has shape {}: must be {}", input.name,
                      shapeText(input.shape), shapeText(shapeOf(operand)));
    }
    const std::uint64_t expected = operandBytes(operand.type, operand.dimensions).value_or(0);
    if (bytesOf(input.contents) != expected) {
        return refuse(Code::INVALID_ARGUMENT, "input '{}' has {} bytes: must be {} for {} {}",
                      input.name, bytesOf(input.contents), expected, type.name,
                      shapeText(input.shape));
    }
    if (const auto* shared = std::get_if<SharedRange>(&input.contents)) {
        NNBURST_SERVE_TRY(regions.check(*shared));
    }
    return {};
}

/// Refuses an output of `bytes` for shared memory that has fewer.
Outcome<> checkRoom(const OutputChoice& choice, std::uint64_t bytes) {
    if (bytes > choice.shared->bytes) {
        return refuse(Code::INVALID_ARGUMENT,
                      "output '{}' has {} bytes: must fit into {} bytes of shared memory '{}'",
                      choice.name, bytes, choice.shared->bytes, choice.shared->region);
    }
    return {};
}

/// Checks all that can be checked before a session is there.
Outcome<Places> check(const ModelVersion& model, const SharedRegions& regions,
                      const InferenceRequest& request) {
    Places places;
    std::vector<bool> isGiven(model.inputs.size());
    for (const InputTensor& input : request.inputs) {
        const auto index = indexOf(model.inputs, input.name);
        if (!index) {
            return refuse(Code::INVALID_ARGUMENT, "input '{}': model '{}' has no such input",
                          input.name, model.name);
        }
        if (isGiven[*index]) {
            return refuse(Code::INVALID_ARGUMENT, "input '{}' is given twice", input.name);
        }
        isGiven[*index] = true;
        NNBURST_SERVE_TRY(checkInput(input, model.inputs[*index], regions));
        places.inputs.push_back(*index);
    }
    for (std::size_t index = 0; index < isGiven.size(); ++index) {
        if (!isGiven[index]) {
            return refuse(Code::INVALID_ARGUMENT, "input '{}' is missing: model '{}' has {} inputs",
                          model.inputs[index].name, model.name, isGiven.size());
        }
    }
    places.choices = request.outputs;
    if (places.choices.empty()) {
        for (const NamedOperand& output : model.outputs) {
            places.choices.push_back(
                {.name = output.name, .shared = {}, .isBinary = request.isBinary});
        }
    }
    std::vector<bool> isNamed(model.outputs.size());
    for (const OutputChoice& choice : places.choices) {
        const auto index = indexOf(model.outputs, choice.name);
        if (!index) {
            return refuse(Code::INVALID_ARGUMENT, "output '{}': model '{}' has no such output",
                          choice.name, model.name);
        }
        // Else a short request could have a response of any size.
        if (isNamed[*index]) {
            return refuse(Code::INVALID_ARGUMENT, "output '{}' is named twice", choice.name);
        }
        isNamed[*index] = true;
        if (choice.shared) {
            const NamedOperand& output = model.outputs[*index];
            NNBURST_SERVE_TRY(
                checkRoom(choice, operandBytes(output.type, output.dimensions).value_or(0)));
            NNBURST_SERVE_TRY(regions.check(*choice.shared));
        }
        places.outputs.push_back(*index);
    }
    return places;
}

/// Makes the memory of a session ready for a request: no driver uses it, and states begin anew,
/// because each request stands for itself.
Outcome<> makeReady(Session& session, const OptionalTimePoint& deadline) {
    if (session.isMemoryInUse()) {
        NNBURST_SERVE_TRY(session.waitForMemory(
            deadline ? deadline : OptionalTimePoint(Clock::now() + kMemoryWait)));
    }
    NNBURST_SERVE_TRY(session.resetStates());
    return {};
}

Outcome<> copyInputs(Session& session, const SharedRegions& regions,
                     const InferenceRequest& request, const Places& places) {
    for (std::size_t i = 0; i < request.inputs.size(); ++i) {
        NNBURST_SERVE_TRY_ASSIGN(const std::span<std::byte> destination,
                                 session.input<std::byte>(places.inputs[i]));
        const InputContents& contents = request.inputs[i].contents;
        if (const auto* shared = std::get_if<SharedRange>(&contents)) {
            NNBURST_SERVE_TRY(regions.read(*shared, destination));
        } else {
            std::ranges::copy(std::get<std::span<const std::byte>>(contents), destination.begin());
        }
    }
    return {};
}

Outcome<> run(Session& session, const OptionalTimePoint& deadline, std::uint32_t& retries) {
    Result<> result = session.run(deadline);
    while (!result && result.error().status == ErrorStatus::DEVICE_UNAVAILABLE &&
           retries < kRetryPauses.size() && !session.isMemoryInUse()) {
        std::this_thread::sleep_for(kRetryPauses[retries++]);
        result = session.run(deadline);
    }
    NNBURST_SERVE_TRY(std::move(result));
    return {};
}

Outcome<> takeOutputs(const Session& session, const SharedRegions& regions, const Places& places,
                      const TakeOutput& takeOutput) {
    for (std::size_t i = 0; i < places.choices.size(); ++i) {
        const OutputChoice& choice = places.choices[i];
        NNBURST_SERVE_TRY_ASSIGN(const std::span<const std::byte> contents,
                                 session.output<std::byte>(places.outputs[i]));
        if (choice.shared) {
            NNBURST_SERVE_TRY(checkRoom(choice, contents.size()));
            NNBURST_SERVE_TRY(regions.write(*choice.shared, contents));
        }
        NNBURST_SERVE_TRY(takeOutput({session.outputs()[places.outputs[i]], choice, contents}));
    }
    return {};
}

/// Adds the time since `start` to `phase`, and returns the time now.
Clock::time_point addElapsed(Clock::time_point start, std::chrono::nanoseconds& phase) {
    const Clock::time_point now = Clock::now();
    phase += now - start;
    return now;
}

Outcome<> inferInPhases(ModelVersion& model, const SharedRegions& regions,
                        const InferenceRequest& request, const TakeOutput& takeOutput,
                        InferenceTimes& times) {
    NNBURST_SERVE_TRY_ASSIGN(const Places places, check(model, regions, request));
    Clock::time_point start = Clock::now();
    Outcome<SessionPool::Lease> lease = model.pool.acquire(request.deadline, request.isCancelled);
    start = addElapsed(start, times.queue);
    if (!lease) {
        return tl::unexpected<Failure>(std::move(lease.error()));
    }
    Session& session = lease->session();
    NNBURST_SERVE_TRY(makeReady(session, request.deadline));
    NNBURST_SERVE_TRY(copyInputs(session, regions, request, places));
    start = addElapsed(start, times.input);
    Outcome<> result = run(session, request.deadline, times.retries);
    start = addElapsed(start, times.run);
    NNBURST_SERVE_TRY(std::move(result));
    NNBURST_SERVE_TRY(takeOutputs(session, regions, places, takeOutput));
    addElapsed(start, times.output);
    return {};
}

}  // namespace

Outcome<> infer(ModelVersion& model, const SharedRegions& regions, const InferenceRequest& request,
                const TakeOutput& takeOutput) {
    InferenceTimes times;
    Outcome<> result = inferInPhases(model, regions, request, takeOutput, times);
    if (result) {
        model.statistics.addSuccess(times);
    } else {
        model.statistics.addFailure(times);
    }
    return result;
}

OptionalTimePoint earlier(const OptionalTimePoint& a, const OptionalTimePoint& b) {
    return a && b ? std::min(*a, *b) : a ? a : b;
}

Outcome<OptionalTimePoint> deadlineAfter(std::int64_t microseconds) {
    constexpr std::int64_t kDay = std::int64_t{24} * 3600 * 1'000'000;
    if (microseconds < 0) {
        return refuse(Code::INVALID_ARGUMENT, "parameter timeout is {}: must not be negative",
                      microseconds);
    }
    if (microseconds == 0 || microseconds > kDay) {
        return OptionalTimePoint();
    }
    return OptionalTimePoint(Clock::now() + std::chrono::microseconds(microseconds));
}

}  // namespace nnburst::serve
