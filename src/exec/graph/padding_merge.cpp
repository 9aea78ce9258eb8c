// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/graph/padding_merge.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "exec/operation/spatial.h"

namespace nnburst::exec {

namespace {

/// Input, filter and bias, which the arguments of a convolution follow.
constexpr std::size_t kTensors = 3;

/// Elements added to an image, in the order of the arguments of convolutions.
struct ImagePadding {
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    std::uint64_t top = 0;
    std::uint64_t bottom = 0;

    [[nodiscard]] std::array<std::uint64_t, 4> arguments() const noexcept {
        return {left, right, top, bottom};
    }
};

/// Whether a request may give an input with which the output has another size than is declared: the
/// PAD has to refuse it.
bool mayDisagree(const Shape& input, const Shape& output) noexcept {
    for (std::size_t axis = 0; axis < output.rank(); ++axis) {
        if (output[axis] != 0 && input[axis] == 0) {
            return true;
        }
    }
    return false;
}

/// The padding of a PAD of images; nullopt if it pads other axes, is not a constant, or has to
/// refuse requests.
std::optional<ImagePadding> paddingOf(const OperationView& pad) {
    const OperandView& input = pad.inputs[0];
    const OperandView& output = pad.outputs[0];
    const OperandView& paddings = pad.inputs[1];
    constexpr std::size_t kRank = 4;
    if (input.shape.rank() != kRank || !paddings.isConstant || paddings.data == nullptr ||
        paddings.shape.elementCount() != 2 * kRank || input.scale != output.scale ||
        input.zeroPoint != output.zeroPoint || mayDisagree(input.shape, output.shape)) {
        return std::nullopt;
    }
    std::array<std::int32_t, 2 * kRank> sizes{};
    std::memcpy(sizes.data(), paddings.data, sizeof sizes);
    const bool isOfImage = sizes[0] == 0 && sizes[1] == 0 && sizes[6] == 0 && sizes[7] == 0;
    if (!isOfImage || std::ranges::any_of(sizes, [](std::int32_t size) { return size < 0; })) {
        return std::nullopt;
    }
    return ImagePadding{.left = static_cast<std::uint64_t>(sizes[4]),
                        .right = static_cast<std::uint64_t>(sizes[5]),
                        .top = static_cast<std::uint64_t>(sizes[2]),
                        .bottom = static_cast<std::uint64_t>(sizes[3])};
}

std::optional<SpatialForm> formOf(OperationType type) noexcept {
    switch (type) {
        case OperationType::CONV_2D:
            return SpatialForm::CONVOLUTION;
        case OperationType::DEPTHWISE_CONV_2D:
            return SpatialForm::DEPTHWISE_CONVOLUTION;
        case OperationType::GROUPED_CONV_2D:
            return SpatialForm::GROUPED_CONVOLUTION;
        default:
            return std::nullopt;
    }
}

/// A convolution with explicit padding.
struct Convolution {
    std::uint32_t operation = 0;
    ImagePadding padding;
    std::size_t firstStride = 0;  ///< input after the arguments of padding
};

/// The convolution `index` with `added` around its image; nullopt if this operation cannot have it,
/// or if its arguments are not known before a request.
std::optional<Convolution> padded(const ShapeInference& shapes, std::uint32_t index,
                                  const ImagePadding& added) {
    const OperationInstance operation = shapes.operation(index);
    const std::optional<SpatialForm> form = formOf(operation.type);
    if (!form) {
        return std::nullopt;
    }
    const Result<SpatialArguments> arguments = readSpatialArguments(operation.view(), *form);
    if (!arguments || arguments->isNchw || arguments->implicitPadding == PaddingScheme::SAME) {
        return std::nullopt;
    }
    Convolution convolution{.operation = index,
                            .padding = {.left = added.left + arguments->width.paddingBefore,
                                        .right = added.right + arguments->width.paddingAfter,
                                        .top = added.top + arguments->height.paddingBefore,
                                        .bottom = added.bottom + arguments->height.paddingAfter},
                            .firstStride = kTensors + (arguments->implicitPadding ? 1U : 4U)};
    constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (std::ranges::any_of(convolution.padding.arguments(),
                            [](std::uint64_t size) { return size > kMost; })) {
        return std::nullopt;
    }
    return convolution;
}

/// The constants that a merge adds to a graph: one INT32 for each value, however many convolutions
/// read it.
class AddedScalars {
  public:
    explicit AddedScalars(Graph& graph) noexcept : graph_(graph) {}

    /// The operand with `value`, for one more reader.
    [[nodiscard]] Result<std::uint32_t> read(std::int32_t value) {
        auto found = operands_.find(value);
        if (found == operands_.end()) {
            NNBURST_TRY_ASSIGN(const std::uint32_t added, add(value));
            found = operands_.emplace(value, added).first;
        }
        ++graph_.subgraph.operands[found->second].numberOfConsumers;
        return found->second;
    }

