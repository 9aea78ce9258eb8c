// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the families of XNNPACK operators share: the step that runs an operator, and the checks
/// before calls of XNNPACK.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "exec/operation/activation.h"
#include "exec/operation/operation.h"
#include "exec/xnnpack/backend.h"
#include "log/assert.h"
#include "nnburst/result.h"

namespace nnburst::exec::xnnpack {

/// Addresses as Step::setUp gets them: inputs, then outputs.
using Operands = std::span<std::byte* const>;

template <class T>
[[nodiscard]] T* operandAs(Operands operands, std::size_t index) noexcept {
    NNBURST_ASSERT(index < operands.size(), "operand {} of {}", index, operands.size());
    return reinterpret_cast<T*>(operands[index]);
}

/// Calls an operator's set-up function with sizes that it has stored.
using SetUp = std::function<xnn_status(xnn_operator_t, Operands, pthreadpool_t)>;

/// The result of a family: null if XNNPACK does not cover the operation.
using StepResult = Result<std::unique_ptr<Step>>;

/// Calls `setUp`, and XNNPACK to run what was set up last.
[[nodiscard]] Result<> setUpOperator(const Operator& shared, const SetUp& setUp, Operands operands,
                                     pthreadpool_t threads);
[[nodiscard]] Result<> runOperator(const Operator& shared, pthreadpool_t threads);

/// A step that runs an operator, which steps may share. `threads` may be null.
[[nodiscard]] std::unique_ptr<Step> makeOperatorStep(SharedOperator shared, SetUp setUp,
                                                     pthreadpool_t threads,
                                                     bool hasPackedConstants);

/// The operator of `key` from the cache, else from `create`, which returns a Result<SharedOperator>
/// and is not called if the weights were dropped (`hasWeights`). Null if there is none.
template <class Create>
[[nodiscard]] Result<SharedOperator> shareOperator(const StepContext& context,
                                                   const OperatorKey& key, bool hasWeights,
                                                   Create create) {
    NNBURST_ASSERT(context.operators != nullptr, "operation {} is made without a cache",
                   key.operation);
    SharedOperator shared = context.operators->find(key);
    if (!shared && hasWeights) {
        NNBURST_TRY_ASSIGN(shared, create());
        if (shared) {
            context.operators->insert(key, shared);
        }
    }
    return shared;
}

/// Takes the result of a creation function: an operator, or null where XNNPACK refuses what our own
/// checks let pass. RESOURCE_EXHAUSTED_TRANSIENT if there is no memory.
[[nodiscard]] Result<SharedOperator> takeOperator(xnn_status status, xnn_operator_t created);

/// The throughput of an operator: multiplications and additions per nanosecond, as measured on one
/// core with AVX-512, rounded.
enum class Speed : std::uint8_t {
    DENSE = 40,        ///< matrix multiplications
    ELEMENTWISE = 10,  ///< each input is used once or a few times: depthwise, poolings, sums
};

/// An operator that takes less than this on one thread is not split among threads. Splitting costs
/// 1 to 1.5 us and two system calls, and makes the operator wait for the slowest thread.
inline constexpr double kMinimumParallelNs = 2500;

/// The threads of `context` for an operator that does `work` multiplications and additions.
[[nodiscard]] inline pthreadpool_t threadsFor(const StepContext& context, double work,
                                              Speed speed) noexcept {
    return work < kMinimumParallelNs * static_cast<double>(speed) ? nullptr : context.threads;
}

/// Window positions that an operator may look at in one image. It keeps the address of each, and
/// Debian's XNNPACK does not check the size of that table: 1 GiB with this many.
inline constexpr double kMaximumTaps = 1 << 27;

/// XNNPACK refuses scales that are subnormal.
[[nodiscard]] bool isNormalScale(float scale) noexcept;

/// Whether XNNPACK takes the factor that turns sums into outputs: it refuses factors of 256 and
/// more, and aborts below 2^-32.
[[nodiscard]] bool isRequantizationScale(float scale) noexcept;

/// XNNPACK refuses ranges of one value.
template <class Range>
[[nodiscard]] bool isRange(const Range& range) noexcept {
    return range.minimum < range.maximum;
}

}  // namespace nnburst::exec::xnnpack
