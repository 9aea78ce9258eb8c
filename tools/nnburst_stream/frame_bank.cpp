// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/frame_bank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <system_error>
#include <utility>

#include "support/image_preparation.h"
#include "support/random_frame.h"

namespace nnburst::stream {

namespace {

constexpr std::size_t kFrames = 16;
constexpr std::size_t kBytes = std::size_t{64} << 20U;

/// Appends frames of `frameBytes` from the file at `path` until there are `most`. None if its size
/// is no multiple of that.
Result<> readElements(const std::string& path, std::size_t frameBytes, std::size_t most,
                      std::vector<std::vector<std::byte>>& frames) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (!error && (frameBytes == 0 || size % frameBytes != 0)) {
        return {};
    }
    std::ifstream stream(path, std::ios::binary);
    for (std::uintmax_t begin = 0; !error && begin < size && frames.size() < most;
         begin += frameBytes) {
        std::vector<std::byte> frame(frameBytes);
        stream.read(reinterpret_cast<char*>(frame.data()),
                    static_cast<std::streamsize>(frameBytes));
        if (!stream) {
            error = std::make_error_code(std::errc::io_error);
        } else {
            frames.push_back(std::move(frame));
        }
    }
    return error ? Result<>(failure(ErrorStatus::INVALID_ARGUMENT,
                                    fmt::format("cannot read {}: {}", path, error.message())))
                 : Result<>();
}

}  // namespace

Result<FrameBank> FrameBank::create(const TfliteModel& model, const std::string& directory) {
    NNBURST_TRY_ASSIGN(const tools::PooledRequest operands,
                       tools::PooledRequest::create(model.model));
    FrameBank bank;
    for (std::size_t input = 0; input < model.model.main.inputIndexes.size(); ++input) {
        if (!tools::isState(model.states, input)) {
            bank.inputs_.push_back(input);
        }
    }
    const std::size_t bytes = tools::frameBytes(model.states, operands);
    if (!directory.empty()) {
        NNBURST_TRY(bank.readFrames(model, directory, bytes));
        return bank;
    }
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

Result<> FrameBank::readFrames(const TfliteModel& model, const std::string& directory,
                               std::size_t frameBytes) {
    const std::size_t most =
        std::max<std::size_t>(1, kBytes / std::max<std::size_t>(frameBytes, 1));
    std::error_code error;
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
        std::error_code ignored;  // what cannot be looked at is no frame
        if (entry.is_regular_file(ignored)) {
            paths.push_back(entry.path());
        }
    }
    std::sort(paths.begin(), paths.end(), tools::isNaturallyLess);
    const Operand& input = model.model.main.operands[model.model.main.inputIndexes[0]];
    const bool takesImages = inputs_.size() == 1 && tools::checkImageOperand(input).has_value();
    for (const std::string& path : paths) {
        if (frames_.size() >= most) {
            break;
        }
        if (tools::isImageName(path)) {
            if (takesImages) {
                NNBURST_TRY_ASSIGN(const tools::Image image, tools::readImage(path));
                tools::writeImage(image, {}, input, frames_.emplace_back(frameBytes));
            }
            continue;
        }
        NNBURST_TRY(readElements(path, frameBytes, most, frames_));
    }
    if (error || frames_.empty()) {
        return failure(
            ErrorStatus::INVALID_ARGUMENT,
            fmt::format("{} has no frame for the model{}: must have images (for one "
                        "input of 1 x HEIGHT x WIDTH x 3), or files of a multiple of {} "
                        "bytes",
                        directory, error ? " (" + error.message() + ")" : "", frameBytes));
    }
    return {};
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
