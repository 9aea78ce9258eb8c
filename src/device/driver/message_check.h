// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Messages that no client of this library sends, and that would make the RPC system take memory or
/// time out of proportion to their size. Nothing of that would be charged to the client.

#include <capnp/rpc.capnp.h>

#include <cstddef>

#include "device/rpc/rpc_limits.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// Limit on the texts of an exception of a client. If the client aborts the connection, each call
/// that it has not answered fails with a copy of the exception.
inline constexpr std::size_t kMaximumExceptionBytes = 2 * kMaximumTextBytes;

/// Limit on the steps from an answer to an object in it. This library takes one. The RPC system
/// keeps a copy of the steps until there is the answer, and a list of steps may be much larger than
/// the message that it is in.
inline constexpr std::size_t kMaximumPromiseSteps = 16;

/// Checks a message that a client has sent, of not more than OpenCalls::kMaximumCapabilities. Runs
/// on the event loop: takes no longer for a large message than for one of so many capabilities.
/// INVALID_ARGUMENT if the message is
/// - of a kind that the RPC system does not know, or knows and does not support: it would answer
///   with a copy, in which all that the message names several times is there several times;
/// - a call whose results are not to be sent to the client: they would be kept until it is closed;
/// - one that names an object of an answer of the driver that has not come (receiverAnswer): what
///   the driver calls on it would wait in the driver;
/// - one that checkResolution refuses;
/// - one that exceeds the limits above.
[[nodiscard]] Result<> checkMessage(capnp::rpc::Message::Reader message);

}  // namespace nnburst::device
