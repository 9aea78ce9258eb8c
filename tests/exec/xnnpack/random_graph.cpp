// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/xnnpack/random_graph.h"
#include "exec/reference/operations.h"

#include <algorithm>
#include <array>
#include <deque>
#include <initializer_list>
#include <optional>

#include "exec/operation/operation.h"
#include "exec/reference/dispatch.h"
#include "support/test_request.h"

namespace nnburst::exec {

namespace {

using enum OperandType;

constexpr std::size_t kMaximumElements = 2048;
constexpr float kLargestValue = 64.0F;
/// Limit on values: sums of many products of larger ones are too inexact to be compared.
constexpr float kLargestSummand = 2.0F;

/// A random operation.
struct Wish {
    OperationType type;
    std::vector<std::uint32_t> inputs;
    std::vector<OperandView> outputs;  ///< type, scale, zero point
    float bound = 1.0F;                ///< of the outputs' absolute values
};

class GraphMaker {
  public:
    explicit GraphMaker(std::uint32_t seed) : random_(seed) {}

    Model make() {
        const std::uint32_t inputs = random_.size(1, 3);
        for (std::uint32_t i = 0; i < inputs; ++i) {
            addInput();
        }
        const std::uint32_t wanted = random_.size(2, 8);
        std::uint32_t made = 0;
        for (int attempt = 0; attempt < 200 && made < wanted; ++attempt) {
            made += tryAnyOperation() ? 1 : 0;
        }
        std::vector<std::uint32_t> outputs;
        for (const std::uint32_t tensor : computed_) {
            if (consumers_[tensor] == 0 || random_.integer(0, 7) == 0) {
                outputs.push_back(tensor);
            }
        }
        return build(builder_, inputs_, outputs);
    }

  private:
    /// An operand and its view.
    struct Node {
        OperandView view;
        std::vector<std::byte> data;
        std::optional<SymmPerChannelQuantParams> channels;
        float bound = 1.0F;
    };

    OperandType randomType() {
        return random_.oneOf({TENSOR_FLOAT32, TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM,
                              TENSOR_QUANT8_ASYMM_SIGNED});
    }

    /// The view of an operand of `type` with a random quantisation.
    OperandView viewOf(OperandType type) {
        OperandView view{.type = type};
        if (isQuantized8Tensor(type)) {
            view.scale = random_.real(0.02F, 0.2F);
            view.zeroPoint =
                type == TENSOR_QUANT8_ASYMM ? random_.integer(0, 255) : random_.integer(-128, 127);
        }
        return view;
    }

    static OperandView likeThat(const OperandView& other) {
        return {.type = other.type, .scale = other.scale, .zeroPoint = other.zeroPoint};
    }

    std::uint32_t addTensor(const OperandView& view, const Shape& shape, float bound) {
        const auto sizes = shape.sizes();
        const std::uint32_t operand = builder_.addTensor(
            view.type, Dimensions(sizes.begin(), sizes.end()), view.scale, view.zeroPoint);
        Node& node = addNode(view, bound);
        node.view.shape = shape;
        return operand;
    }

    void addInput() {
        Dimensions dimensions(random_.oneOf({1U, 2U, 3U, 4U, 4U, 4U}));
        for (std::uint32_t& size : dimensions) {
            size = random_.size(1, 8);
        }
        inputs_.push_back(addTensor(viewOf(randomType()), Shape(dimensions), 1.0F));
        tensors_.push_back(inputs_.back());
    }

    Node& addNode(const OperandView& view, float bound) {
        consumers_.push_back(0);
        Node& node = nodes_.emplace_back();
        node.view = view;
        node.bound = bound;
        return node;
    }

    std::uint32_t addConstant(OperandView view, const Dimensions& dimensions,
                              std::vector<std::byte> data,
                              std::optional<SymmPerChannelQuantParams> channels = std::nullopt) {
        const std::uint32_t operand =
            builder_.addConstant(view.type, dimensions, data, view.scale, view.zeroPoint,
                                 channels ? OperandExtraParams(*channels) : OperandExtraParams());
        Node& node = addNode(view, 1.0F);
        node.data = std::move(data);
        node.view.shape = Shape(dimensions);
        node.view.data = node.data.data();
        node.view.isConstant = true;
        if (channels) {
            node.channels = std::move(channels);
            node.view.channelQuant = &*node.channels;
        }
        return operand;
    }

