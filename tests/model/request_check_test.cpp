// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "model/request_check.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "nnburst/validation.h"

namespace nnburst {
namespace {

constexpr auto kTypeOfExtension = static_cast<OperandType>(0x00070001);

Operand operandOf(OperandType type, Dimensions dimensions, OperandLifeTime lifetime) {
    Operand operand;
    operand.type = type;
    operand.dimensions = std::move(dimensions);
    operand.lifetime = lifetime;
    return operand;
}

/// Inputs: a batch of unknown size, a scalar, a tensor of unknown rank. Output: as the batch. Only
/// the operands matter to requests; the model has no operations.
Model exampleModel() {
    Model model;
    model.main.operands = {
        operandOf(OperandType::TENSOR_FLOAT32, {0, 4}, OperandLifeTime::SUBGRAPH_INPUT),
        operandOf(OperandType::INT32, {}, OperandLifeTime::SUBGRAPH_INPUT),
        operandOf(OperandType::TENSOR_BOOL8, {}, OperandLifeTime::SUBGRAPH_INPUT),
        operandOf(OperandType::TENSOR_FLOAT32, {0, 4}, OperandLifeTime::SUBGRAPH_OUTPUT),
    };
    model.main.inputIndexes = {0, 1, 2};
    model.main.outputIndexes = {3};
    return model;
}

RequestArgument argument(DataLocation location, Dimensions dimensions = {}) {
    return {.location = location, .dimensions = std::move(dimensions)};
}

/// A request that fits the model: pool 0 has 64 bytes, all of which the inputs and the output use.
Request exampleRequest() {
    Request request;
    request.inputs = {argument({0, 0, 32}, {2, 4}), argument({0, 32, 4}),
                      argument({0, 36, 3}, {3, 1, 1})};
    request.outputs = {argument({0, 40, 24})};
    request.pools = {*Region::create(64)};
    return request;
}

std::string refusal(const Request& request) {
    const Result<> result = validateRequest(exampleModel(), request);
    if (result) {
        return "accepted";
    }
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
    return result.error().message;
}

TEST(RequestCheck, acceptsARequestThatFits) {
    EXPECT_EQ(refusal(exampleRequest()), "accepted");
}

TEST(ExpectedArgument, isMetOnlyByWhatCheckArgumentAccepts) {
    const std::vector<Operand> operands = {
        operandOf(OperandType::TENSOR_FLOAT32, {2, 3}, OperandLifeTime::SUBGRAPH_INPUT),
        operandOf(OperandType::TENSOR_FLOAT32, {0, 3}, OperandLifeTime::SUBGRAPH_INPUT),
        operandOf(OperandType::TENSOR_FLOAT32, {}, OperandLifeTime::SUBGRAPH_INPUT),
        operandOf(OperandType::FLOAT32, {}, OperandLifeTime::SUBGRAPH_INPUT),
        operandOf(kTypeOfExtension, {2}, OperandLifeTime::SUBGRAPH_INPUT)};
    int met = 0;
    for (const Operand& operand : operands) {
        const ExpectedArgument expected(operand);
        for (const std::uint64_t pool :
             {std::uint64_t{0}, std::uint64_t{24}, std::uint64_t{28}, kDriverManagedPoolBytes}) {
            for (const std::uint32_t offset : {0U, 1U, 4U, UINT32_MAX}) {
                for (const std::uint32_t length : {0U, 4U, 23U, 24U, 25U, UINT32_MAX}) {
                    for (const Dimensions& dimensions : {Dimensions{}, {2, 3}, {3, 2}}) {
                        RequestArgument given = argument({0, offset, length}, dimensions);
                        for (const bool hasNoValue : {false, true}) {
                            given.hasNoValue = hasNoValue;
                            if (expected.isMetBy(given, pool)) {
                                ++met;
                                EXPECT_TRUE(
                                    checkArgument(ArgumentRole::INPUT, 0, operand, given, pool));
                                EXPECT_TRUE(
                                    checkArgument(ArgumentRole::OUTPUT, 0, operand, given, pool));
                            }
                        }
                    }
                }
            }
        }
    }
    // The first operand: 24 bytes at 0 in both pools, at 1 and 4 in the larger. The scalar: 4 bytes
    // at 0, 1 and 4 in both.
    EXPECT_EQ(met, 4 + 6);
    EXPECT_TRUE(ExpectedArgument(operands[0]).isAligned(8));
    EXPECT_FALSE(ExpectedArgument(operands[0]).isAligned(6));
    EXPECT_TRUE(ExpectedArgument(operands[4]).isAligned(7));
}

struct Lie {
    const char* name;
    std::function<void(Request&)> tell;
    const char* message;
};

void PrintTo(const Lie& lie, std::ostream* out) {
    *out << lie.name;
}

class RequestLie : public testing::TestWithParam<Lie> {};

TEST_P(RequestLie, isRefusedNamingPlaceValueAndRule) {
    Request request = exampleRequest();
    GetParam().tell(request);
    EXPECT_EQ(refusal(request), GetParam().message);
}

const Lie kLies[] = {
    {"inputMissing", [](Request& request) { request.inputs.pop_back(); },
     "request with 2 inputs: must have 3 as the model"},
    {"inputTooMany", [](Request& request) { request.inputs.push_back(request.inputs[0]); },
     "request with 4 inputs: must have 3 as the model"},
    {"outputMissing", [](Request& request) { request.outputs.clear(); },
     "request with 0 outputs: must have 1 as the model"},
    {"tooManyPools",
     [](Request& request) { request.pools.resize(kMaximumPools + 1, request.pools[0]); },
     "request with 4097 pools: must be at most 4096"},
    {"poolWithoutMemory", [](Request& request) { request.pools.emplace_back(SharedRegion()); },
     "request pool 1: no memory; must be a region or a buffer"},
    {"bufferTokenZero", [](Request& request) { request.pools.emplace_back(BufferToken{0}); },
     "request pool 1: buffer token 0: must be one that allocate gave"},
    {"poolBeyondLast", [](Request& request) { request.inputs[1].location.poolIndex = 1; },
     "request input 1: pool 1: the request has no such pool"},
    {"offsetBeyondPool", [](Request& request) { request.inputs[1].location.offset = 64; },
     "request input 1: offset 64 + length 4 exceeds pool 0 (64 bytes)"},
    {"offsetAndLengthWrapAround",
     [](Request& request) {
         request.outputs[0].location = {0, UINT32_MAX - 3, 8};
     },
     "request output 0: offset 4294967292 + length 8 exceeds pool 0 (64 bytes)"},
    {"outputEndBeyondPool", [](Request& request) { request.outputs[0].location.length = 25; },
     "request output 0: offset 40 + length 25 exceeds pool 0 (64 bytes)"},
    {"inputOfLengthZero", [](Request& request) { request.inputs[2].location.length = 0; },
     "request input 2: length 0: must be at least 1 byte, or the argument omitted"},
    {"outputOfLengthZero", [](Request& request) { request.outputs[0].location.length = 0; },
     "request output 0: length 0: must be at least 1 byte, or the argument omitted"},
    {"inputTooShort", [](Request& request) { request.inputs[0].location.length = 31; },
     "request input 0: length 31: must be 32 bytes, the size of TENSOR_FLOAT32 with dimensions "
     "2x4"},
    {"inputTooLong", [](Request& request) { request.inputs[0].location.length = 36; },
     "request input 0: length 36: must be 32 bytes, the size of TENSOR_FLOAT32 with dimensions "
     "2x4"},
    {"scalarTooLong", [](Request& request) { request.inputs[1].location.length = 5; },
     "request input 1: length 5: must be 4 bytes, the size of INT32 with dimensions none"},
    {"scalarWithDimensions", [](Request& request) { request.inputs[1].dimensions = {1}; },
     "request input 1: dimensions 1: must have none, as it is no tensor"},
    {"inputDimensionLeftOpen", [](Request& request) { request.inputs[0].dimensions = {}; },
     "request input 0: dimensions 0x4: must all be known, from the model or the request"},
    {"inputDimensionZero",
     [](Request& request) {
         request.inputs[0].dimensions = {0, 4};
     },
     "request input 0: dimensions 0x4: must all be known, from the model or the request"},
    {"inputRankLeftOpen", [](Request& request) { request.inputs[2].dimensions = {}; },
     "request input 2: dimensions none: must all be known, from the model or the request"},
    {"rankDiffersFromModel",
     [](Request& request) {
         request.inputs[0].dimensions = {2, 4, 1};
     },
     "request input 0: dimensions 2x4x1: must be 2 as in the model 0x4"},
    {"dimensionDiffersFromModel",
     [](Request& request) {
         request.inputs[0].dimensions = {4, 2};
     },
     "request input 0: dimensions 4x2: must agree with the model's 0x4"},
    {"outputDimensionForgotten",
     [](Request& request) {
         request.outputs[0].dimensions = {2, 0};
     },
     "request output 0: dimensions 2x0: must agree with the model's 0x4"},
    {"tooManyDimensions",
     [](Request& request) { request.inputs[2].dimensions = {1, 1, 1, 1, 1, 1, 1, 1, 3}; },
     "request input 2: 9 dimensions: must be at most 8"},
    {"elementCountWrapsAround",
     [](Request& request) {
         request.inputs[2].dimensions = {65536, 65536, 65536, 65536};
     },
     "request input 2: dimensions 65536x65536x65536x65536 with elements of 1 bytes: must take at "
     "most 4294967295 bytes"},
    {"outputElementCountTooLarge",
     [](Request& request) {
         request.outputs[0].dimensions = {0x10000000, 4};
     },
     "request output 0: dimensions 268435456x4 with elements of 4 bytes: must take at most "
     "4294967295 bytes"},
    {"omittedWithPool",
     [](Request& request) {
         request.inputs[0] = {.hasNoValue = true, .location = {1, 0, 0}};
     },
     "request input 0: pool 1, offset 0, length 0: must be 0, as the argument has no value"},
    {"omittedWithPlace",
     [](Request& request) {
         request.outputs[0] = {.hasNoValue = true, .location = {0, 8, 16}};
     },
     "request output 0: pool 0, offset 8, length 16: must be 0, as the argument has no value"},
    {"omittedWithDimensions",
     [](Request& request) {
         request.inputs[0] = {.hasNoValue = true, .dimensions = {2, 4}};
     },
     "request input 0: dimensions 2x4: must have none, as the argument has no value"},
    {"offsetInDriverManagedPool",
     [](Request& request) {
         request.pools.emplace_back(BufferToken{7});
         request.inputs[1].location = {1, 4, 0};
     },
     "request input 1: offset 4 and length 0 in driver-managed pool 1: must both be 0"},
    {"lengthInDriverManagedPool",
     [](Request& request) {
         request.pools.emplace_back(BufferToken{7});
         request.inputs[1].location = {1, 0, 4};
     },
     "request input 1: offset 0 and length 4 in driver-managed pool 1: must both be 0"},
};

INSTANTIATE_TEST_SUITE_P(RequestCheck, RequestLie, testing::ValuesIn(kLies),
                         [](const auto& lie) { return std::string(lie.param.name); });

TEST(RequestCheck, acceptsOmittedArguments) {
    Request request = exampleRequest();
    request.inputs[0] = {.hasNoValue = true};
    request.outputs[0] = {.hasNoValue = true};
    EXPECT_EQ(refusal(request), "accepted");
}

TEST(RequestCheck, acceptsArgumentsAtAnyOffset) {
    Request request = exampleRequest();
    request.inputs[1].location.offset = 33;
    EXPECT_EQ(refusal(request), "accepted");
}

TEST(RequestCheck, acceptsOutputsShorterAndLongerThanTheirSize) {
    Request request = exampleRequest();
    request.outputs[0].dimensions = {1, 4};
    for (const std::uint32_t length : {1U, 15U, 16U, 17U}) {
        request.outputs[0].location.length = length;
        EXPECT_EQ(refusal(request), "accepted") << length;
    }
}

TEST(RequestCheck, acceptsDriverManagedBuffersAsAWhole) {
    Request request = exampleRequest();
    request.pools.emplace_back(BufferToken{7});
    request.inputs[0] = argument({1, 0, 0});
    request.outputs[0] = argument({1, 0, 0});
    EXPECT_EQ(refusal(request), "accepted");
    request.inputs[0].dimensions = {2, 5};
    EXPECT_NE(refusal(request), "accepted");
}

TEST(RequestCheck, checksOnlyThePlaceOfExtensionTypes) {
    const Operand operand = operandOf(kTypeOfExtension, {0, 5}, OperandLifeTime::SUBGRAPH_INPUT);
    EXPECT_TRUE(checkArgument(ArgumentRole::INPUT, 0, operand, argument({0, 1, 7}), 8));
    EXPECT_FALSE(checkArgument(ArgumentRole::INPUT, 0, operand, argument({0, 2, 7}), 8));
    EXPECT_FALSE(checkArgument(ArgumentRole::INPUT, 0, operand, argument({0, 0, 0}), 8));
    EXPECT_FALSE(checkArgument(ArgumentRole::INPUT, 0, operand, argument({0, 1, 7}), std::nullopt));
}

TEST(CheckMeasure, refusesWhatTheHalDoesNotHave) {
    EXPECT_TRUE(checkMeasure(MeasureTiming::NO));
    EXPECT_TRUE(checkMeasure(MeasureTiming::YES));
    for (const std::int32_t code : {-1, 2, INT32_MAX}) {
        const Result<> result = checkMeasure(static_cast<MeasureTiming>(code));
        ASSERT_FALSE(result) << code;
        EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
    }
}

}  // namespace
}  // namespace nnburst
