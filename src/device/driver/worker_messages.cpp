// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/worker_messages.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace nnburst::device {

namespace {

/// Room for one descriptor beside a message.
struct DescriptorRoom {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> bytes{};
};

/// The descriptor that came with a message.
UniqueFd takeDescriptor(msghdr& header) {
    const cmsghdr* const control = CMSG_FIRSTHDR(&header);
    if (control == nullptr || control->cmsg_level != SOL_SOCKET ||
        control->cmsg_type != SCM_RIGHTS) {
        return {};
    }
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(control), sizeof(fd));
    return UniqueFd(fd);
}

/// `header` has the room for a descriptor, if there is any.
Result<std::optional<WorkerMessage>> receiveMessage(int channel, msghdr& header) {
    WorkerMessage message;
    iovec part{.iov_base = &message, .iov_len = sizeof(message)};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    const ssize_t count = ::recvmsg(channel, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    header.msg_iov = nullptr;  // it ends here
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return std::optional<WorkerMessage>();
    }
    if (count <= 0) {
        return failure(ErrorStatus::DEVICE_UNAVAILABLE, "the other side of a worker has ended");
    }
    if (static_cast<std::size_t>(count) != sizeof(message) || (header.msg_flags & MSG_TRUNC) != 0) {
        return failure(
            ErrorStatus::INVALID_ARGUMENT,
            fmt::format("message of a worker with {} bytes: must be {}", count, sizeof(message)));
    }
    return std::optional(message);
}

}  // namespace

Result<> sendWorkerMessage(int channel, const WorkerMessage& message, int socket) {
    WorkerMessage copy = message;
    iovec part{.iov_base = &copy, .iov_len = sizeof(copy)};
    DescriptorRoom room;
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (socket >= 0) {
        header.msg_control = room.bytes.data();
        header.msg_controllen = room.bytes.size();
        cmsghdr* const control = CMSG_FIRSTHDR(&header);
        control->cmsg_level = SOL_SOCKET;
        control->cmsg_type = SCM_RIGHTS;
        control->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(control), &socket, sizeof(socket));
    }
    if (::sendmsg(channel, &header, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) {
        return {};
    }
    const bool isFull = errno == EAGAIN || errno == ENOBUFS || errno == ETOOMANYREFS;
    return failure(
        isFull ? ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT : ErrorStatus::DEVICE_UNAVAILABLE,
        fmt::format("cannot send a message between a broker and its worker: {}",
                    std::strerror(errno)));
}

Result<std::optional<ReceivedWorkerMessage>> receiveWorkerMessage(int channel) {
    DescriptorRoom room;
    msghdr header{};
    header.msg_control = room.bytes.data();
    // Not all of the room: with its padding it has place for a second descriptor.
    header.msg_controllen = CMSG_LEN(sizeof(int));
    const auto message = receiveMessage(channel, header);
    UniqueFd socket = takeDescriptor(header);
    if (!message) {
        return tl::unexpected<Error>(message.error());
    }
    if (!*message) {
        return std::optional<ReceivedWorkerMessage>();
    }
    return ReceivedWorkerMessage{.message = **message, .socket = std::move(socket)};
}

Result<std::optional<WorkerMessage>> receiveWorkerReport(int channel) {
    msghdr header{};
    return receiveMessage(channel, header);
}

}  // namespace nnburst::device
