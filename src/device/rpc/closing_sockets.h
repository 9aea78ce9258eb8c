// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sockets of connections that have ended. A thread closes them, since closing what a peer has sent
/// may take long. On the event loop's thread.

#include <kj/async-io.h>

#include <cstddef>

namespace nnburst::device {

/// Ends a connection for which there is no PeerDescriptors.
void dropConnection(kj::Own<kj::AsyncIoStream> connection);

/// The sockets that wait for that thread. Each still takes a descriptor of the process.
[[nodiscard]] std::size_t countClosingSockets();

/// Descriptors may wait to be closed because the system could not start a thread for that. Tries
/// again.
void retryClosing();

}  // namespace nnburst::device
