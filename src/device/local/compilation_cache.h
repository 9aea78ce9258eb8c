// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Compilation caching (HAL 1.2 and 1.3: prepareModel with cache files, prepareModelFromCache).
///
/// The one model cache file holds the structure of a model and says which data belongs to it; the
/// one data cache file holds its constants. Both are authenticated (HMAC-SHA256) with a key that
/// only drivers of this user have: whoever changes, cuts, grows or exchanges a file, or keeps one
/// for another version of nnburst, is refused and has to prepare from the model. What is cached is
/// the checked model and not packed weights, whose layout is XNNPACK's own.
///
///     each file: FileHeader | payload
///     model:     digest | authentication code of the data | pool count | pool sizes | structure
///     data:      operand values | pools

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "device/local/model_snapshot.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::device {

/// As many files of each kind as getNumberOfCacheFilesNeeded says.
inline constexpr NumberOfCacheFiles kCacheFiles{.numModelCache = 1, .numDataCache = 1};

/// The files of one preparation, open for reading and writing.
struct CacheFiles {
    std::vector<UniqueFd> model;
    std::vector<UniqueFd> data;
    CacheToken token{};

    /// There are as many as kCacheFiles says.
    [[nodiscard]] bool isComplete() const noexcept {
        return model.size() == kCacheFiles.numModelCache && data.size() == kCacheFiles.numDataCache;
    }
};

/// GENERAL_FAILURE unless `file` is a regular file whose accesses end by themselves: not one of
/// FUSE, whose owner decides when an access ends. May block on such a file.
[[nodiscard]] Result<> checkCacheFileKind(int file);

/// Thread-safe.
class CompilationCache {
  public:
    /// With the key in the file `keyFile`, which is made when it is needed first, or if that is
    /// empty in $XDG_STATE_HOME/nnburst/cache.key or ~/.local/state/nnburst/cache.key.
    explicit CompilationCache(std::string keyFile);

    /// A place for the key is known. Else nothing can be cached.
    [[nodiscard]] bool isSupported() const noexcept { return !keyFile_.empty(); }

    /// Saves a model that was prepared. The files may be anything: an error says why they were not
    /// filled, and then they are not valid.
    [[nodiscard]] Result<> save(const ModelSnapshot& snapshot, const CacheFiles& files) const;

    /// The model that was saved, in memory of its own. GENERAL_FAILURE if a file was not written by
    /// save, for this token and this version, or has changed since; INVALID_ARGUMENT for another
    /// number of files.
    [[nodiscard]] Result<ModelSnapshot> load(const CacheFiles& files) const;

  private:
    std::string keyFile_;
};

}  // namespace nnburst::device
