// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Vendor extensions (HAL 1.2): registered, reported, and in models of hostile clients.

#include "nnburst/extension.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "device/devices.h"
#include "examples/extension/complex_extension.h"
#include "model/extension_registry.h"
#include "nnburst/model_builder.h"

namespace nnburst::test {
namespace {

constexpr std::uint16_t kPrefix = 77;

template <class Type>
Type extensionType(std::uint16_t type, std::uint16_t prefix = kPrefix) {
    return static_cast<Type>((std::uint32_t{prefix} << kExtensionTypeBits) | type);
}

/// RELU(magnitude(spectrum)), built by an application with the example's extension.
Model makeModel(std::uint32_t count = 2) {
    ModelBuilder builder;
    const auto in =
        builder.addTensor(extensionType<OperandType>(example::kTensorComplex64), {count});
    const auto middle = builder.addTensor(OperandType::TENSOR_FLOAT32, {count});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {count});
    builder.addOperation(extensionType<OperationType>(example::kMagnitude), {in}, {middle});
    builder.addOperation(OperationType::RELU, {middle}, {out});
    builder.addExtension(example::kExtensionName, kPrefix);
    return std::move(*builder.build({in}, {out}));
}

/// A device that has loaded the example's library.
class ExtensionTest : public testing::TestWithParam<std::tuple<Kind, Way>> {
  protected:
    void SetUp() override {
        DriverOptions options;
        options.extensionLibraries = {NNBURST_EXTENSION_PATH};
        auto made = std::get<Kind>(GetParam()) == Kind::LOCAL
                        ? makeLocalDevice(options)
                        : spawnDriver(options, NNBURST_DRIVER_PATH);
        ASSERT_TRUE(made) << made.error().message;
        device = *made;
    }

    Result<> execute(PreparedModel& prepared, const Request& request) {
        ExecutionOutcome outcome;
        if (std::get<Way>(GetParam()) == Way::SYNCHRONOUS) {
            return prepared.executeSynchronously(request, {}, outcome);
        }
        return (*prepared.configureExecutionBurst({}))->execute(request, {}, outcome);
    }

    void expectRefusal(const Model& model, const char* what,
                       ErrorStatus status = ErrorStatus::INVALID_ARGUMENT) {
        const auto prepared = prepareModel(*device, model);
        ASSERT_FALSE(prepared) << what;
        EXPECT_EQ(prepared.error().status, status) << what << ": " << prepared.error().message;
    }

    SharedDevice device;
};

struct Spectrum {
    explicit Spectrum(std::uint32_t count) : pool(*MemoryPool::create(4096)) {
        input = *pool.allocate(std::size_t{count} * 8);
        output = *pool.allocate(std::size_t{count} * 4);
        const auto argument = [&](const MemoryPool::Block& block) {
            return RequestArgument{
                .hasNoValue = false,
                .location = {.poolIndex = 0, .offset = block.offset(), .length = block.length()},
                .dimensions = {count}};
        };
        request = {
            .inputs = {argument(input)}, .outputs = {argument(output)}, .pools = {pool.region()}};
        for (std::uint32_t bin = 0; bin < count; ++bin) {
            const float values[] = {3.0F * static_cast<float>(bin), 4.0F * static_cast<float>(bin)};
            std::memcpy(input.data() + std::size_t{bin} * 8, values, 8);
        }
    }

    [[nodiscard]] float out(std::size_t bin) const {
        return reinterpret_cast<const float*>(output.data())[bin];
    }

