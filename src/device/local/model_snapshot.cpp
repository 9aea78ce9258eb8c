// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/model_snapshot.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "system/scheduling.h"

namespace nnburst::device {

namespace {

/// Limit on ModelSnapshot::constantBytes of one model: that much is hashed, and many operands may
/// name the same bytes. Larger models exist, but not for drivers that run on a CPU.
constexpr std::uint64_t kMaximumConstantBytes = std::uint64_t{8} << 30;
/// What a thread does of a constant before it lets others run: some 50 us.
constexpr std::size_t kBytesAtOnce = std::size_t{64} << 10;
/// Where constants start: as kernels want them.
constexpr std::uint64_t kAlignmentBytes = 64;

/// Hashes values one after the other, each list with its length before it.
class Hash {
  public:
    /// As in ModelSnapshot::take.
    explicit Hash(const std::atomic<bool>* isCancelled)
        : isCancelled_(isCancelled), context_(EVP_MD_CTX_new()) {
        isGood_ = context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
    }

    void bytes(std::span<const std::byte> data) {
        while (!data.empty() && !isCancelled()) {
            const auto part = data.first(std::min(data.size(), kBytesAtOnce));
            isGood_ = isGood_ && EVP_DigestUpdate(context_.get(), part.data(), part.size()) == 1;
            data = data.subspan(part.size());
            system::letOthersRun();
        }
    }
    template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void value(const T& number) {
        bytes(std::as_bytes(std::span(&number, 1)));
    }
    template <class T>
    requires(std::is_arithmetic_v<T>) void list(const std::vector<T>& numbers) {
        value(numbers.size());
        bytes(std::as_bytes(std::span(numbers)));
    }

    [[nodiscard]] Result<Digest> finish() {
        if (isCancelled()) {
            return failure(ErrorStatus::DEVICE_UNAVAILABLE, "the client has gone");
        }
        Digest digest{};
        if (!isGood_ || EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) != 1) {
            return failure(ErrorStatus::GENERAL_FAILURE, "cannot compute a SHA-256 digest");
        }
        return digest;
    }

  private:
    struct Free {
        void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
    };

    [[nodiscard]] bool isCancelled() const noexcept {
        // Relaxed: it orders nothing.
        return isCancelled_ != nullptr && isCancelled_->load(std::memory_order_relaxed);
    }

    const std::atomic<bool>* isCancelled_;
    std::unique_ptr<EVP_MD_CTX, Free> context_;
    bool isGood_ = false;
};

/// The referenced constants of a model, brought into pools of our own.
class ConstantPools {
  public:
    /// Says where the constants of `model` will lie and copies them there.
    Result<Charge> move(Model& model, const SharedAccount& account) {
        std::vector<SharedRegion> sources;
        sources.swap(model.pools);
        place(model);
        NNBURST_TRY_ASSIGN(Charge charge, chargeTo(account, Resource::MEMORY,
                                                   total_ + model.operandValues.size()));
        for (std::size_t pool = 0; pool < sizes_.size(); ++pool) {
            NNBURST_TRY_ASSIGN(SharedRegion region, Region::create(sizes_[pool]));
            NNBURST_TRY_ASSIGN(Mapping mapping, Mapping::map(region));
            model.pools.push_back(std::move(region));
            mappings_.push_back(std::move(mapping));
        }
        for (const auto& [source, target] : places_) {
            const auto& [pool, offset, length] = source;
            const std::span<std::byte> bytes = bytesAt(target);
            std::size_t done = 0;
            do {
                const auto part = bytes.subspan(done, std::min(bytes.size() - done, kBytesAtOnce));
                if (Result<> read = sources[pool]->read(offset + done, part); !read) {
                    return failure(read.error().status,
                                   fmt::format("model pool {}: {}", pool, read.error().message));
                }
                done += part.size();
                system::letOthersRun();
            } while (done < length);
        }
        return charge;
    }

    [[nodiscard]] std::span<std::byte> bytesAt(const DataLocation& location) const {
        return mappings_[location.poolIndex].bytes().subspan(location.offset, location.length);
    }

  private:
    void place(Model& model) {
        place(model.main);
        for (Subgraph& subgraph : model.referenced) {
            place(subgraph);
        }
    }

    void place(Subgraph& subgraph) {
        for (Operand& operand : subgraph.operands) {
            if (operand.lifetime != OperandLifeTime::CONSTANT_REFERENCE) {
                continue;
            }
            DataLocation& location = operand.location;
            const auto [place, isNew] = places_.try_emplace(
                {location.poolIndex, location.offset, location.length}, DataLocation());
            if (isNew) {
                place->second = newPlace(location.length);
            }
            location = place->second;
        }
    }

