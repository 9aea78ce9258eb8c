// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// nnburst-conformance on small vector files: right expectations pass, wrong ones are reported.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <variant>

#include "nnburst/model_builder.h"
#include "nnburst_conformance/derive.h"
#include "nnburst_conformance/example_test.h"
#include "nnburst_conformance/invalid_models.h"
#include "nnburst_conformance/report.h"
#include "nnburst_conformance/runner.h"
#include "support/forwarding_device.h"
#include "support/unused_methods.h"
#include "vectors/vector_file.h"

namespace nnburst::conformance {
namespace {

using enum OperandType;

template <class T>
std::vector<std::byte> bytesOf(const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

/// output = input + 1, of three elements of `type`.
VectorExample addExample(OperandType type, float scale, std::int32_t zeroPoint,
                         const std::vector<std::byte>& one) {
    ModelBuilder builder;
    const auto x = builder.addTensor(type, {3}, scale, zeroPoint);
    const auto c = builder.addConstant(type, {1}, one, scale, zeroPoint);
    const auto y = builder.addTensor(type, {3}, scale, zeroPoint);
    builder.addOperation(OperationType::ADD, {x, c, builder.addScalar(0)}, {y});
    VectorExample example{.name = "add_one"};
    example.model = std::move(*builder.build({x}, {y}));
    return example;
}

VectorExample floatExample(std::vector<float> expected) {
    VectorExample example = addExample(TENSOR_FLOAT32, 0.0F, 0, bytesOf<float>({1.0F}));
    example.inputs = {bytesOf<float>({1.0F, 2.0F, 3.0F})};
    example.outputs = {{TENSOR_FLOAT32, {3}, bytesOf(expected)}};
    return example;
}

VectorExample quantizedExample() {
    VectorExample example =
        addExample(TENSOR_QUANT8_ASYMM, 0.5F, 128, bytesOf<std::uint8_t>({130}));
    example.inputs = {bytesOf<std::uint8_t>({128, 130, 250})};
    example.outputs = {{TENSOR_QUANT8_ASYMM, {3}, bytesOf<std::uint8_t>({130, 132, 252})}};
    return example;
}

class Conformance : public testing::Test {
  protected:
    void SetUp() override {
        directory_ = std::filesystem::temp_directory_path() /
                     ("nnburst-conformance-" + std::to_string(::getpid()));
        std::filesystem::create_directory(directory_);
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    void write(const VectorExample& example) {
        std::ofstream stream(directory_ / (example.name + ".jsonl"));
        writeVectorFile(stream, example);
    }
    void writeText(const std::string& text) { std::ofstream(directory_ / "text.jsonl") << text; }

    /// Runs the program on the directory; gives what it prints.
    std::string run(const std::string& arguments, int expectedStatus) {
        const std::string command = std::string(NNBURST_CONFORMANCE) + " " + directory_.string() +
                                    " --device local --jobs 1 " + arguments + " 2>&1";
        std::string output;
        FILE* const pipe = ::popen(command.c_str(), "r");
        for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
            output += static_cast<char>(c);
        }
        const int status = ::pclose(pipe);
        EXPECT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), expectedStatus) << output;
        return output;
    }