    MemoryPool pool;
    MemoryPool::Block input;
    MemoryPool::Block output;
    Request request;
};

TEST_P(ExtensionTest, isReported) {
    const auto extensions = device->getSupportedExtensions();
    ASSERT_TRUE(extensions);
    // Other tests of this process register others.
    const auto found = std::find_if(extensions->begin(), extensions->end(), [](const auto& known) {
        return known.name == example::kExtensionName;
    });
    ASSERT_NE(found, extensions->end());
    ASSERT_EQ(found->operandTypes.size(), 1U);
    EXPECT_EQ(found->operandTypes[0].byteSize, 8U);
}

/// This one has operand types.
TEST_P(ExtensionTest, isWellFormedAsAllAre) {
    const auto extensions = device->getSupportedExtensions();
    ASSERT_TRUE(extensions) << extensions.error().message;
    expectWellFormed(*extensions);
}

TEST_P(ExtensionTest, runsAmongOtherOperations) {
    EXPECT_EQ(*device->getSupportedOperations(makeModel()), (std::vector<bool>{true, true}));
    const auto prepared = prepareModel(*device, makeModel());
    ASSERT_TRUE(prepared) << prepared.error().message;
    const Spectrum spectrum(2);
    const Result<> result = execute(**prepared, spectrum.request);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(spectrum.out(1), 5.0F);
}

TEST_P(ExtensionTest, runsWithDimensionsThatTheModelLeavesOpen) {
    const auto prepared = prepareModel(*device, makeModel(0));
    ASSERT_TRUE(prepared) << prepared.error().message;
    for (const std::uint32_t count : {3U, 30U, 3U}) {
        const Spectrum spectrum(count);
        const Result<> result = execute(**prepared, spectrum.request);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(spectrum.out(count - 1), 5.0F * static_cast<float>(count - 1));
    }
}

TEST_P(ExtensionTest, checksSizesOfItsOperands) {
    const auto prepared = prepareModel(*device, makeModel());
    ASSERT_TRUE(prepared);
    Spectrum spectrum(2);
    spectrum.request.inputs[0].location.length = 8;
    const Result<> result = execute(**prepared, spectrum.request);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
}

TEST_P(ExtensionTest, refusesModelsThatLie) {
    Model model = makeModel();
    model.main.operations[0].type = extensionType<OperationType>(99);
    expectRefusal(model, "unknown operation", ErrorStatus::GENERAL_FAILURE);
    EXPECT_EQ(*device->getSupportedOperations(model), (std::vector<bool>{false, true}));
    model = makeModel();
    model.extensionNameToPrefix[0].name = "org.nobody.knows";
    expectRefusal(model, "unknown extension", ErrorStatus::GENERAL_FAILURE);
    EXPECT_EQ(*device->getSupportedOperations(model), (std::vector<bool>{false, true}));
    model = makeModel();
    model.extensionNameToPrefix.clear();
    expectRefusal(model, "undeclared prefix");
    model = makeModel();
    model.extensionNameToPrefix.push_back({"org.nobody.knows", kPrefix});
    expectRefusal(model, "a prefix of two extensions");
    EXPECT_FALSE(device->getSupportedOperations(model));
    std::swap(model.extensionNameToPrefix[0], model.extensionNameToPrefix[1]);
    expectRefusal(model, "a prefix of two extensions, of which the second one is known");
    model = makeModel();
    model.main.operands[0].type = extensionType<OperandType>(2);
    expectRefusal(model, "unknown operand type");
    model = makeModel();
    model.main.operands[0].type = OperandType::TENSOR_FLOAT32;
    expectRefusal(model, "wrong operand type");
    model = makeModel();
    model.main.operations[1].inputs[0] = 0;
    expectRefusal(model, "an operation of the HAL on the extension's type");
    model = makeModel();
    model.main.operations[0].inputs.clear();
    expectRefusal(model, "no input");
    model = makeModel();
    for (ExtensionNameAndPrefix& extension : model.extensionNameToPrefix) {
        extension.prefix = 0x8000;
    }
    model.main.operations[0].type = extensionType<OperationType>(example::kMagnitude, 0x8000);
    model.main.operands[0].type = extensionType<OperandType>(example::kTensorComplex64, 0x8000);
    expectRefusal(model, "a prefix of resolved models");
    EXPECT_TRUE(prepareModel(*device, makeModel())) << "it goes on serving";
}

TEST_P(ExtensionTest, needsHal1_2) {
    DriverOptions options;
    options.extensionLibraries = {NNBURST_EXTENSION_PATH};
    options.version = HalVersion::V1_1;
    const SharedDevice older = *spawnDriver(options, NNBURST_DRIVER_PATH);
    EXPECT_TRUE(older->getSupportedExtensions()->empty());
    const auto prepared = prepareModel(*older, makeModel());
    ASSERT_FALSE(prepared);
    EXPECT_EQ(prepared.error().status, ErrorStatus::INVALID_ARGUMENT);
}

INSTANTIATE_TEST_SUITE_P(Device, ExtensionTest,
                         testing::Combine(testing::Values(Kind::LOCAL, Kind::SPAWN),
                                          testing::Values(Way::BURST, Way::SYNCHRONOUS)),
                         [](const auto& instance) {
                             return std::string(name(std::get<0>(instance.param))) + "_" +
                                    name(std::get<1>(instance.param));
                         });

TEST(ExtensionLibrary, isRefusedWithItsNameAndTheReason) {
    DriverOptions options;
    options.extensionLibraries = {"/nowhere/extension.so"};
    const auto missing = makeLocalDevice(options);
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().message.find("/nowhere/extension.so"), std::string::npos);
    const Ended ended = runDriver({"--socket", "/tmp/unused.sock", "--extension", "/nowhere/x.so"});
    EXPECT_EQ(ended.status, 1);
    EXPECT_NE(ended.text.find("/nowhere/x.so"), std::string::npos) << ended.text;
}

/// ROUND of the extension for TFLite's operators.
Model makeRounding() {
    constexpr std::uint16_t kRound = 2;
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    builder.addOperation(extensionType<OperationType>(kRound), {in}, {out});
    builder.addExtension("org.nnburst.tflite", kPrefix);
    return std::move(*builder.build({in}, {out}));
}

