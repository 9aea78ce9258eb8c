// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Shared memory and files in RPC messages. All on the event loop's thread. `peer` has the
/// descriptors of the peer that sent the message.

#include <kj/async.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "account/account.h"
#include "device/rpc/nnburst.capnp.h"
#include "device/rpc/peer_descriptors.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// Puts `region` into a message. It stays alive until the receiver has it. A null region becomes an
/// empty entry.
void toMessage(const SharedRegion& region, rpc::MemoryRegion::Builder builder);

using SharedPeer = std::shared_ptr<PeerDescriptors>;

/// What an object that a list of a message names takes until the list is received: promises.
inline constexpr std::uint64_t kBytesOfListedObject = 1024;

/// Charges the peer for `count` objects that a list of a message names, to be held until all are
/// received. They may all be the same object, which the message brings once. A single object is
/// charged with the message that brings it. RESOURCE_EXHAUSTED_*.
[[nodiscard]] Result<Charge> chargeForListed(const SharedPeer& peer, std::size_t count);

/// Takes the region that a peer sent and checks it (Region::receive); null for an empty entry.
/// `reader` is not needed any more when this returns.
[[nodiscard]] kj::Promise<Result<SharedRegion>> receiveRegion(rpc::MemoryRegion::Reader reader,
                                                              const SharedPeer& peer);

/// All regions of a list, in order. INVALID_ARGUMENT for more than kMaximumPoolsPerMessage; errors
/// of joinRegions.
[[nodiscard]] kj::Promise<Result<std::vector<SharedRegion>>> receiveRegions(
    capnp::List<rpc::MemoryRegion>::Reader reader, const SharedPeer& peer);

/// A capability of an open file, which is duplicated. The duplicate, and `charge` for it, live
/// until the receiver has dropped the capability.
[[nodiscard]] Result<rpc::File::Client> fileToMessage(int fd, Charge charge = {});

/// Says why a descriptor is not accepted. It may block.
using FileCheck = std::function<Result<>(int)>;

/// The files of a list, in order, each checked by `check` where it may block. INVALID_ARGUMENT for
/// more than `limit`, or for one without a descriptor; errors of chargeForListed; else the first
/// error of `check`. `reader` is not needed any more when this returns.
[[nodiscard]] kj::Promise<Result<std::vector<PeerFile>>> receiveFiles(
    capnp::List<rpc::File>::Reader reader, std::size_t limit, const SharedPeer& peer,
    const FileCheck& check);

/// Tells why a message came without a descriptor. The kernel drops descriptors that a process has
/// no room for: RESOURCE_EXHAUSTED_TRANSIENT if `open`, any open descriptor, cannot be duplicated.
/// Else the peer has sent none.
[[nodiscard]] Result<> checkDescriptorsFree(int open);

/// A file that the driver sent to its client. It is not examined, and closing it may block the
/// client.
[[nodiscard]] kj::Promise<Result<UniqueFd>> receiveFile(rpc::File::Client file);

/// Joins what `receiveRegion` gave for the regions of a list into one answer. Errors of
/// chargeForListed; else the first error of a region.
[[nodiscard]] kj::Promise<Result<std::vector<SharedRegion>>> joinRegions(
    kj::Array<kj::Promise<Result<SharedRegion>>> regions, const SharedPeer& peer);

}  // namespace nnburst::device
