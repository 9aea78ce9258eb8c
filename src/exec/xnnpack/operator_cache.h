// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// XNNPACK operators with packed weights, and how the plans of one compiled model share them.
///
/// An operator holds the addresses that it was set up with, so it is used by one thread at a time.
/// Its weights never change, so that all runners of the model (exec/run/model_runner.h) use one
/// copy of them. Where XNNPACK's release lets others keep the weights, each runner creates its
/// operators with those of the model (packed_weights.h). With the release of 2022 a model keeps
/// each operator as it was created, the *original*, and each runner gets a copy: the operator's own
/// block of memory again, with the weights of the original.

#include <xnnpack.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "account/account.h"
#include "exec/xnnpack/allocator.h"
#include "exec/xnnpack/packed_weights.h"
#include "nnburst/result.h"
#include "system/mutex.h"

namespace nnburst::exec::xnnpack {

class OriginalOperator;

/// One XNNPACK operator. It has the sizes and addresses of one user at a time.
struct Operator {
    /// Deletes an operator, but not the blocks that it shares with its original.
    struct Delete {
        std::shared_ptr<const OriginalOperator> original;  ///< null if it is no copy
        void operator()(xnn_operator_t created) const noexcept;
    };

    explicit Operator(xnn_operator_t created,
                      std::shared_ptr<const OriginalOperator> original = nullptr) noexcept
        : handle(created, Delete{std::move(original)}) {}

    /// Whether there can be others with its weights, without the constants that were packed.
    [[nodiscard]] bool sharesWeights() const noexcept {
        return handle.get_deleter().original != nullptr ||
               (weights != nullptr && weights->replaceConstants());
    }

    std::unique_ptr<OperatorWeights> weights;  ///< null if it keeps its weights itself
    std::unique_ptr<xnn_operator, Delete> handle;
    /// The step that reshaped it last; another one must reshape it again before it sets it up.
    const void* reshapedBy = nullptr;
    /// The step that set it up last; another one must set it up again before it runs.
    const void* user = nullptr;
    /// CreatedOperator::constantBytes, which no charge counts.
    std::size_t constantBytes = 0;
    /// For its packed weights and what else was taken when it was created: with its original if it
    /// is a copy, but without itself.
    Charge charge;
};

using SharedOperator = std::shared_ptr<Operator>;

/// An operator as it was created. It is neither reshaped nor set up and never runs. Thread-safe.
class OriginalOperator {
  public:
    /// Whether an operator, which took `record` when it was created and was neither reshaped nor
    /// set up, can be copied: it is one block of memory without addresses of itself, and all others
    /// that it has are aligned. XNNPACK keeps tables that change in blocks without alignment.
    [[nodiscard]] static bool canBeCopied(const Operator& created, const AllocationRecord& record);

    /// Of an operator that can be copied.
    OriginalOperator(SharedOperator created, const AllocationRecord& record);

    /// An operator with the weights of `original`, for another user. Null if there is no memory.
    [[nodiscard]] static SharedOperator copy(
        const std::shared_ptr<const OriginalOperator>& original);

    /// What copies share with it.
    [[nodiscard]] std::span<const AllocatedBlock> sharedBlocks() const noexcept { return shared_; }

  private:
    SharedOperator created_;
    AllocatedBlock own_;
    std::vector<AllocatedBlock> shared_;
};

/// What an operator with packed weights was created for: the operation, and the size of its image
/// where that matters. An operator keeps a table of addresses for the size of its image, which is
/// costly to make and takes heap memory. Another number of batches costs nothing, and neither does
/// another image if there is no table (1x1 convolutions that are not depthwise, which have most of
/// the weights).
struct OperatorKey {
    std::uint32_t operation = 0;
    std::uint32_t height = 0;
    std::uint32_t width = 0;
    /// Without padding above and below: `height` is that of a slice (sliced_step.h).
    bool isSlice = false;

    auto operator<=>(const OperatorKey&) const noexcept = default;
};

/// The originals of one graph, for all runners of its model. Holds weak references: an original
/// lives as long as one of its copies. Thread-safe.
class OriginalOperators {
  public:
    /// Null if there is none.
    [[nodiscard]] std::shared_ptr<const OriginalOperator> find(const OperatorKey& key) const;
    void insert(const OperatorKey& key, const std::shared_ptr<const OriginalOperator>& original);

  private:
    mutable system::Mutex mutex_;
    std::map<OperatorKey, std::weak_ptr<const OriginalOperator>> originals_
        NNBURST_GUARDED_BY(mutex_);
    /// The number of entries at which those of deleted originals are dropped.
    std::size_t cleanedAt_ NNBURST_GUARDED_BY(mutex_) = 0;
};

/// The operators of one runner. Used by one thread at a time.
class OperatorCache {
  public:
    /// Shares weights with other caches of `originals` and `packed`, which outlive it; null: with
    /// none. `account`, that of the graph's operators, is charged for the weights and originals of
    /// those that are created; null: there is no limit.
    explicit OperatorCache(OriginalOperators* originals = nullptr, PackedWeights* packed = nullptr,
                           SharedAccount account = nullptr) noexcept
        : originals_(originals), packed_(packed), account_(std::move(account)) {}
    /// A cache without others, for which the same account is charged.
    [[nodiscard]] OperatorCache apart() const { return OperatorCache(nullptr, nullptr, account_); }

    /// Null if there is no such operator, here or among the originals.
    [[nodiscard]] SharedOperator find(const OperatorKey& key);

    /// The packed weights for an operator that is to be created; null if it is to keep them itself.
    [[nodiscard]] std::unique_ptr<OperatorWeights> weightsFor(std::uint32_t operation,
                                                              bool hasConstants) const;
    /// Whether an operator can be created without constants.
    [[nodiscard]] bool knowsWeights(std::uint32_t operation) const {
        return packed_ != nullptr && packed_->knows(operation);
    }

    /// Keeps `created`, which took `record` and was neither reshaped nor set up, and gives the
    /// operator to use. RESOURCE_EXHAUSTED_PERSISTENT if its account has no room.
    [[nodiscard]] Result<SharedOperator> insert(const OperatorKey& key, SharedOperator created,
                                                const AllocationRecord& record);

    /// The weights and originals of the operators that were created for its account.
    [[nodiscard]] std::uint64_t weightBytes() const noexcept {
        return account_ == nullptr ? 0 : account_->usage(Resource::MEMORY).used;
    }

    /// Deletes the operators that no step uses.
    void dropUnused() {
        std::erase_if(operators_, [](const auto& entry) { return entry.second.use_count() == 1; });
    }

  private:
    OriginalOperators* originals_;
    PackedWeights* packed_;
    SharedAccount account_;
    std::map<OperatorKey, SharedOperator> operators_;
};

}  // namespace nnburst::exec::xnnpack
