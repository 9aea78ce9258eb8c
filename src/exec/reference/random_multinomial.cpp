// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// RANDOM_MULTINOMIAL.
//
//     input    [batches, classes]: logarithms of probabilities, up to a common summand
//     samples  INT32: how many to draw for each batch
//     seeds    INT32 [2]: draws are the same for the same seeds; two zeros stand for seeds that are
//              different in each run
//     output   INT32 [batches, samples]: classes

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/elements.h"

namespace nnburst::exec {

namespace {
namespace random_multinomial {

using enum OperandType;

constexpr std::size_t kSamples = 1;
constexpr std::size_t kSeeds = 2;

/// Philox 4x32-10: blocks of random bits from a key and a counter (J. K. Salmon et al., Parallel
/// random numbers: as easy as 1, 2, 3; SC 2011).
class Philox {
  public:
    explicit Philox(std::array<std::uint32_t, 2> key) noexcept : key_(key) {}

    /// The next number in [0, 1), a multiple of 2^-53.
    double operator()() noexcept {
        if (next_ == block_.size()) {
            block_ = makeBlock(counter_++, key_);
            next_ = 0;
        }
        const std::uint64_t high = block_[next_];
        const std::uint64_t low = block_[next_ + 1];
        next_ += 2;
        return static_cast<double>((high << 32 | low) >> 11) * 0x1p-53;
    }

  private:
    using Block = std::array<std::uint32_t, 4>;

    static Block makeBlock(std::uint64_t counter, std::array<std::uint32_t, 2> key) noexcept {
        Block x{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), 0,
                0};
        for (int round = 0; round < 10; ++round) {
            const std::uint64_t a = std::uint64_t{0xD2511F53U} * x[0];
            const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * x[2];
            x = {static_cast<std::uint32_t>(b >> 32) ^ x[1] ^ key[0], static_cast<std::uint32_t>(b),
                 static_cast<std::uint32_t>(a >> 32) ^ x[3] ^ key[1],
                 static_cast<std::uint32_t>(a)};
            key[0] += 0x9E3779B9U;
            key[1] += 0xBB67AE85U;
        }
        return x;
    }

    std::array<std::uint32_t, 2> key_;
    std::uint64_t counter_ = 0;
    Block block_{};
    std::size_t next_ = block_.size();
};

Result<Shape> computeOutputShape(const OperationView& operation) {
    NNBURST_TRY_ASSIGN(const std::int32_t samples,
                       readConstantInt32(operation, kSamples, "samples", 1));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    check.input(0, "input").rank(2).notEmpty(1);
    check.input(kSeeds, "seeds").rank(1).size(0, 2, "two seeds");
    NNBURST_TRY(check.result());
    return makeOutputShape(operation, 0,
                           std::array<std::uint64_t, 2>{operation.inputs[0].shape[0],
                                                        static_cast<std::uint64_t>(samples)});
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(3).outputCount(1);
    check.input(0, "input").type({TENSOR_FLOAT32, TENSOR_FLOAT16}).rank(2);
    check.input(kSeeds, "seeds").type({TENSOR_INT32}).rank(1).size(0, 2, "two seeds");
    check.output(0, "output").type({TENSOR_INT32});
    NNBURST_TRY(check.result());
    NNBURST_TRY(readConstantInt32(operation, kSamples, "samples", 1));
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(outputs[0], computeOutputShape(operation));
    return {};
}

/// The cumulative weights of one batch.
std::size_t scratchBytes(const OperationView& operation) {
    return std::size_t{operation.inputs[0].shape[1]} * sizeof(double);
}

/// A key that no earlier run of this process has had.
std::array<std::uint32_t, 2> makeKey() {
    static const std::uint32_t start = std::random_device()();
    static std::atomic<std::uint32_t> runs{0};
    return {start, runs.fetch_add(1, std::memory_order_relaxed)};
}

template <class T>
void sample(const OperationView& operation, double* cumulative, Philox& random) {
    constexpr std::size_t kSampleWork = 32;  // a random number and a binary search
    const Shape& shape = operation.inputs[0].shape;
    const std::size_t classes = shape[1];
    const std::size_t samples = operation.outputs[0].shape[1];
    const T* logits = operation.inputs[0].as<const T>();
    auto* output = operation.outputs[0].as<std::int32_t>();
    for (std::size_t batch = 0; batch < shape[0]; ++batch, logits += classes) {
        // Classes whose logarithm is infinite or NaN are never drawn.
        float largest = std::numeric_limits<float>::lowest();
        forEachElement(operation, classes, [&](std::size_t i) {
            const auto logit = static_cast<float>(logits[i]);
            largest = std::isfinite(logit) ? std::max(largest, logit) : largest;
        });
        double total = 0.0;
        forEachElement(operation, classes, [&](std::size_t i) {
            const auto logit = static_cast<float>(logits[i]);
            const double weight = std::exp(static_cast<double>(logit) - largest);
            total += std::isfinite(logit) && std::isfinite(weight) ? weight : 0.0;
            cumulative[i] = total;
        });
        if (operation.isOutOfTime(classes)) {
            return;
        }
        for (std::size_t i = 0; i < samples; ++i) {
            const double* const found =
                std::upper_bound(cumulative, cumulative + classes, random() * total);
            *output++ = static_cast<std::int32_t>(
                std::min(static_cast<std::size_t>(found - cumulative), classes - 1));
            if (operation.isOutOfTime(kSampleWork)) {
                return;
            }
        }
    }
}

Result<> run(const OperationView& operation, std::span<std::byte> scratch) {
    NNBURST_TRY_ASSIGN(const Shape shape, computeOutputShape(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, shape));
    const auto* seeds = operation.inputs[kSeeds].as<const std::uint32_t>();
    std::array<std::uint32_t, 2> key{seeds[0], seeds[1]};
    if (key == std::array<std::uint32_t, 2>{0, 0}) {
        key = makeKey();
    }
    Philox random(key);
    dispatchFloat(operation.inputs[0].type, [&]<class T>() {
        sample<T>(operation, reinterpret_cast<double*>(scratch.data()), random);
    });
    return {};
}

}  // namespace random_multinomial
}  // namespace

constinit const OperationDefinition kRandomMultinomial{
    .type = OperationType::RANDOM_MULTINOMIAL,
    .since = HalVersion::V1_2,
    .check = random_multinomial::check,
    .inferShapes = random_multinomial::inferShapes,
    .scratchBytes = random_multinomial::scratchBytes,
    .run = random_multinomial::run,
};

}  // namespace nnburst::exec
