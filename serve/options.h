// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The command line of nnburst-serve.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "address.h"

namespace nnburst::serve {

/// Files of PEM certificates and keys; empty: none.
struct TlsOptions {
    std::string certificate;
    std::string key;
    std::string clientCa;  ///< clients need a certificate that one of these has signed

    [[nodiscard]] bool isEnabled() const noexcept { return !certificate.empty(); }
};

struct Options {
    std::string repository;
    std::string device = "spawn";  ///< "spawn", "local", or the path of a driver's socket
    std::uint32_t threads = 1;     ///< as DriverOptions::threads, of a device that is made
    std::optional<Address> grpc = Address{.host = "127.0.0.1", .port = 8001};
    std::optional<Address> http = Address{.host = "127.0.0.1", .port = 8000};
    TlsOptions tls;
    bool isInsecure = false;  ///< addresses that other machines reach without TLS
    std::size_t instances = 2;
    std::size_t maximumWaiting = 128;
    std::size_t maximumRequestBytes = std::size_t{64} << 20U;
    std::size_t httpConnections = 64;  ///< that are served at a time
    bool isExplicit = false;           ///< clients load and unload models
    std::vector<std::string> models;   ///< to load at the start if isExplicit
    bool allowsSharedMemory = true;
    std::chrono::milliseconds driverWait{2000};  ///< for the next driver after a loss
    std::chrono::milliseconds drainTime{10'000};
};

/// Reads the command line. Returns the status to exit with if the program is to end now: help was
/// printed to `out`, or an error to `err`.
[[nodiscard]] std::variant<Options, int> parseOptions(int argc, const char* const* argv,
                                                      std::ostream& out, std::ostream& err);

}  // namespace nnburst::serve
