// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What a session says of a model, and how its inputs and outputs are found.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <fstream>

#include "device/driver_process.h"
#include "device/hal_models.h"
#include "nnburst/session.h"
#include "tflite/tflite_file.h"

namespace nnburst {
namespace {

using test::TemporaryDirectory;

SharedDevice localDevice() {
    auto device = makeLocalDevice();
    EXPECT_TRUE(device) << device.error().message;
    return *device;
}

/// A file with the contents of `spec`.
class TfliteFile {
  public:
    explicit TfliteFile(const tflite::FileSpec& spec) {
        const std::vector<std::byte> bytes = tflite::serialize(spec);
        std::ofstream(path(), std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
    }
    [[nodiscard]] std::string path() const { return directory_.path() / "model.tflite"; }

  private:
    TemporaryDirectory directory_;
};

/// A session on makeAddModel.
Session makeAddSession() {
    auto session = Session::create(*localDevice(), test::makeAddModel());
    EXPECT_TRUE(session) << session.error().message;
    return std::move(*session);
}

TEST(SessionOperands, ofAFileHaveItsNamesTypesShapesAndQuantisation) {
    tflite::FileSpec spec = tflite::addFile();
    for (tflite::TensorSpec& tensor : spec.tensors) {
        tensor.type = tflite::schema::TensorType::INT8;
        tensor.scales = {0.5F};
        tensor.zeroPoints = {3};
    }
    spec.tensors[0].name = "left";
    spec.tensors[1].name = "right";
    spec.tensors[2].name = "sum";
    const TfliteFile file(spec);

    auto opened = Session::open(*localDevice(), file.path());
    ASSERT_TRUE(opened) << opened.error().message;
    Session session = std::move(*opened);
    ASSERT_EQ(session.inputs().size(), 2U);
    EXPECT_EQ(session.inputs()[1], (NamedOperand{.name = "right",
                                                 .type = OperandType::TENSOR_QUANT8_ASYMM_SIGNED,
                                                 .dimensions = {2, 3},
                                                 .scale = 0.5F,
                                                 .zeroPoint = 3}));
    ASSERT_EQ(session.outputs().size(), 1U);
    EXPECT_EQ(session.outputs()[0].name, "sum");

    const std::span<std::int8_t> left = *session.input<std::int8_t>("left");
    const std::span<std::int8_t> right = *session.input<std::int8_t>("right");
    ASSERT_EQ(left.size(), 6U);
    std::fill(left.begin(), left.end(), std::int8_t{13});    // 5.0
    std::fill(right.begin(), right.end(), std::int8_t{23});  // 10.0
    ASSERT_TRUE(session.run());
    EXPECT_EQ((*session.output<std::int8_t>("sum"))[5], 33);  // 15.0
}

TEST(SessionOperands, ofAModelHaveNumberedNames) {
    const Session session = makeAddSession();
    EXPECT_EQ(session.inputs()[0].name, "input0");
    EXPECT_EQ(session.inputs()[1].name, "input1");
    EXPECT_EQ(session.outputs()[0].name, "output0");
    EXPECT_EQ(session.outputs()[0].dimensions, Dimensions{4});
}

TEST(SessionOperands, areTheSameByNameAndByIndex) {
    Session session = makeAddSession();
    EXPECT_EQ(session.input<float>("input1")->data(), session.input<float>(1)->data());
    EXPECT_NE(session.input<float>("input0")->data(), session.input<float>(1)->data());
    EXPECT_EQ(session.output<float>("output0")->data(), session.output<float>()->data());
    EXPECT_EQ(session.input<std::byte>(1)->size(), 16U);
}

TEST(SessionOperands, ofAnotherNameAreRefusedWithThoseThatThereAre) {
    Session session = makeAddSession();
    const auto input = session.input<float>("image");
    ASSERT_FALSE(input);
    EXPECT_EQ(input.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_EQ(
        input.error().message,
        "session input \"image\": there is none of this name; the inputs are: 0 "
        "TENSOR_FLOAT32 \"input0\" of dimensions 4, 1 TENSOR_FLOAT32 \"input1\" of dimensions "
        "4");
    EXPECT_EQ(session.output<float>("input0").error().message,
              "session output \"input0\": there is none of this name; the outputs are: 0 "
              "TENSOR_FLOAT32 \"output0\" of dimensions 4");
}

TEST(SessionOperands, ofAnotherTypeAreRefusedWithThoseThatThereAre) {
    const Session session = makeAddSession();
    const auto output = session.output<std::uint8_t>("output0");
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_EQ(output.error().message,
              "session output 0 taken as std::uint8_t: it has other elements; the outputs are: 0 "
              "TENSOR_FLOAT32 \"output0\" of dimensions 4");
}

TEST(SessionOperands, beyondTheLastAreRefused) {
    Session session = makeAddSession();
    const auto input = session.input<float>(2);
    ASSERT_FALSE(input);
    EXPECT_EQ(input.error().message.substr(0, 34), "session input 2: must be less than");
}

TEST(SessionOperands, ofOneNameAreFoundByIndexOnly) {
    const auto prepared = *prepareModel(*localDevice(), test::makeAddModel());
    ModelSignature signature = signatureOf(test::makeAddModel());
    signature.inputs[1].name = signature.inputs[0].name;
    Session session = std::move(*Session::create(prepared, signature));
    const auto input = session.input<float>("input0");
    ASSERT_FALSE(input);
    EXPECT_NE(input.error().message.find("several have this name"), std::string::npos);
    EXPECT_TRUE(session.input<float>(1));
}

TEST(SessionOperands, keepTheirPlaceWhenTheSessionIsMoved) {
    Session session = makeAddSession();
    const std::span<float> in = *session.input<float>(0);
    const Session moved = std::move(session);
    in[3] = 7.0F;
    EXPECT_EQ(moved.output<float>()->size(), 4U);
    EXPECT_EQ(in[3], 7.0F);
}

TEST(SessionOperands, areThoseOfAPreparedModelAndOfNoOther) {
    EXPECT_EQ(
        Session::create(SharedPreparedModel(), signatureOf(test::makeAddModel())).error().message,
        "Session::create: the prepared model is null: must be one");
    ModelSignature signature = signatureOf(test::makeAddModel());
    signature.inputs.pop_back();
    auto session = Session::create(*prepareModel(*localDevice(), test::makeAddModel()), signature);
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_EQ(session->run().error().status, ErrorStatus::INVALID_ARGUMENT);
}

TEST(SessionOperands, areThoseOfAModelFromTheCache) {
    const TemporaryDirectory directory;
    const auto device = makeLocalDevice({.cacheKeyFile = directory.path() / "cache.key"});
    ASSERT_TRUE(device) << device.error().message;
    const UniqueFd modelFile(::memfd_create("model", 0));
    const UniqueFd dataFile(::memfd_create("data", 0));
    const PrepareOptions cache{.modelCache = {modelFile.get()}, .dataCache = {dataFile.get()}};
    auto filled = Session::create(**device, test::makeAddModel(), {.prepare = cache});
    ASSERT_TRUE(filled) << filled.error().message;
    const auto prepared = prepareModelFromCache(**device, cache);
    ASSERT_TRUE(prepared) << prepared.error().message;
    auto session = Session::create(*prepared, signatureOf(test::makeAddModel()));
    ASSERT_TRUE(session) << session.error().message;
    std::ranges::fill(*session->input<float>("input0"), 1.0F);
    std::ranges::fill(*session->input<float>("input1"), 2.0F);
    ASSERT_TRUE(session->run());
    EXPECT_EQ((*session->output<float>())[3], 3.0F);
}

// ---- Dimensions that the model leaves open

TEST(SessionDimensions, thatAFileLeavesOpenAreOneOrWhatTheApplicationSays) {
    tflite::FileSpec spec = tflite::addFile();
    for (tflite::TensorSpec& tensor : spec.tensors) {
        tensor.shape = {1, 3};
        tensor.shapeSignature = {-1, 3};
    }
    spec.tensors[0].name = "left";
    spec.tensors[1].name = "right";
    const TfliteFile file(spec);
    const auto closed = Session::open(*localDevice(), file.path());
    ASSERT_TRUE(closed) << closed.error().message;
    EXPECT_EQ(closed->inputs()[0].dimensions, (Dimensions{1, 3}));
    auto open = Session::open(*localDevice(), file.path(),
                              {.inputDimensions = {{"left", {5, 3}}, {"right", {5, 3}}}});
    ASSERT_TRUE(open) << open.error().message;
    std::ranges::fill(*open->input<float>("left"), 1.0F);
    std::ranges::fill(*open->input<float>("right"), 2.0F);
    ASSERT_TRUE(open->run());
    const std::span<const float> sum = *open->output<float>();
    ASSERT_EQ(sum.size(), 15U);
    EXPECT_EQ(sum[14], 3.0F);
}

TEST(SessionOpen, computes64BitIntegersWith32BitsIfTheCallerSaysThatTheyFit) {
    tflite::FileSpec spec = tflite::addFile();
    for (tflite::TensorSpec& tensor : spec.tensors) {
        tensor.type = tflite::schema::TensorType::INT64;
    }
    const TfliteFile file(spec);
    EXPECT_FALSE(Session::open(*localDevice(), file.path()));
    auto session = Session::open(*localDevice(), file.path(), {.integersFitInt32 = true});
    ASSERT_TRUE(session) << session.error().message;
    std::ranges::fill(*session->input<std::int32_t>(0), 3);
    std::ranges::fill(*session->input<std::int32_t>(1), -5);
    ASSERT_TRUE(session->run());
    EXPECT_EQ((*session->output<std::int32_t>())[5], -2);
}

TEST(SessionDimensions, ofAFileAreThoseThatItsShapesAreComputedFrom) {
    // RESHAPE(x, SHAPE(x))
    tflite::FileSpec spec;
    spec.codes = {{.code = tflite::schema::BuiltinOperator::SHAPE},
                  {.code = tflite::schema::BuiltinOperator::RESHAPE}};
    const tflite::TensorSpec open{.shape = {1, 4}, .name = "x", .shapeSignature = {-1, 4}};
    spec.tensors = {open, {.shape = {2}, .type = tflite::schema::TensorType::INT32}, open};
    spec.operators = {{.inputs = {0}, .outputs = {1}},
                      {.opcodeIndex = 1, .inputs = {0, 1}, .outputs = {2}}};
    spec.inputs = {0};
    spec.outputs = {2};
    const TfliteFile file(spec);
    auto session = Session::open(*localDevice(), file.path(), {.inputDimensions = {{"x", {3, 4}}}});
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_EQ(session->outputs()[0].dimensions, (Dimensions{3, 4}));
    std::ranges::fill(*session->input<float>("x"), 2.0F);
    ASSERT_TRUE(session->run());
    const std::span<const float> output = *session->output<float>();
    ASSERT_EQ(output.size(), 12U);
    EXPECT_EQ(output[11], 2.0F);
}

TEST(SessionDimensions, ofAnInputThatAreOpenMustBeGiven) {
    const auto session = Session::create(*localDevice(), test::makeAddModel(0));
    ASSERT_FALSE(session);
    EXPECT_EQ(session.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_EQ(session.error().message,
              "session input TENSOR_FLOAT32 \"input0\" of dimensions 0: its dimensions must be "
              "known: say them in SessionOptions::inputDimensions[\"input0\"]");
}

TEST(SessionDimensions, ofAnInputMustAgreeWithTheModel) {
    const auto rank = Session::create(*localDevice(), test::makeAddModel(0),
                                      {.inputDimensions = {{"input0", {2, 2}}}});
    ASSERT_FALSE(rank);
    EXPECT_EQ(rank.error().message,
              "SessionOptions::inputDimensions[\"input0\"] is 2x2: must agree with those of the "
              "model, 0");
    const auto size = Session::create(*localDevice(), test::makeAddModel(4),
                                      {.inputDimensions = {{"input0", {5}}}});
    EXPECT_EQ(size.error().status, ErrorStatus::INVALID_ARGUMENT);
    const auto name = Session::create(*localDevice(), test::makeAddModel(4),
                                      {.inputDimensions = {{"image", {4}}}});
    EXPECT_EQ(name.error().message,
              "SessionOptions::inputDimensions[\"image\"]: the model has no such input");
}

TEST(SessionDimensions, ofAnOutputAreThoseOfTheLastRun) {
    auto made = Session::create(*localDevice(), test::makeAddModel(0),
                                {.inputDimensions = {{"input0", {3}}, {"input1", {3}}}});
    ASSERT_TRUE(made) << made.error().message;
    Session session = std::move(*made);
    EXPECT_EQ(session.outputs()[0].dimensions, Dimensions{0});
    EXPECT_EQ(session.output<float>()->size(), 0U);
    std::ranges::fill(*session.input<float>(0), 1.0F);
    std::ranges::fill(*session.input<float>(1), 2.0F);
    ASSERT_TRUE(session.run());
    EXPECT_EQ(session.outputs()[0].dimensions, Dimensions{3});
    const std::span<const float> sum = *session.output<float>();
    ASSERT_EQ(sum.size(), 3U);
    EXPECT_EQ(sum[2], 3.0F);
}

}  // namespace
}  // namespace nnburst
