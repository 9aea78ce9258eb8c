// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Resource variables: constants if they are never assigned, else states of the model.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tflite_test.h"

namespace nnburst::resource_variables_test {
namespace {

using namespace tflite;
using Floats = std::vector<float>;

constexpr std::uint32_t kVarHandle = 0;
constexpr std::uint32_t kRead = 1;
constexpr std::uint32_t kAssign = 2;
constexpr std::uint32_t kCallOnce = 3;
constexpr std::uint32_t kAdd = 4;

OperatorSpec varHandle(const std::string& name, std::int32_t tensor) {
    return {.opcodeIndex = kVarHandle,
            .outputs = {tensor},
            .optionsType = BuiltinOptions::VarHandleOptions,
            .options = [=](flatbuffers::FlatBufferBuilder& builder) {
                const auto shared = builder.CreateString(name);
                return schema::CreateVarHandleOptions(builder, 0, shared).Union();
            }};
}
OperatorSpec add(std::vector<std::int32_t> inputs, std::int32_t output) {
    return {.opcodeIndex = kAdd,
            .inputs = std::move(inputs),
            .outputs = {output},
            .optionsType = BuiltinOptions::AddOptions,
            .options = addOptions()};
}

/// Variable "sum": tensor 0 is its handle. Input 1 is added to its value 2, which gives output 3.
/// Subgraph 1, which runs once, sets it to `first`.
FileSpec sumFile(const Floats& first, bool isAssigned) {
    FileSpec file;
    file.codes = {{.code = Code::VAR_HANDLE},
                  {.code = Code::READ_VARIABLE},
                  {.code = Code::ASSIGN_VARIABLE},
                  {.code = Code::CALL_ONCE},
                  {.code = Code::ADD}};
    const TensorSpec handle{.shape = {}, .type = TensorType::RESOURCE};
    file.tensors = {handle, {.shape = {2}}, {.shape = {2}}, {.shape = {2}}};
    file.operators = {{.opcodeIndex = kCallOnce,
                       .optionsType = BuiltinOptions::CallOnceOptions,
                       .options = optionsOf(schema::CreateCallOnceOptions, 1)},
                      varHandle("sum", 0),
                      {.opcodeIndex = kRead, .inputs = {0}, .outputs = {2}},
                      add({1, 2}, 3)};
    if (isAssigned) {
        file.operators.push_back({.opcodeIndex = kAssign, .inputs = {0, 3}});
    }
    file.inputs = {1};
    file.outputs = {3};
    file.buffers.push_back(bytesOf(first));
    GraphSpec once;
    once.tensors = {handle, {.shape = {2}, .buffer = 1}};
    once.operators = {varHandle("sum", 0), {.opcodeIndex = kAssign, .inputs = {0, 1}}};
    file.subgraphs = {once};
    return file;
}

TEST(TfliteResourceVariables, areStatesOfTheModelIfTheyAreAssigned) {
    const TfliteModel model = imported(sumFile({0, 0}, true));
    ASSERT_EQ(model.states.size(), 1U);
    EXPECT_EQ(model.states[0].input, 1U);
    EXPECT_EQ(model.states[0].output, 1U);
    EXPECT_EQ((outputsOfRun<float, float>(model, {{1, 2}, {10, 20}})),
              (std::vector<Floats>{{11, 22}, {11, 22}}));
}

TEST(TfliteResourceVariables, haveTheValueThatWasAssignedLast) {
    FileSpec file = sumFile({0, 0}, true);
    // Reads the variable again, after it was assigned: output 5 is twice output 3.
    file.tensors.push_back({.shape = {2}});
    file.tensors.push_back({.shape = {2}});
    file.operators.push_back({.opcodeIndex = kRead, .inputs = {0}, .outputs = {4}});
    file.operators.push_back(add({4, 3}, 5));
    file.outputs = {5};
    EXPECT_EQ((outputsOfRun<float, float>(imported(file), {{1, 2}, {10, 20}})),
              (std::vector<Floats>{{22, 44}, {11, 22}}));
}

TEST(TfliteResourceVariables, areConstantsIfTheyAreNotAssigned) {
    const TfliteModel model = imported(sumFile({3, 4}, false));
    EXPECT_TRUE(model.states.empty());
    EXPECT_EQ((outputsOfRun<float, float>(model, {{1, 2}})), (std::vector<Floats>{{4, 6}}));
}

TEST(TfliteResourceVariables, areToldApartByTheEndsOfLongNames) {
    FileSpec file = sumFile({3, 4}, false);
    const std::string prefix(100, 'v');
    file.operators[1] = varHandle(prefix + "a", 0);
    file.subgraphs[0].operators[0] = varHandle(prefix + "b", 0);
    EXPECT_EQ(refusal(file),
              "operator 2 (READ_VARIABLE): a variable without a value: must be assigned, or have a "
              "first value");
}

TEST(TfliteResourceVariables, refusesFirstValuesThatStatesCannotHave) {
    EXPECT_EQ(refusal(sumFile({3, 0}, true)),
              "operator 2 (READ_VARIABLE): a variable that is not zero at first, and is assigned, "
              "is not supported");
}

/// The same with numbers of INT8, of which 3 stands for 0.
FileSpec quantizedSumFile(std::uint8_t first) {
    FileSpec file = sumFile({0, 0}, true);
    file.buffers[1] = {first, first};
    const TensorSpec number{
        .shape = {2}, .type = TensorType::INT8, .scales = {0.5F}, .zeroPoints = {3}};
    file.tensors = {file.tensors[0], number, number, number};
    file.subgraphs[0].tensors[1] = number;
    file.subgraphs[0].tensors[1].buffer = 1;
    return file;
}

TEST(TfliteResourceVariables, areStatesThatBeginWithTheirZeroPoint) {
    const TfliteModel model = imported(quantizedSumFile(3));
    ASSERT_EQ(model.states.size(), 1U);
    EXPECT_EQ((outputsOfRun<std::int8_t, std::int8_t>(model, {{10, 20}, {3, 5}})),
              (std::vector<std::vector<std::int8_t>>{{10, 22}, {10, 22}}));
    EXPECT_EQ(refusal(quantizedSumFile(0)),
              "operator 2 (READ_VARIABLE): a variable that is not zero at first, and is assigned, "
              "is not supported");
    FileSpec condition = quantizedSumFile(0);
    condition.tensors[2] = {.shape = {2}, .type = TensorType::BOOL};
    EXPECT_EQ(refusal(condition),
              "operator 2 (READ_VARIABLE): a variable of type TENSOR_BOOL8 that is assigned is not "
              "supported: must be FLOAT32, INT32 or INT8");
}

TEST(TfliteResourceVariables, refusesFirstValuesOfTypesThatAreConverted) {
    FileSpec file = sumFile({3, 4}, false);
    file.buffers[1] = {1, 2};  // as many bytes as INT8 would have
    file.subgraphs[0].tensors[1].type = TensorType::INT4;
    EXPECT_EQ(refusal(file),
              "operator 2 (READ_VARIABLE): a value of 2 bytes for 2 TENSOR_QUANT8_ASYMM_SIGNED: "
              "must have as many bytes as the tensor, and not be INT64 or INT4");
}

TEST(TfliteResourceVariables, refusesHandlesThatAreNotThere) {
    FileSpec file = sumFile({3, 4}, false);
    file.operators[2].inputs = {1};
    EXPECT_EQ(refusal(file),
              "operator 2 (READ_VARIABLE): tensor 1: must be the handle of a variable of the main "
              "subgraph");
    file = sumFile({3, 4}, false);
    file.operators[0].options = optionsOf(schema::CreateCallOnceOptions, 2);
    EXPECT_EQ(refusal(file).substr(0, 61),
              "2 operators cannot be imported: operator 0 (CALL_ONCE): subgr");
    file = sumFile({3, 4}, false);
    file.subgraphs[0].operators[1].opcodeIndex = kAdd;
    EXPECT_EQ(refusal(file).find("must be VAR_HANDLE or ASSIGN_VARIABLE") == std::string::npos,
              false);
}

TEST(TfliteResourceVariables, runsASubgraphOnceHoweverOftenItIsCalled) {
    FileSpec file = sumFile({3, 4}, false);
    file.operators.insert(file.operators.begin(), file.operators[0]);
    file.subgraphs[0].operators[1].opcodeIndex = kAdd;
    // The call that fails, and the variable without a value.
    EXPECT_NE(refusal(file).find("2 operators cannot be imported: operator 0 (CALL_ONCE)"),
              std::string::npos);
}

TEST(TfliteResourceVariables, refusesManyHandlesThatShareALongName) {
    FileSpec file = sumFile({3, 4}, false);
    const auto shared = std::make_shared<flatbuffers::Offset<void>>();
    OperatorSpec handle = varHandle("", 0);
    handle.options = [shared](flatbuffers::FlatBufferBuilder& builder) {
        if (shared->IsNull()) {
            const auto name = builder.CreateString(std::string(100'000, 'v'));
            *shared = schema::CreateVarHandleOptions(builder, 0, name).Union();
        }
        return *shared;
    };
    file.operators.insert(file.operators.end(), 100, handle);
    const std::string message = refusal(file);
    EXPECT_TRUE(message.starts_with("operators have 10000")) << message;
    EXPECT_TRUE(message.ends_with(", the bytes of the file")) << message;
}

TEST(TfliteResourceVariables, refusesOtherTypesThanThatOfTheFirstValue) {
    FileSpec file = sumFile({3, 4}, false);
    file.tensors[2].type = TensorType::INT32;
    EXPECT_EQ(refusal(file),
              "operator 2 (READ_VARIABLE): a variable of type TENSOR_FLOAT32 and TENSOR_INT32: "
              "must have one type");
}

}  // namespace
}  // namespace nnburst::resource_variables_test
