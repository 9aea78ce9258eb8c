// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/builtin_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

namespace nnburst {
namespace {

/// A model with its constants at hand.
class Inspected {
  public:
    explicit Inspected(Result<Model> result) {
        EXPECT_TRUE(result) << result.error().message;
        model = std::move(*result);
        for (const SharedRegion& pool : model.pools) {
            mappings_.push_back(*Mapping::map(pool, MappingAccess::READ_ONLY));
        }
    }

    [[nodiscard]] const Operand& operand(std::uint32_t index) const {
        return model.main.operands[index];
    }

    [[nodiscard]] std::span<const std::byte> bytes(std::uint32_t index) const {
        const DataLocation& location = operand(index).location;
        const bool isCopy = operand(index).lifetime == OperandLifeTime::CONSTANT_COPY;
        const std::span<const std::byte> place = isCopy
                                                     ? std::as_bytes(std::span(model.operandValues))
                                                     : mappings_[location.poolIndex].bytes();
        return place.subspan(location.offset, location.length);
    }

    template <class T>
    [[nodiscard]] std::span<const T> values(std::uint32_t index) const {
        return {reinterpret_cast<const T*>(bytes(index).data()), bytes(index).size() / sizeof(T)};
    }

    /// FNV-1a over all operands, operations and constants.
    [[nodiscard]] std::uint64_t fingerprint() const {
        std::uint64_t hash = 0xCBF29CE484222325;
        const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001B3; };
        for (std::uint32_t index = 0; index < model.main.operands.size(); ++index) {
            add(static_cast<std::uint64_t>(operand(index).type));
            add(std::bit_cast<std::uint32_t>(operand(index).scale));
            add(static_cast<std::uint64_t>(operand(index).zeroPoint));
            for (const std::uint32_t size : operand(index).dimensions) {
                add(size);
            }
            if (operand(index).lifetime == OperandLifeTime::CONSTANT_COPY ||
                operand(index).lifetime == OperandLifeTime::CONSTANT_REFERENCE) {
                for (const std::byte byte : bytes(index)) {
                    add(std::to_integer<std::uint64_t>(byte));
                }
            }
        }
        for (const Operation& operation : model.main.operations) {
            add(static_cast<std::uint64_t>(operation.type));
            std::for_each(operation.inputs.begin(), operation.inputs.end(), add);
            std::for_each(operation.outputs.begin(), operation.outputs.end(), add);
        }
        return hash;
    }

    Model model;

