// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <png.h>
#include <turbojpeg.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include "support/image_file.h"
#include "support/image_preparation.h"

namespace nnburst::tools {
namespace {

using Bytes = std::vector<std::byte>;

/// Left half red, right half blue.
Image twoColours(std::uint32_t width, std::uint32_t height) {
    Image image{.width = width, .height = height, .pixels = {}};
    for (std::uint32_t i = 0; i < width * height; ++i) {
        const bool isLeft = i % width < width / 2;
        image.pixels.insert(image.pixels.end(), {static_cast<std::uint8_t>(isLeft ? 255 : 0), 0,
                                                 static_cast<std::uint8_t>(isLeft ? 0 : 255)});
    }
    return image;
}

Bytes asPng(const Image& image) {
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    png.width = image.width;
    png.height = image.height;
    png.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = 0;
    png_image_write_get_memory_size(png, size, 0, image.pixels.data(), 0, nullptr);
    Bytes bytes(size);
    EXPECT_NE(
        png_image_write_to_memory(&png, bytes.data(), &size, 0, image.pixels.data(), 0, nullptr),
        0);
    bytes.resize(size);
    return bytes;
}

Bytes asJpeg(const Image& image) {
    tjhandle encoder = tjInitCompress();
    unsigned char* encoded = nullptr;
    unsigned long size = 0;  // NOLINT(google-runtime-int): as the library has it
    EXPECT_EQ(
        tjCompress2(encoder, image.pixels.data(), static_cast<int>(image.width), 0,
                    static_cast<int>(image.height), TJPF_RGB, &encoded, &size, TJSAMP_444, 95, 0),
        0);
    Bytes bytes(size);
    std::memcpy(bytes.data(), encoded, size);
    tjFree(encoded);
    tjDestroy(encoder);
    return bytes;
}

TEST(DecodeImage, givesThePixelsOfAPng) {
    const Image given = twoColours(6, 3);
    const auto decoded = decodeImage(asPng(given));
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(decoded->width, 6U);
    EXPECT_EQ(decoded->height, 3U);
    EXPECT_EQ(decoded->pixels, given.pixels);
}

TEST(DecodeImage, givesThePixelsOfAJpegButForItsLoss) {
    const Image given = twoColours(16, 8);
    const auto decoded = decodeImage(asJpeg(given));
    ASSERT_TRUE(decoded) << decoded.error().message;
    ASSERT_EQ(decoded->pixels.size(), given.pixels.size());
    for (std::size_t i = 0; i < given.pixels.size(); ++i) {
        EXPECT_NEAR(decoded->pixels[i], given.pixels[i], 8);
    }
}

TEST(DecodeImage, refusesWhatIsNoImageOrHasBeenCutOff) {
    const Bytes noImage(100, std::byte{7});
    EXPECT_FALSE(decodeImage(noImage));
    EXPECT_FALSE(decodeImage({}));
    Bytes jpeg = asJpeg(twoColours(16, 8));
    jpeg.resize(8);  // begins as an image, and has no size
    const auto decoded = decodeImage(jpeg);
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error().message.rfind("not a JPEG image: ", 0), 0U)
        << decoded.error().message;
    Bytes png = asPng(twoColours(64, 64));
    png.resize(png.size() / 2);
    EXPECT_FALSE(decodeImage(png));
}

TEST(DecodeImage, refusesAPngOfMorePixelsThanAreAllowed) {
    Bytes png = asPng(twoColours(6, 3));
    // The width, and what would be its check, in the first chunk: the size is refused or the check.
    png[16] = std::byte{0x7F};
    EXPECT_FALSE(decodeImage(png));
}

TEST(Images, areSortedByTheNumbersInTheirNames) {
    EXPECT_TRUE(isNaturallyLess("image-2.png", "image-10.png"));
    EXPECT_FALSE(isNaturallyLess("image-10.png", "image-2.png"));
    EXPECT_TRUE(isNaturallyLess("a", "b"));
    EXPECT_TRUE(isNaturallyLess("a", "a1"));
    EXPECT_FALSE(isNaturallyLess("a1", "a1"));
    EXPECT_FALSE(isNaturallyLess("x01", "x1"));
}

TEST(Resized, keepsAnImageOfTheSameSize) {
    const Image image = twoColours(8, 8);
    EXPECT_EQ(resized(image, {.crop = 1}, 8, 8).pixels, image.pixels);
}

TEST(Resized, cropsAboutTheCentre) {
    Image image = twoColours(8, 8);
    image.pixels[0] = 77;  // in the corner, which is cut off
    const Image cropped = resized(image, {.crop = 0.5}, 4, 4);
    EXPECT_EQ(cropped.pixels, twoColours(4, 4).pixels);
}

TEST(Resized, mixesTheNearestPixelsBySharesOfTheirDistance) {
    const Image image = twoColours(2, 1);
    const Image wide = resized(image, {.crop = 1}, 4, 1);
    // Centres of the new pixels lie at -0.25, 0.25, 0.75 and 1.25 of the old ones.
    const std::vector<std::uint8_t> reds{wide.pixels[0], wide.pixels[3], wide.pixels[6],
                                         wide.pixels[9]};
    EXPECT_EQ(reds, (std::vector<std::uint8_t>{255, 191, 64, 0}));
}

TEST(Resized, cropsASquareWhereThatIsWanted) {
    const Image image = twoColours(12, 4);
    const Image square = resized(image, {.crop = 1, .isSquare = true}, 4, 4);
    EXPECT_EQ(square.pixels, twoColours(4, 4).pixels);
}

Operand operandOf(OperandType type, std::vector<std::uint32_t> dimensions, float scale = 0,
                  std::int32_t zeroPoint = 0) {
    return {
        .type = type, .dimensions = std::move(dimensions), .scale = scale, .zeroPoint = zeroPoint};
}

TEST(WriteImage, makesFloatsFromMinusOneToOne) {
    const Operand operand = operandOf(OperandType::TENSOR_FLOAT32, {1, 2, 2, 3});
    std::vector<float> values(12);
    writeImage(twoColours(2, 2), {.crop = 1}, operand, std::as_writable_bytes(std::span(values)));
    EXPECT_EQ(values[0], 1.0F);
    EXPECT_EQ(values[1], -1.0F);
    EXPECT_EQ(values[3], -1.0F);
    EXPECT_EQ(values[5], 1.0F);
}

TEST(WriteImage, keepsBytesForUnsignedElementsAndMovesThemForSignedOnes) {
    Bytes bytes(12);
    writeImage(twoColours(2, 2), {.crop = 1},
               operandOf(OperandType::TENSOR_QUANT8_ASYMM, {1, 2, 2, 3}, 0.0078125F, 128), bytes);
    EXPECT_EQ(bytes[0], std::byte{255});
    EXPECT_EQ(bytes[1], std::byte{0});
    writeImage(twoColours(2, 2), {.crop = 1},
               operandOf(OperandType::TENSOR_QUANT8_ASYMM_SIGNED, {1, 2, 2, 3}, 0.5F, -1), bytes);
    EXPECT_EQ(bytes[0], std::byte{0x7F});
    EXPECT_EQ(bytes[1], std::byte{0x80});
}

TEST(WriteImage, quantisesWhatMeanAndDeviationGive) {
    Bytes bytes(12);
    // 255 is (255 - 55) / 100 = 2, which is 4 steps of 0.5 above the zero point.
    writeImage(twoColours(2, 2),
               {.crop = 1, .mean = {{55, 55, 55}}, .deviation = {{100, 100, 100}}},
               operandOf(OperandType::TENSOR_QUANT8_ASYMM, {1, 2, 2, 3}, 0.5F, 10), bytes);
    EXPECT_EQ(bytes[0], std::byte{14});
    EXPECT_EQ(bytes[1], std::byte{9});
}

TEST(WriteImage, averagesColoursForOneChannel) {
    std::vector<float> values(4);
    writeImage(twoColours(2, 2), {.crop = 1, .mean = {{0, 0, 0}}, .deviation = {{1, 1, 1}}},
               operandOf(OperandType::TENSOR_FLOAT32, {1, 2, 2, 1}),
               std::as_writable_bytes(std::span(values)));
    EXPECT_EQ(values, std::vector<float>(4, 85.0F));
}

TEST(CheckImageOperand, refusesOtherTypesAndShapes) {
    EXPECT_TRUE(checkImageOperand(operandOf(OperandType::TENSOR_FLOAT32, {1, 4, 4, 3})));
    EXPECT_FALSE(checkImageOperand(operandOf(OperandType::TENSOR_INT32, {1, 4, 4, 3})));
    EXPECT_FALSE(checkImageOperand(operandOf(OperandType::TENSOR_FLOAT32, {2, 4, 4, 3})));
    EXPECT_FALSE(checkImageOperand(operandOf(OperandType::TENSOR_FLOAT32, {1, 4, 4, 4})));
    EXPECT_FALSE(checkImageOperand(operandOf(OperandType::TENSOR_FLOAT32, {1, 0, 4, 3})));
    EXPECT_FALSE(checkImageOperand(operandOf(OperandType::TENSOR_FLOAT32, {4, 4, 3})));
}

}  // namespace
}  // namespace nnburst::tools