    std::uint32_t randomConstant(const OperandView& view, const Dimensions& dimensions) {
        return addConstant(view, dimensions,
                           random_.elements(view.type, Shape(dimensions).elementCount()));
    }

    template <class T>
    std::uint32_t addValues(OperandType type, const Dimensions& dimensions,
                            const std::vector<T>& values) {
        const auto bytes = bytesOf(values);
        return addConstant({.type = type}, dimensions, {bytes.begin(), bytes.end()});
    }

    std::uint32_t integer(std::int32_t value) {
        return addValues(INT32, {}, std::vector<std::int32_t>{value});
    }
    std::uint32_t boolean(bool value) {
        return addValues(BOOL, {},
                         std::vector<std::uint8_t>{value ? std::uint8_t{1} : std::uint8_t{0}});
    }
    std::uint32_t integers(const std::vector<std::int32_t>& values) {
        return addValues(TENSOR_INT32, {static_cast<std::uint32_t>(values.size())}, values);
    }
    /// A scalar beside a tensor of `type`.
    std::uint32_t real(OperandType type, float value) {
        return type == TENSOR_FLOAT16 ? addValues(FLOAT16, {}, std::vector<Float16>{Float16(value)})
                                      : addValues(FLOAT32, {}, std::vector<float>{value});
    }

    /// Adds the operation if its definition takes it.
    bool tryOperation(const Wish& wish) {
        const OperationDefinition& definition = *findOperation(wish.type);
        std::vector<OperandView> inputs;
        for (const std::uint32_t input : wish.inputs) {
            inputs.push_back(nodes_[input].view);
        }
        const OperationView view{wish.type, inputs, wish.outputs};
        std::vector<Shape> shapes(wish.outputs.size());
        if (wish.bound > kLargestValue || !definition.check(view) ||
            !definition.inferShapes(view, shapes)) {
            return false;
        }
        for (const Shape& shape : shapes) {
            if (shape.elementCount() == 0 || shape.elementCount() > kMaximumElements) {
                return false;
            }
        }
        std::vector<std::uint32_t> outputs;
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            outputs.push_back(addTensor(wish.outputs[i], shapes[i], wish.bound));
        }
        for (const std::uint32_t input : wish.inputs) {
            ++consumers_[input];
        }
        builder_.addOperation(wish.type, wish.inputs, outputs);
        for (const std::uint32_t output : outputs) {
            computed_.push_back(output);
            tensors_.push_back(output);
        }
        return true;
    }

    std::uint32_t pick() {
        return tensors_[random_.size(0, static_cast<std::uint32_t>(tensors_.size() - 1))];
    }

    bool tryAnyOperation() {
        const std::uint32_t x = pick();
        const Node& node = nodes_[x];
        switch (random_.integer(0, 9)) {
            case 0:
                return tryBinary(x, node);
            case 1:
                return tryUnary(x, node);
            case 2:
            case 3:
                return tryConvolution(x, node);
            case 4:
                return tryPooling(x, node);
            case 5:
                return tryFullyConnected(x, node);
            case 6:
                return tryReduction(x, node);
            case 7:
                return tryJoin(x, node);
            case 8:
                return tryMove(x, node);
            default:
                return tryConversion(x, node);
        }
    }

    bool tryBinary(std::uint32_t x, const Node& node) {
        using enum OperationType;
        const auto type = random_.oneOf({ADD, SUB, MUL, MAXIMUM, MINIMUM, PRELU});
        std::uint32_t y = pick();
        if (random_.flip() || nodes_[y].view.type != node.view.type) {
            const auto sizes = node.view.shape.sizes();
            Dimensions dimensions(sizes.begin(), sizes.end());
            for (std::uint32_t& size : dimensions) {
                size = random_.integer(0, 3) == 0 ? 1 : size;
            }
            if (type == PRELU) {
                std::fill(dimensions.begin(), dimensions.end() - 1, 1);
            }
            y = randomConstant(viewOf(node.view.type), dimensions);
        }
        std::vector<std::uint32_t> inputs{x, y};
        if (type == ADD || type == SUB || type == MUL) {
            inputs.push_back(integer(random_.integer(0, 3)));
        }
        const float other = nodes_[y].bound;
        const float bound = type == MUL || type == PRELU ? nodes_[x].bound * std::max(other, 1.0F)
                                                         : nodes_[x].bound + other;
        return tryOperation({type, inputs, {viewOf(nodes_[x].view.type)}, bound});
    }

