// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/descriptors.h"

#include <string>
#include <utility>

#include "device/rpc_limits.h"

namespace nnburst::device {

namespace {

/// A capability that is nothing but a descriptor. The message that exports it borrows the
/// descriptor until the receiver releases the export.
class MemoryServer final : public rpc::Memory::Server {
  public:
    explicit MemoryServer(SharedRegion region) noexcept : region_(std::move(region)) {}
    kj::Maybe<int> getFd() override { return region_->fd(); }

  private:
    SharedRegion region_;
};

}  // namespace

void toMessage(const SharedRegion& region, rpc::MemoryRegion::Builder builder) {
    if (region) {
        builder.setMemory(kj::heap<MemoryServer>(region));
        builder.setSizeBytes(region->sizeBytes());
    }
}

kj::Promise<Result<SharedRegion>> receiveRegion(rpc::MemoryRegion::Reader reader) {
    if (!reader.hasMemory()) {
        return Result<SharedRegion>(nullptr);
    }
    const std::uint64_t sizeBytes = reader.getSizeBytes();
    auto memory = kj::heap<rpc::Memory::Client>(reader.getMemory());
    auto fd = memory->getFd();
    return fd
        .then([sizeBytes](kj::Maybe<int> received) -> Result<SharedRegion> {
            KJ_IF_MAYBE (borrowed, received) {
                NNBURST_TRY_ASSIGN(UniqueFd owned, UniqueFd::duplicate(*borrowed));
                return Region::receive(std::move(owned), sizeBytes);
            }
            return Region::receive(UniqueFd(), sizeBytes);  // refuses, saying why
        })
        .attach(kj::mv(memory));
}

kj::Promise<Result<std::vector<SharedRegion>>> receiveRegions(
    capnp::List<rpc::MemoryRegion>::Reader reader) {
    if (reader.size() > kMaximumPoolsPerMessage) {
        return Result<std::vector<SharedRegion>>(
            failure(ErrorStatus::INVALID_ARGUMENT,
                    "message with " + std::to_string(reader.size()) + " memory regions: at most " +
                        std::to_string(kMaximumPoolsPerMessage) + " may come at once"));
    }
    auto regions = kj::heapArrayBuilder<kj::Promise<Result<SharedRegion>>>(reader.size());
    for (const auto region : reader) {
        regions.add(receiveRegion(region));
    }
    return joinRegions(regions.finish());
}

kj::Promise<Result<std::vector<SharedRegion>>> joinRegions(
    kj::Array<kj::Promise<Result<SharedRegion>>> regions) {
    return kj::joinPromises(kj::mv(regions))
        .then([](kj::Array<Result<SharedRegion>> received) -> Result<std::vector<SharedRegion>> {
            std::vector<SharedRegion> joined;
            joined.reserve(received.size());
            for (std::size_t i = 0; i < received.size(); ++i) {
                if (!received[i]) {
                    Error error = std::move(received[i].error());
                    error.message = "memory " + std::to_string(i) + ": " + error.message;
                    return tl::unexpected<Error>(std::move(error));
                }
                joined.push_back(std::move(*received[i]));
            }
            return joined;
        });
}

}  // namespace nnburst::device
