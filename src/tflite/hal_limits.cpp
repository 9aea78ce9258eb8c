// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/hal_limits.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "model/invalid.h"
#include "nnburst/type_queries.h"
#include "tflite/joined_axes.h"
#include "tflite/operator.h"
#include "tflite/shapes.h"
#include "tflite/tensors.h"

namespace nnburst::tflite {

namespace {

using enum OperationType;

constexpr std::size_t kMaximumHalRank = 4;

/// Which types an operation lacks, if it only moves elements.
enum class Lacks : std::uint8_t {
    NOTHING,           ///< it computes
    SMALL_TYPES,       ///< it moves elements, but not BOOL and 16 bits
    ALL_INTEGER_TYPES  ///< nor INT32
};

/// How the axes of an operation can be joined with each other.
enum class Axes : std::uint8_t {
    FIXED,
    RESHAPED,      ///< the elements stay in order: BITCAST does the same
    ELEMENTWISE,   ///< axes of size 1 are repeated
    LAST,          ///< computes along the last axis; input 2, if it is there, says so
    REDUCED,       ///< input 1 lists axes, input 2 says whether they stay
    ALONG,         ///< input 1 is the axis
    CONCATENATED,  ///< the last input is the axis
    PERMUTED,      ///< input 1 is the permutation
    PADDED,        ///< input 1 has two numbers for each axis
    TILED,         ///< input 1 has the multiples
    SLICED,        ///< inputs 1 and 2 have begins and sizes
    STRIDED        ///< inputs 1 to 6 have begins, ends, strides and masks
};

struct Rule {
    OperationType type;
    Axes axes;
    Lacks lacks = Lacks::NOTHING;
    /// Inputs with elements, from the first on.
    std::size_t operands = 1;
};

constexpr auto kAllButLast = SIZE_MAX;

constexpr std::array kRules{
    Rule{ADD, Axes::ELEMENTWISE, Lacks::NOTHING, 2},
    Rule{SUB, Axes::ELEMENTWISE, Lacks::NOTHING, 2},
    Rule{MUL, Axes::ELEMENTWISE, Lacks::NOTHING, 2},
    Rule{DIV, Axes::ELEMENTWISE, Lacks::NOTHING, 2},
    Rule{POW, Axes::ELEMENTWISE, Lacks::NOTHING, 2},
    Rule{PRELU, Axes::ELEMENTWISE, Lacks::NOTHING, 2},
    Rule{FLOOR, Axes::ELEMENTWISE},
    Rule{LOGISTIC, Axes::ELEMENTWISE},
    Rule{RELU, Axes::ELEMENTWISE},
    Rule{RELU1, Axes::ELEMENTWISE},
    Rule{RELU6, Axes::ELEMENTWISE},
    Rule{TANH, Axes::ELEMENTWISE},
    Rule{DEQUANTIZE, Axes::ELEMENTWISE},
    Rule{SELECT, Axes::ELEMENTWISE, Lacks::SMALL_TYPES, 3},
    Rule{SOFTMAX, Axes::LAST},
    Rule{LOG_SOFTMAX, Axes::LAST},
    Rule{L2_NORMALIZATION, Axes::LAST},
    Rule{MEAN, Axes::REDUCED},
    Rule{REDUCE_SUM, Axes::REDUCED},
    Rule{REDUCE_PROD, Axes::REDUCED},
    Rule{REDUCE_MAX, Axes::REDUCED},
    Rule{REDUCE_MIN, Axes::REDUCED},
    Rule{REDUCE_ALL, Axes::REDUCED},
    Rule{REDUCE_ANY, Axes::REDUCED},
    Rule{RESHAPE, Axes::RESHAPED, Lacks::ALL_INTEGER_TYPES},
    Rule{SQUEEZE, Axes::RESHAPED, Lacks::ALL_INTEGER_TYPES},
    Rule{EXPAND_DIMS, Axes::RESHAPED, Lacks::SMALL_TYPES},
    Rule{CONCATENATION, Axes::CONCATENATED, Lacks::ALL_INTEGER_TYPES, kAllButLast},
    Rule{SPLIT, Axes::ALONG, Lacks::SMALL_TYPES},
    Rule{GATHER, Axes::ALONG, Lacks::SMALL_TYPES},
    Rule{TRANSPOSE, Axes::PERMUTED, Lacks::ALL_INTEGER_TYPES},
    Rule{PAD, Axes::PADDED, Lacks::ALL_INTEGER_TYPES},
    Rule{PAD_V2, Axes::PADDED, Lacks::ALL_INTEGER_TYPES},
    Rule{TILE, Axes::TILED, Lacks::SMALL_TYPES},
    Rule{SLICE, Axes::SLICED, Lacks::SMALL_TYPES},
    Rule{STRIDED_SLICE, Axes::STRIDED, Lacks::ALL_INTEGER_TYPES},
    Rule{DEPTH_TO_SPACE, Axes::FIXED, Lacks::ALL_INTEGER_TYPES},
    Rule{SPACE_TO_DEPTH, Axes::FIXED, Lacks::ALL_INTEGER_TYPES},
    Rule{SPACE_TO_BATCH_ND, Axes::FIXED, Lacks::ALL_INTEGER_TYPES},
    Rule{BATCH_TO_SPACE_ND, Axes::FIXED, Lacks::ALL_INTEGER_TYPES},
};

/// The type that replaces a type that an operation lacks, with the same number of bytes.
std::optional<Operand> standInFor(OperandType type, Lacks lacks) {
    if (lacks == Lacks::NOTHING) {
        return std::nullopt;
    }
    Operand result;
    switch (type) {
        case OperandType::TENSOR_INT32:
            result.type = OperandType::TENSOR_FLOAT32;
            return lacks == Lacks::ALL_INTEGER_TYPES ? std::optional(result) : std::nullopt;
        case OperandType::TENSOR_BOOL8:
            result.type = OperandType::TENSOR_QUANT8_ASYMM;
            result.scale = 1.0F;
            return result;
        case OperandType::TENSOR_QUANT16_SYMM:
        case OperandType::TENSOR_QUANT16_ASYMM:
            result.type = OperandType::TENSOR_FLOAT16;
            return result;
        default:
            return std::nullopt;
    }
}

/// Rewrites one operation for the ranks and types that the HAL's operation takes, with BITCASTs
/// around it.
class OperationRewriter {
  public:
    OperationRewriter(TensorMap& tensors, const PlannedOperation& planned, const Rule& rule)
        : tensors_(tensors), planned_(planned), rule_(rule), inputs_(planned.inputs) {}