    bool tryUnary(std::uint32_t x, const Node& node) {
        using enum OperationType;
        const auto type = random_.oneOf({ABS, NEG, FLOOR, RELU, RELU1, RELU6, LOGISTIC, TANH, ELU,
                                         HARD_SWISH, SOFTMAX, L2_NORMALIZATION, SIN});
        std::vector<std::uint32_t> inputs{x};
        OperandView output = likeThat(node.view);
        const std::int32_t lowest = output.type == TENSOR_QUANT8_ASYMM_SIGNED ? -128 : 0;
        const bool isQuantized = isQuantized8Tensor(output.type);
        if (isQuantized && (type == LOGISTIC || type == SOFTMAX)) {
            output.scale = 1.0F / 256;
            output.zeroPoint = lowest;
        } else if (isQuantized && (type == TANH || type == L2_NORMALIZATION)) {
            output.scale = 1.0F / 128;
            output.zeroPoint = lowest + 128;
        }
        const float bound = std::max(node.bound, 1.0F);
        if (type == ELU || type == SOFTMAX) {
            inputs.push_back(real(output.type, random_.real(0.5F, 1.5F)));
        }
        return tryOperation({type, inputs, {output}, bound});
    }

    /// The layout's axes of an image that is `x`.
    struct ImageAxes {
        std::uint32_t height;
        std::uint32_t width;
        std::uint32_t channels;
    };
    static ImageAxes axesOf(const Shape& shape, bool isNchw) {
        return isNchw ? ImageAxes{shape[2], shape[3], shape[1]}
                      : ImageAxes{shape[1], shape[2], shape[3]};
    }

    /// Pads the image `x` mostly along height and width: gives the padded one.
    std::uint32_t padded(std::uint32_t x) {
        std::vector<std::int32_t> paddings;
        for (int i = 0; i < 8; ++i) {
            const bool isOfImage = i >= 2 && i < 6;
            paddings.push_back(isOfImage                     ? random_.integer(0, 3)
                               : random_.integer(0, 15) == 0 ? 1
                                                             : 0);
        }
        const Node& node = nodes_[x];
        const bool isPadded =
            tryOperation({OperationType::PAD,
                          {x, addValues(OperandType::TENSOR_INT32, {4, 2}, paddings)},
                          {likeThat(node.view)},
                          node.bound});
        return isPadded ? computed_.back() : x;
    }

    bool tryConvolution(std::uint32_t image, const Node& of) {
        using enum OperationType;
        if (of.view.shape.rank() != 4 || of.bound > kLargestSummand) {
            return false;
        }
        const std::uint32_t x = random_.integer(0, 2) == 0 ? padded(image) : image;
        const Node& node = nodes_[x];
        const auto type = random_.oneOf(
            {CONV_2D, CONV_2D, DEPTHWISE_CONV_2D, GROUPED_CONV_2D, TRANSPOSE_CONV_2D});
        const bool isNchw = random_.integer(0, 3) == 0;
        const ImageAxes axes = axesOf(node.view.shape, isNchw);
        const std::uint32_t height = random_.size(1, 3);
        const std::uint32_t width = random_.size(1, 3);
        const std::uint32_t multiplier = random_.size(1, 2);
        const std::uint32_t groups = axes.channels % 2 == 0 ? 2 : 1;
        const std::uint32_t outputs =
            type == DEPTHWISE_CONV_2D ? axes.channels * multiplier : groups * random_.size(1, 4);
        Dimensions filter{outputs, height, width, axes.channels};
        if (type == DEPTHWISE_CONV_2D) {
            filter = {1, height, width, outputs};
        } else if (type == GROUPED_CONV_2D) {
            filter[3] = axes.channels / groups;
        }
        const OperandType elements = node.view.type;
        OperandView weights = viewOf(elements);
        weights.scale *= 0.2F;
        std::optional<SymmPerChannelQuantParams> channels;
        if (isQuantized8Tensor(elements) && random_.flip()) {
            weights = {.type = TENSOR_QUANT8_SYMM_PER_CHANNEL};
            channels.emplace();
            channels->channelDim = type == DEPTHWISE_CONV_2D ? 3 : 0;
            for (std::uint32_t i = 0; i < outputs; ++i) {
                channels->scales.push_back(random_.real(0.005F, 0.05F));
            }
        } else if (elements == TENSOR_QUANT8_ASYMM_SIGNED) {
            weights.zeroPoint = 0;
        }
        const std::uint32_t w =
            addConstant(weights, filter,
                        random_.elements(weights.type, Shape(filter).elementCount()), channels);
        const bool isFloat = isFloatTensor(elements);
        const float biasScale = isFloat || channels ? 0.0F : nodes_[x].view.scale * weights.scale;
        const std::uint32_t b = randomConstant(
            {.type = isFloat ? elements : TENSOR_INT32, .scale = biasScale}, {outputs});
        std::vector<std::uint32_t> inputs{x, w, b};
        if (random_.flip() && type != TRANSPOSE_CONV_2D) {
            inputs.push_back(integer(random_.integer(1, 2)));
        } else {
            for (const std::uint32_t size : {width, width, height, height}) {
                inputs.push_back(integer(random_.integer(0, static_cast<std::int32_t>(size) - 1)));
            }
        }
        inputs.push_back(integer(random_.integer(1, 2)));
        inputs.push_back(integer(random_.integer(1, 2)));
        if (type == DEPTHWISE_CONV_2D) {
            inputs.push_back(integer(static_cast<std::int32_t>(multiplier)));
        } else if (type == GROUPED_CONV_2D) {
            inputs.push_back(integer(static_cast<std::int32_t>(groups)));
        }
        inputs.push_back(integer(random_.integer(0, 3)));
        inputs.push_back(boolean(isNchw));
        return tryOperation({type,
                             inputs,
                             {viewOf(elements)},
                             nodes_[x].bound * static_cast<float>(height * width * axes.channels)});
    }

