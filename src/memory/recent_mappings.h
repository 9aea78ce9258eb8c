// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Mappings of memory that comes with one request after the other. Each time its descriptor is
/// another one, but it is the same memory: mapped once, it needs no work of the kernel again, which
/// waits for the lock of the address space and looks up each page.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "system/mutex.h"

namespace nnburst {

/// Of one client: memory is told apart by its inode, of which a client with much time can make two
/// alike. Thread-safe. What is kept stays charged to the client, and is not given back before other
/// memory takes its place or this is destroyed, so it is little.
class RecentMappings {
  public:
    /// Mappings that are kept.
    static constexpr std::size_t kMaximumMappings = 8;
    /// Larger memory is mapped each time.
    static constexpr std::uint64_t kMaximumBytes = 1U << 20;

    /// The mapping of `region`, which is no device buffer: kept from before or made now. Errors as
    /// Mapping::map.
    [[nodiscard]] Result<std::shared_ptr<const Mapping>> map(const SharedRegion& region);

  private:
    struct Kept {
        dev_t device;
        ino_t inode;
        std::shared_ptr<const Mapping> mapping;
    };

    system::Mutex mutex_;
    std::vector<Kept> kept_ NNBURST_GUARDED_BY(mutex_);  // the one used last is the last one
};

}  // namespace nnburst
