// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_demo/streamer.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace nnburst::demo {
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

Result<Streamer> Streamer::create(const StreamedModel& model, const DriverOptions& options) {
    Streamer streamer(model);
    for ([[maybe_unused]] const Way way : kWays) {
        NNBURST_TRY_ASSIGN(tools::PooledRequest operands,
                           tools::PooledRequest::create(model.model));
        streamer.lanes_.push_back({.operands = std::move(operands), .outcome = {}});
    }
    NNBURST_TRY_ASSIGN(const SharedDevice local, makeLocalDevice(options));
    NNBURST_TRY_ASSIGN(const SharedPreparedModel inProcess, prepareModel(*local, model.model));
    NNBURST_TRY_ASSIGN(streamer.inProcess_, inProcess->configureExecutionBurst({}));
    NNBURST_TRY_ASSIGN(const SharedDevice driver, spawnDriver(options));
    NNBURST_TRY_ASSIGN(streamer.remote_, prepareModel(*driver, model.model));
    NNBURST_TRY_ASSIGN(streamer.burst_, streamer.remote_->configureExecutionBurst({}));
    return streamer;
}

void Streamer::writeFrame(Way way, std::uint64_t number) {
    Random random(number);
    const std::vector<std::uint32_t>& indexes = model_->model.main.inputIndexes;
    for (std::size_t input = 0; input < indexes.size(); ++input) {
        if (isState(input)) {
            continue;
        }
        const std::span<std::byte> bytes = lane(way).operands.input(input);
        switch (model_->model.main.operands[indexes[input]].type) {
            case OperandType::TENSOR_FLOAT32:
                fillFloats(bytes, random);
                break;
            case OperandType::TENSOR_QUANT8_ASYMM:
            case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
                fillBytes(bytes, random);
                break;
            default:  // new memory is zero
                break;
        }
    }
}

Result<std::chrono::nanoseconds> Streamer::execute(Way way) {
    Lane& used = lane(way);
    const Request& request = used.operands.request();
    const auto start = std::chrono::steady_clock::now();
    switch (way) {
        case Way::IN_PROCESS:
            NNBURST_TRY(inProcess_->execute(request, {}, used.outcome));
            break;
        case Way::BURST:
            NNBURST_TRY(burst_->execute(request, {}, used.outcome));
            break;
        case Way::RPC:
            NNBURST_TRY(remote_->executeSynchronously(request, {}, used.outcome));
            break;
    }
    return std::chrono::steady_clock::now() - start;
}

std::uint64_t Streamer::finishFrame(Way way) {
    const tools::PooledRequest& operands = lane(way).operands;
    std::uint64_t checksum = 0xCBF29CE484222325U;
    for (std::size_t output = 0; output < model_->model.main.outputIndexes.size(); ++output) {
        for (const std::byte byte : operands.output(output)) {
            checksum = (checksum ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001B3U;
        }
    }
    for (const TfliteModel::State& state : model_->states) {
        const std::span<std::byte> next = operands.output(state.output);
        std::copy(next.begin(), next.end(), operands.input(state.input).begin());
    }
    return checksum;
}

std::size_t Streamer::frameBytes() const {
    std::size_t bytes = 0;
    for (std::size_t input = 0; input < model_->model.main.inputIndexes.size(); ++input) {
        bytes += isState(input) ? 0 : lanes_.front().operands.input(input).size();
    }
    return bytes;
}

bool Streamer::isState(std::size_t input) const noexcept {
    return std::any_of(model_->states.begin(), model_->states.end(),
                       [&](const TfliteModel::State& state) { return state.input == input; });
}

}  // namespace nnburst::demo
