// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/rpc/descriptors.h"

#include <string>
#include <utility>

#include "device/rpc/kj_conversions.h"
#include "device/rpc/rpc_limits.h"
#include "memory/foreign_memory.h"
#include "memory/local_file.h"

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

class FileServer final : public rpc::File::Server {
  public:
    FileServer(UniqueFd fd, Charge charge) noexcept
        : charge_(std::move(charge)), fd_(std::move(fd)) {}
    kj::Maybe<int> getFd() override { return fd_.get(); }

  private:
    const Charge charge_;
    const UniqueFd fd_;
};

/// What the page tables of a mapping take when all of it is touched: a page of 512 entries for each
/// 2 MiB that it begins.
std::uint64_t pageTableBytes(std::uint64_t mappingBytes) noexcept {
    constexpr std::uint64_t kTableBytes = 4096;
    constexpr std::uint64_t kCoveredBytes = std::uint64_t{2} << 20;
    return (mappingBytes + kCoveredBytes - 1) / kCoveredBytes * kTableBytes;
}

/// What is charged for a region beside its descriptor.
struct RegionCharges {
    Charge addresses;
    Charge pageTables;
};

/// Checks memory as Region::receive. Refuses also files on which an access might never end. Charges
/// for a mapping, also of foreign memory: the peer may seal it before Region::receive looks again.
Result<RegionCharges> checkAndCharge(int fd, std::uint64_t sizeBytes,
                                     const SharedAccount& account) {
    NNBURST_TRY_ASSIGN(const bool isForeign, isForeignMemory(fd, sizeBytes));
    if (isForeign) {
        NNBURST_TRY(checkLocalFile(fd, "received shared memory"));
    }
    RegionCharges charges;
    NNBURST_TRY_ASSIGN(charges.addresses, chargeTo(account, Resource::ADDRESS_SPACE, sizeBytes));
    NNBURST_TRY_ASSIGN(charges.pageTables,
                       chargeTo(account, Resource::MEMORY, pageTableBytes(sizeBytes)));
    return charges;
}

/// Checks and receives memory, which is charged to `account` until the last handle is dropped. What
/// is refused is closed on `thread`, too, and stays charged until then.
Result<SharedRegion> receive(const std::shared_ptr<DescriptorThread>& thread,
                             const SharedAccount& account, ReceivedDescriptor received,
                             std::uint64_t sizeBytes) {
    auto charges = checkAndCharge(received.fd.get(), sizeBytes, account);
    if (!charges) {
        const PeerFile closed(thread, std::move(received));
        return tl::unexpected<Error>(std::move(charges.error()));
    }
    NNBURST_TRY_ASSIGN(SharedRegion region, Region::receive(std::move(received.fd), sizeBytes));
    if (region->isForeign()) {
        charges->pageTables.reduceTo(0);  // it is never mapped
    }
    received.charge.reduceTo(1);  // the stand-in goes with the message
    region = chargedFor(std::move(region), std::move(charges->pageTables));
    region = chargedFor(std::move(region), std::move(charges->addresses));
    return droppedOn(thread, chargedFor(std::move(region), std::move(received.charge)));
}

}  // namespace

Result<Charge> chargeForListed(const SharedPeer& peer, std::size_t count) {
    if (count <= 1) {
        return Charge();
    }
    return chargeTo(peer->account(), Resource::MESSAGES, kBytesOfListedObject * count);
}

void toMessage(const SharedRegion& region, rpc::MemoryRegion::Builder builder) {
    if (region) {
        builder.setMemory(kj::heap<MemoryServer>(region));
        builder.setSizeBytes(region->sizeBytes());
    }
}

kj::Promise<Result<SharedRegion>> receiveRegion(rpc::MemoryRegion::Reader reader,
                                                const SharedPeer& peer) {
    if (!reader.hasMemory()) {
        return Result<SharedRegion>(nullptr);
    }
    const std::uint64_t sizeBytes = reader.getSizeBytes();
    return peer->claim(reader.getMemory())
        .then([peer, sizeBytes](
                  Result<ReceivedDescriptor> received) -> kj::Promise<Result<SharedRegion>> {
            if (!received) {
                return failureOf<SharedRegion>(received);
            }
            return peer->examine<SharedRegion>(
                std::move(*received), [sizeBytes, thread = peer->thread(),
                                       account = peer->account()](ReceivedDescriptor claimed) {
                    return receive(thread, account, std::move(claimed), sizeBytes);
                });
        });
}

