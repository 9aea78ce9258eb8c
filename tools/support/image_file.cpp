// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/image_file.h"

#include <fmt/format.h>
#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>

namespace nnburst::tools {

namespace {

namespace fs = std::filesystem;

template <class... Arguments>
tl::unexpected<Error> invalid(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    return failure(ErrorStatus::INVALID_ARGUMENT,
                   fmt::format(format, std::forward<Arguments>(arguments)...));
}

Result<> checkSize(std::uint64_t width, std::uint64_t height) {
    if (width == 0 || height == 0 || width > kMaximumImagePixels / height) {
        return invalid("an image of {}x{} pixels: must have 1 to {}", width, height,
                       kMaximumImagePixels);
    }
    return {};
}

Result<Image> decodePng(std::span<const std::byte> file) {
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    const std::unique_ptr<png_image, decltype(&::png_image_free)> release(&png, ::png_image_free);
    if (::png_image_begin_read_from_memory(&png, file.data(), file.size()) == 0) {
        return invalid("not a PNG image: {}", static_cast<const char*>(png.message));
    }
    NNBURST_TRY(checkSize(png.width, png.height));
    png.format = PNG_FORMAT_RGB;
    Image image{.width = png.width, .height = png.height, .pixels = {}};
    image.pixels.resize(PNG_IMAGE_SIZE(png));
    const png_color black{};
    if (::png_image_finish_read(&png, &black, image.pixels.data(), 0, nullptr) == 0) {
        return invalid("a damaged PNG image: {}", static_cast<const char*>(png.message));
    }
    return image;
}

Result<Image> decodeJpeg(std::span<const std::byte> file) {
    const std::unique_ptr<void, decltype(&::tjDestroy)> decoder(::tjInitDecompress(), ::tjDestroy);
    if (decoder == nullptr) {
        return failure(ErrorStatus::GENERAL_FAILURE, "cannot make a JPEG decoder");
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(file.data());
    int width = 0;
    int height = 0;
    int sampling = 0;
    int colours = 0;
    if (::tjDecompressHeader3(decoder.get(), bytes, file.size(), &width, &height, &sampling,
                              &colours) != 0 ||
        width <= 0 || height <= 0) {
        return invalid("not a JPEG image: {}", ::tjGetErrorStr2(decoder.get()));
    }
    NNBURST_TRY(checkSize(static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(height)));
    Image image{.width = static_cast<std::uint32_t>(width),
                .height = static_cast<std::uint32_t>(height),
                .pixels = {}};
    image.pixels.resize(std::size_t{3} * image.width * image.height);
    const int status = ::tjDecompress2(decoder.get(), bytes, file.size(), image.pixels.data(),
                                       width, 0, height, TJPF_RGB, TJFLAG_ACCURATEDCT);
    // A warning leaves a whole image: real cameras write such files.
    if (status != 0 && ::tjGetErrorCode(decoder.get()) != TJERR_WARNING) {
        return invalid("a damaged JPEG image: {}", ::tjGetErrorStr2(decoder.get()));
    }
    return image;
}

bool isDigit(char character) {
    return std::isdigit(static_cast<unsigned char>(character)) != 0;
}

}  // namespace

bool isImageName(const std::string& path) {
    std::string extension = fs::path(path).extension();
    std::ranges::transform(extension, extension.begin(), [](char character) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
    });
    return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

bool isNaturallyLess(const std::string& left, const std::string& right) {
    auto a = left.begin();
    auto b = right.begin();
    while (a != left.end() && b != right.end()) {
        if (isDigit(*a) && isDigit(*b)) {
            a = std::find_if(a, left.end(), [](char c) { return c != '0'; });
            b = std::find_if(b, right.end(), [](char c) { return c != '0'; });
            const auto aEnd = std::find_if_not(a, left.end(), isDigit);
            const auto bEnd = std::find_if_not(b, right.end(), isDigit);
            if (aEnd - a != bEnd - b) {
                return aEnd - a < bEnd - b;
            }
            const auto [aOther, bOther] = std::mismatch(a, aEnd, b);
            if (aOther != aEnd) {
                return *aOther < *bOther;
            }
            a = aEnd;
            b = bEnd;
        } else if (*a != *b) {
            return *a < *b;
        } else {
            ++a;
            ++b;
        }
    }
    return a == left.end() && b != right.end();
}

Result<std::vector<std::string>> imagesIn(const std::string& directory) {
    std::vector<std::string> images;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(directory, error)) {
        std::error_code ignored;  // what cannot be looked at is no image
        if (isImageName(entry.path()) && entry.is_regular_file(ignored)) {
            images.push_back(entry.path());
        }
    }
    if (error) {
        return invalid("cannot read the directory {}: {}", directory, error.message());
    }
    if (images.empty()) {
        return invalid("{} has no images: their names must end in .png, .jpg or .jpeg", directory);
    }
    std::sort(images.begin(), images.end(), isNaturallyLess);
    return images;
}

Result<Image> decodeImage(std::span<const std::byte> file) {
    constexpr std::byte kPngStart{0x89};
    return !file.empty() && file.front() == kPngStart ? decodePng(file) : decodeJpeg(file);
}

Result<Image> readImage(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    const std::vector<char> contents{std::istreambuf_iterator<char>(stream), {}};
    if (!stream) {
        return invalid("cannot read {}: {}", path, std::strerror(errno));
    }
    auto image = decodeImage(std::as_bytes(std::span(contents)));
    if (!image) {
        return invalid("{}: {}", path, image.error().message);
    }
    return image;
}

}  // namespace nnburst::tools
