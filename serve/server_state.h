// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Common to the services of both protocols.

#include <atomic>
#include <string>
#include <utility>
#include <vector>

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
    ServerState(SharedDevice device, RepositoryOptions options, bool allowsSharedMemory)
        : repository(std::move(device), std::move(options)), regions(allowsSharedMemory) {}

    /// The server is ready for requests: all models are, and it does not end.
    [[nodiscard]] bool isReady() const { return !isDraining.load() && repository.isReady(); }

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
    std::atomic<bool> isDraining = false;  ///< set once, when the server begins to end
};

/// What a model's configuration says beside names, types and shapes, as pairs of key and value:
/// `type:NAME`, `scale:NAME` and `zero_point:NAME` of each input and output.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> configParameters(
    const ModelVersion& model);

}  // namespace nnburst::serve
