// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/cache_key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "nnburst/memory.h"

namespace nnburst::device {

namespace {

tl::unexpected<Error> refused(const std::string& file, const std::string& why) {
    return failure(ErrorStatus::GENERAL_FAILURE, fmt::format("cache key {}: {}", file, why));
}

/// Writes a random key to a file beside `file` and gives it that name, unless another process was
/// faster: a key is there as a whole or not at all.
Result<> create(const std::string& file) {
    std::error_code error;
    const std::filesystem::path directory = std::filesystem::path(file).parent_path();
    if (!directory.empty()) {
        std::filesystem::create_directories(directory, error);
    }
    CacheKey key{};
    if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) {
        return refused(file, fmt::format("cannot make one: {}", std::strerror(errno)));
    }
    std::string temporary = file + ".XXXXXX";
    const UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));  // mode 0600
    if (!fd) {
        return refused(file, fmt::format("cannot make it: {}", std::strerror(errno)));
    }
    const bool isWritten =
        ::write(fd.get(), key.data(), key.size()) == static_cast<ssize_t>(key.size());
    const bool isNamed =
        isWritten && (::link(temporary.c_str(), file.c_str()) == 0 || errno == EEXIST);
    const int reason = errno;
    ::unlink(temporary.c_str());
    if (!isNamed) {
        return refused(file, fmt::format("cannot write it: {}", std::strerror(reason)));
    }
    return {};
}

}  // namespace

Result<CacheKey> readCacheKey(const std::string& file, bool mayCreate) {
    UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!fd && errno == ENOENT && mayCreate) {
        NNBURST_TRY(create(file));
        fd = UniqueFd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    }
    struct stat status {};
    if (!fd || ::fstat(fd.get(), &status) != 0) {
        return refused(file, std::strerror(errno));
    }
    if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() ||
        (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return refused(file, fmt::format("mode {:o}, owner {}: must be a file of user {} that "
                                         "no other user can use; remove it, or chmod 600",
                                         status.st_mode & 07777, status.st_uid, ::geteuid()));
    }
    CacheKey key{};
    std::uint8_t more = 0;
    if (::read(fd.get(), key.data(), key.size()) != static_cast<ssize_t>(key.size()) ||
        ::read(fd.get(), &more, 1) != 0) {
        return refused(
            file, fmt::format("{} bytes: must have {}; remove it", status.st_size, key.size()));
    }
    return key;
}

}  // namespace nnburst::device
