// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Compilation caching (HAL 1.2 and 1.3: prepareModel with cache files, prepareModelFromCache).
///
/// The model cache file holds the structure of a model and the authentication code of its data; the
/// data cache file holds its constants. Both are authenticated (HMAC-SHA256) with a key that only
/// drivers of this user have. A file that was changed, cut, extended or exchanged, or that another
/// version of nnburst wrote, is refused: the client has to prepare from the model. The cache holds
/// the checked model and not packed weights, whose layout is internal to XNNPACK.
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

/// The number of files of each kind that getNumberOfCacheFilesNeeded reports.
inline constexpr NumberOfCacheFiles kCacheFiles{.numModelCache = 1, .numDataCache = 1};

/// The files of one preparation, open for reading and writing.
struct CacheFiles {
    std::vector<UniqueFd> model;
    std::vector<UniqueFd> data;
    CacheToken token{};

    /// Whether there are as many files as kCacheFiles says.
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
    /// The key is in the file `keyFile`, or if that is empty in $XDG_STATE_HOME/nnburst/cache.key
    /// or ~/.local/state/nnburst/cache.key. The file is created when it is first needed.
    explicit CompilationCache(std::string keyFile);

    /// Whether the path of the key file is known. If not, nothing can be cached.
    [[nodiscard]] bool isSupported() const noexcept { return !keyFile_.empty(); }

    /// Saves a prepared model. The files may be anything: if they cannot be filled, the error says
    /// why, and they hold no valid model.
    [[nodiscard]] Result<> save(const ModelSnapshot& snapshot, const CacheFiles& files) const;

    /// Loads a saved model into memory of its own. GENERAL_FAILURE if a file was not written by
    /// save, for this token and this version, or has changed since; INVALID_ARGUMENT if the number
    /// of files is wrong.
    [[nodiscard]] Result<ModelSnapshot> load(const CacheFiles& files) const;

  private:
    std::string keyFile_;
};

}  // namespace nnburst::device
