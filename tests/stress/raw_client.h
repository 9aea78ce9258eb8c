// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A client that speaks the protocol of the control plane without this library's client, and so
/// says what that one never would. All on one thread.

#include <capnp/rpc-twoparty.h>
#include <kj/async-io.h>

#include <functional>
#include <string>

#include "burst/channel.h"
#include "device/rpc/nnburst.capnp.h"
#include "nnburst/types.h"
#include "nnburst/unique_fd.h"

namespace nnburst::stress {

/// A socket that is connected to the driver at `path`; invalid if it cannot be.
[[nodiscard]] UniqueFd connectSocket(const std::string& path);

/// Throws kj::Exception where the connection is lost.
class RawClient {
  public:
    explicit RawClient(const std::string& path);
    KJ_DISALLOW_COPY(RawClient);

    [[nodiscard]] kj::AsyncIoContext& io() { return io_; }
    [[nodiscard]] rpc::Device::Client& device() { return device_; }

    [[nodiscard]] rpc::PreparedModel::Client prepare(const Model& model);

    /// Serves what has arrived until `milliseconds` have passed.
    void serveFor(std::int64_t milliseconds);

  private:
    kj::AsyncIoContext io_;
    kj::Own<kj::AsyncCapabilityStream> stream_;
    capnp::TwoPartyVatNetwork network_;
    capnp::RpcSystem<capnp::rpc::twoparty::VatId> system_;
    rpc::Driver::Client driver_;
    rpc::Device::Client device_;
};

/// A capability that carries a descriptor, which is borrowed.
template <class Interface>
class DescriptorServer final : public Interface::Server {
  public:
    explicit DescriptorServer(int fd) noexcept : fd_(fd) {}
    kj::Maybe<int> getFd() override { return fd_; }

  private:
    int fd_;
};

/// Puts a region into a message.
void setRegion(rpc::MemoryRegion::Builder builder, int fd, std::uint64_t sizeBytes);

/// A burst that is served by hand: the frames that its owner writes, and a getMemories that never
/// answers.
class RawBurst {
  public:
    RawBurst(RawClient& client, rpc::PreparedModel::Client& prepared);

    /// Writes the frame of `request`, whose pools are slots that the driver has not seen.
    void send(const Request& request);
    [[nodiscard]] burst::Channel& channel() { return channel_; }

  private:
    burst::Channel channel_;
    burst::FrameQueue::Writer requests_;
    UniqueFd doorbell_;
    rpc::Burst::Client burst_;
    std::uint64_t serial_ = 0;
    std::int32_t nextSlot_ = 0;
};

}  // namespace nnburst::stress
