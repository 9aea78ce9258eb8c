// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Compilation caching (HAL 1.2 and 1.3: prepareModel with cache files, prepareModelFromCache).
///
/// The model cache file holds the structure of a model and the code of its data; the data cache
/// file holds its constants. Both are authenticated (cache_file.h) with a key that only drivers of
/// this user have. A file that was changed, cut, extended or exchanged, or that another version of
/// nnburst wrote, is refused: the client has to prepare from the model.
///
/// Weights that were packed for kernels of this library, or by XNNPACK where its release allows it
/// (exec/xnnpack/packed_weights.h), are kept as they are packed, in place of the constants that
/// they were made of: such a cache is of use for the same kernels only. The format of both files is
/// in cache_payload.h.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "account/account.h"
#include "device/local/cache_key.h"
#include "device/local/model_snapshot.h"
#include "exec/run/packed_model.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::device {

/// The number of files of each kind that getNumberOfCacheFilesNeeded reports.
inline constexpr NumberOfCacheFiles kCacheFiles{.numModelCache = 1, .numDataCache = 1};

/// The files of one preparation, open for reading and writing.
struct CacheFiles {
    Charge charge;  ///< given back after the files are closed
    std::vector<UniqueFd> model;
    std::vector<UniqueFd> data;
    CacheToken token{};

    /// Whether there are as many files as kCacheFiles says.
    [[nodiscard]] bool isComplete() const noexcept {
        return model.size() == kCacheFiles.numModelCache && data.size() == kCacheFiles.numDataCache;
    }
};

/// A model, without the values of the constants that are packed. Its charges are for what was read.
struct CachedModel {
    Charge structure;
    ModelSnapshot snapshot;  ///< its charge is also for what is packed
    exec::PackedModel packed;
};

/// GENERAL_FAILURE unless `file` is a regular file whose accesses end by themselves
/// (memory/local_file.h). May block on a file that it refuses.
[[nodiscard]] Result<> checkCacheFile(int file);

/// Thread-safe.
class CompilationCache {
  public:
    /// The key is in the file `keyFile`, or if that is empty in $XDG_STATE_HOME/nnburst/cache.key
    /// or ~/.local/state/nnburst/cache.key. The file is created when it is first needed, or by
    /// readKey.
    explicit CompilationCache(std::string keyFile);

    /// Whether the path of the key file is known, and readKey has not failed. If not, nothing can
    /// be cached.
    [[nodiscard]] bool isSupported() const noexcept {
        return !keyFile_.empty() && (!key_ || key_->has_value());
    }

    /// Reads the key now, or makes it, and keeps it: for a process that cannot open files later.
    /// An error is given now, and again whenever the key is needed. Before other threads use this
    /// object.
    Result<> readKey();

    /// Saves a prepared model, with what was packed of it. The files may be anything: if they
    /// cannot be filled, the error says why, and they hold no valid model.
    [[nodiscard]] Result<> save(const ModelSnapshot& snapshot, const exec::PackedModel& packed,
                                const CacheFiles& files) const;

    /// Loads a saved model into memory of its own, for a device whose packed weights are
    /// `packedFor`. GENERAL_FAILURE if nothing can be cached, or if a file was not written by save,
    /// for this token, this version and these kernels, or has changed since; INVALID_ARGUMENT if
    /// the number of files is wrong. What is read is charged to `account`, unless that is null,
    /// until the model is dropped: RESOURCE_EXHAUSTED_* at a limit of it.
    [[nodiscard]] Result<CachedModel> load(const CacheFiles& files,
                                           const exec::PackedFor& packedFor,
                                           const SharedAccount& account = nullptr) const;

  private:
    [[nodiscard]] Result<CacheKey> key(bool mayCreate) const;

    std::string keyFile_;
    std::optional<Result<CacheKey>> key_;  // none: it is read when it is needed
};

}  // namespace nnburst::device
