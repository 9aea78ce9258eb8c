// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "onnx_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fail.h"
#include "nnburst/memory.h"

namespace nnburst::bench {
namespace {

/// A message of Protocol Buffers, field after field. Numbers of fields are those of onnx.proto3.
class Message {
  public:
    Message& integer(int field, std::int64_t value) {
        key(field, 0);
        varint(static_cast<std::uint64_t>(value));
        return *this;
    }
    Message& bytes(int field, std::string_view value) {
        key(field, 2);
        varint(value.size());
        bytes_.append(value);
        return *this;
    }
    Message& message(int field, const Message& value) { return bytes(field, value.bytes_); }

    [[nodiscard]] const std::string& serialized() const noexcept { return bytes_; }

  private:
    void key(int field, unsigned wireType) {
        varint(static_cast<std::uint64_t>(field) << 3 | wireType);
    }
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) {
            bytes_.push_back(static_cast<char>(value | 0x80));
        }
        bytes_.push_back(static_cast<char>(value));
    }

    std::string bytes_;
};

/// TensorProto.DataType
enum class Element { FLOAT = 1, UINT8 = 2, INT8 = 3, INT32 = 6, INT64 = 7 };

struct Attribute {
    const char* name;
    std::vector<std::int64_t> values;
    bool isList = true;
};

/// What a model's constants are.
class Constants {
  public:
    explicit Constants(const Model& model) : model_(model) {
        for (const SharedRegion& region : model.pools) {
            pools_.push_back(valueOf(Mapping::map(region, MappingAccess::READ_ONLY)));
        }
    }

    [[nodiscard]] std::string_view bytes(std::uint32_t index) const {
        const Operand& operand = model_.main.operands[index];
        const DataLocation& place = operand.location;
        switch (operand.lifetime) {
            case OperandLifeTime::CONSTANT_COPY:
                return {reinterpret_cast<const char*>(model_.operandValues.data()) + place.offset,
                        place.length};
            case OperandLifeTime::CONSTANT_REFERENCE:
                return {
                    reinterpret_cast<const char*>(pools_[place.poolIndex].data()) + place.offset,
                    place.length};
            default:
                fail("an operand is no constant");
        }
    }

    template <class T>
    [[nodiscard]] std::vector<T> values(std::uint32_t index) const {
        const std::string_view source = bytes(index);
        std::vector<T> result(source.size() / sizeof(T));
        std::memcpy(result.data(), source.data(), source.size());
        return result;
    }

    [[nodiscard]] std::int32_t scalar(std::uint32_t index) const {
        return values<std::int32_t>(index).at(0);
    }

  private:
    const Model& model_;
    std::vector<Mapping> pools_;
};