    std::filesystem::path directory_;
};

TEST_F(Conformance, passesWhatIsRight) {
    write(floatExample({2.0F, 3.0F, 4.0F}));
    EXPECT_EQ(run("--via sync,async,burst --derive all", 0), "9 passed, 0 failed, 0 skipped\n");
}

TEST_F(Conformance, takesComputeForSync) {
    write(floatExample({2.0F, 3.0F, 4.0F}));
    EXPECT_EQ(run("--via compute", 0), run("--via sync", 0));
}

TEST_F(Conformance, derivesSignedOperandsFromUnsignedOnes) {
    write(quantizedExample());
    EXPECT_EQ(run("--via burst --derive coupling", 0), "2 passed, 0 failed, 0 skipped\n");
    const auto derived = withSignedOperands(quantizedExample());
    ASSERT_TRUE(derived && *derived);
    EXPECT_EQ((*derived)->inputs[0], bytesOf<std::int8_t>({0, 2, 122}));
    EXPECT_EQ((*derived)->outputs[0].expected, bytesOf<std::int8_t>({2, 4, 124}));
    EXPECT_EQ((*derived)->model.main.operands[0].zeroPoint, 0);
}

/// The main subgraph of `model` after the change of this name.
Subgraph changed(const Model& model, const std::string& name) {
    for (const InvalidChange& change : invalidChanges(model)) {
        if (change.name == name) {
            Preparation preparation{.model = model, .options = {}};
            change.apply(preparation);
            return preparation.model.main;
        }
    }
    ADD_FAILURE() << "no change '" << name << "'";
    return {};
}

TEST_F(Conformance, breaksModelsWhichTheDeviceRefuses) {
    write(floatExample({2.0F, 3.0F, 4.0F}));
    EXPECT_EQ(run("--via sync --derive invalid", 0), "2 passed, 0 failed, 0 skipped\n");
    write(quantizedExample());
    EXPECT_EQ(run("--via sync,burst --derive all,invalid", 0), "9 passed, 0 failed, 0 skipped\n");
}

TEST_F(Conformance, breaksModelsAsVtsDoes) {
    const Model model = quantizedExample().model;
    for (const InvalidChange& change : invalidChanges(model)) {
        Preparation preparation{.model = model, .options = {}};
        change.apply(preparation);
        EXPECT_EQ(preparation.model.main != model.main, change.isOfModel) << change.name;
    }
    const Subgraph retyped =
        changed(model, "operand 0 (TENSOR_QUANT8_ASYMM): type TENSOR_QUANT8_ASYMM_SIGNED");
    ASSERT_EQ(retyped.operands.size(), 4U);
    EXPECT_EQ(retyped.operands[0].zeroPoint, 128) << "stays";
    const Subgraph smaller = changed(model, "operand 1 (TENSOR_QUANT8_ASYMM): removed");
    ASSERT_EQ(smaller.operands.size(), 3U);
    EXPECT_EQ(smaller.operations[0].inputs, (std::vector<std::uint32_t>{0, 3})) << "not 2";
}

TEST_F(Conformance, doesNotBreakModelsInWaysThatStayValid) {
    ModelBuilder builder;
    const auto x = builder.addTensor(TENSOR_FLOAT32, {1, 3});
    const auto y = builder.addTensor(TENSOR_FLOAT32, {1, 3});
    builder.addOperation(OperationType::SOFTMAX, {x, builder.addScalar(1.0F)}, {y});
    const auto changes = invalidChanges(*builder.build({x}, {y}));
    EXPECT_FALSE(changes.empty());
    EXPECT_TRUE(std::ranges::none_of(changes, [](const InvalidChange& change) {
        return change.name == "operation 0 (SOFTMAX): one input more";
    })) << "an axis";
}

TEST_F(Conformance, doesNotBreakModelsThroughNnapi) {
    const std::string directory = directory_.string();
    const char* const arguments[] = {
        "nnburst-conformance", directory.c_str(), "--device", "nnapi", "--derive", "invalid"};
    std::ostringstream out;
    std::ostringstream err;
    const auto parsed = parseOptions(static_cast<int>(std::size(arguments)), arguments, out, err);
    ASSERT_TRUE(std::holds_alternative<ExitStatus>(parsed));
    EXPECT_EQ(std::get<ExitStatus>(parsed), ExitStatus::USAGE);
    EXPECT_NE(err.str().find("--derive invalid: cannot be used with --device nnapi"),
              std::string::npos)
        << err.str();
}

TEST_F(Conformance, saysWhichElementIsWrong) {
    write(floatExample({2.0F, 3.5F, 4.0F}));
    EXPECT_EQ(run("--via sync", 1),
              "FAILED add_one (via sync, derive none): operand 2 (output 0) index 1: expected 3.5, "
              "actual 3\n0 passed, 1 failed, 0 skipped\n");
}

TEST_F(Conformance, appliesTheTolerance) {
    write(floatExample({2.0F, 3.00001F, 4.0F}));
    run("--via sync", 0);
    write(floatExample({2.0F, 3.00002F, 4.0F}));
    run("--via sync", 1);
}

/// output = log(input), of one element.
VectorExample logExample(float input, float expected) {
    ModelBuilder builder;
    const auto x = builder.addTensor(TENSOR_FLOAT32, {1});
    const auto y = builder.addTensor(TENSOR_FLOAT32, {1});
    builder.addOperation(OperationType::LOG, {x}, {y});
    VectorExample example{.name = "log"};
    example.model = std::move(*builder.build({x}, {y}));
    example.inputs = {bytesOf<float>({input})};
    example.outputs = {{TENSOR_FLOAT32, {1}, bytesOf<float>({expected})}};
    return example;
}

TEST_F(Conformance, takesNothingElseForInfiniteElementsAndNan) {
    const float inf = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto passes = [](float actual, float expected) {
        return compareOutput(logExample(0.0F, expected), 0, bytesOf<float>({actual})).empty();
    };
    for (const float expected : {inf, -inf, nan, 1.0F}) {
        for (const float actual : {inf, -inf, nan, 1.0F}) {
            const bool isSame = std::isnan(expected) ? std::isnan(actual) : actual == expected;
            EXPECT_EQ(passes(actual, expected), isSame) << actual << ", expected " << expected;
        }
    }
    write(logExample(0.0F, -inf));
    EXPECT_EQ(run("--via sync", 0), "1 passed, 0 failed, 0 skipped\n");
    write(logExample(0.0F, inf));
    run("--via sync", 1);
}

TEST_F(Conformance, expectsFailures) {
    VectorExample example = floatExample({2.0F, 3.0F, 4.0F});
    example.expectsFailure = true;
    write(example);
    EXPECT_EQ(run("--via sync", 1),
              "FAILED add_one (via sync, derive none): succeeded; expected to fail\n"
              "0 passed, 1 failed, 0 skipped\n");
    example.model.main.operations[0].type = OperationType::FLOOR;  // of three inputs
    write(example);
    EXPECT_EQ(run("--via sync", 0), "1 passed, 0 failed, 0 skipped\n");
}

/// The verdicts of all tests of an addition of 8-bit numbers.
Counts countsOn(Device& device) {
    Options options;
    options.vias = {Via::SYNC, Via::ASYNC, Via::BURST, Via::REUSABLE, Via::FENCED};
    options.derivations = {Derivation::SHAPES, Derivation::INSUFFICIENT, Derivation::COUPLING};
    Counts counts;
    testExample(device, quantizedExample(), options, [&](const TestResult& result) {
        EXPECT_NE(result.verdict, Verdict::FAILED)
            << toString(result.derivation) << ", " << toString(result.via) << ": "
            << result.message;
        counts.add(result.verdict);
    });
    return counts;
}

TEST(ConformanceOfAnOlderVersion, skipsWhatItsHalLacks) {
    struct Expected {
        HalVersion version;
        unsigned passed;
        unsigned skipped;
    };
    for (const Expected& its :
         {Expected{HalVersion::V1_0, 4, 11}, Expected{HalVersion::V1_1, 4, 11},
          Expected{HalVersion::V1_2, 12, 3}, Expected{HalVersion::V1_3, 19, 0}}) {
        SCOPED_TRACE(toString(its.version));
        const SharedDevice device = *makeLocalDevice({.version = its.version});
        const Counts counts = countsOn(*device);
        EXPECT_EQ(counts.passed, its.passed);
        EXPECT_EQ(counts.skipped, its.skipped);
    }
}

/// Answers each execution with GENERAL_FAILURE.
class FailingModel final : public test::UnusedPreparedModel {
  public:
    Result<> execute(const Request& /*request*/, const ExecutionOptions& /*options*/,
                     ExecutionCallback callback) override {
        callback(test::unusedMethod(), {});
        return test::unusedMethod();
    }
};

/// Answers models with open outputs with GENERAL_FAILURE.
class DeviceWithoutDynamicShapes final : public test::ForwardingDevice {
  public:
    /// Prepares such models, or refuses them; those that it prepares it does not execute.
    enum class Prepares : std::uint8_t { YES, NO };
    explicit DeviceWithoutDynamicShapes(Prepares prepares)
        : ForwardingDevice(*makeLocalDevice()), prepares_(prepares) {}