    bool tryPooling(std::uint32_t x, const Node& node) {
        using enum OperationType;
        if (node.view.shape.rank() != 4) {
            return false;
        }
        const auto type = random_.oneOf(
            {AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D, RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR});
        const bool isNchw = random_.integer(0, 3) == 0;
        const OperandView output = likeThat(node.view);
        const float bound = node.bound;
        if (type == RESIZE_BILINEAR && bound > kLargestSummand) {
            return false;
        }
        if (type == RESIZE_BILINEAR || type == RESIZE_NEAREST_NEIGHBOR) {
            const bool alignsCorners = random_.flip();
            return tryOperation({type,
                                 {x, integer(random_.integer(1, 9)), integer(random_.integer(1, 9)),
                                  boolean(isNchw), boolean(alignsCorners),
                                  boolean(!alignsCorners && random_.flip())},
                                 {output},
                                 bound});
        }
        std::vector<std::uint32_t> inputs{x, integer(random_.integer(1, 2))};
        for (const std::int32_t most : {3, 3, 3, 3}) {
            inputs.push_back(integer(random_.integer(1, most)));
        }
        inputs.push_back(integer(random_.integer(0, 3)));
        inputs.push_back(boolean(isNchw));
        return tryOperation({type, inputs, {output}, bound});
    }

    bool tryFullyConnected(std::uint32_t x, const Node& node) {
        if (node.view.shape.rank() < 2 || node.bound > kLargestSummand) {
            return false;
        }
        const OperandType elements = node.view.type;
        const std::uint32_t inputSize = node.view.shape[node.view.shape.rank() - 1];
        const std::uint32_t units = random_.size(1, 8);
        OperandView weights = viewOf(elements);
        weights.scale *= 0.2F;
        if (elements == TENSOR_QUANT8_ASYMM_SIGNED && random_.flip()) {
            weights.zeroPoint = 0;
        }
        const std::uint32_t w = randomConstant(weights, {units, inputSize});
        const bool isFloat = isFloatTensor(elements);
        const std::uint32_t b =
            randomConstant({.type = isFloat ? elements : TENSOR_INT32,
                            .scale = isFloat ? 0.0F : nodes_[x].view.scale * weights.scale},
                           {units});
        return tryOperation({OperationType::FULLY_CONNECTED,
                             {x, w, b, integer(random_.integer(0, 3))},
                             {viewOf(elements)},
                             nodes_[x].bound * static_cast<float>(inputSize)});
    }

    bool tryReduction(std::uint32_t x, const Node& node) {
        using enum OperationType;
        if (node.bound > kLargestSummand) {
            return false;
        }
        const auto type = random_.oneOf({MEAN, REDUCE_MAX, REDUCE_MIN, REDUCE_SUM});
        const auto rank = static_cast<std::int32_t>(node.view.shape.rank());
        std::vector<std::int32_t> axes{random_.integer(-rank, rank - 1)};
        if (random_.flip()) {
            axes = rank == 4 ? std::vector{1, 2} : std::vector{0};
        }
        const bool areKept = random_.flip();
        const OperandView output = likeThat(node.view);
        const std::uint32_t keep = type == MEAN ? integer(areKept ? 1 : 0) : boolean(areKept);
        const float bound =
            type == REDUCE_SUM
                ? nodes_[x].bound * static_cast<float>(nodes_[x].view.shape.elementCount())
                : nodes_[x].bound;
        return tryOperation({type, {x, integers(axes), keep}, {output}, bound});
    }