    Result<bool> add() {
        if (operandCount() == 0) {
            return false;
        }
        const bool isOfOtherType =
            standInFor(given(operandCount() - 1).type, rule_.lacks).has_value();
        bool isTooLarge = false;
        bool isKnownShape = true;
        for (std::size_t i = 0; i < operandCount(); ++i) {
            isTooLarge = isTooLarge || given(i).dimensions.size() > kMaximumHalRank;
            isKnownShape = isKnownShape && isKnown(given(i).dimensions);
        }
        for (const std::uint32_t output : planned_.outputs) {
            const Dimensions& dimensions = tensors_.builder().operand(output).dimensions;
            isTooLarge = isTooLarge || dimensions.size() > kMaximumHalRank;
            isKnownShape = isKnownShape && isKnown(dimensions);
        }
        if (!isOfOtherType && !isTooLarge) {
            return false;
        }
        if (rule_.axes == Axes::RESHAPED && isKnownShape) {
            NNBURST_TRY_ASSIGN(const auto sizes, newSizes(given(0).dimensions, outputShape()));
            planBitcast(planned_.inputs[0], planned_.outputs[0], sizes);
            addOperations();
            return true;
        }
        if (isTooLarge) {
            if (!isKnownShape) {
                return false;
            }
            NNBURST_TRY_ASSIGN(const bool isPossible, joinAxes());
            if (!isPossible) {
                return false;
            }
        }
        NNBURST_TRY(swaps_.empty() ? planOperations() : planSwaps());
        addOperations();
        return true;
    }

