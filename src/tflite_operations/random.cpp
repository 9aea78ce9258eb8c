// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random numbers as TFLite's kernels draw them: blocks of four numbers of 32 bits from the
/// generator Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
///
/// All have these inputs: the shape of the output, a constant TENSOR_INT32 (MULTINOMIAL: logits
/// [batches, classes], TENSOR_FLOAT32); two seeds, TENSOR_INT32 of 4 elements, the low half of each
/// first; the number of blocks that were drawn before, TENSOR_INT32 of 2 elements, the low one
/// first. Outputs: the numbers; the blocks drawn up to now, for the next run.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "model/operand_info.h"
#include "tflite_operations/elements.h"

namespace nnburst::tflite_operations {

namespace {

using enum OperandType;

using Block = std::array<std::uint32_t, 4>;

class Philox {
  public:
    explicit Philox(const RunContext& run) noexcept
        : key_{wordOf(run, 1, 0), wordOf(run, 1, 1)},
          upper_{wordOf(run, 1, 2), wordOf(run, 1, 3)},
          drawn_(wordOf(run, 2, 0) | std::uint64_t{wordOf(run, 2, 1)} << 32) {}

    [[nodiscard]] Block draw() noexcept {
        Block block{static_cast<std::uint32_t>(drawn_), static_cast<std::uint32_t>(drawn_ >> 32),
                    upper_[0], upper_[1]};
        ++drawn_;
        std::array<std::uint32_t, 2> key = key_;
        constexpr int kRounds = 10;
        for (int round = 0; round < kRounds; ++round) {
            const std::uint64_t first = std::uint64_t{0xD2511F53} * block[0];
            const std::uint64_t second = std::uint64_t{0xCD9E8D57} * block[2];
            block = {static_cast<std::uint32_t>(second >> 32) ^ block[1] ^ key[0],
                     static_cast<std::uint32_t>(second),
                     static_cast<std::uint32_t>(first >> 32) ^ block[3] ^ key[1],
                     static_cast<std::uint32_t>(first)};
            key[0] += 0x9E3779B9;
            key[1] += 0xBB67AE85;
        }
        return block;
    }

    void skip(std::uint64_t blocks) noexcept { drawn_ += blocks; }

    void writeDrawn(std::int32_t* to) const noexcept {
        to[0] = static_cast<std::int32_t>(drawn_);
        to[1] = static_cast<std::int32_t>(drawn_ >> 32);
    }

  private:
    static std::uint32_t wordOf(const RunContext& run, std::size_t input,
                                std::size_t word) noexcept {
        return static_cast<std::uint32_t>(readOnce(run.input<std::int32_t>(input) + word));
    }

    std::array<std::uint32_t, 2> key_;
    std::array<std::uint32_t, 2> upper_;  ///< the upper half of the generator's counter
    std::uint64_t drawn_;                 ///< the lower half
};

/// From 0 to 1, without 1.
float uniform(std::uint32_t bits) {
    return std::bit_cast<float>(std::uint32_t{127} << 23 | (bits & 0x7FFFFF)) - 1.0F;
}

double uniform(std::uint32_t high, std::uint32_t low) {
    return std::bit_cast<double>(std::uint64_t{1023} << 52 | std::uint64_t{high & 0xFFFFF} << 32 |
                                 low) -
           1.0;
}

Result<> checkGenerator(Operands inputs, Operands outputs, std::size_t inputCount) {
    NNBURST_TRY(checkCounts(inputs, outputs, inputCount, 2));
    NNBURST_TRY(checkType(inputs[1], "input 1 (seeds)", {TENSOR_INT32}));
    NNBURST_TRY(checkType(inputs[2], "input 2 (blocks drawn)", {TENSOR_INT32}));
    return checkType(outputs[1], "output 1 (blocks drawn)", {TENSOR_INT32});
}

Result<> checkGeneratorShapes(Operands inputs) {
    if (countOf(inputs[1]) != 4 || countOf(inputs[2]) != 2) {
        return invalid("seeds of {} elements, blocks drawn of {}; must be 4 and 2",
                       countOf(inputs[1]), countOf(inputs[2]));
    }
    return {};
}

// ---- RANDOM_UNIFORM, RANDOM_STANDARD_NORMAL

Result<> checkReals(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkGenerator(inputs, outputs, 3));
    NNBURST_TRY(checkType(inputs[0], "input 0 (shape)", {TENSOR_INT32}));
    return checkType(outputs[0], "output 0", {TENSOR_FLOAT32});
}

Result<Dimensions> shapeOfReals(Operands inputs, std::size_t output) {
    NNBURST_TRY(checkGeneratorShapes(inputs));
    return output == 1 ? Dimensions{2} : constantShape(inputs[0]);
}

/// The output, from `realsOf(block)`, the four numbers of each block.
template <class RealsOf>
Result<> drawReals(const RunContext& run, RealsOf realsOf) {
    Philox generator(run);
    const std::size_t count = countOf(run.outputs[0]);
    for (std::size_t begin = 0; begin < count; begin += 4) {
        const std::array<float, 4> reals = realsOf(generator.draw());
        std::copy_n(reals.begin(), std::min<std::size_t>(count - begin, 4),
                    run.output<float>() + begin);
        if (run.limit.isOverAfter(4)) {
            return {};
        }
    }
    generator.writeDrawn(run.output<std::int32_t>(1));
    return {};
}

Result<> runUniform(const RunContext& run) {
    return drawReals(run, [](const Block& block) {
        return std::array{uniform(block[0]), uniform(block[1]), uniform(block[2]),
                          uniform(block[3])};
    });
}

/// Pairs of numbers by the method of Box and Muller.
Result<> runStandardNormal(const RunContext& run) {
    return drawReals(run, [](const Block& block) {
        std::array<float, 4> reals{};
        for (std::size_t i = 0; i < reals.size(); i += 2) {
            constexpr float kSmallest = 1.0e-7F;  // its logarithm is finite
            const float radius =
                std::sqrt(-2.0F * std::log(std::max(uniform(block[i]), kSmallest)));
            const auto angle = static_cast<float>(2.0 * std::numbers::pi *
                                                  static_cast<double>(uniform(block[i + 1])));
            reals[i] = std::sin(angle) * radius;
            reals[i + 1] = std::cos(angle) * radius;
        }
        return reals;
    });
}

// ---- MULTINOMIAL: another input, INT32 samples of each batch. Output: [batches, samples] classes,
// drawn with the probabilities exp(logit), of which those that are not finite are 0.

Result<> checkMultinomial(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkGenerator(inputs, outputs, 4));
    NNBURST_TRY(checkType(inputs[0], "input 0 (logits)", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[3], "input 3 (samples)", {INT32}));
    return checkType(outputs[0], "output 0", {TENSOR_INT32});
}

