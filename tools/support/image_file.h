// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reads images as inputs of models: PNG and JPEG files.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::tools {

/// Limit on the pixels of an image, so that a small file cannot take all memory.
inline constexpr std::uint64_t kMaximumImagePixels = std::uint64_t{1} << 26U;

/// Pixels row by row, three bytes each: red, green, blue.
struct Image {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::vector<std::uint8_t> pixels;
};

/// The name ends in .png, .jpg or .jpeg, in any case.
[[nodiscard]] bool isImageName(const std::string& path);

/// The images of the directory, in the order of their names; numbers in names count as numbers:
/// image-2 comes before image-10. INVALID_ARGUMENT if there are none.
[[nodiscard]] Result<std::vector<std::string>> imagesIn(const std::string& directory);

/// Less of names in which numbers count as numbers.
[[nodiscard]] bool isNaturallyLess(const std::string& left, const std::string& right);

/// Decodes a PNG or JPEG file, by its contents. Transparency lies on black, grey becomes three
/// equal values. INVALID_ARGUMENT says what is wrong.
[[nodiscard]] Result<Image> decodeImage(std::span<const std::byte> file);

/// Reads and decodes the file; errors name it.
[[nodiscard]] Result<Image> readImage(const std::string& path);

}  // namespace nnburst::tools