  private:
    [[nodiscard]] std::size_t operandCount() const {
        return rule_.operands == kAllButLast ? planned_.inputs.size() - 1 : rule_.operands;
    }
    [[nodiscard]] const Operand& given(std::size_t input) const {
        return tensors_.builder().operand(planned_.inputs[input]);
    }
    [[nodiscard]] const Dimensions& outputShape(std::size_t output = 0) const {
        return tensors_.builder().operand(planned_.outputs[output]).dimensions;
    }
    [[nodiscard]] const std::vector<std::int32_t>* values(std::size_t input) const {
        return input < planned_.inputs.size() ? tensors_.valuesOf(planned_.inputs[input]) : nullptr;
    }

    Result<std::uint32_t> integers(const std::vector<std::int32_t>& values) {
        return tensors_.addConstant(OperandType::TENSOR_INT32,
                                    {static_cast<std::uint32_t>(values.size())},
                                    std::as_bytes(std::span(values)));
    }

    /// The sizes that a BITCAST from dimensions `from` to `to` takes, as a constant; none if they
    /// are the same.
    Result<std::optional<std::uint32_t>> newSizes(const Dimensions& from, const Dimensions& to) {
        if (from == to) {
            return std::nullopt;
        }
        NNBURST_TRY_ASSIGN(const std::uint32_t sizes, integers({to.begin(), to.end()}));
        return std::optional(sizes);
    }

    /// Plans a BITCAST to the type and dimensions of `to`. `sizes`: newSizes.
    void planBitcast(std::uint32_t from, std::uint32_t to,
                     const std::optional<std::uint32_t>& sizes) {
        std::vector<std::uint32_t> inputs{from};
        if (sizes) {
            inputs.push_back(*sizes);
        }
        operations_.push_back({.type = kBitcast, .inputs = std::move(inputs), .outputs = {to}});
    }

    /// Adds what is planned: all of it or nothing, since a plan may fail half-way.
    void addOperations() {
        for (PlannedOperation& operation : operations_) {
            if (operation.type == kBitcast) {
                tensors_.file().nameExtension();
            }
            tensors_.builder().addOperation(operation.type, std::move(operation.inputs),
                                            std::move(operation.outputs));
        }
    }

    /// A tensor like `operand` with these dimensions, or its stand-in; `operand` if it is the same.
    std::uint32_t like(std::uint32_t operand, const Dimensions& dimensions, Lacks lacks) {
        const Operand original = tensors_.builder().operand(operand);
        const auto standIn = standInFor(original.type, lacks);
        if (!standIn && original.dimensions == dimensions) {
            return operand;
        }
        const Operand& type = standIn ? *standIn : original;
        return tensors_.builder().addTensor(type.type, dimensions, type.scale, type.zeroPoint);
    }

    /// All constants come first: where there is no room for one, nothing else may be left in the
    /// model, since operands that are not constant have to be written.
    Result<> planOperations() {
        const auto joined = [&](std::size_t input) {
            return joinedInputs_.empty() ? given(input).dimensions : joinedInputs_[input];
        };
        std::vector<std::optional<std::uint32_t>> inputSizes(operandCount());
        for (std::size_t i = 0; i < operandCount(); ++i) {
            NNBURST_TRY_ASSIGN(inputSizes[i], newSizes(given(i).dimensions, joined(i)));
        }
        std::vector<std::optional<std::uint32_t>> outputSizes(planned_.outputs.size());
        for (std::size_t i = 0; i < planned_.outputs.size(); ++i) {
            const Dimensions shape = outputShape(i);
            NNBURST_TRY_ASSIGN(outputSizes[i],
                               newSizes(joinedOutput_.empty() ? shape : joinedOutput_, shape));
        }
        for (std::size_t i = 0; i < operandCount(); ++i) {
            const std::uint32_t from = planned_.inputs[i];
            // The condition of SELECT stays BOOL.
            const Lacks lacks = rule_.type == SELECT && i == 0 ? Lacks::NOTHING : rule_.lacks;
            const std::uint32_t to = like(from, joined(i), lacks);
            if (to != from) {
                planBitcast(from, to, inputSizes[i]);
            }
            inputs_[i] = to;
        }
        std::vector<std::uint32_t> outputs;
        for (std::size_t i = 0; i < planned_.outputs.size(); ++i) {
            const Dimensions shape = joinedOutput_.empty() ? outputShape(i) : joinedOutput_;
            outputs.push_back(like(planned_.outputs[i], shape, rule_.lacks));
        }
        operations_.push_back({.type = planned_.type, .inputs = inputs_, .outputs = outputs});
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (outputs[i] != planned_.outputs[i]) {
                planBitcast(outputs[i], planned_.outputs[i], outputSizes[i]);
            }
        }
        return {};
    }

