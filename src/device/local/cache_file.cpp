// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/cache_file.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace nnburst::device {

namespace {

/// A piece is written or read, and authenticated, in parts that stay in the cache of a processor.
constexpr std::size_t kPartBytes = std::size_t{256} << 10;

Result<> writeAll(int fd, std::uint64_t offset, std::span<const std::byte> bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count = ::pwrite(fd, bytes.data() + done, bytes.size() - done,
                                       static_cast<off_t>(offset + done));
        if (count < 0 && errno != EINTR) {
            return failure(ErrorStatus::GENERAL_FAILURE,
                           fmt::format("cannot write a cache file: {}", std::strerror(errno)));
        }
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    return {};
}

}  // namespace

tl::unexpected<Error> cacheFileRefused(CacheFileKind kind, const std::string& why) {
    return failure(ErrorStatus::GENERAL_FAILURE,
                   fmt::format("{} cache: {}; prepare from the model again",
                               kind == CacheFileKind::MODEL ? "model" : "data", why));
}

Result<CacheCode> writeCacheFile(const CacheKey& key, int fd, CacheFileKind kind,
                                 const CacheToken& token,
                                 std::span<const std::span<const std::byte>> pieces) {
    CacheFileHeader header;
    header.kind = kind;
    header.token = token;
    NNBURST_TRY_ASSIGN(header.salt, makeCacheSalt());
    NNBURST_TRY_ASSIGN(CacheAuthentication authentication,
                       CacheAuthentication::create(key, header.salt));
    for (const auto& piece : pieces) {
        for (std::size_t done = 0; done < piece.size(); done += kPartBytes) {
            const auto part = piece.subspan(done, std::min(kPartBytes, piece.size() - done));
            NNBURST_TRY(writeAll(fd, sizeof(header) + header.payloadBytes, part));
            authentication.add(part);
            header.payloadBytes += part.size();
        }
    }
    NNBURST_TRY_ASSIGN(header.code, authentication.finish(header.authenticated()));
    NNBURST_TRY(writeAll(fd, 0, std::as_bytes(std::span(&header, 1))));
    return header.code;
}

Result<CacheFileReader> CacheFileReader::open(const CacheKey& key, int fd, CacheFileKind kind,
                                              const CacheToken& token) {
    struct stat status {};
    if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        return cacheFileRefused(kind, "it is no regular file");
    }
    const auto sizeBytes = static_cast<std::uint64_t>(status.st_size);
    if (sizeBytes < sizeof(CacheFileHeader)) {
        return cacheFileRefused(kind, fmt::format("it has {} bytes", sizeBytes));
    }
    NNBURST_TRY_ASSIGN(UniqueFd owned, UniqueFd::duplicate(fd));
    auto region = Region::receive(std::move(owned), sizeBytes);
    if (!region) {
        return cacheFileRefused(kind, region.error().message);
    }
    CacheFileHeader header;
    if (Result<> read = (*region)->read(0, std::as_writable_bytes(std::span(&header, 1))); !read) {
        return cacheFileRefused(kind, read.error().message);
    }
    const CacheFileHeader expected;
    if (header.magic != expected.magic || header.formatVersion != expected.formatVersion ||
        header.kind != kind || header.payloadBytes != sizeBytes - sizeof(CacheFileHeader)) {
        return cacheFileRefused(kind, "it is not one of this version of nnburst, or is damaged");
    }
    if (header.token != token) {
        return cacheFileRefused(kind, "it was saved for another token");
    }
    NNBURST_TRY_ASSIGN(CacheAuthentication authentication,
                       CacheAuthentication::create(key, header.salt));
    CacheFileReader reader(kind, std::move(*region), std::move(authentication));
    reader.header_ = header;
    return reader;
}

Result<> CacheFileReader::read(std::span<std::byte> destination) {
    if (destination.size() > sizeof(header_) + header_.payloadBytes - offset_) {
        return cacheFileRefused(kind_, "it is incomplete");
    }
    while (!destination.empty()) {
        const auto part = destination.first(std::min(kPartBytes, destination.size()));
        if (Result<> result = region_->read(offset_, part); !result) {
            return cacheFileRefused(kind_, result.error().message);
        }
        authentication_.add(part);
        offset_ += part.size();
        destination = destination.subspan(part.size());
    }
    return {};
}

Result<> CacheFileReader::check() {
    if (offset_ != sizeof(header_) + header_.payloadBytes) {
        return cacheFileRefused(kind_, "it is longer than what was saved");
    }
    NNBURST_TRY_ASSIGN(const CacheCode code, authentication_.finish(header_.authenticated()));
    if (CRYPTO_memcmp(code.data(), header_.code.data(), code.size()) != 0) {
        return cacheFileRefused(kind_, "it was changed, or written with another key or version");
    }
    return {};
}

}  // namespace nnburst::device
