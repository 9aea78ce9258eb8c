// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Common to the services of both protocols.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "memory_budget.h"
#include "nnburst/device.h"
#include "nnburst/version.h"
#include "repository.h"
#include "shared_regions.h"

namespace nnburst::serve {

/// Name of the server and platform of its models, as the protocol gives them.
inline constexpr const char* kServerName = "nnburst-serve";
inline constexpr const char* kServerVersion = NNBURST_VERSION;
inline constexpr const char* kPlatform = "nnburst_tflite";

struct ServerState {
    /// `maximumRequestBytes` is the limit on one request.
    ServerState(SharedDevice device, RepositoryOptions options, bool allowsSharedMemory,
                std::size_t maximumRequestBytes)
        : repository(std::move(device), std::move(options)),
          regions(allowsSharedMemory),
          memory(16 * maximumRequestBytes + (std::size_t{64} << 20U)) {}

    /// The server is ready for requests: all models are, and it does not end.
    [[nodiscard]] bool isReady() const { return !isDraining.load() && repository.isReady(); }

    /// Begins to end: requests that run have `time` from now on.
    void drain(std::chrono::milliseconds time) {
        drainEnd = std::chrono::steady_clock::now() + time;
        isDraining = true;
    }
    /// Requests that still wait are to be given up.
    [[nodiscard]] bool isDrainOver() const {
        return std::chrono::steady_clock::now() >= drainEnd.load();
    }

    /// The extensions of the protocol that it has.
    [[nodiscard]] std::vector<std::string> extensions() const {
        std::vector<std::string> names{"binary_tensor_data", "model_configuration",
                                       "model_repository", "parameters", "statistics"};
        if (regions.isAllowed()) {
            names.emplace_back("system_shared_memory");
        }
        return names;
    }

    Repository repository;
    SharedRegions regions;
    MemoryBudget memory;                   ///< of all bodies of REST and what is made of them
    std::atomic<bool> isDraining = false;  ///< set once, when the server begins to end
    /// When requests are given up; set before isDraining.
    std::atomic<std::chrono::steady_clock::time_point> drainEnd =
        std::chrono::steady_clock::time_point::max();
};

/// What a model's configuration says beside names, types and shapes, as pairs of key and value:
/// `type:NAME`, `scale:NAME` and `zero_point:NAME` of each input and output.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> configParameters(
    const ModelVersion& model);

}  // namespace nnburst::serve
