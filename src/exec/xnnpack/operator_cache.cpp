// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/xnnpack/operator_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "log/assert.h"

namespace nnburst::exec::xnnpack {

namespace {

/// Null if `record` does not have the block of the operator itself.
const AllocatedBlock* ownBlock(const Operator& created, const AllocationRecord& record) noexcept {
    const auto blocks = record.blocks();
    const auto own = std::find_if(blocks.begin(), blocks.end(), [&](const AllocatedBlock& block) {
        return block.address == created.handle.get();
    });
    return own == blocks.end() ? nullptr : &*own;
}

/// Whether a word of `block` may be an address inside it.
bool pointsIntoItself(const AllocatedBlock& block) noexcept {
    const auto* bytes = static_cast<const std::byte*>(block.address);
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes);
    for (std::size_t offset = 0; offset + sizeof(std::uintptr_t) <= block.sizeBytes;
         offset += sizeof(std::uintptr_t)) {
        std::uintptr_t word = 0;
        std::memcpy(&word, bytes + offset, sizeof(word));
        if (word - begin < block.sizeBytes) {
            return true;
        }
    }
    return false;
}

}  // namespace

void Operator::Delete::operator()(xnn_operator_t created) const noexcept {
    const BorrowedBlocks borrowed(original == nullptr ? std::span<const AllocatedBlock>()
                                                      : original->sharedBlocks());
    xnn_delete_operator(created);
}

bool OriginalOperator::canBeCopied(const Operator& created, const AllocationRecord& record) {
    const AllocatedBlock* const own = ownBlock(created, record);
    const auto blocks = record.blocks();
    return record.isComplete() && own != nullptr && !pointsIntoItself(*own) &&
           std::all_of(blocks.begin(), blocks.end(),
                       [](const AllocatedBlock& block) { return block.alignment != 0; });
}

OriginalOperator::OriginalOperator(SharedOperator created, const AllocationRecord& record)
    : created_(std::move(created)) {
    const AllocatedBlock* const own = ownBlock(*created_, record);
    NNBURST_ASSERT(own != nullptr, "an operator whose memory was not recorded");
    own_ = *own;
    for (const AllocatedBlock& block : record.blocks()) {
        if (block.address != own_.address) {
            shared_.push_back(block);
        }
    }
}

SharedOperator OriginalOperator::copy(const std::shared_ptr<const OriginalOperator>& original) {
    const AllocatedBlock& own = original->own_;
    const xnn_allocator& memory = allocator();
    void* const block = memory.aligned_allocate(memory.context, own.alignment, own.sizeBytes);
    if (block == nullptr) {
        return nullptr;
    }
    std::memcpy(block, own.address, own.sizeBytes);
    return std::make_shared<Operator>(static_cast<xnn_operator_t>(block), original);
}

std::shared_ptr<const OriginalOperator> OriginalOperators::find(const OperatorKey& key) const {
    const system::MutexLock lock(mutex_);
    const auto found = originals_.find(key);
    return found == originals_.end() ? nullptr : found->second.lock();
}

void OriginalOperators::insert(const OperatorKey& key,
                               const std::shared_ptr<const OriginalOperator>& original) {
    const system::MutexLock lock(mutex_);
    if (originals_.size() >= cleanedAt_) {  // so that each costs little on average
        std::erase_if(originals_, [](const auto& entry) { return entry.second.expired(); });
        cleanedAt_ = 2 * originals_.size() + 1;
    }
    originals_.insert_or_assign(key, original);
}

SharedOperator OperatorCache::find(const OperatorKey& key) {
    if (const auto found = operators_.find(key); found != operators_.end()) {
        return found->second;
    }
    const auto original = originals_ == nullptr ? nullptr : originals_->find(key);
    if (original == nullptr) {
        return nullptr;
    }
    SharedOperator copy = OriginalOperator::copy(original);
    if (copy != nullptr) {
        operators_.insert_or_assign(key, copy);
    }
    return copy;
}

std::unique_ptr<OperatorWeights> OperatorCache::weightsFor(std::uint32_t operation,
                                                           bool hasConstants) const {
    return kHasWeightsCaches && packed_ != nullptr
               ? std::make_unique<OperatorWeights>(*packed_, operation, hasConstants)
               : nullptr;
}

Result<SharedOperator> OperatorCache::insert(const OperatorKey& key, SharedOperator created,
                                             const AllocationRecord& record) {
    const bool isOriginal = !kHasWeightsCaches && originals_ != nullptr &&
                            OriginalOperator::canBeCopied(*created, record);
    std::uint64_t bytes = created->weights == nullptr ? 0 : created->weights->packedBytes();
    for (const AllocatedBlock& block : record.blocks()) {
        // Steps count the operators that they use (OperatorUse::keptBytes). They use no original.
        bytes += isOriginal || block.address != created->handle.get() ? block.sizeBytes : 0;
    }
    Result<Charge> charge = chargeTo(account_, Resource::MEMORY, bytes);
    if (!charge) {
        const Account::Usage usage = account_->usage(Resource::MEMORY);
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT,
                       fmt::format("operation {}: {} bytes of weights that XNNPACK packs and {} of "
                                   "other operations exceed {}; share constants among fewer "
                                   "operations, or divide the model",
                                   key.operation, bytes, usage.used, usage.limit));
    }
    if (isOriginal) {
        const auto original = std::make_shared<const OriginalOperator>(created, record);
        if (SharedOperator copy = OriginalOperator::copy(original); copy != nullptr) {
            originals_->insert(key, original);
            created = std::move(copy);
        }
    }
    created->charge = std::move(*charge);
    operators_.insert_or_assign(key, created);
    return created;
}

}  // namespace nnburst::exec::xnnpack
