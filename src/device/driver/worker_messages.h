// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Messages between a broker and its worker processes, over a pair of SOCK_SEQPACKET sockets.
/// Neither side waits for the other: a message for which there is no room is an error.
///
///     broker -> worker   SERVE client, with the client's socket
///                        DRAIN: accept no more work, finish what runs, and end
///                        PING
///     worker -> broker   READY: it serves from now on
///                        GONE client
///                        ALIVE: its event loop has read a PING
///
/// A worker ends when the broker closes its end.

#include <cstdint>
#include <optional>

#include "nnburst/result.h"
#include "nnburst/unique_fd.h"

namespace nnburst::device {

struct WorkerMessage {
    enum class Kind : std::uint32_t { SERVE = 1, DRAIN, GONE, READY, PING, ALIVE };

    Kind kind = Kind::SERVE;
    std::uint32_t reserved = 0;  ///< zero
    std::uint64_t client = 0;    ///< the number of a client, of SERVE and GONE
};

struct ReceivedWorkerMessage {
    WorkerMessage message;
    UniqueFd socket;  ///< of SERVE
};

/// RESOURCE_EXHAUSTED_TRANSIENT if the other side has left no room, DEVICE_UNAVAILABLE if it has
/// ended. `socket` is sent along unless it is -1.
[[nodiscard]] Result<> sendWorkerMessage(int channel, const WorkerMessage& message,
                                         int socket = -1);

/// The next message; nullopt if none has arrived. DEVICE_UNAVAILABLE if the other side has closed
/// the channel, INVALID_ARGUMENT for bytes that are not a message.
[[nodiscard]] Result<std::optional<ReceivedWorkerMessage>> receiveWorkerMessage(int channel);

/// As receiveWorkerMessage, for messages of workers. A descriptor that comes with one is dropped by
/// the kernel: a client may have taken the worker over, and close(2) may block.
[[nodiscard]] Result<std::optional<WorkerMessage>> receiveWorkerReport(int channel);

}  // namespace nnburst::device
