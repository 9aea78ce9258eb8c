// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory of requests that name it by regions, mapped from one request to the next. Bursts of
/// other processes name memory by slots and have burst/slot_mappings.h instead.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exec/run/request_memory.h"
#include "nnburst/device.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// Memory that was mapped for one request stays mapped for the next, so that later executions with
/// the same memory allocate nothing. Not thread-safe.
class RegionMappings {
  public:
    /// Limit on mappings that are kept. A request that names more regions than this has all of them
    /// mapped while it runs.
    static constexpr std::size_t kMaximumMappings = 64;

    /// As RequestMemorySource::resolve. INVALID_ARGUMENT for a pool without memory.
    [[nodiscard]] Result<> resolve(const Request& request, std::vector<exec::RequestMemory>& pools);

    /// Unmaps `region`, if it is mapped.
    void unmap(const SharedRegion& region) noexcept;

  private:
    /// A mapped region. Its mapping holds a reference, so its address identifies it.
    struct MappedRegion {
        Mapping mapping;
        int deviceBuffer = -1;  ///< the region's descriptor, if a device has made it
        std::uint64_t lastRequest = 0;
    };

    Result<exec::RequestMemory> find(const SharedRegion& region);
    void makeRoom();

    std::vector<MappedRegion> mapped_;
    std::uint64_t request_ = 0;  ///< counts requests
};

/// The memory of one request, for a session. Keeps references to its arguments.
class RequestRegions final : public exec::RequestMemorySource {
  public:
    /// `found` are the pools of the request with the buffers that were found when it was launched,
    /// or empty.
    RequestRegions(RegionMappings& mappings, const Request& request,
                   std::span<const exec::RequestMemory> found = {}) noexcept
        : mappings_(mappings), request_(request), found_(found) {}

    [[nodiscard]] Result<> resolve(std::vector<exec::RequestMemory>& pools) override {
        Result<> resolved = mappings_.resolve(request_, pools);
        for (std::size_t i = 0; i < found_.size(); ++i) {
            pools[i].buffer = found_[i].buffer;
        }
        return resolved;
    }

  private:
    RegionMappings& mappings_;
    const Request& request_;
    const std::span<const exec::RequestMemory> found_;
};

}  // namespace nnburst::device