  private:
    [[nodiscard]] Result<std::uint32_t> add(std::int32_t value) {
        NNBURST_TRY_ASSIGN(AlignedBuffer bytes, AlignedBuffer::allocate(sizeof value));
        std::memcpy(bytes.data(), &value, sizeof value);
        NNBURST_TRY_ASSIGN(const std::uint32_t operand,
                           graph_.constants.add(std::move(bytes), sizeof value));
        graph_.subgraph.operands.push_back({.type = OperandType::INT32,
                                            .dimensions = {},
                                            .lifetime = OperandLifeTime::CONSTANT_COPY,
                                            .location = {},
                                            .extraParams = {}});
        return operand;
    }

    Graph& graph_;
    std::map<std::int32_t, std::uint32_t> operands_;  // of each value
};

Result<> setPadding(Graph& graph, AddedScalars& scalars, const Convolution& convolution,
                    std::uint32_t image) {
    std::vector<std::uint32_t>& inputs = graph.subgraph.operations[convolution.operation].inputs;
    std::vector<std::uint32_t> changed(inputs.begin(), inputs.begin() + kTensors);
    changed[0] = image;
    for (const std::uint64_t size : convolution.padding.arguments()) {
        NNBURST_TRY_ASSIGN(const std::uint32_t operand,
                           scalars.read(static_cast<std::int32_t>(size)));
        changed.push_back(operand);
    }
    changed.insert(changed.end(),
                   inputs.begin() + static_cast<std::ptrdiff_t>(convolution.firstStride),
                   inputs.end());
    inputs = std::move(changed);
    return {};
}

/// Merges the PAD `index` with its `readers`: operations in their order, once for each input that
/// is its output.
Result<> mergePadding(Graph& graph, const ShapeInference& shapes, AddedScalars& scalars,
                      std::size_t index, const std::vector<std::uint32_t>& readers) {
    const Operation& pad = graph.subgraph.operations[index];
    const std::uint32_t image = pad.inputs[0];
    const std::uint32_t output = pad.outputs[0];
    const OperationInstance instance = shapes.operation(index);
    const std::optional<ImagePadding> padding = paddingOf(instance.view());
    if (!padding) {
        return {};
    }
    // An operation that reads it elsewhere, too, is among the readers twice.
    if (std::ranges::adjacent_find(readers) != readers.end()) {
        return {};
    }
    std::vector<Convolution> convolutions;
    for (const std::uint32_t reader : readers) {
        // First: `shapes` does not know the scalars of a convolution that was merged before, whose
        // image is another one.
        if (graph.subgraph.operations[reader].inputs[0] != output) {
            return {};
        }
        const std::optional<Convolution> convolution = padded(shapes, reader, *padding);
        if (!convolution) {
            return {};
        }
        convolutions.push_back(*convolution);
    }
    for (const Convolution& convolution : convolutions) {
        NNBURST_TRY(setPadding(graph, scalars, convolution, image));
    }
    graph.subgraph.operands[output].lifetime = OperandLifeTime::NO_VALUE;
    graph.isFolded[index] = true;
    return {};
}

}  // namespace

Result<> mergePaddings(Graph& graph, const ShapeInference& shapes) {
    const std::vector<Operation>& operations = graph.subgraph.operations;
    // One for each operand, of which only those of PADs are looked at.
    std::vector<std::vector<std::uint32_t>> readers(graph.subgraph.operands.size());
    // A PAD takes an image without rows or columns, and a convolution refuses it. Requests give no
    // tensors without elements, and convolutions compute none.
    std::vector<bool> hasPixels(graph.subgraph.operands.size());
    if (graph.isMain) {
        for (const std::uint32_t input : graph.subgraph.inputIndexes) {
            hasPixels[input] = true;
        }
    }
    const auto mayBeEmpty = [&](std::uint32_t image) {
        const Shape& shape = shapes.operand(image).shape;
        return !hasPixels[image] && (shape.rank() != 4 || shape[1] == 0 || shape[2] == 0);
    };
    const auto isMergeable = [&](std::size_t index) {
        const Operation& operation = operations[index];
        return operation.type == OperationType::PAD && !graph.isFolded[index] &&
               graph.subgraph.operands[operation.outputs[0]].lifetime ==
                   OperandLifeTime::TEMPORARY_VARIABLE &&
               !mayBeEmpty(operation.inputs[0]);
    };
    for (std::uint32_t index = 0; index < operations.size(); ++index) {
        if (formOf(operations[index].type)) {
            hasPixels[operations[index].outputs[0]] = true;
        }
        for (const std::uint32_t input : operations[index].inputs) {
            readers[input].push_back(index);
        }
    }
    AddedScalars scalars(graph);
    for (std::size_t index = 0; index < operations.size(); ++index) {
        if (isMergeable(index) && !readers[operations[index].outputs[0]].empty()) {
            NNBURST_TRY(
                mergePadding(graph, shapes, scalars, index, readers[operations[index].outputs[0]]));
        }
    }
    return {};
}

}  // namespace nnburst::exec
