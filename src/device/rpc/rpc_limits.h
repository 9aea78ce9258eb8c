// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Limits on one RPC message. A sender keeps them, because a receiver ends the connection at a
/// message that exceeds them.

#include <capnp/message.h>

#include <cstddef>

namespace nnburst::device {

/// A whole message. A model of a thousand operations takes some hundred kilobytes: weights travel
/// in shared memory.
inline constexpr std::size_t kMaximumMessageBytes = std::size_t{32} << 20;

/// Limit on the bytes that a receiver reads from one message: twice its size, because some parts
/// are read twice, and not more, because all pointers in a message may lead to the same bytes.
inline constexpr std::size_t kMaximumReadBytes = 2 * kMaximumMessageBytes;

/// Limit on descriptors of one message: the system's limit (SCM_MAX_FD, unix(7)).
inline constexpr unsigned kMaximumFdsPerMessage = 253;

/// Memory pools of one model or request, or slots asked for at once, so that their descriptors fit
/// into one message beside two sets of 32 cache files, or 126 fences.
inline constexpr std::size_t kMaximumPoolsPerMessage = 127;

/// Cache files of each kind (HAL 1.2 Constant, MAX_NUMBER_OF_CACHE_FILES).
inline constexpr std::size_t kMaximumCacheFiles = 32;

/// Operand values of this size and more travel in shared memory.
inline constexpr std::size_t kSharedOperandValuesBytes = 4096;

/// Operand values of one model. Larger constants belong into memory pools, which are not copied.
inline constexpr std::size_t kMaximumOperandValuesBytes = std::size_t{256} << 20;

/// Texts (messages, names) are cut to this length by the receiver.
inline constexpr std::size_t kMaximumTextBytes = 4096;

[[nodiscard]] inline capnp::ReaderOptions readerOptions() noexcept {
    capnp::ReaderOptions options;
    options.traversalLimitInWords = kMaximumReadBytes / sizeof(capnp::word);
    options.nestingLimit = 32;
    return options;
}

}  // namespace nnburst::device
