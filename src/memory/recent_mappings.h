// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Keeps the last mappings of memory that clients send with single executions. Each request has a
/// new descriptor of the same memory. A kept mapping saves mapping it again, for which the kernel
/// takes the lock of the address space and looks up each page.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "system/mutex.h"

namespace nnburst {

/// The mappings of one client; never shared between clients, because memory is identified by its
/// inode, and a client with much time can make two regions with equal ones. Thread-safe. A kept
/// mapping stays charged to the client until another one replaces it or this object is destroyed;
/// so few and small ones are kept.
class RecentMappings {
  public:
    /// Limit on kept mappings.
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
