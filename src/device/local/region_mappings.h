// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Maps the regions that requests name, and keeps the mappings for later requests. Bursts of other
/// processes name memory by slots: burst/slot_mappings.h.

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "exec/run/request_memory.h"
#include "model/invalid.h"
#include "nnburst/device.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// The pools of a request: a buffer's token, or what `map` gives for a region that can be mapped.
/// INVALID_ARGUMENT for a pool without memory.
template <class Map>
[[nodiscard]] Result<> resolvePools(const Request& request, std::vector<exec::RequestMemory>& pools,
                                    const Map& map) {
    // Buffers first: the session wants to know of them even if memory is refused.
    for (const RequestPool& pool : request.pools) {
        const auto* token = std::get_if<BufferToken>(&pool);
        pools.push_back(token != nullptr ? exec::RequestMemory::managed(*token)
                                         : exec::RequestMemory());
    }
    for (std::size_t i = 0; i < request.pools.size(); ++i) {
        if (pools[i].token) {
            continue;
        }
        const SharedRegion& region = std::get<SharedRegion>(request.pools[i]);
        if (!region) {
            return invalid("request pool {} is null: must be a region or a buffer", i);
        }
        if (region->isForeign()) {
            pools[i] = exec::RequestMemory::copied(*region);
        } else {
            NNBURST_TRY_ASSIGN(pools[i], map(region));
        }
    }
    return {};
}

/// Memory that was mapped for one request stays mapped for the next, so that later executions with
/// the same memory allocate nothing. Not thread-safe.
class RegionMappings {
  public:
    /// Limit on mappings that are kept. A request that names more regions than this has all of them
    /// mapped while it runs.
    static constexpr std::size_t kMaximumMappings = 64;

    /// As RequestMemorySource::resolve. Before, unmaps the regions to which only their mapping
    /// holds a reference.
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

/// The memory of one request of a burst, for a session. Keeps references to its arguments.
class RequestRegions final : public exec::RequestMemorySource {
  public:
    RequestRegions(RegionMappings& mappings, const Request& request) noexcept
        : mappings_(mappings), request_(request) {}

    [[nodiscard]] Result<> resolve(std::vector<exec::RequestMemory>& pools) override {
        return mappings_.resolve(request_, pools);
    }

  private:
    RegionMappings& mappings_;
    const Request& request_;
};

}  // namespace nnburst::device