    // ---- Fewer axes: each function sets the joined shapes, and inputs_ that name axes. Returns
    // whether 4 axes are enough.

    Result<bool> joinAxes() {
        switch (rule_.axes) {
            case Axes::ELEMENTWISE:
                return joinElementwise();
            case Axes::LAST:
                return joinBeforeLast();
            case Axes::REDUCED:
                return joinReduced();
            case Axes::ALONG:
                return joinAround(values(1), 1);
            case Axes::CONCATENATED:
                return joinAround(values(planned_.inputs.size() - 1), planned_.inputs.size() - 1);
            case Axes::PERMUTED:
                return joinPermuted();
            case Axes::PADDED:
            case Axes::TILED:
            case Axes::SLICED:
            case Axes::STRIDED:
                return joinUntouched();
            default:
                return false;
        }
    }

    bool setShapes(const JoinedAxes& joined, const Dimensions& output) {
        for (std::size_t i = 0; i < operandCount(); ++i) {
            joinedInputs_.push_back(joined.join(given(i).dimensions));
        }
        joinedOutput_ = output;
        const bool isJoined =
            !output.empty() && std::none_of(joinedInputs_.begin(), joinedInputs_.end(),
                                            [](const Dimensions& shape) { return shape.empty(); });
        return isJoined && joined.count() <= kMaximumHalRank && output.size() <= kMaximumHalRank;
    }

    bool joinElementwise() {
        const Dimensions& output = outputShape();
        std::vector<int> kinds;
        for (std::size_t axis = 0; axis < output.size(); ++axis) {
            int repeated = 0;
            for (std::size_t i = 0; i < operandCount(); ++i) {
                const Dimensions& shape = given(i).dimensions;
                const std::size_t first = output.size() - std::min(shape.size(), output.size());
                const bool isOne = axis < first || shape[axis - first] == 1;
                repeated |= isOne ? 1 << i : 0;
            }
            kinds.push_back(output[axis] == 1 ? JoinedAxes::kAnyKind : repeated);
        }
        const JoinedAxes joined(kinds);
        return setShapes(joined, joined.join(output));
    }

    Result<bool> joinBeforeLast() {
        std::vector<int> kinds(given(0).dimensions.size(), 0);
        kinds.back() = 1;
        const JoinedAxes joined(kinds);
        if (rule_.type == LOG_SOFTMAX) {
            inputs_[2] = tensors_.addScalar(std::int32_t{1});
        }
        return setShapes(joined, joined.join(outputShape()));
    }

    Result<bool> joinReduced() {
        const auto* axes = values(1);
        if (axes == nullptr) {
            return false;
        }
        const Dimensions shape = given(0).dimensions;
        const auto rank = static_cast<std::int32_t>(shape.size());
        std::vector<int> kinds(shape.size(), 0);
        std::size_t reduced = shape.size();  // an axis that stays one of the operation
        for (const std::int32_t axis : *axes) {
            if (axis < -rank || axis >= rank) {
                return false;
            }
            const auto fromFront = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
            kinds[fromFront] = 1;
            reduced = reduced == shape.size() || shape[fromFront] != 1 ? fromFront : reduced;
        }
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            if (shape[axis] == 1 && axis != reduced) {
                kinds[axis] = JoinedAxes::kAnyKind;
            }
        }
        const JoinedAxes joined(kinds);
        std::vector<std::int32_t> joinedAxes;
        Dimensions output = joined.join(shape);
        for (std::size_t group = 0; group < joined.count(); ++group) {
            if (joined.kind(group) == 1) {
                joinedAxes.push_back(static_cast<std::int32_t>(group));
                output[group] = 1;
            }
        }
        NNBURST_TRY_ASSIGN(inputs_[1], integers(joinedAxes));
        inputs_[2] =
            rule_.type == MEAN ? tensors_.addScalar(std::int32_t{1}) : tensors_.addScalar(true);
        return setShapes(joined, output);
    }

