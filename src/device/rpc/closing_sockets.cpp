// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/rpc/closing_sockets.h"

#include <sys/socket.h>

#include <utility>

#include "device/rpc/descriptor_thread.h"
#include "nnburst/result.h"
#include "nnburst/unique_fd.h"
#include "system/interruption.h"

namespace nnburst::device {

void dropConnection(kj::Own<kj::AsyncIoStream> connection) {
    Result<UniqueFd> socket = failure(ErrorStatus::GENERAL_FAILURE, "a connection without socket");
    KJ_IF_MAYBE (fd, connection->getFd()) {
        ::shutdown(*fd, SHUT_RDWR);
        socket = UniqueFd::duplicate(*fd);
    }
    const system::ScopedInterruption interruption;  // without a duplicate, the next line closes it
    connection = nullptr;
    if (socket) {
        dropOn(nullptr, std::move(*socket));
    }
}

void retryClosing() {
    DescriptorThread::ofAllPeers().tryAgain();
    DescriptorThread::ofSockets()->tryAgain();
}

std::size_t countClosingSockets() {
    return DescriptorThread::ofSockets()->waitingJobs();
}

}  // namespace nnburst::device
