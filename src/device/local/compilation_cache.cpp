// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/compilation_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "device/local/cache_file.h"
#include "device/local/cache_payload.h"
#include "device/local/state_file.h"
#include "memory/local_file.h"

namespace nnburst::device {

namespace {

/// pwrite(2) ignores the offset if a file is open with O_APPEND: what it writes is no cache.
Result<> checkTakesOffsets(int fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags >= 0 && (flags & O_APPEND) != 0) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       "a cache file is open with O_APPEND; open it without");
    }
    return {};
}

Result<> truncate(int fd) {
    if (::ftruncate(fd, 0) != 0) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("cannot empty a cache file: {}", std::strerror(errno)));
    }
    return {};
}

}  // namespace

Result<> checkCacheFile(int file) {
    struct stat status {};
    if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       "cache file: it is no regular file; prepare from the model again");
    }
    if (const Result<> local = checkLocalFile(file, "cache file"); !local) {
        return failure(ErrorStatus::GENERAL_FAILURE, local.error().message);
    }
    return {};
}

CompilationCache::CompilationCache(std::string keyFile)
    : keyFile_(keyFile.empty() ? stateFile("cache.key") : std::move(keyFile)) {}

Result<> CompilationCache::readKey() {
    if (keyFile_.empty()) {
        return {};
    }
    (void)CacheAuthentication::create({}, {});  // OpenSSL opens its files now
    key_ = readCacheKey(keyFile_, true);
    NNBURST_TRY(*key_);
    return {};
}

Result<CacheKey> CompilationCache::key(bool mayCreate) const {
    return key_ ? *key_ : readCacheKey(keyFile_, mayCreate);
}

Result<> CompilationCache::save(const ModelSnapshot& snapshot, const exec::PackedModel& packed,
                                const CacheFiles& files) const {
    if (!files.isComplete()) {
        return failure(
            ErrorStatus::INVALID_ARGUMENT,
            fmt::format("{} model and {} data cache files: must be {} and {}", files.model.size(),
                        files.data.size(), kCacheFiles.numModelCache, kCacheFiles.numDataCache));
    }
    NNBURST_TRY(checkTakesOffsets(files.model[0].get()));
    NNBURST_TRY(checkTakesOffsets(files.data[0].get()));
    NNBURST_TRY(truncate(files.model[0].get()));
    NNBURST_TRY(truncate(files.data[0].get()));
    NNBURST_TRY_ASSIGN(const CacheKey key, key(true));
    return writePayloads(key, files, snapshot, packed);
}

Result<CachedModel> CompilationCache::load(const CacheFiles& files,
                                           const exec::PackedFor& packedFor,
                                           const SharedAccount& account) const {
    if (!isSupported()) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       "prepareModelFromCache: this device has no compilation cache: " +
                           (key_ ? key_->error().message
                                 : "neither XDG_STATE_HOME nor HOME is set, and no key is named"));
    }
    if (!files.isComplete()) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("prepareModelFromCache with {} model and {} data cache files: "
                                   "must be {} and {} (getNumberOfCacheFilesNeeded)",
                                   files.model.size(), files.data.size(), kCacheFiles.numModelCache,
                                   kCacheFiles.numDataCache));
    }
    NNBURST_TRY_ASSIGN(const CacheKey key, key(false));
    NNBURST_TRY_ASSIGN(
        CacheFileReader modelFile,
        CacheFileReader::open(key, files.model[0].get(), CacheFileKind::MODEL, files.token));
    NNBURST_TRY_ASSIGN(
        CacheFileReader dataFile,
        CacheFileReader::open(key, files.data[0].get(), CacheFileKind::DATA, files.token));
    return readPayloads(modelFile, dataFile, packedFor, account);
}

}  // namespace nnburst::device
