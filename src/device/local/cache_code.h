// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Authentication codes of cache files.
///
///     payload code = GMAC(HMAC(key, "payload" | salt), payload)
///     code         = HMAC(key, header | version of nnburst | payload code)
///
/// HMAC is HMAC-SHA256. GMAC (AES-256, nonce zero) reads a payload several times as fast as SHA-256
/// does; the salt is random, so that no two payloads are authenticated with the same key.

#include <openssl/evp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "device/local/cache_key.h"
#include "nnburst/result.h"

namespace nnburst::device {

using CacheSalt = std::array<std::uint8_t, 32>;
using CacheCode = std::array<std::uint8_t, 32>;

/// Computes the code of one file. Call order: `create`, `add` for each piece of the payload,
/// `finish`.
class CacheAuthentication {
  public:
    /// GENERAL_FAILURE if OpenSSL refuses.
    [[nodiscard]] static Result<CacheAuthentication> create(const CacheKey& key,
                                                            const CacheSalt& salt);

    /// The next piece of the payload.
    void add(std::span<const std::byte> bytes);

    /// The code of a file with this header.
    [[nodiscard]] Result<CacheCode> finish(std::span<const std::byte> header);

  private:
    struct Free {
        void operator()(EVP_MAC_CTX* context) const noexcept { EVP_MAC_CTX_free(context); }
    };

    CacheKey key_{};
    std::unique_ptr<EVP_MAC_CTX, Free> payload_;
    bool isGood_ = false;
};

/// A random salt.
[[nodiscard]] Result<CacheSalt> makeCacheSalt();

}  // namespace nnburst::device
