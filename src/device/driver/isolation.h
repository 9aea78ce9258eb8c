// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How the clients of a driver are divided among processes (`nnburst-driver --isolate`).

#include <cstdint>

namespace nnburst::device {

/// Which clients of a driver share a process.
enum class Isolation : std::uint8_t {
    NONE,    ///< all clients share the driver's process
    CLIENT,  ///< each client has a worker process
    USER,    ///< the clients of each user share a worker process
};

[[nodiscard]] constexpr const char* toString(Isolation isolation) noexcept {
    switch (isolation) {
        case Isolation::CLIENT:
            return "client";
        case Isolation::USER:
            return "user";
        case Isolation::NONE:
            break;
    }
    return "none";
}

}  // namespace nnburst::device
