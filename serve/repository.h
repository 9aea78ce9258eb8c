// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The models of a folder, laid out as Triton's model repositories:
/// FOLDER/MODEL/VERSION/model.tflite, where VERSION is a positive number. Loading a model prepares
/// all its versions. Thread-safe.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

#include "failure.h"
#include "nnburst/device.h"
#include "nnburst/model_signature.h"
#include "session_pool.h"
#include "statistics.h"

namespace nnburst::serve {

/// A version of a model, prepared.
struct ModelVersion {
    ModelVersion(std::string modelName, std::uint64_t number, std::vector<Session> sessions,
                 std::size_t maximumWaiting);

    const std::string name;
    const std::uint64_t version;
    SessionPool pool;
    const std::vector<NamedOperand> inputs;   ///< without states; their names differ
    const std::vector<NamedOperand> outputs;  ///< their names differ
    StatisticsRecorder statistics;
};

using SharedModelVersion = std::shared_ptr<ModelVersion>;

struct RepositoryOptions {
    std::filesystem::path folder;
    std::size_t instances = 2;         ///< sessions of each version
    std::size_t maximumWaiting = 128;  ///< requests that wait for one of them
    bool clientsMayLoad = false;       ///< `load` and `unload` by requests
};

class Repository {
  public:
    struct IndexEntry {
        std::string name;
        std::string version;  ///< empty of a model that is not loaded
        std::string state;    ///< "READY" or "UNAVAILABLE"
        std::string reason;
    };

    Repository(SharedDevice device, RepositoryOptions options);

    /// Loads each model of the folder, as when the server starts. Leaves out empty folders and
    /// lost+found, and says so on standard error.
    [[nodiscard]] Outcome<> loadAll();
    /// Loads a model, or loads it again: requests use the earlier one until the new one is ready,
    /// and go on using it if that fails. One load runs at a time. NOT_FOUND for a name without a
    /// model, INVALID_ARGUMENT for one that is not UTF-8.
    [[nodiscard]] Outcome<> load(const std::string& name);
    /// Requests that run end as usual; later ones are refused. NOT_FOUND if it is not loaded.
    [[nodiscard]] Outcome<> unload(const std::string& name);
    /// PERMISSION_DENIED unless clients may load and unload models.
    [[nodiscard]] Outcome<> checkClientsMayLoad() const;

    /// The latest version if `version` is empty. NOT_FOUND for a model that the folder does not
    /// have, or a version that was not loaded; UNAVAILABLE for a model that is not loaded.
    [[nodiscard]] Outcome<SharedModelVersion> find(const std::string& name,
                                                   const std::string& version) const;
    /// All versions of a loaded model, oldest first; empty if it is not loaded.
    [[nodiscard]] std::vector<SharedModelVersion> versions(const std::string& name) const;
    /// All versions of all loaded models.
    [[nodiscard]] std::vector<SharedModelVersion> all() const;
    /// How many `all` gives. Keeps no version, so that the caller's thread destroys none.
    [[nodiscard]] std::size_t versionCount() const;
    /// The models in the folder, and which of them are loaded.
    [[nodiscard]] std::vector<IndexEntry> index(bool readyOnly) const;
    /// No model is without a version because its load has failed.
    [[nodiscard]] bool isReady() const;

  private:
    using Versions = std::map<std::uint64_t, SharedModelVersion>;
    struct Entry {
        Versions versions;
        std::string failure;  ///< of the last load, empty if it succeeded
    };

    [[nodiscard]] Outcome<Versions> prepare(const std::string& name) const;
    [[nodiscard]] Outcome<SharedModelVersion> prepareVersion(
        const std::string& name, std::uint64_t version, const std::filesystem::path& file) const;
    /// The names of the folders in the folder: models, and others. Sets `error` if it cannot be
    /// read.
    [[nodiscard]] std::vector<std::string> namesInFolder(std::error_code& error) const;

    const SharedDevice device_;
    const RepositoryOptions options_;
    std::mutex loading_;  ///< held while a model is loaded
    mutable std::mutex mutex_;
    std::map<std::string, Entry> models_;  ///< guarded by mutex_
};

}  // namespace nnburst::serve