    /// [before, the axis, behind]
    Result<bool> joinAround(const std::vector<std::int32_t>* axis, std::size_t axisInput) {
        const auto rank = static_cast<std::int32_t>(given(0).dimensions.size());
        if (axis == nullptr || (*axis)[0] < -rank || (*axis)[0] >= rank) {
            return false;
        }
        const auto at = static_cast<std::size_t>((*axis)[0] < 0 ? (*axis)[0] + rank : (*axis)[0]);
        std::vector<int> kinds(given(0).dimensions.size(), 0);
        kinds[at] = 1;
        const JoinedAxes joined(kinds);
        inputs_[axisInput] = tensors_.addScalar(static_cast<std::int32_t>(joined.groupOf(at)));
        if (rule_.type != GATHER) {
            return setShapes(joined, joined.join(outputShape()));
        }
        constexpr std::size_t kIndices = 2;
        const Dimensions indices = given(kIndices).dimensions;
        Dimensions output = joined.join(given(0).dimensions);
        output.erase(output.begin() + static_cast<std::ptrdiff_t>(joined.groupOf(at)));
        output.insert(output.begin() + static_cast<std::ptrdiff_t>(joined.groupOf(at)),
                      indices.begin(), indices.end());
        return setShapes(joined, output);
    }

    /// Axes that stay neighbours are one.
    Result<bool> joinPermuted() {
        const auto* permutation = values(1);
        const Dimensions shape = given(0).dimensions;
        std::vector<std::int32_t> axes(shape.size());
        std::iota(axes.begin(), axes.end(), 0);
        if (permutation == nullptr ||
            !std::is_permutation(axes.begin(), axes.end(), permutation->begin(),
                                 permutation->end())) {
            return false;
        }
        std::vector<int> kinds(shape.size(), JoinedAxes::kAnyKind);
        std::size_t last = shape.size();  // none
        int kind = -1;
        for (const std::int32_t entry : *permutation) {
            const auto axis = static_cast<std::size_t>(entry);
            if (shape[axis] == 1) {
                continue;
            }
            // Axes of size 1 between the two do not matter.
            const bool isNext =
                last < axis && std::all_of(shape.begin() + static_cast<std::ptrdiff_t>(last) + 1,
                                           shape.begin() + static_cast<std::ptrdiff_t>(axis),
                                           [](std::uint32_t size) { return size == 1; });
            kind += isNext ? 0 : 1;
            kinds[axis] = kind;
            last = axis;
        }
        const JoinedAxes joined(kinds);
        const Dimensions from = joined.join(shape);
        Dimensions to(joined.count());
        std::vector<std::int32_t> order(joined.count(), 0);
        for (std::size_t group = 0; group < joined.count(); ++group) {
            const auto place = static_cast<std::size_t>(std::max(joined.kind(group), 0));
            order[place] = static_cast<std::int32_t>(group);
            to[place] = from[group];
        }
        if (joined.count() > kMaximumHalRank) {
            swaps_ = swapsFor(from, order);
            return true;
        }
        NNBURST_TRY_ASSIGN(inputs_[1], integers(order));
        return setShapes(joined, to);
    }

    /// TRANSPOSEs by kSwap that one after the other bring axes of the sizes `sizes` into the order
    /// `order`: the shapes of their inputs. Each moves one axis to the place that it has at last.
    static std::vector<Dimensions> swapsFor(const Dimensions& sizes,
                                            const std::vector<std::int32_t>& order) {
        std::vector<std::int32_t> current(order.size());
        std::iota(current.begin(), current.end(), 0);
        const auto product = [&](auto begin, auto end) {
            std::uint32_t result = 1;
            for (; begin != end; ++begin) {
                result *= sizes[static_cast<std::size_t>(*begin)];
            }
            return result;
        };
        std::vector<Dimensions> swaps;
        for (auto place = current.begin(); place != current.end(); ++place) {
            const auto moved =
                std::find(place, current.end(),
                          order[static_cast<std::size_t>(std::distance(current.begin(), place))]);
            if (moved != place) {
                swaps.push_back({product(current.begin(), place), product(place, moved),
                                 product(moved, moved + 1), product(moved + 1, current.end())});
                std::rotate(place, moved, moved + 1);
            }
        }
        return swaps;
    }

