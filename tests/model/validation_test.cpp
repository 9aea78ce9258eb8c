// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/validation.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <ostream>
#include <string>

#include "support/consumers.h"

namespace nnburst {
namespace {

constexpr std::uint16_t kPrefix = 7;
constexpr auto kExtensionTensor = static_cast<OperandType>((kPrefix << kExtensionTypeBits) | 1);
constexpr auto kExtensionOperation =
    static_cast<OperationType>((kPrefix << kExtensionTypeBits) | 2);

// Operands of the main subgraph.
enum : std::uint32_t { INPUT, WEIGHTS, BIAS, ACTIVATION, HIDDEN, THEN, OPTION, OMITTED, OUTPUT };

Operand operandOf(OperandType type, Dimensions dimensions, OperandLifeTime lifetime,
                  DataLocation location = {}, float scale = 0.0F) {
    Operand operand;
    operand.type = type;
    operand.dimensions = std::move(dimensions);
    operand.lifetime = lifetime;
    operand.location = location;
    operand.scale = scale;
    return operand;
}

/// input -> operation -> output, the subgraph `target` being a second input of the operation.
Subgraph subgraphReferring(std::uint32_t target) {
    Subgraph subgraph;
    subgraph.operands = {
        operandOf(OperandType::TENSOR_FLOAT32, {2}, OperandLifeTime::SUBGRAPH_INPUT),
        operandOf(OperandType::SUBGRAPH, {}, OperandLifeTime::SUBGRAPH, {0, target, 0}),
        operandOf(OperandType::TENSOR_FLOAT32, {2}, OperandLifeTime::SUBGRAPH_OUTPUT),
    };
    subgraph.operations = {{OperationType::WHILE, {0, 1}, {2}}};
    subgraph.inputIndexes = {0};
    subgraph.outputIndexes = {2};
    return subgraph;
}

/// A valid model with all kinds of operands, lifetimes and subgraphs.
Model exampleModel() {
    Model model;
    model.main.operands = {
        operandOf(OperandType::TENSOR_QUANT8_ASYMM, {0, 4}, OperandLifeTime::SUBGRAPH_INPUT, {},
                  0.5F),
        operandOf(OperandType::TENSOR_QUANT8_ASYMM, {3, 4}, OperandLifeTime::CONSTANT_REFERENCE,
                  {0, 64, 12}, 0.25F),
        operandOf(OperandType::TENSOR_INT32, {3}, OperandLifeTime::CONSTANT_COPY, {0, 0, 12},
                  0.125F),
        operandOf(OperandType::INT32, {}, OperandLifeTime::CONSTANT_COPY, {0, 12, 4}),
        operandOf(OperandType::TENSOR_QUANT8_ASYMM, {}, OperandLifeTime::TEMPORARY_VARIABLE, {},
                  1.0F),
        operandOf(OperandType::SUBGRAPH, {}, OperandLifeTime::SUBGRAPH, {0, 0, 0}),
        operandOf(kExtensionTensor, {5}, OperandLifeTime::CONSTANT_COPY, {0, 13, 2}),
        operandOf(OperandType::TENSOR_QUANT8_ASYMM, {}, OperandLifeTime::NO_VALUE, {}, 1.0F),
        operandOf(OperandType::TENSOR_QUANT8_ASYMM, {0, 3}, OperandLifeTime::SUBGRAPH_OUTPUT, {},
                  1.0F),
    };
    model.main.operations = {
        {OperationType::FULLY_CONNECTED, {INPUT, WEIGHTS, BIAS, ACTIVATION}, {HIDDEN}},
        {kExtensionOperation, {HIDDEN, HIDDEN, OPTION, OMITTED}, {OUTPUT}},
        {OperationType::WHILE, {THEN}, {}},
    };
    model.main.inputIndexes = {INPUT};
    model.main.outputIndexes = {OUTPUT};
    // A chain: main refers to 0, 0 to 1, 1 to 2, and 2 to none.
    model.referenced = {subgraphReferring(1), subgraphReferring(2), subgraphReferring(2)};
    model.referenced[2].operands[1] =
        operandOf(OperandType::INT32, {}, OperandLifeTime::CONSTANT_COPY, {0, 12, 4});
    model.operandValues.resize(16);
    model.pools = {*Region::create(76)};
    model.extensionNameToPrefix = {{"org.example.test", kPrefix}};
    test::recountConsumers(model);
    return model;
}

std::string refusal(const Model& model) {
    const Result<> result = validateModel(model);
    if (result) {
        return "accepted";
    }
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
    return result.error().message;
}

TEST(Validation, acceptsAModelThatHasSomethingOfEverything) {
    EXPECT_EQ(refusal(exampleModel()), "accepted");
}

/// A change that makes the example invalid, and the error that it must give.
struct Mutation {
    const char* name;
    std::function<void(Model&)> apply;
    const char* message;
};

void PrintTo(const Mutation& mutation, std::ostream* out) {
    *out << mutation.name;
}

class ModelMutation : public testing::TestWithParam<Mutation> {};

TEST_P(ModelMutation, isRefusedNamingPlaceValueAndRule) {
    Model model = exampleModel();
    GetParam().apply(model);
    EXPECT_EQ(refusal(model), GetParam().message);
}

auto inOperand(std::uint32_t index, void (*apply)(Operand&)) {
    return [=](Model& model) { apply(model.main.operands[index]); };
}

auto inMain(void (*apply)(Subgraph&)) {
    return [=](Model& model) { apply(model.main); };
}

const Mutation kOperandMutations[] = {
    {"unknownOperandType",
     inOperand(INPUT, [](Operand& operand) { operand.type = static_cast<OperandType>(16); }),
     "main subgraph: operand 0 (unknown operand type): type 16: must be one of HAL 1.3 or of an "
     "extension"},
    {"undeclaredExtensionOfOperand",
     inOperand(OPTION, [](Operand& operand) { operand.type = static_cast<OperandType>(0x80001); }),
     "main subgraph: operand 6 (extension type 0x80001): prefix 8: must be one that the model "
     "declares"},
    {"scaleNotPositive", inOperand(INPUT, [](Operand& operand) { operand.scale = 0.0F; }),
     "main subgraph: operand 0 (TENSOR_QUANT8_ASYMM): scale 0: must be finite and more than 0"},
    {"scaleNotANumber",
     inOperand(INPUT,
               [](Operand& operand) { operand.scale = std::numeric_limits<float>::quiet_NaN(); }),
     "main subgraph: operand 0 (TENSOR_QUANT8_ASYMM): scale nan: must be finite and more than 0"},
    {"zeroPointOutOfRange", inOperand(HIDDEN, [](Operand& operand) { operand.zeroPoint = 256; }),
     "main subgraph: operand 4 (TENSOR_QUANT8_ASYMM): zero point 256: must be 0 to 255"},
    {"elementCountWrapsAround",
     inOperand(HIDDEN,
               [](Operand& operand) {
                   operand.dimensions = {65536, 65536, 65536, 65536};
               }),
     "main subgraph: operand 4 (TENSOR_QUANT8_ASYMM): dimensions 65536x65536x65536x65536 with "
     "elements of 1 bytes: must take at most 4294967295 bytes"},
    {"scalarWithDimensions", inOperand(ACTIVATION, [](Operand& o) { o.dimensions = {1}; }),
     "main subgraph: operand 3 (INT32): dimensions 1: must have none, as it is no tensor"},
    {"unknownLifetime",
     inOperand(INPUT, [](Operand& o) { o.lifetime = static_cast<OperandLifeTime>(7); }),
     "main subgraph: operand 0 (TENSOR_QUANT8_ASYMM): lifetime 7: must be one of HAL 1.3"},
    {"inputWithLocation", inOperand(INPUT, [](Operand& o) { o.location.length = 4; }),
     "main subgraph: operand 0 (TENSOR_QUANT8_ASYMM): pool 0, offset 0, length 4: must be 0 for "
     "lifetime SUBGRAPH_INPUT"},
    {"temporaryWithLocation", inOperand(HIDDEN, [](Operand& o) { o.location.offset = 4; }),
     "main subgraph: operand 4 (TENSOR_QUANT8_ASYMM): pool 0, offset 4, length 0: must be 0 for "
     "lifetime TEMPORARY_VARIABLE"},
    {"omittedWithLocation", inOperand(OMITTED, [](Operand& o) { o.location.poolIndex = 1; }),
     "main subgraph: operand 7 (TENSOR_QUANT8_ASYMM): pool 1, offset 0, length 0: must be 0 for "
     "lifetime NO_VALUE"},
    {"copiedConstantInPool", inOperand(BIAS, [](Operand& o) { o.location.poolIndex = 1; }),
     "main subgraph: operand 2 (TENSOR_INT32): pool 1: must be 0 for lifetime CONSTANT_COPY"},
    {"copiedConstantBeyondValues", inOperand(BIAS, [](Operand& o) { o.location.offset = 8; }),
     "main subgraph: operand 2 (TENSOR_INT32): offset 8 + length 12 exceeds the model's operand "
     "values (16 bytes)"},
    {"constantOffsetWrapsAround",
     inOperand(BIAS, [](Operand& o) { o.location.offset = UINT32_MAX - 3; }),
     "main subgraph: operand 2 (TENSOR_INT32): offset 4294967292 + length 12 exceeds the model's "
     "operand values (16 bytes)"},
    {"referenceBeyondPools", inOperand(WEIGHTS, [](Operand& o) { o.location.poolIndex = 1; }),
     "main subgraph: operand 1 (TENSOR_QUANT8_ASYMM): pool 1: must be one of the model's 1 pools"},
    {"referenceBeyondPool", inOperand(WEIGHTS, [](Operand& o) { o.location.offset = 65; }),
     "main subgraph: operand 1 (TENSOR_QUANT8_ASYMM): offset 65 + length 12 exceeds pool 0 (76 "
     "bytes)"},
    {"extensionConstantBeyondValues", inOperand(OPTION, [](Operand& o) { o.location.offset = 15; }),
     "main subgraph: operand 6 (extension type 0x70001): offset 15 + length 2 exceeds the model's "
     "operand values (16 bytes)"},
    {"constantTooShort", inOperand(WEIGHTS, [](Operand& o) { o.location.length = 11; }),
     "main subgraph: operand 1 (TENSOR_QUANT8_ASYMM): length 11: must be 12 bytes, the size of "
     "dimensions 3x4"},
    {"scalarConstantTooShort", inOperand(ACTIVATION, [](Operand& o) { o.location.length = 1; }),
     "main subgraph: operand 3 (INT32): length 1: must be 4 bytes, the size of dimensions none"},
    {"constantWithUnknownDimension", inOperand(WEIGHTS, [](Operand& o) { o.dimensions[0] = 0; }),
     "main subgraph: operand 1 (TENSOR_QUANT8_ASYMM): dimensions 0x4: must all be known for a "
     "constant"},
    {"constantOfUnknownRank", inOperand(WEIGHTS, [](Operand& o) { o.dimensions = {}; }),
     "main subgraph: operand 1 (TENSOR_QUANT8_ASYMM): dimensions none: must all be known for a "
     "constant"},
    {"tooManyDimensions",
     inOperand(HIDDEN, [](Operand& o) { o.dimensions.assign(kMaximumDeclaredDimensions + 1, 1); }),
     "main subgraph: operand 4 (TENSOR_QUANT8_ASYMM): 1025 dimensions: must be at most 1024"},
    {"tooFewConsumers", inOperand(HIDDEN, [](Operand& o) { o.numberOfConsumers = 1; }),
     "main subgraph: operand 4: numberOfConsumers 1: must be 2, the times that it is an input of "
     "an operation"},
    {"consumersOfWhatNothingReads", inOperand(OUTPUT, [](Operand& o) { o.numberOfConsumers = 1; }),
     "main subgraph: operand 8: numberOfConsumers 1: must be 0, the times that it is an input of "
     "an operation"},
    {"subgraphBeyondLast", inOperand(THEN, [](Operand& o) { o.location.offset = 3; }),
     "main subgraph: operand 5 (SUBGRAPH): subgraph 3: must be one of the 3 referenced subgraphs"},
    {"subgraphWithLength", inOperand(THEN, [](Operand& o) { o.location.length = 4; }),
     "main subgraph: operand 5 (SUBGRAPH): pool 0, length 4: must be 0 for lifetime SUBGRAPH"},
    {"subgraphAsConstant",
     inOperand(THEN, [](Operand& o) { o.lifetime = OperandLifeTime::CONSTANT_COPY; }),
     "main subgraph: operand 5 (SUBGRAPH): lifetime CONSTANT_COPY: must be SUBGRAPH for type "
     "SUBGRAPH and only for it"},
    {"scalarAsSubgraph",
     inOperand(ACTIVATION, [](Operand& o) { o.lifetime = OperandLifeTime::SUBGRAPH; }),
     "main subgraph: operand 3 (INT32): lifetime SUBGRAPH: must be SUBGRAPH for type SUBGRAPH and "
     "only for it"},
};

const Mutation kGraphMutations[] = {
    {"noOperations", inMain([](Subgraph& main) { main.operations.clear(); }),
     "main subgraph: 0 operations: must be 1 to 262144"},
    {"tooManyOperations",
     inMain([](Subgraph& main) { main.operations.resize(kMaximumOperations + 1); }),
     "main subgraph: 262145 operations: must be 1 to 262144"},
    {"tooManyOperands", inMain([](Subgraph& main) { main.operands.resize(kMaximumOperands + 1); }),
     "main subgraph: 1048577 operands: must be at most 1048576"},
    {"noInputs", inMain([](Subgraph& main) { main.inputIndexes.clear(); }),
     "main subgraph: no inputs: must have at least one"},
    {"noOutputs", inMain([](Subgraph& main) { main.outputIndexes.clear(); }),
     "main subgraph: no outputs: must have at least one"},
    {"inputBeyondOperands", inMain([](Subgraph& main) { main.inputIndexes[0] = 9; }),
     "main subgraph: input 0: operand 9: must be one of 9 operands"},
    {"inputOfOtherLifetime", inMain([](Subgraph& main) { main.inputIndexes.push_back(BIAS); }),
     "main subgraph: input 1: operand 2: lifetime CONSTANT_COPY: must be SUBGRAPH_INPUT"},
    {"inputListedTwice", inMain([](Subgraph& main) { main.inputIndexes.push_back(INPUT); }),
     "main subgraph: input 1: operand 0: must be listed only once"},
    {"outputListedTwice", inMain([](Subgraph& main) { main.outputIndexes.push_back(OUTPUT); }),
     "main subgraph: output 1: operand 8: must be listed only once"},
    {"inputNotListed", inMain([](Subgraph& main) {
         main.operands.push_back(
             operandOf(OperandType::INT32, {}, OperandLifeTime::SUBGRAPH_INPUT));
     }),
     "main subgraph: operand 9: lifetime SUBGRAPH_INPUT: must be listed among the inputs"},
    {"outputNotListed", inMain([](Subgraph& main) {
         main.operands[HIDDEN].lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
     }),
     "main subgraph: operand 4: lifetime SUBGRAPH_OUTPUT: must be listed among the outputs"},
    {"unknownOperation", inMain([](Subgraph& main) {
         main.operations[0].type = static_cast<OperationType>(kOperationTypeEnd);
     }),
     "main subgraph: operation 0 (unknown operation type): type 102: must be one of HAL 1.3 or of "
     "an extension"},
    {"undeclaredExtensionOfOperation", inMain([](Subgraph& main) {
         main.operations[1].type = static_cast<OperationType>(0x00080000);
     }),
     "main subgraph: operation 1 (extension type 0x80000): prefix 8: must be one that the model "
     "declares"},
    {"operationInputBeyondOperands",
     inMain([](Subgraph& main) { main.operations[0].inputs[1] = 9; }),
     "main subgraph: operation 0 (FULLY_CONNECTED): input 1: operand 9: must be one of 9 operands"},
    {"operationOutputBeyondOperands",
     inMain([](Subgraph& main) { main.operations[0].outputs[0] = UINT32_MAX; }),
     "main subgraph: operation 0 (FULLY_CONNECTED): output 0: operand 4294967295: must be one of 9 "
     "operands"},
    {"operationsInWrongOrder",
     inMain([](Subgraph& main) { std::swap(main.operations[0], main.operations[1]); }),
     "main subgraph: operation 0 (extension type 0x70002): input 0: operand 4: must be written by "
     "an earlier operation"},
    {"operationReadsItsOwnOutput",
     inMain([](Subgraph& main) { main.operations[0].inputs[0] = HIDDEN; }),
     "main subgraph: operation 0 (FULLY_CONNECTED): input 0: operand 4: must be written by an "
     "earlier operation"},
    {"operationWritesInput", inMain([](Subgraph& main) { main.operations[0].outputs[0] = INPUT; }),
     "main subgraph: operation 0 (FULLY_CONNECTED): output 0: operand 0: lifetime SUBGRAPH_INPUT: "
     "must be TEMPORARY_VARIABLE or SUBGRAPH_OUTPUT"},
    {"operationWritesConstant",
     inMain([](Subgraph& main) { main.operations[0].outputs[0] = WEIGHTS; }),
     "main subgraph: operation 0 (FULLY_CONNECTED): output 0: operand 1: lifetime "
     "CONSTANT_REFERENCE: must be TEMPORARY_VARIABLE or SUBGRAPH_OUTPUT"},
    {"operationWritesOmitted",
     inMain([](Subgraph& main) { main.operations[1].outputs[0] = OMITTED; }),
     "main subgraph: operation 1 (extension type 0x70002): output 0: operand 7: lifetime NO_VALUE: "
     "must be TEMPORARY_VARIABLE or SUBGRAPH_OUTPUT"},
    {"operandWrittenTwice", inMain([](Subgraph& main) {
         main.operations[1].outputs = {OUTPUT, HIDDEN};
     }),
     "main subgraph: operation 1 (extension type 0x70002): output 1: operand 4: must be written "
     "only once"},
    {"outputNeverWritten", inMain([](Subgraph& main) { main.operations[1].outputs.clear(); }),
     "main subgraph: operand 8: must be written by an operation"},
    {"temporaryNeverWritten", inMain([](Subgraph& main) {
         main.operands.push_back(
             operandOf(OperandType::INT32, {}, OperandLifeTime::TEMPORARY_VARIABLE));
     }),
     "main subgraph: operand 9: must be written by an operation"},
};

const Mutation kModelMutations[] = {
    {"tooManySubgraphs", [](Model& model) { model.referenced.resize(kMaximumSubgraphs + 1); },
     "model with 4097 referenced subgraphs: must be at most 4096"},
    {"tooManyPools", [](Model& model) { model.pools.resize(kMaximumPools + 1); },
     "model with 4097 pools: must be at most 4096"},
    {"poolWithoutMemory", [](Model& model) { model.pools.emplace_back(); },
     "model pool 1: no memory; must be a region"},
    {"errorInReferencedSubgraph",
     [](Model& model) { model.referenced[1].operations[0].inputs[0] = 3; },
     "referenced subgraph 1: operation 0 (WHILE): input 0: operand 3: must be one of 3 operands"},
    {"consumersInReferencedSubgraph",
     [](Model& model) { ++model.referenced[2].operands[0].numberOfConsumers; },
     "referenced subgraph 2: operand 0: numberOfConsumers 2: must be 1, the times that it is an "
     "input of an operation"},
    {"noInputsOfReferencedSubgraph", [](Model& model) { model.referenced[2].inputIndexes.clear(); },
     "referenced subgraph 2: no inputs: must have at least one"},
    {"noOutputsOfReferencedSubgraph",
     [](Model& model) { model.referenced[0].outputIndexes.clear(); },
     "referenced subgraph 0: no outputs: must have at least one"},
    {"subgraphToWhichNoneRefers",
     [](Model& model) { model.referenced.push_back(model.referenced[2]); },
     "referenced subgraph 3: no other subgraph refers to it; one must"},
    {"subgraphThatNoIfOrWhileRuns",
     [](Model& model) { model.main.operations[2].type = OperationType::OEM_OPERATION; },
     "main subgraph: operand 5 (SUBGRAPH): must be an input of an IF or WHILE"},
    {"subgraphRefersToItself",
     [](Model& model) { model.referenced[0].operands[1].location.offset = 0; },
     "referenced subgraph 0: must not refer to itself, or be referred to by one that does"},
    {"subgraphsReferInACircle",
     [](Model& model) {
         model.referenced[2] = subgraphReferring(1);
         test::recountConsumers(model);
     },
     "referenced subgraph 1: must not refer to itself, or be referred to by one that does"},
    {"extensionPrefixZero", [](Model& model) { model.extensionNameToPrefix[0].prefix = 0; },
     "extension 0: prefix 0: must not be 0 or that of another extension"},
    {"extensionPrefixTwice",
     [](Model& model) {
         model.extensionNameToPrefix.push_back({"org.example.other", kPrefix});
     },
     "extension 1: prefix 7: must not be 0 or that of another extension"},
    {"extensionNameTwice",
     [](Model& model) {
         model.extensionNameToPrefix.push_back({"org.example.test", kPrefix + 1});
     },
     "extension names: two are equal; must be different"},
    {"extensionNameWithCapital",
     [](Model& model) { model.extensionNameToPrefix[0].name = "org.Example"; },
     "extension 0: its name must have lower-case letters, digits, underscores and at least one "
     "period, nothing else"},
    {"extensionNameWithoutPeriod",
     [](Model& model) { model.extensionNameToPrefix[0].name = "example"; },
     "extension 0: its name must have lower-case letters, digits, underscores and at least one "
     "period, nothing else"},
};

const auto kMutationName = [](const auto& mutation) { return std::string(mutation.param.name); };

INSTANTIATE_TEST_SUITE_P(Operand, ModelMutation, testing::ValuesIn(kOperandMutations),
                         kMutationName);
INSTANTIATE_TEST_SUITE_P(Graph, ModelMutation, testing::ValuesIn(kGraphMutations), kMutationName);
INSTANTIATE_TEST_SUITE_P(Model, ModelMutation, testing::ValuesIn(kModelMutations), kMutationName);

TEST(Validation, acceptsOneSubgraphReferredToFromManyPlaces) {
    Model model = exampleModel();
    model.referenced[0].operands.push_back(model.referenced[0].operands[1]);
    model.referenced[0].operations[0].inputs.push_back(3);
    test::recountConsumers(model);
    EXPECT_EQ(refusal(model), "accepted");
}

TEST(Validation, acceptsAnOemOperation) {
    Model model = exampleModel();
    model.main.operations[1].type = OperationType::OEM_OPERATION;
    EXPECT_EQ(refusal(model), "accepted");
}

TEST(Validation, acceptsConstantsAtAnyOffset) {
    Model model = exampleModel();
    for (const std::uint32_t offset : {1U, 2U, 3U}) {
        model.main.operands[BIAS].location.offset = offset;
        EXPECT_EQ(refusal(model), "accepted") << offset;
    }
}

TEST(Validation, acceptsMoreDimensionsThanOperationsTake) {
    Model model = exampleModel();
    model.main.operands[HIDDEN].dimensions.assign(kMaximumDimensions + 1, 1);
    EXPECT_EQ(refusal(model), "accepted");
}

TEST(CountConsumers, countsEachOccurrenceAmongInputs) {
    const Model model = exampleModel();
    EXPECT_EQ(countConsumers(model.main), (std::vector<std::uint32_t>{1, 1, 1, 1, 2, 1, 1, 1, 0}));
}

}  // namespace
}  // namespace nnburst
