// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/cache_code.h"

#include <fmt/format.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <sys/random.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "nnburst/version.h"

namespace nnburst::device {

namespace {

struct FreeAlgorithm {
    void operator()(EVP_MAC* algorithm) const noexcept { EVP_MAC_free(algorithm); }
};
using Algorithm = std::unique_ptr<EVP_MAC, FreeAlgorithm>;

std::span<const std::byte> bytesOf(std::string_view text) {
    return std::as_bytes(std::span(text));
}

bool update(EVP_MAC_CTX* context, std::span<const std::byte> bytes) {
    return EVP_MAC_update(context, reinterpret_cast<const unsigned char*>(bytes.data()),
                          bytes.size()) == 1;
}

tl::unexpected<Error> failed(const char* algorithm) {
    return failure(ErrorStatus::GENERAL_FAILURE,
                   fmt::format("OpenSSL cannot compute a {}", algorithm));
}

/// HMAC-SHA256 of pieces that follow each other.
Result<CacheCode> hmac(const CacheKey& key,
                       std::initializer_list<std::span<const std::byte>> pieces) {
    const Algorithm algorithm(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
    const std::unique_ptr<EVP_MAC_CTX, void (*)(EVP_MAC_CTX*)> context(
        EVP_MAC_CTX_new(algorithm.get()), EVP_MAC_CTX_free);
    std::array<char, 7> digest{"SHA256"};
    const std::array parameters{
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
        OSSL_PARAM_construct_end()};
    bool isGood = context != nullptr &&
                  EVP_MAC_init(context.get(), key.data(), key.size(), parameters.data()) == 1;
    for (const auto& piece : pieces) {
        isGood = isGood && update(context.get(), piece);
    }
    CacheCode code{};
    std::size_t size = 0;
    if (!isGood || EVP_MAC_final(context.get(), code.data(), &size, code.size()) != 1 ||
        size != code.size()) {
        return failed("HMAC-SHA256");
    }
    return code;
}

}  // namespace

Result<CacheAuthentication> CacheAuthentication::create(const CacheKey& key,
                                                        const CacheSalt& salt) {
    CacheAuthentication authentication;
    authentication.key_ = key;
    NNBURST_TRY_ASSIGN(const CacheCode payloadKey,
                       hmac(key, {bytesOf("payload"), std::as_bytes(std::span(salt))}));
    const Algorithm algorithm(EVP_MAC_fetch(nullptr, "GMAC", nullptr));
    authentication.payload_.reset(EVP_MAC_CTX_new(algorithm.get()));
    std::array<char, 12> cipher{"AES-256-GCM"};
    std::array<std::uint8_t, 12> nonce{};
    const std::array parameters{
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher.data(), 0),
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, nonce.data(), nonce.size()),
        OSSL_PARAM_construct_end()};
    if (authentication.payload_ == nullptr ||
        EVP_MAC_init(authentication.payload_.get(), payloadKey.data(), payloadKey.size(),
                     parameters.data()) != 1) {
        return failed("GMAC");
    }
    authentication.isGood_ = true;
    return authentication;
}

void CacheAuthentication::add(std::span<const std::byte> bytes) {
    isGood_ = isGood_ && (bytes.empty() || update(payload_.get(), bytes));
}

Result<CacheCode> CacheAuthentication::finish(std::span<const std::byte> header) {
    std::array<std::uint8_t, 16> payload{};
    std::size_t size = 0;
    if (!isGood_ || EVP_MAC_final(payload_.get(), payload.data(), &size, payload.size()) != 1 ||
        size != payload.size()) {
        return failed("GMAC");
    }
    return hmac(key_, {header, bytesOf(NNBURST_VERSION), std::as_bytes(std::span(payload))});
}

Result<CacheSalt> makeCacheSalt() {
    CacheSalt salt{};
    if (::getrandom(salt.data(), salt.size(), 0) != static_cast<ssize_t>(salt.size())) {
        return failure(
            ErrorStatus::GENERAL_FAILURE,
            fmt::format("cannot make the salt of a cache file: {}", std::strerror(errno)));
    }
    return salt;
}

}  // namespace nnburst::device
