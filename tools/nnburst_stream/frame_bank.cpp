// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/frame_bank.h"

#include <algorithm>
#include <span>

#include "support/random_frame.h"

namespace nnburst::stream {

namespace {

constexpr std::size_t kFrames = 16;
constexpr std::size_t kBytes = std::size_t{64} << 20U;

}  // namespace

Result<FrameBank> FrameBank::create(const TfliteModel& model) {
    NNBURST_TRY_ASSIGN(const tools::PooledRequest operands,
                       tools::PooledRequest::create(model.model));
    FrameBank bank;
    for (std::size_t input = 0; input < model.model.main.inputIndexes.size(); ++input) {
        if (!tools::isState(model.states, input)) {
            bank.inputs_.push_back(input);
        }
    }
    const std::size_t bytes = tools::frameBytes(model.states, operands);
    const std::size_t frames =
        std::clamp(kBytes / std::max<std::size_t>(bytes, 1), std::size_t{1}, kFrames);
    for (std::size_t number = 0; number < frames; ++number) {
        tools::writeRandomFrame(model.model, model.states, number, operands);
        std::vector<std::byte>& frame = bank.frames_.emplace_back();
        frame.reserve(bytes);
        for (const std::size_t input : bank.inputs_) {
            std::ranges::copy(operands.input(input), std::back_inserter(frame));
        }
    }
    return bank;
}

void FrameBank::write(std::uint64_t number, const tools::PooledRequest& operands) const {
    std::span<const std::byte> frame = frames_[number % frames_.size()];
    for (const std::size_t input : inputs_) {
        const std::span<std::byte> destination = operands.input(input);
        std::ranges::copy(frame.first(destination.size()), destination.begin());
        frame = frame.subspan(destination.size());
    }
}

}  // namespace nnburst::stream
