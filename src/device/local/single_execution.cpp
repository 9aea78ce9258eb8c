// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/single_execution.h"

#include <memory>
#include <vector>

#include "device/local/region_mappings.h"
#include "exec/run/execution_session.h"
#include "memory/device_buffer.h"
#include "memory/recent_mappings.h"

namespace nnburst::device {

namespace {

/// The memory of a request that is executed once. Keeps references to its arguments.
class MemoryOnce final : public exec::RequestMemorySource {
  public:
    MemoryOnce(RecentMappings* recent, const Request& request,
               std::span<const exec::RequestMemory> found) noexcept
        : recent_(recent), request_(request), found_(found) {}

    [[nodiscard]] Result<> resolve(std::vector<exec::RequestMemory>& pools) override {
        Result<> resolved = resolvePools(
            request_, pools, [this](const SharedRegion& region) { return map(region); });
        for (std::size_t i = 0; i < found_.size(); ++i) {
            pools[i].buffer = found_[i].buffer;
        }
        return resolved;
    }

  private:
    Result<exec::RequestMemory> map(const SharedRegion& region) {
        const bool isOfDevice = isDeviceBuffer(region->fd());
        std::shared_ptr<const Mapping> mapping;
        if (recent_ != nullptr && !isOfDevice) {
            NNBURST_TRY_ASSIGN(mapping, recent_->map(region));
        } else {
            NNBURST_TRY_ASSIGN(Mapping own, Mapping::map(region));
            mapping = std::make_shared<const Mapping>(std::move(own));
        }
        return exec::RequestMemory::mapped(*mappings_.emplace_back(std::move(mapping)),
                                           isOfDevice ? region->fd() : -1);
    }

    RecentMappings* const recent_;  // null: the memory is unmapped at once
    const Request& request_;
    const std::span<const exec::RequestMemory> found_;
    std::vector<std::shared_ptr<const Mapping>> mappings_;
};

}  // namespace

Result<> executeOnce(const exec::Executable& executable, const Request& request,
                     const ExecutionOptions& options, const OptionalTimePoint& arrival,
                     ExecutionOutcome& outcome, std::span<const exec::RequestMemory> found) {
    MemoryOnce memory(executable.recentMappings.get(), request, found);
    return exec::ExecutionSession(executable)
        .run({request.inputs, request.outputs}, memory, options, arrival, outcome);
}

}  // namespace nnburst::device