kj::Promise<Result<std::vector<SharedRegion>>> receiveRegions(
    capnp::List<rpc::MemoryRegion>::Reader reader, const SharedPeer& peer) {
    if (reader.size() > kMaximumPoolsPerMessage) {
        return Result<std::vector<SharedRegion>>(
            failure(ErrorStatus::INVALID_ARGUMENT,
                    "message with " + std::to_string(reader.size()) + " memory regions: at most " +
                        std::to_string(kMaximumPoolsPerMessage) + " may come at once"));
    }
    auto regions = kj::heapArrayBuilder<kj::Promise<Result<SharedRegion>>>(reader.size());
    for (const auto region : reader) {
        regions.add(receiveRegion(region, peer));
    }
    return joinRegions(regions.finish(), peer);
}

Result<rpc::File::Client> fileToMessage(int fd, Charge charge) {
    NNBURST_TRY_ASSIGN(UniqueFd owned, UniqueFd::duplicate(fd));
    return rpc::File::Client(kj::heap<FileServer>(std::move(owned), std::move(charge)));
}

Result<> checkDescriptorsFree(int open) {
    if (const Result<UniqueFd> another = UniqueFd::duplicate(open); !another) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       "received descriptor is lost: " + another.error().message);
    }
    return {};
}

kj::Promise<Result<UniqueFd>> receiveFile(rpc::File::Client file) {
    auto held = kj::heap<rpc::File::Client>(kj::mv(file));
    auto fd = held->getFd();
    return fd
        .then([](kj::Maybe<int> received) -> Result<UniqueFd> {
            KJ_IF_MAYBE (borrowed, received) {
                return UniqueFd::duplicate(*borrowed);
            }
            return failure(ErrorStatus::INVALID_ARGUMENT, "received file has no descriptor");
        })
        .attach(kj::mv(held));
}

namespace {

kj::Promise<Result<PeerFile>> claimFile(rpc::File::Client file, const SharedPeer& peer,
                                        const FileCheck& check) {
    return peer->claim(kj::mv(file))
        .then([peer, check](Result<ReceivedDescriptor> received) -> kj::Promise<Result<PeerFile>> {
            if (!received) {
                return failureOf<PeerFile>(received);
            }
            if (!received->fd) {
                return Result<PeerFile>(failure(ErrorStatus::INVALID_ARGUMENT,
                                                "received file has no descriptor, or was "
                                                "sent twice"));
            }
            return peer->examine<PeerFile>(
                std::move(*received),
                [check, thread = peer->thread()](ReceivedDescriptor claimed) -> Result<PeerFile> {
                    PeerFile owned(thread, std::move(claimed));
                    NNBURST_TRY(check(owned.get()));
                    return owned;
                });
        });
}

}  // namespace

kj::Promise<Result<std::vector<PeerFile>>> receiveFiles(capnp::List<rpc::File>::Reader reader,
                                                        std::size_t limit, const SharedPeer& peer,
                                                        const FileCheck& check) {
    if (reader.size() > limit) {
        return Result<std::vector<PeerFile>>(
            failure(ErrorStatus::INVALID_ARGUMENT, "message with " + std::to_string(reader.size()) +
                                                       " files: at most " + std::to_string(limit) +
                                                       " may come at once"));
    }
    auto charge = chargeForListed(peer, reader.size());
    if (!charge) {
        return failureOf<std::vector<PeerFile>>(charge);
    }
    auto files = kj::heapArrayBuilder<kj::Promise<Result<PeerFile>>>(reader.size());
    for (auto&& file : reader) {
        files.add(claimFile(file, peer, check));
    }
    return kj::joinPromises(files.finish())
        .then([](kj::Array<Result<PeerFile>> received) -> Result<std::vector<PeerFile>> {
            std::vector<PeerFile> joined;
            for (Result<PeerFile>& file : received) {
                NNBURST_TRY_ASSIGN(PeerFile owned, std::move(file));
                joined.push_back(std::move(owned));
            }
            return joined;
        })
        .attach(kj::heap(std::move(*charge)));
}

kj::Promise<Result<std::vector<SharedRegion>>> joinRegions(
    kj::Array<kj::Promise<Result<SharedRegion>>> regions, const SharedPeer& peer) {
    auto charge = chargeForListed(peer, regions.size());
    if (!charge) {
        return failureOf<std::vector<SharedRegion>>(charge);
    }
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
        })
        .attach(kj::heap(std::move(*charge)));
}

}  // namespace nnburst::device