    static constexpr std::array<std::int32_t, kMaximumHalRank> kSwap{0, 2, 1, 3};

    static Dimensions swapped(const Dimensions& shape) {
        return {shape[0], shape[2], shape[1], shape[3]};
    }

    /// Plans swaps_, with BITCASTs between them. All constants come first.
    Result<> planSwaps() {
        std::vector<std::optional<std::uint32_t>> sizes(swaps_.size());
        Dimensions shape = given(0).dimensions;
        for (std::size_t i = 0; i < swaps_.size(); ++i) {
            NNBURST_TRY_ASSIGN(sizes[i], newSizes(shape, swaps_[i]));
            shape = swapped(swaps_[i]);
        }
        const Dimensions last = outputShape();
        NNBURST_TRY_ASSIGN(const auto lastSizes, newSizes(shape, last));
        NNBURST_TRY_ASSIGN(const std::uint32_t order, integers({kSwap.begin(), kSwap.end()}));
        std::uint32_t current = planned_.inputs[0];
        for (std::size_t i = 0; i < swaps_.size(); ++i) {
            const std::uint32_t from = like(current, swaps_[i], rule_.lacks);
            if (from != current) {
                planBitcast(current, from, sizes[i]);
            }
            const Operand type = tensors_.builder().operand(from);
            current = tensors_.builder().addTensor(type.type, swapped(swaps_[i]), type.scale,
                                                   type.zeroPoint);
            operations_.push_back(
                {.type = TRANSPOSE, .inputs = {from, order}, .outputs = {current}});
        }
        planBitcast(current, planned_.outputs[0], lastSizes);
        return {};
    }

    /// What the operation does along an axis.
    struct AxisWork {
        std::array<std::int32_t, 3> numbers{};  ///< the entries of inputs 1 to 3
        bool isTouched = false;
        bool isFromStart = false;
        bool isToEnd = false;
        bool isDropped = false;
    };