  private:
    std::vector<Mapping> mappings_;
};

TEST(MobileNetV1, hasTheLayersOfThePaper) {
    const Inspected net(makeMobileNetV1({.width = 1.0F, .resolution = 224}));
    const auto& operations = net.model.main.operations;
    ASSERT_EQ(operations.size(), 31U);
    EXPECT_EQ(operations[0].type, OperationType::CONV_2D);
    for (std::size_t pair = 0; pair < 13; ++pair) {
        EXPECT_EQ(operations[1 + 2 * pair].type, OperationType::DEPTHWISE_CONV_2D);
        EXPECT_EQ(operations[2 + 2 * pair].type, OperationType::CONV_2D);
    }
    EXPECT_EQ(operations[27].type, OperationType::AVERAGE_POOL_2D);
    EXPECT_EQ(operations[28].type, OperationType::CONV_2D);
    EXPECT_EQ(operations[29].type, OperationType::RESHAPE);
    EXPECT_EQ(operations[30].type, OperationType::SOFTMAX);

    const auto outputOf = [&](std::size_t index) {
        return net.operand(operations[index].outputs[0]).dimensions;
    };
    EXPECT_EQ(net.operand(net.model.main.inputIndexes[0]).dimensions, (Dimensions{1, 224, 224, 3}));
    EXPECT_EQ(outputOf(0), (Dimensions{1, 112, 112, 32}));
    EXPECT_EQ(outputOf(2), (Dimensions{1, 112, 112, 64}));
    EXPECT_EQ(outputOf(12), (Dimensions{1, 14, 14, 512}));
    EXPECT_EQ(outputOf(26), (Dimensions{1, 7, 7, 1024}));
    EXPECT_EQ(outputOf(27), (Dimensions{1, 1, 1, 1024}));
    EXPECT_EQ(outputOf(30), (Dimensions{1, 1001}));

    std::size_t parameters = 0;
    for (const Operand& operand : net.model.main.operands) {
        if (operand.type == OperandType::TENSOR_FLOAT32) {
            parameters += operand.location.length / sizeof(float);
        }
    }
    EXPECT_NEAR(static_cast<double>(parameters), 4.2e6, 0.1e6);  // the paper's table 4
}

TEST(MobileNetV1, narrowsToAtLeastEightChannels) {
    const Inspected net(makeMobileNetV1({.width = 0.1F, .resolution = 32}));
    const auto& operations = net.model.main.operations;
    EXPECT_EQ(net.operand(operations[0].outputs[0]).dimensions, (Dimensions{1, 16, 16, 8}));
    EXPECT_EQ(net.operand(operations[4].outputs[0]).dimensions, (Dimensions{1, 8, 8, 12}));
    EXPECT_EQ(net.operand(operations[26].outputs[0]).dimensions, (Dimensions{1, 1, 1, 102}));
}

TEST(MobileNetV1, isTheSameBitForBitForever) {
    EXPECT_EQ(Inspected(makeMobileNetV1()).fingerprint(), 0x5969EB16B33F8AD4U);
    EXPECT_EQ(Inspected(makeMobileNetV1({.precision = BuiltinPrecision::QUANT8})).fingerprint(),
              0xB8748017F1AB1332U);
}

TEST(MobileNetV1, isAnotherNetworkForAnotherSeed) {
    EXPECT_NE(Inspected(makeMobileNetV1({.seed = 2})).fingerprint(),
              Inspected(makeMobileNetV1({.seed = 3})).fingerprint());
}

TEST(MobileNetV1, isTheSameNetworkInBothPrecisions) {
    const Inspected real(makeMobileNetV1({.precision = BuiltinPrecision::FLOAT32}));
    const Inspected quantized(makeMobileNetV1({.precision = BuiltinPrecision::QUANT8}));
    ASSERT_EQ(real.model.main.operations, quantized.model.main.operations);
    for (const Operation& operation : real.model.main.operations) {
        if (operation.type != OperationType::CONV_2D &&
            operation.type != OperationType::DEPTHWISE_CONV_2D) {
            continue;
        }
        const Operand& filter = quantized.operand(operation.inputs[1]);
        const auto weights = quantized.values<std::uint8_t>(operation.inputs[1]);
        const auto realWeights = real.values<float>(operation.inputs[1]);
        ASSERT_EQ(weights.size(), realWeights.size());
        for (std::size_t i = 0; i < weights.size(); ++i) {
            ASSERT_EQ(static_cast<float>(weights[i] - filter.zeroPoint) * filter.scale,
                      realWeights[i]);
        }
        const Operand& bias = quantized.operand(operation.inputs[2]);
        const auto biases = quantized.values<std::int32_t>(operation.inputs[2]);
        const auto realBiases = real.values<float>(operation.inputs[2]);
        ASSERT_EQ(biases.size(), realBiases.size());
        for (std::size_t i = 0; i < biases.size(); ++i) {
            ASSERT_EQ(static_cast<float>(biases[i]) * bias.scale, realBiases[i]);
        }
    }
}

TEST(MobileNetV1, keepsTheQuantisationRulesOfTheFirstHal) {
    const Inspected net(makeMobileNetV1({.precision = BuiltinPrecision::QUANT8}));
    for (const Operation& operation : net.model.main.operations) {
        if (operation.type == OperationType::CONV_2D ||
            operation.type == OperationType::DEPTHWISE_CONV_2D) {
            const float product =
                net.operand(operation.inputs[0]).scale * net.operand(operation.inputs[1]).scale;
            EXPECT_GT(net.operand(operation.outputs[0]).scale, product);
            EXPECT_EQ(net.operand(operation.inputs[2]).scale, product);
        } else if (operation.type != OperationType::SOFTMAX) {
            EXPECT_EQ(net.operand(operation.outputs[0]).scale,
                      net.operand(operation.inputs[0]).scale);
        }
    }
    const Operand& output = net.operand(net.model.main.outputIndexes[0]);
    EXPECT_EQ(output.scale, 1.0F / 256.0F);
    EXPECT_EQ(output.zeroPoint, 0);
}

TEST(MobileNetV1, refusesOptionsOutOfTheirRange) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const float width : {0.0F, -1.0F, 4.1F, nan}) {
        const auto model = makeMobileNetV1({.width = width});
        ASSERT_FALSE(model) << width;
        EXPECT_EQ(model.error().status, ErrorStatus::INVALID_ARGUMENT);
    }
    for (const std::uint32_t resolution : {0U, 31U, 100U, 0xFFFFFFE0U}) {
        const auto model = makeMobileNetV1({.resolution = resolution});
        ASSERT_FALSE(model) << resolution;
        EXPECT_EQ(model.error().status, ErrorStatus::INVALID_ARGUMENT);
    }
}

