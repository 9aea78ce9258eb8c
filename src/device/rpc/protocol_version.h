// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How a client and a driver agree on a version of the protocol (rpc::Driver::open). The client
/// asks for the newest version that it speaks. A driver that speaks it answers with the same number
/// and the device. Another driver refuses, with the number of its version that is nearest, and the
/// client asks for that one if it speaks it. So a driver need not know later versions than its own,
/// and peers that support a single version, like the first ones of version 4, can connect.
///
/// The version of a connection decides what both sides send on it: a side that speaks several
/// versions sends nothing that the agreed one does not have. The versions of shared memory
/// (docs/wire_format.md) belong to it: a new one of them is a new version of the protocol.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "device/rpc/nnburst.capnp.h"

namespace nnburst::device {

/// The versions that one side speaks: all from the oldest to the newest.
struct ProtocolVersions {
    std::uint32_t oldest = 4;
    std::uint32_t newest = rpc::PROTOCOL_VERSION;

    [[nodiscard]] bool contains(std::uint32_t version) const noexcept {
        return version >= oldest && version <= newest;
    }

    /// What a driver answers to a client that asks for `version`: this version if the driver speaks
    /// it, else the nearest that it speaks.
    [[nodiscard]] std::uint32_t answerTo(std::uint32_t version) const noexcept {
        return std::clamp(version, oldest, newest);
    }

    /// What a client asks for next that has asked for its newest version, and that a driver has
    /// refused with `answer`; nothing if there is no version that both speak.
    [[nodiscard]] std::optional<std::uint32_t> nextAfter(std::uint32_t answer) const noexcept {
        return contains(answer) && answer != newest ? std::optional(answer) : std::nullopt;
    }
};

}  // namespace nnburst::device