    /// Axes along which nothing happens are joined.
    Result<bool> joinUntouched() {
        NNBURST_TRY_ASSIGN(const std::vector<AxisWork> work, readWork());
        if (work.empty()) {
            return false;
        }
        const Dimensions shape = given(0).dimensions;
        std::vector<int> kinds;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            const int untouched = shape[axis] == 1 ? JoinedAxes::kAnyKind : 0;
            kinds.push_back(work[axis].isTouched ? static_cast<int>(axis) + 1 : untouched);
        }
        const JoinedAxes joined(kinds);
        std::vector<AxisWork> joinedWork(joined.count());
        Dimensions output(joined.count(), 1);
        std::size_t outputAxis = 0;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            const std::size_t group = joined.groupOf(axis);
            if (work[axis].isTouched) {
                joinedWork[group] = work[axis];
            }
            if (work[axis].isDropped) {
                continue;
            }
            if (outputAxis == outputShape().size()) {
                return false;
            }
            output[group] *= outputShape()[outputAxis++];
        }
        NNBURST_TRY(writeWork(joined.join(shape), joinedWork));
        for (std::size_t group = joined.count(); group-- > 0;) {
            if (joinedWork[group].isDropped) {
                output.erase(output.begin() + static_cast<std::ptrdiff_t>(group));
            }
        }
        return setShapes(joined, output.empty() ? Dimensions{1} : output);
    }

    Result<std::vector<AxisWork>> readWork() const {
        const Dimensions& shape = given(0).dimensions;
        const std::size_t perAxis = rule_.axes == Axes::PADDED ? 2 : 1;
        const std::size_t lists = rule_.axes == Axes::STRIDED  ? 3
                                  : rule_.axes == Axes::SLICED ? 2
                                                               : 1;
        std::vector<AxisWork> result(shape.size());
        for (std::size_t list = 0; list < lists; ++list) {
            const auto* numbers = values(1 + list);
            if (numbers == nullptr || numbers->size() != shape.size() * perAxis) {
                return std::vector<AxisWork>();
            }
            for (std::size_t i = 0; i < numbers->size(); ++i) {
                result[i / perAxis].numbers[list + i % perAxis] = (*numbers)[i];
            }
        }
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            AxisWork& work = result[axis];
            const auto& [a, b, c] = work.numbers;
            switch (rule_.axes) {
                case Axes::PADDED:
                    work.isTouched = a != 0 || b != 0;
                    break;
                case Axes::TILED:
                    work.isTouched = a != 1;
                    break;
                case Axes::SLICED:
                    work.isTouched = a != 0 || (b != -1 && std::cmp_not_equal(b, shape[axis]));
                    break;
                default:
                    work.isFromStart = isInMask(kBeginMask, axis) || (a == 0 && c == 1);
                    work.isToEnd = isInMask(kEndMask, axis) ||
                                   (c == 1 && std::cmp_greater_equal(b, shape[axis]));
                    work.isDropped = isInMask(kShrinkMask, axis);
                    work.isTouched = work.isDropped || c != 1 || !work.isFromStart || !work.isToEnd;
                    break;
            }
        }
        return result;
    }

    static constexpr std::size_t kBeginMask = 4;
    static constexpr std::size_t kEndMask = 5;
    static constexpr std::size_t kShrinkMask = 6;

    [[nodiscard]] bool isInMask(std::size_t input, std::size_t axis) const {
        const auto* mask = values(input);
        return mask != nullptr && ((*mask)[0] >> axis & 1) != 0;
    }

    /// Names the joined axes in the inputs.
    Result<> writeWork(const Dimensions& shape, const std::vector<AxisWork>& work) {
        std::array<std::vector<std::int32_t>, 3> lists;
        std::array<std::int32_t, 3> masks{};
        for (std::size_t group = 0; group < work.size(); ++group) {
            const AxisWork& own = work[group];
            const auto size = static_cast<std::int32_t>(shape[group]);
            switch (rule_.axes) {
                case Axes::PADDED:
                    lists[0].insert(lists[0].end(), {own.numbers[0], own.numbers[1]});
                    break;
                case Axes::TILED:
                    lists[0].push_back(own.isTouched ? own.numbers[0] : 1);
                    break;
                case Axes::SLICED:
                    lists[0].push_back(own.numbers[0]);
                    lists[1].push_back(own.isTouched ? own.numbers[1] : size);
                    break;
                default:
                    for (std::size_t i = 0; i < lists.size(); ++i) {
                        lists[i].push_back(own.isTouched ? own.numbers[i] : (i == 0 ? 0 : 1));
                    }
                    break;
            }
            masks[0] |= own.isFromStart || !own.isTouched ? 1 << group : 0;
            masks[1] |= own.isToEnd || !own.isTouched ? 1 << group : 0;
            masks[2] |= own.isDropped ? 1 << group : 0;
        }
        if (rule_.axes == Axes::STRIDED) {
            for (std::size_t i = 0; i < masks.size(); ++i) {
                inputs_[kBeginMask + i] = tensors_.addScalar(masks[i]);
            }
        }
        for (std::size_t i = 0; i < lists.size(); ++i) {
            if (!lists[i].empty()) {
                NNBURST_TRY_ASSIGN(inputs_[1 + i], integers(lists[i]));
            }
        }
        if (rule_.axes == Axes::PADDED) {
            tensors_.builder().operand(inputs_[1]).dimensions = {
                static_cast<std::uint32_t>(work.size()), 2};
        }
        return {};
    }

    TensorMap& tensors_;
    const PlannedOperation& planned_;
    const Rule& rule_;
    std::vector<std::uint32_t> inputs_;
    std::vector<PlannedOperation> operations_{};  // what planned_ becomes
    std::vector<Dimensions> swaps_{};             // of a TRANSPOSE of more than 4 axes
    std::vector<Dimensions> joinedInputs_{};
    Dimensions joinedOutput_{};
};

}  // namespace

bool movesElements(OperationType type) noexcept {
    return std::any_of(kRules.begin(), kRules.end(), [type](const Rule& row) {
        return row.type == type && row.lacks != Lacks::NOTHING;
    });
}

Result<bool> addWithinLimits(TensorMap& tensors, const PlannedOperation& planned) {
    const auto* rule = std::find_if(kRules.begin(), kRules.end(),
                                    [&](const Rule& row) { return row.type == planned.type; });
    if (rule == kRules.end()) {
        return false;
    }
    return OperationRewriter(tensors, planned, *rule).add();
}

}  // namespace nnburst::tflite
