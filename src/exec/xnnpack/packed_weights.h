// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Packed weights of XNNPACK's operators, where its release lets others keep them
/// (kHasWeightsCaches). All operators of one operation share them: those of every runner of the
/// model and of every size of image. They hold no addresses and never change, so that the
/// compilation cache keeps them in files.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exec/xnnpack/release.h"
#include "memory/aligned_buffer.h"
#include "system/mutex.h"

namespace nnburst::exec::xnnpack {

/// Names what packs weights for XNNPACK's micro-kernels: its build, and the processor, by which it
/// chooses them. Empty if the release cannot take weights that are packed already, or if the
/// processor is not known. The first call in the process reads /proc/cpuinfo.
[[nodiscard]] const std::string& packingName();

/// What XNNPACK has packed for one operation.
struct PackedBlock {
    /// XNNPACK's number for the micro-kernel and the counts of channels.
    std::uint32_t seed = 0;
    /// XNNPACK asks for it before it reads the constants. It packs others whenever it creates an
    /// operator: those of depthwise and of transposed convolutions.
    bool replacesConstants = true;
    AlignedBuffer memory;
};

/// A block and the index of its operation.
using BlockOfOperation = std::pair<std::uint32_t, std::shared_ptr<const PackedBlock>>;

/// The packed blocks of one graph. An operation has one, or two if XNNPACK runs it by different
/// micro-kernels for different sizes. Thread-safe.
class PackedWeights {
  public:
    struct Known {
        std::shared_ptr<const PackedBlock> block;  ///< null if there is none
        bool isConfirmed = false;                  ///< its size is what XNNPACK expects
    };

    [[nodiscard]] Known find(std::uint32_t operation, std::uint32_t seed) const;
    [[nodiscard]] bool knows(std::uint32_t operation) const;

    /// Keeps `block`, which XNNPACK has packed, unless there is one of its seed and size already.
    /// Returns that which is kept, and is confirmed.
    std::shared_ptr<const PackedBlock> insert(std::uint32_t operation,
                                              std::shared_ptr<const PackedBlock> block);

    /// Keeps a block of an earlier compilation. XNNPACK has not yet said how large it must be.
    void insertUnconfirmed(std::uint32_t operation, std::shared_ptr<const PackedBlock> block);

    /// All blocks that replace constants, by their operations.
    [[nodiscard]] std::vector<BlockOfOperation> all() const;

  private:
    mutable system::Mutex mutex_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Known> blocks_
        NNBURST_GUARDED_BY(mutex_);  // by operation and seed
};

/// The packed weights of one operator: those that its graph has, else those that XNNPACK packs when
/// it creates the operator. Outlives the operator. Used by one thread at a time.
///
/// XNNPACK does not say how large the weights must be that it asks for. So where only a file says
/// how large they are, the creation of the operator fails at first, on purpose, once XNNPACK has
/// asked for memory to pack them; then it is repeated (`isToBeRepeated`).
class OperatorWeights {
  public:
    /// `known`, those of the operator's graph, outlives the creation of the operator. Without
    /// constants an operator is created only if XNNPACK need not read them.
    OperatorWeights(PackedWeights& known, std::uint32_t operation, bool hasConstants)
        : known_(&known),
          operation_(operation),
          hasConstants_(hasConstants),
          provider_(providerOf(*this)) {}
    OperatorWeights(const OperatorWeights&) = delete;  // the operator knows its address
    OperatorWeights& operator=(const OperatorWeights&) = delete;

    /// For the creation function.
    [[nodiscard]] WeightsCache cache() noexcept { return &provider_; }

    /// Whether the creation has failed so that it can be repeated. False when it was repeated.
    [[nodiscard]] bool isToBeRepeated() noexcept { return std::exchange(isToBeRepeated_, false); }

    /// Whether the creation has failed because XNNPACK wants other weights than those that are
    /// known, and there are no constants to pack.
    [[nodiscard]] bool areMissing() const noexcept { return areMissing_; }

    /// Whether operators for the same can be created without the constants.
    [[nodiscard]] bool replaceConstants() const noexcept {
        return block_ != nullptr && block_->replacesConstants;
    }

    /// The operator is created: what was packed for it is for others, too.
    void share();
    /// What was packed for the operator itself.
    [[nodiscard]] std::size_t packedBytes() const noexcept { return packedBytes_; }

    // What XNNPACK calls.

    /// False if there are none for `seed`.
    [[nodiscard]] bool lookUp(std::uint32_t seed) noexcept;
    /// Memory to pack into; null lets the creation fail.
    [[nodiscard]] void* reserve(std::size_t sizeBytes) noexcept;
    /// The memory of `reserve`, if that was called, is packed.
    void insert(std::uint32_t seed) noexcept;
    /// The operator is created, and is to run.
    [[nodiscard]] void* data() const noexcept {
        return block_ == nullptr ? nullptr : block_->memory.data();
    }

  private:
    PackedWeights* known_;
    std::uint32_t operation_;
    bool hasConstants_;
    WeightsProvider provider_;

    std::shared_ptr<const PackedBlock> block_;
    std::shared_ptr<PackedBlock> packed_;  // not shared yet
    bool isAsked_ = false;                 // XNNPACK has asked before it packs
    bool isUnconfirmed_ = false;           // there is a block, which may have another size
    bool isToBeRepeated_ = false;
    bool areMissing_ = false;
    std::size_t expectedBytes_ = 0;  // of the creation that failed
    std::size_t packedBytes_ = 0;
};

}  // namespace nnburst::exec::xnnpack