TEST(TfliteOperations, areThereUnlessTheyAreSwitchedOff) {
    const SharedDevice devices[] = {*makeLocalDevice({}), *spawnDriver({}, NNBURST_DRIVER_PATH)};
    for (const SharedDevice& device : devices) {
        EXPECT_EQ(*device->getSupportedOperations(makeRounding()), std::vector<bool>{true});
        const auto prepared = prepareModel(*device, makeRounding());
        ASSERT_TRUE(prepared) << prepared.error().message;
        Spectrum spectrum(4);  // of memory for 8 and for 4 floats
        spectrum.request.inputs[0].location.length = 16;
        const float values[] = {0.5F, 1.5F, -2.25F, 7.0F};
        std::memcpy(spectrum.input.data(), values, sizeof values);
        ExecutionOutcome outcome;
        const Result<> ran = (*prepared)->executeSynchronously(spectrum.request, {}, outcome);
        ASSERT_TRUE(ran) << ran.error().message;
        EXPECT_EQ(spectrum.out(0), 0.0F);
        EXPECT_EQ(spectrum.out(1), 2.0F);
        EXPECT_EQ(spectrum.out(2), -2.0F);
        EXPECT_EQ(spectrum.out(3), 7.0F);
    }
    DriverOptions without;
    without.useTfliteOperations = false;
    const SharedDevice device = *spawnDriver(without, NNBURST_DRIVER_PATH);
    EXPECT_TRUE(device->getSupportedExtensions()->empty());
    const auto prepared = prepareModel(*device, makeRounding());
    ASSERT_FALSE(prepared);
    EXPECT_EQ(prepared.error().message.find("org.nnburst.tflite") != std::string::npos, true)
        << prepared.error().message;
}

// A cached model once ran operations of the extension that had taken the place of its own.
TEST(CachedExtension, isRefusedWhereItIsNotRegistered) {
    (void)registerExtension({.name = "test.first"});  // unless another test has: at the first place
    constexpr std::uint16_t kFirst = kFirstResolvedPrefix;
    Model model = makeModel();
    model.main.operations[0].type = extensionType<OperationType>(example::kMagnitude, kFirst);
    model.main.operands[0].type = extensionType<OperandType>(example::kTensorComplex64, kFirst);
    model.extensionNameToPrefix = {{.name = registeredExtensions().at(0).name, .prefix = kFirst}};
    EXPECT_TRUE(resolveExtensions(model, PrefixSource::CACHE));
    model.extensionNameToPrefix = {{.name = "not.registered", .prefix = kFirst}};
    const Result<> refused = resolveExtensions(model, PrefixSource::CACHE);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::GENERAL_FAILURE);
    EXPECT_NE(refused.error().message.find("\"not.registered\""), std::string::npos)
        << refused.error().message;
}

TEST(RegisteredExtension, hasAGoodNameAndNumbersThatAreItsOwn) {
    const auto refuses = [](VendorExtension extension, const char* what) {
        const Result<> registered = registerExtension(std::move(extension));
        ASSERT_FALSE(registered) << what;
        EXPECT_EQ(registered.error().status, ErrorStatus::INVALID_ARGUMENT) << what;
    };
    refuses({.name = "NoPeriodAndCapitals"}, "name");
    refuses({.name = ""}, "no name");
    refuses({.name = "a.b", .operandTypes = {{.type = 1, .byteSize = 0}}}, "no size");
    refuses(
        {.name = "a.b", .operandTypes = {{.type = 1, .byteSize = 4}, {.type = 1, .byteSize = 4}}},
        "type twice");
    refuses({.name = "a.b", .operations = {nullptr}}, "null operation");
    EXPECT_TRUE(registerExtension({.name = "test.registered"}));
    refuses({.name = "test.registered"}, "registered twice");
}

TEST(RegisteredExtension, hasAPrefixOfItsOwnInModels) {
    ASSERT_TRUE(registerExtension({.name = "test.resolved"}));
    const auto refusal = [](const std::vector<ExtensionNameAndPrefix>& extensions) {
        Model model;
        model.extensionNameToPrefix = extensions;
        const Result<> resolved = resolveExtensions(model, PrefixSource::CLIENT);
        return resolved ? std::string() : resolved.error().message;
    };
    EXPECT_EQ(refusal({{"test.resolved", 1}, {"org.nobody.knows", 2}}), "");
    EXPECT_EQ(refusal({{"test.resolved", 1}, {"org.nobody.knows", 1}}),
              "extension 1: prefix 1: must not be 0 or that of another extension");
    EXPECT_EQ(refusal({{"org.nobody.knows", 2}, {"test.resolved", 2}}),
              "extension 1: prefix 2: must not be 0 or that of another extension");
    EXPECT_EQ(refusal({{"test.resolved", 0}}),
              "extension 0: prefix 0: must not be 0 or that of another extension");
}

}  // namespace
}  // namespace nnburst::test
