// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Messages of the control plane as bytes, written by hand (capnp/rpc.capnp). So a sender decides
/// what it reads and when, which an RPC system does not leave to it.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nnburst/types.h"

namespace nnburst::stress {

/// Asks for the door, opens it, and so has the device as the answer to question 1.
[[nodiscard]] std::vector<std::byte> openingMessages();

/// Calls Driver.open on the answer to question 0, as question `question`.
[[nodiscard]] std::vector<std::byte> openingCall(std::uint32_t question);

/// Calls Device.getCapabilities on the answer to question 1, as question `question`.
[[nodiscard]] std::vector<std::byte> capabilitiesCall(std::uint32_t question);

/// The same, with `count` capabilities that the call does not need.
[[nodiscard]] std::vector<std::byte> callWithCapabilities(std::uint32_t question,
                                                          std::uint32_t count);

/// A message of the kind `which` of capnp::rpc::Message, whose contents are `count` pointers to the
/// same `bytes` bytes: little in the message, and much in a copy.
[[nodiscard]] std::vector<std::byte> messageOfRepeatedBytes(std::uint16_t which,
                                                            std::uint32_t count,
                                                            std::uint32_t bytes);

/// Calls Device.prepareModel, without a callback, or Device.getSupportedOperations with `model`,
/// whose constants come without memory.
[[nodiscard]] std::vector<std::byte> modelCall(std::uint32_t question, const Model& model,
                                               bool isPreparation);

}  // namespace nnburst::stress
