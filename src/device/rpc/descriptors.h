// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Shared memory in RPC messages. All on the event loop's thread.

#include <kj/async.h>

#include <vector>

#include "device/rpc/nnburst.capnp.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// Puts `region` into a message. It stays alive until the receiver has it. A null region becomes an
/// empty entry.
void toMessage(const SharedRegion& region, rpc::MemoryRegion::Builder builder);

/// Takes the region that a peer sent and checks it (Region::receive); null for an empty entry.
/// `reader` is not needed any more when this returns.
[[nodiscard]] kj::Promise<Result<SharedRegion>> receiveRegion(rpc::MemoryRegion::Reader reader);

/// All regions of a list, in order. INVALID_ARGUMENT for more than kMaximumPoolsPerMessage; the
/// first error of one if there is any.
[[nodiscard]] kj::Promise<Result<std::vector<SharedRegion>>> receiveRegions(
    capnp::List<rpc::MemoryRegion>::Reader reader);

/// A capability of an open file, which is duplicated.
[[nodiscard]] Result<rpc::File::Client> fileToMessage(int fd);

/// The files of a list, in order. INVALID_ARGUMENT for more than `limit`, or for one without a
/// descriptor. `reader` is not needed any more when this returns.
[[nodiscard]] kj::Promise<Result<std::vector<UniqueFd>>> receiveFiles(
    capnp::List<rpc::File>::Reader reader, std::size_t limit);
[[nodiscard]] kj::Promise<Result<UniqueFd>> receiveFile(rpc::File::Client file);

/// Joins what `receiveRegion` gave into one answer.
[[nodiscard]] kj::Promise<Result<std::vector<SharedRegion>>> joinRegions(
    kj::Array<kj::Promise<Result<SharedRegion>>> regions);

}  // namespace nnburst::device
