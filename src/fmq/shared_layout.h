// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The requirements on every record in shared memory.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace nnburst::fmq {

/// Part of the layout: 64 on every processor that nnburst runs on.
inline constexpr std::size_t kCacheLineSize = 64;

/// What two processes write lies at least this far apart: two lines, because processors fetch lines
/// in pairs.
inline constexpr std::size_t kFalseSharingSize = 2 * kCacheLineSize;

/// A record that means the same to every process: known size and offsets, no hidden padding,
/// nothing to construct or destroy.
template <class T>
inline constexpr bool isSharedLayout = std::is_standard_layout_v<T>&&
    std::is_trivially_destructible_v<T>&& std::has_unique_object_representations_v<T>;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace nnburst::fmq
