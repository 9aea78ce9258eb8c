// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "log/logger.h"
#include "log/verbose.h"

namespace nnburst::runtime {

namespace {

constexpr mode_t kOwnerOnly = 0600;

/// SHA-256 of values that follow each other, each text and list with its length before it.
class TokenHash {
  public:
    TokenHash() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
        isGood_ = context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1;
    }

    void bytes(const void* data, std::size_t size) {
        isGood_ = isGood_ && EVP_DigestUpdate(context_.get(), data, size) == 1;
    }
    void number(std::uint64_t value) { bytes(&value, sizeof(value)); }
    void text(std::string_view text) {
        number(text.size());
        bytes(text.data(), text.size());
    }

    [[nodiscard]] std::optional<CacheToken> finish() {
        CacheToken token{};
        if (!isGood_ || EVP_DigestFinal_ex(context_.get(), token.data(), nullptr) != 1) {
            return std::nullopt;
        }
        return token;
    }

  private:
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
    bool isGood_ = false;
};

std::optional<CacheToken> tokenOf(const CompileOptions& options, const DeviceInfo& device,
                                  std::span<const std::uint32_t> operations) {
    TokenHash hash;
    hash.bytes(options.token.data(), options.token.size());
    hash.text(device.name);
    hash.text(device.versionString);
    hash.number(static_cast<std::uint64_t>(options.preference));
    hash.number(operations.size());
    for (const std::uint32_t operation : operations) {
        hash.number(operation);
    }
    return hash.finish();
}

std::vector<std::string> paths(const std::string& folder, const CacheToken& token,
                               std::string_view kind, std::uint32_t count) {
    std::vector<std::string> all;
    for (std::uint32_t index = 0; index < count; ++index) {
        all.push_back(fmt::format("{}/{:02x}.{}{}", folder, fmt::join(token, ""), kind, index));
    }
    return all;
}

}  // namespace

std::optional<PartCacheFiles> PartCacheFiles::name(const CompileOptions& options,
                                                   const DeviceInfo& device,
                                                   std::span<const std::uint32_t> operations) {
    const auto& [models, data] = device.cacheFiles;
    if (options.cacheDirectory.empty() || models + data == 0) {
        return std::nullopt;
    }
    const auto token = tokenOf(options, device, operations);
    if (!token) {
        logger().warn("cannot compute a SHA-256 digest: the model is not cached");
        return std::nullopt;
    }
    PartCacheFiles files;
    files.token_ = *token;
    files.modelPaths_ = paths(options.cacheDirectory, *token, "model", models);
    files.dataPaths_ = paths(options.cacheDirectory, *token, "data", data);
    return files;
}

bool PartCacheFiles::open(int flags) {
    model_.clear();
    data_.clear();
    const auto openAll = [flags](const std::vector<std::string>& names,
                                 std::vector<UniqueFd>& files) {
        for (const std::string& name : names) {
            UniqueFd file(::open(name.c_str(), flags | O_RDWR | O_CLOEXEC, kOwnerOnly));
            if (!file) {
                return false;
            }
            files.push_back(std::move(file));
        }
        return true;
    };
    return openAll(modelPaths_, model_) && openAll(dataPaths_, data_);
}

bool PartCacheFiles::openExisting() {
    return open(0);
}

bool PartCacheFiles::makeNew() {
    if (!open(O_CREAT | O_TRUNC)) {
        logger().warn("cannot make cache files such as {}: {}",
                      modelPaths_.empty() ? dataPaths_.front() : modelPaths_.front(),
                      std::strerror(errno));
        model_.clear();
        data_.clear();
        return false;
    }
    return true;
}

void PartCacheFiles::giveTo(PrepareOptions& options) const {
    options.token = token_;
    for (const UniqueFd& file : model_) {
        options.modelCache.push_back(file.get());
    }
    for (const UniqueFd& file : data_) {
        options.dataCache.push_back(file.get());
    }
}

}  // namespace nnburst::runtime
