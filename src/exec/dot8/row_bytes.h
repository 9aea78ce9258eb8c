// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Four bytes of a row in one word, for the micro-kernels. The functions are static and always
/// inlined: the source of each instruction set includes them, and code of one set must not be
/// linked into that of another.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nnburst::exec::dot8 {

[[gnu::always_inline]] static inline std::uint32_t loadFour(const std::uint8_t* bytes) noexcept {
    std::uint32_t four = 0;
    std::memcpy(&four, bytes, sizeof(four));
    return four;
}

/// Of the last 1 to 3 bytes of a row.
[[gnu::always_inline]] static inline std::uint32_t loadRest(const std::uint8_t* bytes,
                                                            std::size_t count) noexcept {
    std::uint32_t four = bytes[0];
    if (count > 1) {
        four |= static_cast<std::uint32_t>(bytes[1]) << 8;
    }
    if (count > 2) {
        four |= static_cast<std::uint32_t>(bytes[2]) << 16;
    }
    return four;
}

}  // namespace nnburst::exec::dot8
