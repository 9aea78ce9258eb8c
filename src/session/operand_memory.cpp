// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "session/operand_memory.h"

#include <algorithm>
#include <utility>

#include "model/invalid.h"
#include "model/operand_info.h"
#include "nnburst/validation.h"

namespace nnburst::session {
namespace {

constexpr std::uint64_t kOpen = 0;  // the size of an operand that the model leaves open

/// The bytes of `operand`, or kOpen.
Result<std::uint64_t> sizeOf(const NamedOperand& operand) {
    if (elementBytes(operand.type) == 0) {
        return invalid("{}: the session does not know the size of its elements; use a Burst",
                       toString(operand));
    }
    if (!isFullySpecified(operand.type, operand.dimensions)) {
        return kOpen;
    }
    const auto bytes = operandBytes(operand.type, operand.dimensions);
    if (!bytes) {
        return invalid("{}: must take at most {} bytes", toString(operand), kMaximumOperandBytes);
    }
    return *bytes;
}

/// The sizes of all inputs and outputs.
struct Sizes {
    std::vector<std::uint64_t> inputs;
    std::vector<std::uint64_t> outputs;

    [[nodiscard]] static Result<Sizes> of(const ModelSignature& signature) {
        Sizes sizes;
        for (const NamedOperand& input : signature.inputs) {
            NNBURST_TRY_ASSIGN(const std::uint64_t bytes, sizeOf(input));
            if (bytes == kOpen) {
                return invalid(
                    "session input {}: its dimensions must be known: say them in "
                    "SessionOptions::inputDimensions[\"{}\"]",
                    toString(input), input.name);
            }
            sizes.inputs.push_back(bytes);
        }
        for (const NamedOperand& output : signature.outputs) {
            NNBURST_TRY_ASSIGN(const std::uint64_t bytes, sizeOf(output));
            sizes.outputs.push_back(bytes);
        }
        NNBURST_TRY(sizes.takeStates(signature));
        return sizes;
    }

    /// What a pool for all of them needs, each from a multiple of its alignment on.
    [[nodiscard]] std::uint64_t poolBytes() const noexcept {
        constexpr std::uint64_t kAlignment = MemoryPool::kDefaultAlignmentBytes;
        std::uint64_t sum = kAlignment;  // a pool without blocks has a size, too
        for (const auto* list : {&inputs, &outputs}) {
            for (const std::uint64_t size : *list) {
                sum += (size + kAlignment - 1) / kAlignment * kAlignment;
            }
        }
        return sum;
    }

  private:
    /// An output that becomes an input is as large as that input.
    [[nodiscard]] Result<> takeStates(const ModelSignature& signature) {
        std::vector<bool> isInput(inputs.size());
        std::vector<bool> isOutput(outputs.size());
        for (const auto& [input, output] : signature.states) {
            if (input >= inputs.size() || output >= outputs.size()) {
                return invalid(
                    "state from output {} to input {}: the model has {} outputs and {} inputs",
                    output, input, outputs.size(), inputs.size());
            }
            if (isInput[input] || isOutput[output]) {
                return invalid(
                    "state from output {} to input {}: one of them is in another state already",
                    output, input);
            }
            isInput[input] = true;
            isOutput[output] = true;
            const NamedOperand& from = signature.outputs[output];
            const NamedOperand& to = signature.inputs[input];
            const bool hasSize = outputs[output] == kOpen || outputs[output] == inputs[input];
            if (from.type != to.type || !hasSize) {
                return invalid(
                    "state from output {} ({}) to input {} ({}): must be of one type and size",
                    output, toString(from), input, toString(to));
            }
            outputs[output] = inputs[input];
        }
        return {};
    }
};

Result<Mapping> makeRegion(std::uint64_t sizeBytes) {
    NNBURST_TRY_ASSIGN(SharedRegion region, Region::create(sizeBytes));
    return Mapping::map(std::move(region));
}

}  // namespace

Result<OperandMemory> OperandMemory::create(const ModelSignature& signature,
                                            std::uint64_t openOutputBytes) {
    NNBURST_TRY_ASSIGN(const Sizes sizes, Sizes::of(signature));
    NNBURST_TRY_ASSIGN(MemoryPool pool, MemoryPool::create(sizes.poolBytes()));
    OperandMemory memory(std::move(pool));
    memory.states_ = signature.states;
    for (const ModelState& state : signature.states) {
        const NamedOperand& input = signature.inputs[state.input];
        memory.firstStateBytes_.push_back(firstStateByte(input.type, input.zeroPoint));
    }
    for (const std::uint64_t bytes : sizes.inputs) {
        NNBURST_TRY(memory.placeInPool(bytes, memory.inputs_));
    }
    for (const std::uint64_t bytes : sizes.outputs) {
        if (bytes == kOpen) {
            memory.outputs_.emplace_back();
            NNBURST_TRY(memory.grow(memory.outputs_.size() - 1, openOutputBytes));
        } else {
            NNBURST_TRY(memory.placeInPool(bytes, memory.outputs_));
        }
    }
    memory.resetStates();
    return memory;
}

Result<> OperandMemory::placeInPool(std::uint64_t sizeBytes, std::vector<Place>& places) {
    NNBURST_TRY_ASSIGN(MemoryPool::Block block, pool_.allocate(sizeBytes));
    places.emplace_back().block = std::move(block);
    return {};
}

Result<> OperandMemory::grow(std::size_t output, std::uint64_t sizeBytes) {
    NNBURST_TRY_ASSIGN(outputs_[output].region, makeRegion(sizeBytes));
    return {};
}

Request OperandMemory::request(std::size_t phase,
                               std::span<const Dimensions> inputDimensions) const {
    Request request;
    request.pools.emplace_back(pool_.region());
    const auto inPool = [](const Place& place) {
        RequestArgument argument;
        argument.location = {
            .poolIndex = 0, .offset = place.block.offset(), .length = place.block.length()};
        return argument;
    };
    for (std::size_t index = 0; index < inputs_.size(); ++index) {
        request.inputs.push_back(inPool(inputs_[index]));
        request.inputs.back().dimensions = inputDimensions[index];
    }
    for (std::size_t index = 0; index < outputs_.size(); ++index) {
        if (!isOpen(index)) {
            request.outputs.push_back(inPool(outputs_[index]));
            continue;
        }
        const Mapping& region = outputs_[index].region;
        RequestArgument& argument = request.outputs.emplace_back();
        argument.location = {.poolIndex = static_cast<std::uint32_t>(request.pools.size()),
                             .offset = 0,
                             .length = static_cast<std::uint32_t>(region.sizeBytes())};
        request.pools.emplace_back(region.region());
    }
    if (phase != 0) {
        for (const auto& [input, output] : states_) {
            std::swap(request.inputs[input].location, request.outputs[output].location);
        }
    }
    return request;
}

void OperandMemory::resetStates() noexcept {
    for (std::size_t state = 0; state < states_.size(); ++state) {
        const auto [input, output] = states_[state];
        for (const std::span<std::byte> bytes : {this->input(input), this->output(output)}) {
            std::ranges::fill(bytes, firstStateBytes_[state]);
        }
    }
}

}  // namespace nnburst::session
