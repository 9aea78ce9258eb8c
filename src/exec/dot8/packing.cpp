// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/dot8/packing.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "exec/dot8/coverage.h"

namespace nnburst::exec::dot8 {

namespace {

/// Zero points as micro-kernels see them: activations as the bytes that their instruction
/// multiplies, weights as signed bytes.
///
///     sum of (x - inputZero) * (w - weightZero)
///         = sum of x * w - weightZero * sum of x - inputZero * sum of w
///           + depth * inputZero * weightZero
///
/// The second term is a row's correction, the last two are constants and become a part of the bias.
struct ZeroPoints {
    std::int32_t input = 0;
    std::int32_t weight = 0;
    std::int32_t weightOffset = 0;  ///< what is subtracted from a weight when it is packed
    Activations activations = Activations::UNSIGNED;
};

bool hasUnsignedElements(const OperandView& operand) noexcept {
    return operand.type == OperandType::TENSOR_QUANT8_ASYMM;
}

/// The zero point of activations as bytes that the instruction multiplies.
std::int32_t inputZeroPoint(std::int32_t zeroPoint, bool isUnsigned,
                            const Microkernels& kernels) noexcept {
    if (isUnsigned) {
        return kernels.multipliesSigned ? zeroPoint - 128 : zeroPoint;
    }
    return kernels.multipliesSigned ? zeroPoint : zeroPoint + 128;
}

/// Of activations with the type and zero point of input 0, and all `weights`, which have one zero
/// point.
ZeroPoints zeroPointsOf(const OperandView& input, std::span<const OperandView* const> weights,
                        const Microkernels& kernels) {
    const bool isUnsigned = hasUnsignedElements(input);
    const std::int32_t inputZero = inputZeroPoint(input.zeroPoint, isUnsigned, kernels);
    if (!isUnsigned) {
        return {.input = inputZero, .activations = Activations::SIGNED};
    }
    if (!hasUnsignedElements(*weights.front())) {
        return {.input = inputZero};
    }
    const std::int32_t zeroPoint = weights.front()->zeroPoint;
    const bool fits =
        std::all_of(weights.begin(), weights.end(), [zeroPoint](const OperandView* part) {
            // Not std::minmax_element, which compilers do not turn into vector instructions.
            std::uint8_t least = UINT8_MAX;
            std::uint8_t most = 0;
            for (const std::uint8_t weight :
                 std::span(part->as<const std::uint8_t>(), part->shape.elementCount())) {
                least = std::min(least, weight);
                most = std::max(most, weight);
            }
            return least - zeroPoint >= -128 && most - zeroPoint <= 127;
        });
    if (fits) {
        return {.input = inputZero, .weightOffset = zeroPoint};
    }
    return {.input = inputZero,
            .weight = zeroPoint - 128,
            .weightOffset = 128,
            .activations = Activations::UNSIGNED_CORRECTED};
}

/// The weights of one group, [outputs, depth], in their order for micro-kernels.
template <class Weight>
void packGroup(const Weight* weights, std::int32_t offset, const Microkernels& kernels,
               std::size_t depth, std::size_t outputs, std::int8_t* packed) {
    for (std::size_t block = 0; block < outputs; block += kernels.blockColumns) {
        const std::size_t count = std::min(kernels.blockColumns, outputs - block);
        const std::size_t columns = roundUp(count, kernels.vectorColumns);
        for (std::size_t k = 0; k < depth; k += 4) {
            const std::size_t bytes = std::min<std::size_t>(4, depth - k);
            for (std::size_t column = 0; column < count; ++column) {
                const Weight* const from = weights + (block + column) * depth + k;
                for (std::size_t i = 0; i < bytes; ++i) {
                    packed[column * 4 + i] = static_cast<std::int8_t>(from[i] - offset);
                }
            }
            packed += columns * 4;
        }
    }
}

ZeroPoints zeroPointsOf(const OperationView& operation, const Microkernels& kernels) {
    const std::array weights{&operation.inputs[1]};
    return zeroPointsOf(operation.inputs[0], weights, kernels);
}

/// Packs a matrix, weights [outputs, depth], to `matrix` in `filter`, without its scales. `bias`
/// may be null.
template <class Weight>
void packMatrix(const ZeroPoints& zeroPoints, const Weight* weights, const std::int32_t* bias,
                const FilterMatrix& matrix, PackedFilter& filter) {
    packGroup(weights, zeroPoints.weightOffset, *filter.kernels, matrix.depth, matrix.outputs,
              reinterpret_cast<std::int8_t*>(filter.weights()) + matrix.weightsOffset);
    std::int32_t* const packedBias = filter.bias() + matrix.parametersOffset;
    // Sums wrap around.
    const auto input = static_cast<std::uint32_t>(zeroPoints.input);
    const auto constant = static_cast<std::uint32_t>(matrix.depth) * input *
                          static_cast<std::uint32_t>(zeroPoints.weight);
    for (std::size_t output = 0; output < matrix.outputs; ++output) {
        std::uint32_t sum = 0;
        for (std::size_t k = 0; k < matrix.depth; ++k) {
            sum += static_cast<std::uint32_t>(weights[output * matrix.depth + k] -
                                              zeroPoints.weightOffset);
        }
        const auto given = static_cast<std::uint32_t>(bias == nullptr ? 0 : bias[output]);
        packedBias[output] = static_cast<std::int32_t>(given - input * sum + constant);
    }
}

/// The same with the biases and scales of `channel` and the next ones.
template <class Weight>
void packMatrix(const OperationView& operation, const ZeroPoints& zeroPoints, const Weight* weights,
                std::size_t channel, const FilterMatrix& matrix, PackedFilter& filter) {
    packMatrix(zeroPoints, weights, operation.inputs[2].as<const std::int32_t>() + channel, matrix,
               filter);
    for (std::size_t output = 0; output < matrix.outputs; ++output) {
        filter.scales()[matrix.parametersOffset + output] = sumScale(operation, channel + output);
    }
}

template <class Weight>
void packGroups(const OperationView& operation, const ZeroPoints& zeroPoints, std::size_t depth,
                std::size_t groups, std::size_t outputs, PackedFilter& filter) {
    const FilterLayout layout(*filter.kernels, depth, outputs);
    for (std::size_t group = 0; group < groups; ++group) {
        packMatrix(operation, zeroPoints,
                   operation.inputs[1].as<const Weight>() + group * outputs * depth,
                   group * outputs,
                   {.depth = depth,
                    .outputs = outputs,
                    .weightsOffset = group * layout.groupBytes,
                    .parametersOffset = group * layout.columns},
                   filter);
    }
}

/// The weights of each phase, in the order of its rows, and packed.
template <class Weight>
void packPhases(const OperationView& operation, const ZeroPoints& zeroPoints,
                std::span<const TransposePhase> phases, PackedFilter& filter) {
    const Shape& shape = operation.inputs[1].shape;
    const std::size_t channels = shape[3];
    const auto* const from = operation.inputs[1].as<const Weight>();
    std::vector<Weight> weights;
    for (const TransposePhase& phase : phases) {
        weights.clear();
        for (std::size_t output = 0; output < shape[0]; ++output) {
            for (std::size_t y = phase.height.taps; y-- > 0;) {
                for (std::size_t x = phase.width.taps; x-- > 0;) {
                    const Weight* const tap =
                        from + ((output * shape[1] + phase.height.tap(y)) * shape[2] +
                                phase.width.tap(x)) *
                                   channels;
                    weights.insert(weights.end(), tap, tap + channels);
                }
            }
        }
        packMatrix(operation, zeroPoints, weights.data(), 0, phase.matrix, filter);
    }
}

/// Bytes of weights are read as what they are: signed weights have no zero point.
bool hasUnsignedWeights(const OperationView& operation) noexcept {
    return hasUnsignedElements(operation.inputs[1]);
}

}  // namespace

Result<std::shared_ptr<const PackedFilter>> packFilter(const OperationView& operation,
                                                       const Microkernels& kernels,
                                                       std::size_t depth, std::size_t groups,
                                                       std::size_t groupOutputs) {
    const FilterLayout layout(kernels, depth, groupOutputs);
    const ZeroPoints zeroPoints = zeroPointsOf(operation, kernels);
    FilterForm form = layout.form(groups);
    form.activations = zeroPoints.activations;
    form.correction = zeroPoints.weight;
    NNBURST_TRY_ASSIGN(auto filter, PackedFilter::allocate(kernels, form));
    if (hasUnsignedWeights(operation)) {
        packGroups<std::uint8_t>(operation, zeroPoints, depth, groups, groupOutputs, *filter);
    } else {
        packGroups<std::int8_t>(operation, zeroPoints, depth, groups, groupOutputs, *filter);
    }
    return std::shared_ptr<const PackedFilter>(std::move(filter));
}

Result<std::shared_ptr<const PackedFilter>> packMatrices(const OperationView& operation,
                                                         const Microkernels& kernels,
                                                         const FilterForm& sizes,
                                                         std::span<const SumMatrix> matrices) {
    std::vector<const OperandView*> weights;
    for (const SumMatrix& matrix : matrices) {
        weights.push_back(&operation.inputs[matrix.input]);
    }
    ZeroPoints zeroPoints = zeroPointsOf(operation.inputs[0], weights, kernels);
    FilterForm form = sizes;
    form.activations = zeroPoints.activations;
    form.correction = zeroPoints.weight;
    NNBURST_TRY_ASSIGN(auto filter, PackedFilter::allocate(kernels, form));
    for (const SumMatrix& matrix : matrices) {
        const OperandView& from = operation.inputs[matrix.input];
        zeroPoints.input =
            inputZeroPoint(matrix.zeroPoint, hasUnsignedElements(operation.inputs[0]), kernels);
        if (hasUnsignedElements(from)) {
            packMatrix(zeroPoints, from.as<const std::uint8_t>(), nullptr, matrix.matrix, *filter);
        } else {
            packMatrix(zeroPoints, from.as<const std::int8_t>(), nullptr, matrix.matrix, *filter);
        }
    }
    return std::shared_ptr<const PackedFilter>(std::move(filter));
}

Result<std::shared_ptr<const PackedFilter>> packTransposeFilter(
    const OperationView& operation, const Microkernels& kernels, const FilterForm& sizes,
    std::span<const TransposePhase> phases) {
    const ZeroPoints zeroPoints = zeroPointsOf(operation, kernels);
    FilterForm form = sizes;
    form.activations = zeroPoints.activations;
    form.correction = zeroPoints.weight;
    NNBURST_TRY_ASSIGN(auto filter, PackedFilter::allocate(kernels, form));
    if (hasUnsignedWeights(operation)) {
        packPhases<std::uint8_t>(operation, zeroPoints, phases, *filter);
    } else {
        packPhases<std::int8_t>(operation, zeroPoints, phases, *filter);
    }
    return std::shared_ptr<const PackedFilter>(std::move(filter));
}

Result<std::shared_ptr<const PackedFilter>> packDepthwiseFilter(const OperationView& operation,
                                                                const Microkernels& kernels,
                                                                std::size_t taps,
                                                                std::size_t outputs) {
    const DepthwiseLayout layout(kernels, taps, outputs);
    FilterForm form = layout.form();
    form.activations = operation.inputs[0].type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED
                           ? Activations::SIGNED
                           : Activations::UNSIGNED;
    NNBURST_TRY_ASSIGN(auto filter, PackedFilter::allocate(kernels, form));
    const OperandView& input = operation.inputs[0];
    const OperandView& weights = operation.inputs[1];
    const bool isGrouped = operation.type == OperationType::GROUPED_CONV_2D;
    const bool isUnsigned = hasUnsignedWeights(operation);
    const std::int32_t zeroPoint = isUnsigned ? weights.zeroPoint : 0;
    auto* const packed = reinterpret_cast<std::int16_t*>(filter->weights());
    std::int32_t* const bias = filter->bias();
    float* const scales = filter->scales();
    for (std::size_t element = 0; element < outputs * layout.pixels; ++element) {
        const std::size_t channel = element % outputs;
        const std::size_t block = element / layout.lanes;
        const std::size_t position = layout.position(element % layout.lanes);
        std::uint32_t sum = 0;
        for (std::size_t tap = 0; tap < taps; ++tap) {
            const std::size_t from = isGrouped ? channel * taps + tap : tap * outputs + channel;
            const std::int32_t weight =
                (isUnsigned ? std::int32_t{weights.as<std::uint8_t>()[from]}
                            : std::int32_t{weights.as<std::int8_t>()[from]}) -
                zeroPoint;
            sum += static_cast<std::uint32_t>(weight);
            // Of each pair of taps first the lower halves of all elements, then the upper ones.
            packed[block * layout.blockWeights() + tap / 2 * layout.lanes * 2 + position * 2 +
                   tap % 2] = static_cast<std::int16_t>(weight);
        }
        bias[block * layout.lanes + position] = static_cast<std::int32_t>(
            static_cast<std::uint32_t>(operation.inputs[2].as<const std::int32_t>()[channel]) -
            static_cast<std::uint32_t>(input.zeroPoint) * sum);
        scales[block * layout.lanes + position] = sumScale(operation, channel);
    }
    return std::shared_ptr<const PackedFilter>(std::move(filter));
}

}  // namespace nnburst::exec::dot8