    bool tryJoin(std::uint32_t x, const Node& node) {
        std::vector<std::uint32_t> inputs{x};
        const auto rank = node.view.shape.rank();
        const std::size_t axis = random_.size(0, static_cast<std::uint32_t>(rank - 1));
        const OperandView output = random_.flip() ? likeThat(node.view) : viewOf(node.view.type);
        float bound = node.bound;
        for (int attempt = 0; attempt < 8 && inputs.size() < 4; ++attempt) {
            const std::uint32_t other = pick();
            inputs.push_back(other);  // what does not fit is refused below
            const OperandView& view = nodes_[other].view;
            bool fits = view.type == nodes_[x].view.type && view.shape.rank() == rank;
            for (std::size_t i = 0; fits && i < rank; ++i) {
                fits = i == axis || view.shape[i] == nodes_[x].view.shape[i];
            }
            if (!fits) {
                inputs.pop_back();
            } else {
                bound = std::max(bound, nodes_[other].bound);
            }
        }
        inputs.push_back(integer(static_cast<std::int32_t>(axis)));
        return tryOperation({OperationType::CONCATENATION, inputs, {output}, bound});
    }

    bool tryMove(std::uint32_t x, const Node& node) {
        using enum OperationType;
        const OperandView output = likeThat(node.view);
        const Shape shape = node.view.shape;
        const auto rank = static_cast<std::int32_t>(shape.rank());
        const float bound = node.bound;
        switch (random_.integer(0, 7)) {
            case 0:
                return tryOperation({RESHAPE, {x, integers({-1})}, {output}, bound});
            case 1:
                return tryOperation(
                    {EXPAND_DIMS, {x, integer(random_.integer(0, rank))}, {output}, bound});
            case 2:
                return tryOperation({SQUEEZE, {x, integers({0})}, {output}, bound});
            case 3: {
                std::vector<std::int32_t> order(shape.rank());
                for (std::int32_t axis = 0; axis < rank; ++axis) {
                    order[static_cast<std::size_t>(rank - 1 - axis)] = axis;
                }
                return tryOperation({TRANSPOSE, {x, integers(order)}, {output}, bound});
            }
            case 4: {
                std::vector<std::int32_t> paddings;
                for (std::int32_t i = 0; i < 2 * rank; ++i) {
                    paddings.push_back(random_.integer(0, 2));
                }
                return tryOperation(
                    {PAD,
                     {x, addValues(TENSOR_INT32, {static_cast<std::uint32_t>(rank), 2}, paddings)},
                     {output},
                     bound});
            }
            case 5:
                return tryOperation({DEPTH_TO_SPACE, {x, integer(2)}, {output}, bound});
            case 6:
                return tryOperation({SPLIT,
                                     {x, integer(random_.integer(0, rank - 1)), integer(2)},
                                     {output, output},
                                     bound});
            default:
                return tryOperation(
                    {CHANNEL_SHUFFLE, {x, integer(2), integer(-1)}, {output}, bound});
        }
    }

    bool tryConversion(std::uint32_t x, const Node& node) {
        const float bound = node.bound;
        if (isFloatTensor(node.view.type)) {
            return tryOperation(
                {OperationType::QUANTIZE,
                 {x},
                 {viewOf(random_.flip() ? TENSOR_QUANT8_ASYMM : TENSOR_QUANT8_ASYMM_SIGNED)},
                 bound});
        }
        return tryOperation({OperationType::DEQUANTIZE,
                             {x},
                             {{.type = random_.flip() ? TENSOR_FLOAT32 : TENSOR_FLOAT16}},
                             256 * 0.2F});
    }

    Random random_;
    ModelBuilder builder_;
    std::deque<Node> nodes_;  // at the index that is the operand's
    std::vector<std::uint32_t> consumers_;
    std::vector<std::uint32_t> inputs_;
    std::vector<std::uint32_t> computed_;
    std::vector<std::uint32_t> tensors_;  // that an operation can take
};

}  // namespace

Model makeRandomGraph(std::uint32_t seed) {
    return GraphMaker(seed).make();
}

}  // namespace nnburst::exec
