// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A file of the compilation cache: a header, which authenticates itself and the payload, and the
/// payload. The files belong to the client, which can change them at any time, also while they are
/// read. So they are never mapped: each byte is read once, into private memory, and what was read
/// is what is authenticated and used.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "device/local/cache_code.h"
#include "nnburst/device.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"

namespace nnburst::device {

enum class CacheFileKind : std::uint32_t { MODEL = 1, DATA = 2 };

/// GENERAL_FAILURE: the file cannot be used because of `why`.
[[nodiscard]] tl::unexpected<Error> cacheFileRefused(CacheFileKind kind, const std::string& why);

inline constexpr std::uint32_t kCacheFormatVersion = 3;

/// The first bytes of each file. Little-endian, as in memory.
struct CacheFileHeader {
    std::array<char, 8> magic{'n', 'n', 'b', 'c', 'a', 'c', 'h', 'e'};
    std::uint32_t formatVersion = kCacheFormatVersion;
    CacheFileKind kind = CacheFileKind::MODEL;
    std::uint64_t payloadBytes = 0;
    CacheToken token{};
    CacheSalt salt{};
    CacheCode code{};  ///< of all above, the version of nnburst and the payload (cache_code.h)

    /// What is authenticated with the payload.
    [[nodiscard]] std::span<const std::byte> authenticated() const noexcept {
        return std::as_bytes(std::span(this, 1)).first(offsetof(CacheFileHeader, code));
    }
};
static_assert(sizeof(CacheFileHeader) == 120);

/// Writes header and payload, which is in pieces. Gives the code. The header comes last: until then
/// there is nothing valid in the file. The file is empty before.
[[nodiscard]] Result<CacheCode> writeCacheFile(const CacheKey& key, int fd, CacheFileKind kind,
                                               const CacheToken& token,
                                               std::span<const std::span<const std::byte>> pieces);

/// Reads the payload from its begin to its end. What was read may be used after `check` only; until
/// then sizes in it are believed as far as they are bounded by that of the file.
class CacheFileReader {
  public:
    /// GENERAL_FAILURE if the file is not one of this version of nnburst and this token.
    [[nodiscard]] static Result<CacheFileReader> open(const CacheKey& key, int fd,
                                                      CacheFileKind kind, const CacheToken& token);

    [[nodiscard]] const CacheFileHeader& header() const noexcept { return header_; }

    /// Reads the next bytes of the payload. GENERAL_FAILURE if they are not there.
    [[nodiscard]] Result<> read(std::span<std::byte> destination);

    /// GENERAL_FAILURE unless the whole payload was read, and is authentic.
    [[nodiscard]] Result<> check();

  private:
    CacheFileReader(CacheFileKind kind, SharedRegion region, CacheAuthentication authentication)
        : kind_(kind), region_(std::move(region)), authentication_(std::move(authentication)) {}

    CacheFileKind kind_;
    SharedRegion region_;
    CacheFileHeader header_;
    CacheAuthentication authentication_;
    std::uint64_t offset_ = sizeof(CacheFileHeader);
};

}  // namespace nnburst::device
