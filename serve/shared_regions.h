// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Shared memory that clients have registered by name (the extension "system_shared_memory").
///
/// A client can cut its memory at any time. So regions are not mapped, but read and written through
/// their descriptors: an access beyond the end is an error, never a SIGBUS. Thread-safe.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "failure.h"
#include "nnburst/memory.h"

namespace nnburst::serve {

/// A part of a registered region.
struct SharedRange {
    std::string region;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

class SharedRegions {
  public:
    /// Limit on the regions of all clients: each region is a descriptor of the server.
    static constexpr std::size_t kMaximumRegions = 1024;
    static constexpr std::size_t kMaximumNameBytes = 256;
    /// They may take this part of the descriptors that the process may have; connections need
    /// others.
    static constexpr std::size_t kPartOfDescriptors = 4;

    struct Status {
        std::string name;
        std::string key;
        std::uint64_t offset = 0;
        std::uint64_t bytes = 0;
    };

    /// With `isAllowed` false all calls but those for nothing are refused.
    explicit SharedRegions(bool isAllowed) noexcept;

    [[nodiscard]] bool isAllowed() const noexcept { return isAllowed_; }

    /// Opens `bytes` bytes from `offset` on of the memory that shm_open(3) calls `key`.
    /// ALREADY_EXISTS if `name` is registered; INVALID_ARGUMENT if the memory is not there, is
    /// shorter, or cannot be read and written.
    [[nodiscard]] Outcome<> add(const std::string& name, const std::string& key,
                                std::uint64_t offset, std::uint64_t bytes);
    /// Forgets a region, or all if `name` is empty. Requests that use it go on. Forgetting a region
    /// that is not registered is no error, as in Triton.
    [[nodiscard]] Outcome<> remove(const std::string& name);
    /// NOT_FOUND if `name` is neither empty nor registered.
    [[nodiscard]] Outcome<std::vector<Status>> status(const std::string& name) const;

    /// Copies the bytes of `range` to `destination`, which is as long.
    [[nodiscard]] Outcome<> read(const SharedRange& range, std::span<std::byte> destination) const;
    /// Copies `source` to the start of `range`, which is at least as long.
    [[nodiscard]] Outcome<> write(const SharedRange& range,
                                  std::span<const std::byte> source) const;

    /// Refuses a range that is not in its region.
    [[nodiscard]] Outcome<> check(const SharedRange& range) const;

  private:
    struct Entry {
        Status status;
        SharedRegion memory;  ///< from the start of the memory object on
    };

    [[nodiscard]] Outcome<> checkAllowed() const;
    /// The entry of `range`, which lies in it.
    [[nodiscard]] Outcome<Entry> find(const SharedRange& range) const;

    const bool isAllowed_;
    const std::size_t maximumRegions_;
    mutable std::mutex mutex_;
    std::map<std::string, Entry> regions_;  ///< guarded by mutex_
};

}  // namespace nnburst::serve