Result<Dimensions> shapeOfMultinomial(Operands inputs, std::size_t output) {
    NNBURST_TRY(checkGeneratorShapes(inputs));
    const Sizes logits = inputs[0].dimensions;
    const auto samples = scalarOf<std::int32_t>(inputs[3]);
    if (logits.size() != 2 || logits[1] == 0 || samples < 1) {
        return invalid("{} samples of logits of shape {}; must be at least 1, of two dimensions",
                       samples, dimensionsText(logits));
    }
    return output == 1 ? Dimensions{2} : Dimensions{logits[0], static_cast<std::uint32_t>(samples)};
}

std::size_t scratchOfMultinomial(Operands inputs) {
    const Sizes logits = inputs[0].dimensions;
    return logits.empty() ? 0 : logits.back() * sizeof(double);
}

Result<> runMultinomial(const RunContext& run) {
    const std::size_t batches = run.outputs[0].dimensions[0];
    const std::size_t samples = run.outputs[0].dimensions[1];
    const std::size_t classes = run.inputs[0].dimensions[1];
    const std::span sums(reinterpret_cast<double*>(run.scratch.data()), classes);
    Philox generator(run);
    Philox after = generator;
    Block block{};
    std::size_t used = block.size();
    for (std::size_t batch = 0; batch < batches; ++batch) {
        const float* logits = run.input<float>(0) + batch * classes;
        float largest = std::numeric_limits<float>::lowest();
        bool isOver = forEachElement(run, classes, [&](std::size_t i) {
            largest = std::isfinite(logits[i]) ? std::max(largest, logits[i]) : largest;
        });
        double sum = 0.0;
        isOver = isOver || forEachElement(run, classes, [&](std::size_t i) {
                     const float logit = logits[i];
                     sum +=
                         std::isfinite(logit)
                             ? std::exp(static_cast<double>(logit) - static_cast<double>(largest))
                             : 0.0;
                     sums[i] = sum;
                 });
        if (isOver || run.limit.isOverAfter(classes)) {
            return {};
        }
        for (std::size_t i = 0; i < samples; ++i) {
            if (used == block.size()) {
                block = generator.draw();
                used = 0;
            }
            const double place = uniform(block[used], block[used + 1]) * sum;
            used += 2;
            run.output<std::int32_t>()[batch * samples + i] = static_cast<std::int32_t>(
                std::upper_bound(sums.begin(), sums.end(), place) - sums.begin());
            if (run.limit.isOverAfter(1)) {
                return {};
            }
        }
    }
    // As many as TensorFlow reserves for each run.
    after.skip(batches * ((samples + 3) / 4 * 4) * 2 * 256);
    after.writeDrawn(run.output<std::int32_t>(1));
    return {};
}

constexpr std::array kRandomOperations{
    OperationDefinition{Code::RANDOM_UNIFORM, "RANDOM_UNIFORM", checkReals, shapeOfReals,
                        runUniform},
    OperationDefinition{Code::RANDOM_STANDARD_NORMAL, "RANDOM_STANDARD_NORMAL", checkReals,
                        shapeOfReals, runStandardNormal},
    OperationDefinition{Code::MULTINOMIAL, "MULTINOMIAL", checkMultinomial, shapeOfMultinomial,
                        runMultinomial, scratchOfMultinomial},
};

}  // namespace

std::span<const OperationDefinition> randomOperations() noexcept {
    return kRandomOperations;
}

}  // namespace nnburst::tflite_operations
