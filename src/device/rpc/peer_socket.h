// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The socket of a peer, which PeerDescriptors and its stream share.

#include <sys/socket.h>

#include <memory>
#include <utility>

#include "device/rpc/descriptor_thread.h"
#include "device/rpc/peer_descriptors.h"

namespace nnburst::device {

/// The last reference to a peer's socket, with data in it that is never read.
class PeerDescriptors::Socket final {
  public:
    Socket(std::shared_ptr<DescriptorThread> thread, ReceivedDescriptor socket) noexcept
        : thread_(std::move(thread)), socket_(std::move(socket)) {}
    ~Socket() {
        ::shutdown(socket_.fd.get(), SHUT_RDWR);  // the peer need not wait, and sends no more
        const bool isQuick = isEmpty(socket_.fd.get());
        dropOn(isQuick ? nullptr : thread_, std::move(socket_));
    }
    KJ_DISALLOW_COPY(Socket);

    [[nodiscard]] int fd() const noexcept { return socket_.fd.get(); }

  private:
    static bool isEmpty(int socket) noexcept {
        char byte = 0;
        return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
    }

    const std::shared_ptr<DescriptorThread> thread_;
    ReceivedDescriptor socket_;
};

}  // namespace nnburst::device
