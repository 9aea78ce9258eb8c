// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/random_frame.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace nnburst::tools {

namespace {

/// SplitMix64: a generator that can start anywhere.
class Random {
  public:
    explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

    [[nodiscard]] std::uint64_t next() noexcept {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t value = state_;
        value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
        value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
        return value ^ (value >> 31U);
    }

  private:
    std::uint64_t state_;
};

void fillFloats(std::span<std::byte> bytes, Random& random) noexcept {
    for (std::size_t offset = 0; offset < bytes.size(); offset += sizeof(float)) {
        const float value = static_cast<float>(random.next() >> 40U) * 0x1p-23F - 1.0F;
        std::memcpy(&bytes[offset], &value, sizeof(value));
    }
}

void fillBytes(std::span<std::byte> bytes, Random& random) noexcept {
    for (std::byte& byte : bytes) {
        byte = static_cast<std::byte>(random.next() >> 56U);
    }
}

}  // namespace

void writeRandomFrame(const Model& model, States states, std::uint64_t number,
                      const PooledRequest& operands) {
    Random random(number);
    const std::vector<std::uint32_t>& indexes = model.main.inputIndexes;
    for (std::size_t input = 0; input < indexes.size(); ++input) {
        if (isState(states, input)) {
            continue;
        }
        switch (model.main.operands[indexes[input]].type) {
            case OperandType::TENSOR_FLOAT32:
                fillFloats(operands.input(input), random);
                break;
            case OperandType::TENSOR_QUANT8_ASYMM:
            case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
                fillBytes(operands.input(input), random);
                break;
            default:  // new memory is zero
                break;
        }
    }
}

std::size_t frameBytes(States states, const PooledRequest& operands) {
    std::size_t bytes = 0;
    for (std::size_t input = 0; input < operands.request().inputs.size(); ++input) {
        bytes += isState(states, input) ? 0 : operands.input(input).size();
    }
    return bytes;
}

void feedBack(States states, const PooledRequest& operands) {
    for (const ModelState& state : states) {
        std::ranges::copy(operands.output(state.output), operands.input(state.input).begin());
    }
}

std::uint64_t checksumOfOutputs(const PooledRequest& operands) {
    std::uint64_t checksum = 0xCBF29CE484222325U;
    for (std::size_t output = 0; output < operands.request().outputs.size(); ++output) {
        for (const std::byte byte : operands.output(output)) {
            checksum = (checksum ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001B3U;
        }
    }
    return checksum;
}

bool isState(States states, std::size_t input) {
    return std::ranges::any_of(states,
                               [&](const ModelState& state) { return state.input == input; });
}

}  // namespace nnburst::tools
