// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The bodies of frames as streams of bytes, for the encoders and decoders of request_frame.cpp and
/// result_frame.cpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "burst/frame.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::burst {

inline constexpr std::uint64_t kWordBytes = sizeof(std::uint64_t);

/// Lines of a frame whose body has so many words.
[[nodiscard]] constexpr std::uint64_t linesForWords(std::uint64_t words) noexcept {
    return 1 + (words + FrameLine::kWords - 1) / FrameLine::kWords;
}

[[nodiscard]] constexpr std::uint64_t wordsForDimensions(std::uint64_t count) noexcept {
    return (count + 1) / 2;
}

/// Writes the body of a frame, which must have room for all that is written. The rest of the body
/// becomes zero.
class BodyWriter {
  public:
    explicit BodyWriter(std::span<FrameLine> lines) noexcept
        : next_(reinterpret_cast<std::byte*>(lines.data() + 1)),
          end_(reinterpret_cast<std::byte*>(lines.data() + lines.size())) {}
    BodyWriter(const BodyWriter&) = delete;
    BodyWriter& operator=(const BodyWriter&) = delete;
    ~BodyWriter() { std::fill(next_, end_, std::byte{0}); }

    void write(const void* source, std::size_t sizeBytes) noexcept {
        if (sizeBytes != 0) {  // memcpy must not get a null pointer, even for zero bytes
            std::memcpy(next_, source, sizeBytes);
        }
        next_ += sizeBytes;
    }

  private:
    std::byte* next_;
    std::byte* end_;
};

/// Reads the body of a frame, which must have as many bytes as are read.
class BodyReader {
  public:
    explicit BodyReader(std::span<const FrameLine> lines) noexcept
        : next_(reinterpret_cast<const std::byte*>(lines.data() + 1)) {}

    void read(void* destination, std::size_t sizeBytes) noexcept {
        if (sizeBytes != 0) {
            std::memcpy(destination, next_, sizeBytes);
        }
        next_ += sizeBytes;
    }
    [[nodiscard]] const std::byte* position() const noexcept { return next_; }
    void skip(std::size_t sizeBytes) noexcept { next_ += sizeBytes; }

  private:
    const std::byte* next_;
};

inline void writeDimensions(BodyWriter& body, const Dimensions& dimensions) noexcept {
    body.write(dimensions.data(), dimensions.size() * sizeof(std::uint32_t));
}

/// The number of dimensions of all arguments or output shapes together.
template <class Shapes>
[[nodiscard]] std::uint64_t countDimensions(const Shapes& shapes) noexcept {
    std::uint64_t count = 0;
    for (const auto& shape : shapes) {
        count += shape.dimensions.size();
    }
    return count;
}

/// "request frame: ", or another kind, before what is wrong with it.
[[nodiscard]] inline tl::unexpected<Error> badFrame(ErrorStatus status, const char* kind,
                                                    const std::string& why) {
    return failure(status, std::string(kind) + " frame: " + why);
}

}  // namespace nnburst::burst