template <class T>
std::string_view bytesOf(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

const SymmPerChannelQuantParams* channelsOf(const Operand& operand) {
    return std::get_if<SymmPerChannelQuantParams>(&operand.extraParams);
}

class OnnxGraph {
  public:
    explicit OnnxGraph(const Model& model) : model_(model), constants_(model) {
        for (const Operation& operation : model.main.operations) {
            add(operation);
        }
        for (const std::uint32_t index : model.main.inputIndexes) {
            graph_.message(11, valueInfo(index));
        }
        for (const std::uint32_t index : model.main.outputIndexes) {
            graph_.message(12, valueInfo(index));
        }
        graph_.bytes(2, "network");
    }

    [[nodiscard]] std::string file() const {
        constexpr std::int64_t kIrVersion = 7;
        constexpr std::int64_t kOperators = 13;
        return Message()
            .integer(1, kIrVersion)
            .message(8, Message().bytes(1, "").integer(2, kOperators))
            .message(8, Message().bytes(1, kMicrosoft).integer(2, 1))
            .message(7, graph_)
            .serialized();
    }

  private:
    static constexpr const char* kMicrosoft = "com.microsoft";

    [[nodiscard]] const Operand& operand(std::uint32_t index) const {
        return model_.main.operands[index];
    }
    [[nodiscard]] bool isQuantised(std::uint32_t index) const {
        return operand(index).type != OperandType::TENSOR_FLOAT32;
    }
    static std::string nameOf(std::uint32_t index) { return "value" + std::to_string(index); }

    /// [batch, height, width, channels] as [batch, channels, height, width].
    [[nodiscard]] std::vector<std::int64_t> dimensionsOf(std::uint32_t index) const {
        const Dimensions& nhwc = operand(index).dimensions;
        if (nhwc.size() != 4) {
            return {nhwc.begin(), nhwc.end()};
        }
        return {nhwc[0], nhwc[3], nhwc[1], nhwc[2]};
    }

    [[nodiscard]] Message valueInfo(std::uint32_t index) const {
        Message shape;
        for (const std::int64_t dimension : dimensionsOf(index)) {
            shape.message(1, Message().integer(1, dimension));
        }
        const Element element = isQuantised(index) ? Element::UINT8 : Element::FLOAT;
        const Message tensor =
            Message().integer(1, static_cast<std::int64_t>(element)).message(2, shape);
        return Message().bytes(1, nameOf(index)).message(2, Message().message(1, tensor));
    }

    /// Adds a constant, unless it is there, and returns its name.
    std::string constant(const std::string& name, Element element,
                         const std::vector<std::int64_t>& dimensions, std::string_view bytes) {
        if (initializers_.insert(name).second) {
            Message tensor;
            for (const std::int64_t dimension : dimensions) {
                tensor.integer(1, dimension);
            }
            tensor.integer(2, static_cast<std::int64_t>(element)).bytes(8, name).bytes(9, bytes);
            graph_.message(5, tensor);
        }
        return name;
    }

    std::string real(const std::string& name, float value) {
        return constant(name, Element::FLOAT, {}, bytesOf(std::vector<float>{value}));
    }

    /// The names of scale and zero point.
    std::array<std::string, 2> quantisation(std::uint32_t index) {
        const std::string suffix = std::to_string(index);
        if (const SymmPerChannelQuantParams* channels = channelsOf(operand(index))) {
            const auto count = static_cast<std::int64_t>(channels->scales.size());
            const std::vector<std::int8_t> zeros(channels->scales.size());
            return {constant("scale" + suffix, Element::FLOAT, {count}, bytesOf(channels->scales)),
                    constant("zero" + suffix, Element::INT8, {count}, bytesOf(zeros))};
        }
        const std::vector<std::uint8_t> zero{static_cast<std::uint8_t>(operand(index).zeroPoint)};
        return {real("scale" + suffix, operand(index).scale),
                constant("zero" + suffix, Element::UINT8, {}, bytesOf(zero))};
    }

    /// A value with its scale and zero point.
    std::vector<std::string> quantised(std::uint32_t index) {
        auto [scale, zero] = quantisation(index);
        return {nameOf(index), std::move(scale), std::move(zero)};
    }

    void node(const char* type, const std::vector<std::string>& inputs, const std::string& output,
              std::initializer_list<Attribute> attributes = {}, const char* domain = "") {
        constexpr std::int64_t kInteger = 2;
        constexpr std::int64_t kIntegers = 7;
        Message node;
        for (const std::string& input : inputs) {
            node.bytes(1, input);
        }
        node.bytes(2, output).bytes(4, type).bytes(7, domain);
        for (const Attribute& attribute : attributes) {
            Message message;
            message.bytes(1, attribute.name);
            for (const std::int64_t value : attribute.values) {
                message.integer(attribute.isList ? 8 : 3, value);
            }
            node.message(5, message.integer(20, attribute.isList ? kIntegers : kInteger));
        }
        graph_.message(1, node);
    }

    void add(const Operation& operation) {
        switch (operation.type) {
            case OperationType::CONV_2D:
                return addConvolution(operation, 1);
            case OperationType::DEPTHWISE_CONV_2D:
                return addConvolution(operation, operand(operation.inputs[0]).dimensions[3]);
            case OperationType::AVERAGE_POOL_2D:
                return addAverage(operation);
            case OperationType::ADD:
                return addSum(operation);
            case OperationType::RESHAPE: {
                const auto shape = dimensionsOf(operation.outputs[0]);
                const std::string output = nameOf(operation.outputs[0]);
                return node("Reshape",
                            {nameOf(operation.inputs[0]),
                             constant(output + "shape", Element::INT64,
                                      {static_cast<std::int64_t>(shape.size())}, bytesOf(shape))},
                            output);
            }
            case OperationType::SOFTMAX:
                return addSoftmax(operation);
            default:
                fail(std::string("no ONNX operator for ") + toString(operation.type));
        }
    }

    /// Filters [out, height, width, in], of depthwise ones [1, height, width, out], as [out, in,
    /// height, width].
    std::string filter(std::uint32_t index, bool isDepthwise) {
        const Dimensions& from = operand(index).dimensions;
        const std::size_t depthOut = from[isDepthwise ? 3 : 0];
        const std::size_t depthIn = isDepthwise ? 1 : from[3];
        const std::size_t area = std::size_t{from[1]} * from[2];
        const std::string_view source = constants_.bytes(index);
        const std::size_t size = source.size() / (depthOut * depthIn * area);
        std::string target;
        for (std::size_t out = 0; out < depthOut; ++out) {
            for (std::size_t in = 0; in < depthIn; ++in) {
                for (std::size_t tap = 0; tap < area; ++tap) {
                    const std::size_t element =
                        isDepthwise ? tap * depthOut + out : (out * area + tap) * depthIn + in;
                    target.append(source.substr(element * size, size));
                }
            }
        }
        const Element element = !isQuantised(index)                     ? Element::FLOAT
                                : channelsOf(operand(index)) == nullptr ? Element::UINT8
                                                                        : Element::INT8;
        return constant(nameOf(index), element,
                        {static_cast<std::int64_t>(depthOut), static_cast<std::int64_t>(depthIn),
                         from[1], from[2]},
                        target);
    }

    void addConvolution(const Operation& operation, std::int64_t groups) {
        const bool isDepthwise = operation.type == OperationType::DEPTHWISE_CONV_2D;
        const std::vector<std::uint32_t>& in = operation.inputs;
        const std::uint32_t out = operation.outputs[0];
        const std::size_t multiplier = isDepthwise ? 1 : 0;  // one more scalar
        constexpr std::int32_t kSame = 1;
        if (in.size() != 7 + multiplier || constants_.scalar(in[3]) != kSame) {
            fail("a convolution has another signature than expected");
        }
        const Dimensions& image = operand(in[0]).dimensions;
        const Dimensions& window = operand(in[1]).dimensions;
        const std::array strides{constants_.scalar(in[5]), constants_.scalar(in[4])};
        std::array<std::int64_t, 4> pads{};  // top, left, bottom, right
        for (std::size_t d = 0; d < 2; ++d) {
            const std::int64_t covered =
                (operand(out).dimensions[d + 1] - 1) * std::int64_t{strides[d]} + window[d + 1];
            const std::int64_t total = std::max<std::int64_t>(covered - image[d + 1], 0);
            pads[d] = total / 2;
            pads[d + 2] = total - total / 2;
        }
        const std::initializer_list<Attribute> attributes{{"strides", {strides[0], strides[1]}},
                                                          {"pads", {pads.begin(), pads.end()}},
                                                          {"kernel_shape", {window[1], window[2]}},
                                                          {"group", {groups}, false}};
        const FusedActivationFunc activation{constants_.scalar(in[6 + multiplier])};
        const std::string bias =
            constant(nameOf(in[2]), isQuantised(in[2]) ? Element::INT32 : Element::FLOAT,
                     {operand(in[2]).dimensions[0]}, constants_.bytes(in[2]));
        (void)filter(in[1], isDepthwise);
        if (isQuantised(out)) {
            if (activation == FusedActivationFunc::RELU6 &&
                operand(out).scale * static_cast<float>(255 - operand(out).zeroPoint) > 6.001F) {
                fail("the range of an activation goes beyond 6");
            }
            std::vector<std::string> inputs = quantised(in[0]);
            const std::vector<std::string> filters = quantised(in[1]);
            inputs.insert(inputs.end(), filters.begin(), filters.end());
            const auto result = quantisation(out);
            inputs.insert(inputs.end(), result.begin(), result.end());
            inputs.push_back(bias);
            return node("QLinearConv", inputs, nameOf(out), attributes);
        }
        const bool isClipped = activation == FusedActivationFunc::RELU6;
        const std::string sum = nameOf(out) + (isClipped ? "sum" : "");
        node("Conv", {nameOf(in[0]), nameOf(in[1]), bias}, sum, attributes);
        if (isClipped) {
            node("Clip", {sum, real("zero", 0), real("six", 6)}, nameOf(out));
        }
    }

    void addAverage(const Operation& operation) {
        const std::uint32_t in = operation.inputs[0];
        const std::uint32_t out = operation.outputs[0];
        if (operand(out).dimensions[1] != 1 || operand(out).dimensions[2] != 1) {
            fail("an average is not of the whole image");
        }
        if (!isQuantised(in)) {
            return node("GlobalAveragePool", {nameOf(in)}, nameOf(out));
        }
        std::vector<std::string> inputs = quantised(in);
        const auto result = quantisation(out);
        inputs.insert(inputs.end(), result.begin(), result.end());
        node("QLinearGlobalAveragePool", inputs, nameOf(out), {}, kMicrosoft);
    }

    void addSum(const Operation& operation) {
        const std::uint32_t out = operation.outputs[0];
        if (!isQuantised(out)) {
            return node("Add", {nameOf(operation.inputs[0]), nameOf(operation.inputs[1])},
                        nameOf(out));
        }
        std::vector<std::string> inputs = quantised(operation.inputs[0]);
        const std::vector<std::string> second = quantised(operation.inputs[1]);
        inputs.insert(inputs.end(), second.begin(), second.end());
        const auto result = quantisation(out);
        inputs.insert(inputs.end(), result.begin(), result.end());
        node("QLinearAdd", inputs, nameOf(out), {}, kMicrosoft);
    }

    void addSoftmax(const Operation& operation) {
        const std::uint32_t in = operation.inputs[0];
        const std::string output = nameOf(operation.outputs[0]);
        if (!isQuantised(in)) {
            return node("Softmax", {nameOf(in)}, output);
        }
        node("DequantizeLinear", quantised(in), output + "logits");
        node("Softmax", {output + "logits"}, output + "real");
        const auto [scale, zero] = quantisation(operation.outputs[0]);
        node("QuantizeLinear", {output + "real", scale, zero}, output);
    }

    const Model& model_;
    Constants constants_;
    Message graph_;
    std::set<std::string> initializers_;
};

template <class T>
DataLocation append(std::vector<std::uint8_t>& target, const std::vector<T>& values) {
    constexpr std::size_t kAlignment = 4;
    target.resize((target.size() + kAlignment - 1) / kAlignment * kAlignment);
    const auto bytes = std::as_bytes(std::span(values));
    DataLocation place;
    place.offset = static_cast<std::uint32_t>(target.size());
    place.length = static_cast<std::uint32_t>(bytes.size());
    target.resize(target.size() + bytes.size());
    std::memcpy(&target[place.offset], bytes.data(), bytes.size());
    return place;
}

/// Filter and bias of one convolution, whose channels are along `dimension` of the filter.
void makeSigned(Model& model, const Constants& constants, const Operation& operation,
                std::uint32_t dimension) {
    Operand& filter = model.main.operands[operation.inputs[1]];
    Operand& bias = model.main.operands[operation.inputs[2]];
    const auto from = constants.values<std::uint8_t>(operation.inputs[1]);
    const std::size_t channels = filter.dimensions[dimension];
    const auto channelOf = [&](std::size_t element) {
        return dimension == 0 ? element / (from.size() / channels) : element % channels;
    };
    std::vector<int> largest(channels, 1);
    for (std::size_t i = 0; i < from.size(); ++i) {
        int& one = largest[channelOf(i)];
        one = std::max(one, std::abs(from[i] - filter.zeroPoint));
    }
    SymmPerChannelQuantParams params{.scales = {}, .channelDim = dimension};
    for (const int one : largest) {
        params.scales.push_back(filter.scale * static_cast<float>(one) / 127);
    }
    std::vector<std::int8_t> to(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        to[i] = static_cast<std::int8_t>(
            std::lround(127.0 * (from[i] - filter.zeroPoint) / largest[channelOf(i)]));
    }
    auto sums = constants.values<std::int32_t>(operation.inputs[2]);
    for (std::size_t c = 0; c < channels; ++c) {
        sums[c] = static_cast<std::int32_t>(std::lround(sums[c] * 127.0 / largest[c]));
    }
    filter.lifetime = bias.lifetime = OperandLifeTime::CONSTANT_COPY;
    filter.type = OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
    filter.scale = bias.scale = 0;
    filter.zeroPoint = 0;
    filter.extraParams = std::move(params);
    filter.location = append(model.operandValues, to);
    bias.location = append(model.operandValues, sums);
}

}  // namespace

std::string toOnnx(const Model& model) {
    return OnnxGraph(model).file();
}

Model withSignedFilters(Model model) {
    const Model before = model;
    const Constants constants(before);
    for (const Operation& operation : before.main.operations) {
        if (operation.type == OperationType::CONV_2D) {
            makeSigned(model, constants, operation, 0);
        } else if (operation.type == OperationType::DEPTHWISE_CONV_2D) {
            makeSigned(model, constants, operation, 3);
        }
    }
    return model;
}

}  // namespace nnburst::bench