TEST(StreamingLstm, hasThreeLayersAndTwoStates) {
    const Inspected net(makeStreamingLstm({.features = 10, .cells = 20}));
    const Subgraph& main = net.model.main;
    ASSERT_EQ(main.operations.size(), 3U);
    EXPECT_EQ(main.operations[0].type, OperationType::FULLY_CONNECTED);
    EXPECT_EQ(main.operations[1].type, OperationType::LSTM);
    EXPECT_EQ(main.operations[2].type, OperationType::FULLY_CONNECTED);
    EXPECT_EQ(main.operations[1].inputs.size(), 23U);
    EXPECT_EQ(net.operand(main.operations[1].outputs[0]).dimensions, (Dimensions{1, 80}));
    ASSERT_EQ(main.inputIndexes.size(), 3U);
    ASSERT_EQ(main.outputIndexes.size(), 3U);
    const std::uint32_t sizes[] = {10, 20, 20};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(net.operand(main.inputIndexes[i]).dimensions, (Dimensions{1, sizes[i]}));
        EXPECT_EQ(net.operand(main.outputIndexes[i]).dimensions, (Dimensions{1, sizes[i]}));
    }
}

TEST(StreamingLstm, isTheSameBitForBitForever) {
    EXPECT_EQ(Inspected(makeStreamingLstm()).fingerprint(), 0x0548C9E8E2995667U);
}

TEST(StreamingLstm, refusesSizesOutOfTheirRange) {
    for (const std::uint32_t size : {0U, kMaximumStreamingLstmSize + 1}) {
        EXPECT_FALSE(makeStreamingLstm({.features = size})) << size;
        EXPECT_FALSE(makeStreamingLstm({.cells = size})) << size;
    }
}

TEST(MobileNetV2, hasSeventeenBlocksWithTheirResiduals) {
    for (const BuiltinPrecision precision : {BuiltinPrecision::FLOAT32, BuiltinPrecision::QUANT8}) {
        const auto model =
            makeMobileNetV2({.width = 1.0F, .resolution = 64, .precision = precision});
        ASSERT_TRUE(model) << model.error().message;
        const auto count = [&](OperationType type) {
            return std::count_if(
                model->main.operations.begin(), model->main.operations.end(),
                [type](const Operation& operation) { return operation.type == type; });
        };
        EXPECT_EQ(count(OperationType::DEPTHWISE_CONV_2D), 17);
        EXPECT_EQ(count(OperationType::CONV_2D), 1 + 16 + 17 + 1 + 1);
        EXPECT_EQ(count(OperationType::ADD), 10) << "blocks 2..n of each kind";
        EXPECT_EQ(model->main.operands[model->main.outputIndexes[0]].dimensions,
                  (Dimensions{1, 1001}));
    }
    EXPECT_FALSE(makeMobileNetV2({.width = 0.0F}));
    EXPECT_FALSE(makeMobileNetV2({.resolution = 33}));
}

}  // namespace
}  // namespace nnburst
