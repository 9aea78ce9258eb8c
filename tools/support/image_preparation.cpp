// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/image_preparation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "nnburst/type_queries.h"

namespace nnburst::tools {

namespace {

constexpr std::size_t kChannels = 3;
/// Mean and deviation for floats: values from -1 to 1.
constexpr double kHalfOfBytes = 127.5;

/// A part of an image, in pixels.
struct Part {
    double left;
    double top;
    double width;
    double height;
};

Part partOf(const Image& image, const ImagePreparation& preparation) {
    auto width = static_cast<double>(image.width);
    auto height = static_cast<double>(image.height);
    if (preparation.isSquare) {
        width = height = std::min(width, height);
    }
    // Whole pixels, at least one.
    width = std::max(1.0, std::floor(width * preparation.crop));
    height = std::max(1.0, std::floor(height * preparation.crop));
    return {.left = std::floor((static_cast<double>(image.width) - width) / 2),
            .top = std::floor((static_cast<double>(image.height) - height) / 2),
            .width = width,
            .height = height};
}

/// Two neighbours and the share of the second.
struct Neighbours {
    std::uint32_t first;
    std::uint32_t second;
    double share;
};

/// Where pixel `index` of `count` lies in a part from `begin` of `size` pixels: centres of pixels
/// correspond.
Neighbours neighboursOf(std::uint32_t index, std::uint32_t count, double begin, double size) {
    const double place =
        std::clamp((index + 0.5) * size / static_cast<double>(count) - 0.5, 0.0, size - 1);
    const double first = std::floor(place);
    return {.first = static_cast<std::uint32_t>(begin + first),
            .second = static_cast<std::uint32_t>(begin + std::min(first + 1, size - 1)),
            .share = place - first};
}

/// The value that a model sees for each byte of each channel.
struct Normalization {
    std::array<double, kChannels> mean;
    std::array<double, kChannels> deviation;

    [[nodiscard]] double operator()(std::size_t channel, double byte) const {
        return (byte - mean[channel]) / deviation[channel];
    }
};

Normalization normalizationFor(const Operand& operand, const ImagePreparation& preparation) {
    // What leaves the bytes as they are in quantised operands.
    const double scale = operand.scale == 0.0F ? 1.0 : static_cast<double>(operand.scale);
    const bool isSigned = operand.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
    const double zero = operand.zeroPoint + (isSigned ? 128.0 : 0.0);
    const bool isFloat = operand.type == OperandType::TENSOR_FLOAT32;
    const double mean = isFloat ? kHalfOfBytes : zero;
    const double deviation = isFloat ? kHalfOfBytes : 1 / scale;
    return {
        .mean = preparation.mean.value_or(std::array{mean, mean, mean}),
        .deviation = preparation.deviation.value_or(std::array{deviation, deviation, deviation})};
}

}  // namespace

Image resized(const Image& image, const ImagePreparation& preparation, std::uint32_t width,
              std::uint32_t height) {
    const Part part = partOf(image, preparation);
    Image result{.width = width, .height = height, .pixels = {}};
    result.pixels.reserve(kChannels * width * height);
    for (std::uint32_t y = 0; y < height; ++y) {
        const Neighbours rows = neighboursOf(y, height, part.top, part.height);
        for (std::uint32_t x = 0; x < width; ++x) {
            const Neighbours columns = neighboursOf(x, width, part.left, part.width);
            const auto at = [&](std::uint32_t row, std::uint32_t column, std::size_t channel) {
                return static_cast<double>(
                    image.pixels[(std::size_t{row} * image.width + column) * kChannels + channel]);
            };
            for (std::size_t channel = 0; channel < kChannels; ++channel) {
                const auto across = [&](std::uint32_t row) {
                    return std::lerp(at(row, columns.first, channel),
                                     at(row, columns.second, channel), columns.share);
                };
                result.pixels.push_back(static_cast<std::uint8_t>(
                    std::lround(std::lerp(across(rows.first), across(rows.second), rows.share))));
            }
        }
    }
    return result;
}

Result<> checkImageOperand(const Operand& operand) {
    const std::vector<std::uint32_t>& sizes = operand.dimensions;
    const bool hasType = operand.type == OperandType::TENSOR_FLOAT32 ||
                         operand.type == OperandType::TENSOR_QUANT8_ASYMM ||
                         operand.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
    const bool hasShape = sizes.size() == 4 && sizes[0] == 1 && sizes[1] != 0 && sizes[2] != 0 &&
                          (sizes[3] == 1 || sizes[3] == kChannels);
    if (!hasType || !hasShape) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("an input {} of dimensions {} takes no images: must be float32 "
                                   "or quantised 8-bit elements of 1 x HEIGHT x WIDTH x 3 (or 1)",
                                   toString(operand.type), fmt::join(sizes, "x")));
    }
    return {};
}

std::string assumedNormalization(const Operand& operand, const ImagePreparation& preparation) {
    if (operand.type != OperandType::TENSOR_FLOAT32 || preparation.mean || preparation.deviation) {
        return {};
    }
    return fmt::format(
        "the model's float32 input gets (byte - {0}) / {0} of images; give --mean and --std if it "
        "expects other values",
        kHalfOfBytes);
}

void writeImage(const Image& image, const ImagePreparation& preparation, const Operand& operand,
                std::span<std::byte> input) {
    const Image fitting = resized(image, preparation, operand.dimensions[2], operand.dimensions[1]);
    const Normalization normalized = normalizationFor(operand, preparation);
    const std::size_t channels = operand.dimensions[3];
    const bool isSigned = operand.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
    const double least = isSigned ? -128 : 0;
    for (std::size_t element = 0; element * elementBytes(operand.type) < input.size(); ++element) {
        const std::size_t pixel = element / channels * kChannels;
        double value = 0;
        for (std::size_t channel = 0; channel < kChannels; ++channel) {
            if (channels == 1 || channel == element % channels) {
                value += normalized(channel, fitting.pixels[pixel + channel]);
            }
        }
        value /= channels == 1 ? kChannels : 1;
        if (operand.type == OperandType::TENSOR_FLOAT32) {
            const auto stored = static_cast<float>(value);
            std::memcpy(&input[element * sizeof stored], &stored, sizeof stored);
            continue;
        }
        const double quantized =
            std::round(value / static_cast<double>(operand.scale)) + operand.zeroPoint;
        const auto stored = static_cast<int>(std::clamp(quantized, least, least + 255));
        input[element] = static_cast<std::byte>(stored & 0xFF);
    }
}

}  // namespace nnburst::tools
