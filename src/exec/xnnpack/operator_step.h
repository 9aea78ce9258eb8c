// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the families of XNNPACK operators share: the step that runs an operator, and the checks
/// before calls of XNNPACK.

#include <cstddef>
#include <memory>

#include "exec/operation/activation.h"
#include "exec/operation/operation.h"
#include "exec/operation/parallel_work.h"
#include "exec/xnnpack/backend.h"
#include "exec/xnnpack/release.h"
#include "log/assert.h"
#include "nnburst/result.h"

namespace nnburst::exec::xnnpack {

/// The result of a family: null if XNNPACK does not cover the operation.
using StepResult = Result<std::unique_ptr<Step>>;

/// The throughput of an operator: multiplications and additions per nanosecond, as measured on one
/// core with AVX-512, rounded.
enum class Speed : std::uint8_t {
    DENSE = 40,        ///< matrix multiplications
    ELEMENTWISE = 10,  ///< each input is used once or a few times: depthwise, poolings, sums
};

/// Whether an operator takes longer than a second or two, during which nothing could end it in
/// programs that cannot check a limit between its tiles (tile_watch.h). Such ones that cannot run
/// in slices (sliced_step.h) are left to the reference kernels.
[[nodiscard]] constexpr bool isTooLong(double work, Speed speed) noexcept {
    constexpr double kLongestNs = 0.25e9;  // on one thread of a processor with AVX-512
    return work > kLongestNs * static_cast<double>(speed);
}

/// Addresses that the table of an operator may have: 1 GiB. Operators with windows keep the
/// address of each of their elements; that of 2022 does not check the size.
inline constexpr double kMaximumAddresses = 1 << 27;

/// Outputs that an operator computes at a time, at most. A table has addresses for a multiple of
/// them.
inline constexpr double kMaximumTileOutputs = 16;

/// What running an operator takes.
struct Effort {
    pthreadpool_t threads = nullptr;  ///< which share it; null: the calling thread alone
    double ns = 0.0;                  ///< on one thread, about
};

/// That of an operator that does `work` multiplications and additions.
[[nodiscard]] inline Effort effortOf(const StepContext& context, double work,
                                     Speed speed) noexcept {
    const double ns = work / static_cast<double>(speed);
    return {.threads = ns < kMinimumParallelNs ? nullptr : context.threads, .ns = ns};
}

/// The same for one that XNNPACK does not share out, or that is not worth it.
[[nodiscard]] inline Effort effortAlone(double work, Speed speed) noexcept {
    return {.threads = nullptr, .ns = work / static_cast<double>(speed)};
}

/// One step's use of an operator, which steps may share: tells the operator the step's sizes and
/// addresses where another step has told it others.
class OperatorUse {
  public:
    /// `shared` is not null.
    OperatorUse(SharedOperator shared, SetUp setUp, const Effort& effort) noexcept;
    OperatorUse(const OperatorUse&) = delete;  // the operator knows its user by its address
    OperatorUse& operator=(const OperatorUse&) = delete;

    /// Tells the operator the sizes for the first time. False if XNNPACK refuses them.
    [[nodiscard]] Result<bool> reshape();

    /// What the operator needs beside the operands; known after `reshape`.
    [[nodiscard]] std::size_t workspaceBytes() const noexcept { return workspaceBytes_; }
    /// The operator without its weights and its original, which counts for each use, and the table
    /// of addresses, if this use made it: others share it. Known after `setUp`.
    [[nodiscard]] std::size_t keptBytes() const noexcept { return ownBytes_ + tableBytes_; }
    [[nodiscard]] bool isMultithreaded() const noexcept { return effort_.threads != nullptr; }
    /// Whether an operator can be made for another runner without the constants.
    [[nodiscard]] bool sharesWeights() const noexcept { return operator_->sharesWeights(); }

    /// Whether the operator still has the addresses of the last `setUp`.
    [[nodiscard]] bool isSetUp() const noexcept { return operator_->user == this; }

    /// `workspace` has `workspaceBytes`.
    [[nodiscard]] Result<> setUp(Operands operands, std::byte* workspace);
    /// Runs what was set up last. In programs that can (tile_watch.h), `limit` acts between tiles.
    [[nodiscard]] Result<> run(TimeLimit& limit) const;

  private:
    [[nodiscard]] xnn_status callReshape();

    SharedOperator operator_;
    SetUp setUp_;
    Effort effort_;
    std::size_t workspaceBytes_ = 0;
    std::size_t ownBytes_ = 0;
    std::size_t tableBytes_ = 0;
};

/// A step that runs an operator, which steps may share. Null if XNNPACK refuses the sizes.
[[nodiscard]] StepResult makeOperatorStep(SharedOperator shared, SetUp setUp, const Effort& effort);

/// A step of an operator of its own. Null if XNNPACK has none.
[[nodiscard]] StepResult makeOperatorStep(CreatedOperator made, const Effort& effort);

/// The operator of `key` from the cache, else from `create`, which gets a WeightsCache and returns
/// a Result<SharedOperator>. If the constants were dropped (not `hasConstants`), it is called only
/// if they are packed. Null if there is none.
template <class Create>
[[nodiscard]] Result<SharedOperator> shareOperator(const StepContext& context,
                                                   const OperatorKey& key, bool hasConstants,
                                                   Create create) {
    NNBURST_ASSERT(context.operators != nullptr, "operation {} is made without a cache",
                   key.operation);
    OperatorCache& operators = *context.operators;
    if (SharedOperator known = operators.find(key);
        known || (!hasConstants && !operators.knowsWeights(key.operation))) {
        return known;
    }
    auto weights = operators.weightsFor(key.operation, hasConstants);
    const WeightsCache cache = weights == nullptr ? nullptr : weights->cache();
    const AllocationRecord record;
    Result<SharedOperator> created = create(cache);
    if (weights != nullptr && weights->isToBeRepeated()) {
        created = create(cache);
    }
    if (weights != nullptr && weights->areMissing()) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       "the weights are packed for other kernels than those of this XNNPACK");
    }
    NNBURST_TRY(created);
    if (*created == nullptr) {
        return nullptr;
    }
    if (weights != nullptr) {
        weights->share();
        (*created)->weights = std::move(weights);
    }
    return operators.insert(key, std::move(*created), record);
}

/// Takes the result of a creation function: an operator, or null where XNNPACK refuses what our own
/// checks let pass. RESOURCE_EXHAUSTED_TRANSIENT if there is no memory.
[[nodiscard]] Result<SharedOperator> takeOperator(xnn_status status, xnn_operator_t created);

/// XNNPACK refuses scales that are subnormal.
[[nodiscard]] bool isNormalScale(float scale) noexcept;

/// Whether XNNPACK takes the factor that turns sums into outputs: it refuses factors of 256 and
/// more, and aborts below 2^-32.
[[nodiscard]] bool isRequantizationScale(float scale) noexcept;

/// Whether XNNPACK clamps every sum of `products` products and a bias, times `scale`, as it must.
/// The bias of `operation`, a convolution or fully connected layer of 8 bits, is input 2, and
/// known.
[[nodiscard]] bool areSumsCovered(const OperationView& operation, float scale,
                                  std::size_t products) noexcept;

/// XNNPACK refuses ranges of one value.
template <class Range>
[[nodiscard]] bool isRange(const Range& range) noexcept {
    return range.minimum < range.maximum;
}

}  // namespace nnburst::exec::xnnpack
