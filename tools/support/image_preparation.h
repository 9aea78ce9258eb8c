// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Converts an image into a model's input: crops, resizes, normalises and quantises it.

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "nnburst/result.h"
#include "nnburst/types.h"
#include "support/image_file.h"

namespace nnburst::tools {

/// The defaults are the preparation of the Inception networks, which MLTS uses for all of its
/// classifiers.
struct ImagePreparation {
    /// Share of each side that stays, about the centre; 1 for the whole image.
    double crop = 0.875;
    /// Crops a square by the shorter side, so that resizing keeps the proportions.
    bool isSquare = false;
    /// (byte - mean) / deviation, of red, green and blue, is what the model sees. Without them:
    /// 127.5 for floats, and the bytes as they are for unsigned 8-bit elements (less 128 for signed
    /// ones).
    std::optional<std::array<double, 3>> mean;
    std::optional<std::array<double, 3>> deviation;

    bool operator==(const ImagePreparation&) const = default;
};

/// The image in `width` x `height`, without averaging over more than the four nearest pixels:
/// antialiasing costs small classifiers 3 to 5 points.
[[nodiscard]] Image resized(const Image& image, const ImagePreparation& preparation,
                            std::uint32_t width, std::uint32_t height);

/// The operand takes images: 1 x height x width x (1 or 3), of floats or of quantised 8 bits.
/// INVALID_ARGUMENT says what is different.
[[nodiscard]] Result<> checkImageOperand(const Operand& operand);

/// Says what the model sees of an image where that is assumed: of floats without mean and
/// deviation. Else empty.
[[nodiscard]] std::string assumedNormalization(const Operand& operand,
                                               const ImagePreparation& preparation);

/// Writes the image into `input`, the bytes of `operand`, for which checkImageOperand gives no
/// error. Red, green and blue are averaged where the operand has one channel.
void writeImage(const Image& image, const ImagePreparation& preparation, const Operand& operand,
                std::span<std::byte> input);

}  // namespace nnburst::tools