    DataLocation newPlace(std::uint32_t length) {
        // A constant of length 0 takes room, too: a pool has at least one byte.
        const std::uint64_t room = std::max(
            kAlignmentBytes, (length + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes);
        total_ += room;
        if (sizes_.empty() || sizes_.back() + room > UINT32_MAX) {
            sizes_.push_back(0);
        }
        const DataLocation location{.poolIndex = static_cast<std::uint32_t>(sizes_.size() - 1),
                                    .offset = static_cast<std::uint32_t>(sizes_.back()),
                                    .length = length};
        sizes_.back() += room;
        return location;
    }

    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, DataLocation> places_;
    std::vector<std::uint64_t> sizes_;  // of the new pools
    std::uint64_t total_ = 0;
    std::vector<Mapping> mappings_;
};

void hash(const OperandExtraParams& params, Hash& hash) {
    hash.value(params.index());
    if (const auto* quant = std::get_if<SymmPerChannelQuantParams>(&params)) {
        hash.list(quant->scales);
        hash.value(quant->channelDim);
    } else if (const auto* extension = std::get_if<std::vector<std::uint8_t>>(&params)) {
        hash.list(*extension);
    }
}

void hash(const Model& model, const Subgraph& subgraph, const ConstantPools& constants,
          Hash& hash) {
    hash.value(subgraph.operands.size());
    for (const Operand& operand : subgraph.operands) {
        hash.value(operand.type);
        hash.list(operand.dimensions);
        hash.value(operand.scale);
        hash.value(operand.zeroPoint);
        device::hash(operand.extraParams, hash);
        const DataLocation& location = operand.location;
        switch (operand.lifetime) {
            case OperandLifeTime::CONSTANT_COPY:
            case OperandLifeTime::CONSTANT_REFERENCE:
                // The same value is the same, wherever it lies.
                hash.value(OperandLifeTime::CONSTANT_REFERENCE);
                hash.value(location.length);
                hash.bytes(operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE
                               ? constants.bytesAt(location)
                               : std::as_bytes(std::span(model.operandValues))
                                     .subspan(location.offset, location.length));
                break;
            default:
                hash.value(operand.lifetime);
                hash.value(location.offset);  // names a subgraph
                break;
        }
    }
    hash.value(subgraph.operations.size());
    for (const Operation& operation : subgraph.operations) {
        hash.value(operation.type);
        hash.list(operation.inputs);
        hash.list(operation.outputs);
    }
    hash.list(subgraph.inputIndexes);
    hash.list(subgraph.outputIndexes);
}

std::uint64_t constantBytesOf(const Subgraph& subgraph) noexcept {
    std::uint64_t bytes = 0;
    for (const Operand& operand : subgraph.operands) {
        const bool isConstant = operand.lifetime == OperandLifeTime::CONSTANT_COPY ||
                                operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE;
        bytes += isConstant ? operand.location.length : 0;
    }
    return bytes;
}

std::uint64_t structureBytesOf(const Subgraph& subgraph) noexcept {
    std::uint64_t bytes =
        subgraph.operands.size() * sizeof(Operand) + subgraph.operations.size() * sizeof(Operation);
    std::uint64_t numbers = subgraph.inputIndexes.size() + subgraph.outputIndexes.size();
    for (const Operand& operand : subgraph.operands) {
        numbers += operand.dimensions.size();
        if (const auto* quant = std::get_if<SymmPerChannelQuantParams>(&operand.extraParams)) {
            numbers += quant->scales.size();
        } else if (const auto* data =
                       std::get_if<std::vector<std::uint8_t>>(&operand.extraParams)) {
            bytes += data->size();
        }
    }
    for (const Operation& operation : subgraph.operations) {
        numbers += operation.inputs.size() + operation.outputs.size();
    }
    return bytes + numbers * sizeof(std::uint32_t);
}

std::uint64_t structureBytesOf(const Model& model) noexcept {
    std::uint64_t bytes = structureBytesOf(model.main);
    for (const Subgraph& subgraph : model.referenced) {
        bytes += structureBytesOf(subgraph);
    }
    return bytes;
}

}  // namespace

std::uint64_t memoryBytes(const Model& model) noexcept {
    std::uint64_t bytes = structureBytesOf(model) + model.operandValues.size();
    for (const ExtensionNameAndPrefix& extension : model.extensionNameToPrefix) {
        bytes += sizeof(extension) + extension.name.size();
    }
    return bytes;
}

Result<ModelSnapshot> ModelSnapshot::take(Model model, const SharedAccount& account,
                                          const std::atomic<bool>* isCancelled) {
    ModelSnapshot snapshot{.model = std::move(model)};
    if (const std::uint64_t bytes = snapshot.constantBytes(); bytes > kMaximumConstantBytes) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT,
                       fmt::format("the constants of the model's operands take {} bytes together: "
                                   "must be at most {}",
                                   bytes, kMaximumConstantBytes));
    }
    ConstantPools constants;
    NNBURST_TRY_ASSIGN(snapshot.charge, constants.move(snapshot.model, account));
    Hash hash(isCancelled);
    device::hash(snapshot.model, snapshot.model.main, constants, hash);
    hash.value(snapshot.model.referenced.size());
    for (const Subgraph& subgraph : snapshot.model.referenced) {
        device::hash(snapshot.model, subgraph, constants, hash);
    }
    hash.value(snapshot.model.relaxComputationFloat32toFloat16);
    hash.value(snapshot.model.extensionNameToPrefix.size());
    for (const ExtensionNameAndPrefix& extension : snapshot.model.extensionNameToPrefix) {
        hash.value(extension.name.size());
        hash.bytes(std::as_bytes(std::span(extension.name)));
        hash.value(extension.prefix);
    }
    NNBURST_TRY_ASSIGN(snapshot.digest, hash.finish());
    return snapshot;
}

std::uint64_t ModelSnapshot::constantBytes() const noexcept {
    std::uint64_t bytes = constantBytesOf(model.main);
    for (const Subgraph& subgraph : model.referenced) {
        bytes += constantBytesOf(subgraph);
    }
    return bytes;
}

std::uint64_t ModelSnapshot::structureBytes() const noexcept {
    return structureBytesOf(model);
}

}  // namespace nnburst::device
