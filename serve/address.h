// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Addresses that the server listens on.

#include <cstdint>
#include <string>

#include "failure.h"

namespace nnburst::serve {

struct Address {
    std::string host;        ///< a name or a number, without brackets; empty of a Unix socket
    std::uint16_t port = 0;  ///< 0: one that is free
    std::string path;        ///< of a Unix socket, else empty

    [[nodiscard]] bool isUnix() const noexcept { return !path.empty(); }
    /// Only programs of this machine can reach it.
    [[nodiscard]] bool isLocal() const;
    /// As gRPC writes it, and parseAddress reads it.
    [[nodiscard]] std::string text() const;
};

/// `HOST:PORT`, `[IPV6]:PORT` or `unix:PATH`.
[[nodiscard]] Outcome<Address> parseAddress(const std::string& text);

}  // namespace nnburst::serve
