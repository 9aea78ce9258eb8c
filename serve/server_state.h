// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Common to the services of both protocols.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "memory_budget.h"
#include "nnburst/device.h"
#include "nnburst/supervised_device.h"
#include "nnburst/version.h"
#include "repository.h"
#include "shared_regions.h"
#include "state_changes.h"

namespace nnburst::serve {

/// Name of the server and platform of its models, as the protocol gives them.
inline constexpr const char* kServerName = "nnburst-serve";
inline constexpr const char* kServerVersion = NNBURST_VERSION;
inline constexpr const char* kPlatform = "nnburst_tflite";

/// The device of the models.
struct DriverDevice {
    SharedDevice device;
    SharedSupervisedDevice supervised;  ///< the same device; null if it is not supervised
};

struct ServerState {
    /// `stateChanges` are notified when the driver's state changes. `maximumRequestBytes` is the
    /// limit on one request.
    ServerState(DriverDevice opened, std::shared_ptr<StateChanges> stateChanges,
                RepositoryOptions options, bool allowsSharedMemory, std::size_t maximumRequestBytes)
        : driver(std::move(opened.supervised)),
          changes(std::move(stateChanges)),
          repository(std::move(opened.device), std::move(options)),
          regions(allowsSharedMemory),
          memory(16 * maximumRequestBytes + (std::size_t{64} << 20U)) {}

    /// The server can run requests to the models that are loaded: there is a driver with them, and
    /// the server does not end.
    [[nodiscard]] bool canRun() const {
        return !isDraining.load() && (driver == nullptr || driver->state() == DriverState::SERVING);
    }
    /// The server is ready for requests: it can run them, and each model has a version.
    [[nodiscard]] bool isReady() const { return canRun() && repository.isReady(); }

    /// Repository::load and unload; then notifies `changes`.
    [[nodiscard]] Outcome<> load(const std::string& name) {
        Outcome<> result = repository.load(name);
        changes->notify();
        return result;
    }
    [[nodiscard]] Outcome<> unload(const std::string& name) {
        Outcome<> result = repository.unload(name);
        changes->notify();
        return result;
    }

    /// Begins to end: requests that run have `time` from now on.
    void drain(std::chrono::milliseconds time) {
        drainEnd = std::chrono::steady_clock::now() + time;
        isDraining = true;
        changes->notify();
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

    const SharedSupervisedDevice driver;  ///< null: it cannot be lost
    const std::shared_ptr<StateChanges> changes;
    Repository repository;
    SharedRegions regions;
    /// Of all bodies of REST, what is made of them, and the responses. gRPC's quota has the same
    /// size, but is not part of it.
    MemoryBudget memory;
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