    Result<> prepareModel(const Model& model, const PrepareOptions& options,
                          PreparedModelCallback callback) override {
        const Operand& output = model.main.operands[model.main.outputIndexes[0]];
        if (output.dimensions != Dimensions{0}) {
            return ForwardingDevice::prepareModel(model, options, std::move(callback));
        }
        if (prepares_ == Prepares::YES) {
            callback(std::make_shared<FailingModel>());
            return {};
        }
        callback(test::unusedMethod());
        return test::unusedMethod();
    }

  private:
    const Prepares prepares_;
};

TEST(ConformanceWithoutDynamicShapes, skipsOpenOutputs) {
    using Prepares = DeviceWithoutDynamicShapes::Prepares;
    for (const Prepares prepares : {Prepares::YES, Prepares::NO}) {
        DeviceWithoutDynamicShapes device(prepares);
        const Counts counts = countsOn(device);
        EXPECT_EQ(counts.passed, 10U);
        EXPECT_EQ(counts.skipped, 9U);
    }
}

TEST_F(Conformance, selectsByName) {
    write(floatExample({2.0F, 3.0F, 4.0F}));
    EXPECT_EQ(run("--via sync --filter 'd._o'", 0), "1 passed, 0 failed, 0 skipped\n");
    EXPECT_NE(run("--via sync --filter mul", 2).find("no example in 1 .jsonl files that --filter"),
              std::string::npos);
}

TEST_F(Conformance, namesFileAndLineThatCannotBeRead) {
    writeText("{\"format\":\"nn-vectors/1\"}\n{\"name\":\"x\"}\n");
    EXPECT_NE(run("--via sync", 2).find("text.jsonl line 2"), std::string::npos);
    writeText("{\"format\":\"other\"}\n");
    EXPECT_NE(run("--via sync", 2).find("not of format nn-vectors/1"), std::string::npos);
}

TEST_F(Conformance, refusesALinkThatLeadsToItself) {
    const std::filesystem::path link = directory_ / "loop";
    std::filesystem::create_symlink(link, link);
    Options options;
    options.paths = {link};
    std::ostringstream out;
    const auto result = conformance::run(options, out);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_NE(result.error().message.find(link.string()), std::string::npos)
        << result.error().message;
}

TEST_F(Conformance, reportsCountsForEachOperation) {
    write(floatExample({2.0F, 3.0F, 4.0F}));
    const std::string report = (directory_ / "report").string();
    run("--via sync,burst --report " + report, 0);
    std::stringstream text;
    text << std::ifstream(report).rdbuf();
    EXPECT_NE(text.str().find("\"ADD\": {\n      \"failed\": 0,\n      \"passed\": 2"),
              std::string::npos)
        << text.str();
}

TEST_F(Conformance, opensItsReportBeforeItRuns) {
    write(floatExample({2.0F, 3.5F, 4.0F}));
    const std::string report = (directory_ / "no" / "report").string();
    const std::string output = run("--via sync --report " + report, 2);
    EXPECT_NE(output.find("cannot write " + report), std::string::npos) << output;
    EXPECT_EQ(output.find("FAILED"), std::string::npos) << output;
}

TEST_F(Conformance, readsWhatItWrites) {
    VectorExample example = quantizedExample();
    example.multinomialTolerance = 0.25;
    write(example);
    int count = 0;
    forEachExample(directory_ / "add_one.jsonl", std::nullopt, [&](const VectorExample& read) {
        ++count;
        EXPECT_EQ(read.name, example.name);
        EXPECT_EQ(read.inputs, example.inputs);
        EXPECT_EQ(read.outputs[0].expected, example.outputs[0].expected);
        EXPECT_EQ(read.multinomialTolerance, example.multinomialTolerance);
        EXPECT_EQ(read.model.main.operations, example.model.main.operations);
    });
    EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace nnburst::conformance
