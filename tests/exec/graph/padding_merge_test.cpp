// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Which PADs become padding of the convolutions that read them. That the results stay the same is
// shown by random_graph_test.

#include "exec/graph/padding_merge.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "exec/graph/graph_check.h"
#include "nnburst/model_builder.h"

namespace nnburst::exec {
namespace {

using enum OperationType;
using Scalars = std::vector<std::int32_t>;

constexpr auto kFloat = OperandType::TENSOR_FLOAT32;
constexpr std::int32_t kSame = 1;
constexpr std::int32_t kValid = 2;

template <class T>
std::span<const std::byte> bytesOf(const std::vector<T>& values) {
    return std::as_bytes(std::span(values));
}

/// A model with one PAD of an image, by default of 4x4 pixels with 2 channels, and what reads it.
class PaddedImage {
  public:
    explicit PaddedImage(const Scalars& paddings, const Dimensions& image = {1, 4, 4, 2},
                         const Dimensions& padded = {0, 0, 0, 0})
        : image_(builder_.addTensor(kFloat, image)), padded_(builder_.addTensor(kFloat, padded)) {
        const auto sizes =
            builder_.addConstant(OperandType::TENSOR_INT32, {4, 2}, bytesOf(paddings));
        builder_.addOperation(PAD, {image_, sizes}, {padded_});
    }

    /// Adds a CONV_2D of windows of 3x3 pixels with `padding`, strides 1 and no activation.
    void convolve(const Scalars& padding) {
        const auto filter =
            builder_.addConstant(kFloat, {1, 3, 3, 2}, bytesOf(std::vector<float>(18)));
        const auto bias = builder_.addConstant(kFloat, {1}, bytesOf(std::vector<float>(1)));
        std::vector<std::uint32_t> inputs{padded_, filter, bias};
        for (const std::int32_t value : padding) {
            inputs.push_back(builder_.addScalar(value));
        }
        for (const std::int32_t value : {1, 1, 0}) {
            inputs.push_back(builder_.addScalar(value));
        }
        addReader(CONV_2D, std::move(inputs));
    }
    /// Pads what the last one computes, and convolves it with VALID.
    void padAndConvolveResult(const Scalars& paddings) {
        const auto sizes =
            builder_.addConstant(OperandType::TENSOR_INT32, {4, 2}, bytesOf(paddings));
        padded_ = builder_.addTensor(kFloat, {0, 0, 0, 0});
        builder_.addOperation(PAD, {outputs_.back(), sizes}, {padded_});
        outputs_.pop_back();
        const auto filter =
            builder_.addConstant(kFloat, {1, 3, 3, 1}, bytesOf(std::vector<float>(9)));
        const auto bias = builder_.addConstant(kFloat, {1}, bytesOf(std::vector<float>(1)));
        const auto one = builder_.addScalar(1);
        addReader(CONV_2D, {padded_, filter, bias, builder_.addScalar(kValid), one, one,
                            builder_.addScalar(0)});
    }
    /// The same with VALID, and with strides that a request gives.
    void convolveWithStridesOfRequests() {
        const auto stride = builder_.addTensor(OperandType::INT32, {});
        inputs_.push_back(stride);
        const auto filter =
            builder_.addConstant(kFloat, {1, 3, 3, 2}, bytesOf(std::vector<float>(18)));
        const auto bias = builder_.addConstant(kFloat, {1}, bytesOf(std::vector<float>(1)));
        addReader(CONV_2D, {padded_, filter, bias, builder_.addScalar(kValid), stride, stride,
                            builder_.addScalar(0)});
    }
    /// The same with VALID, and with a filter of 1x1 pixel that is an input and padded, too.
    void convolveWithPaddedFilter(const Scalars& paddings) {
        const auto given = builder_.addTensor(kFloat, {1, 1, 1, 2});
        inputs_.push_back(given);
        const auto filter = builder_.addTensor(kFloat, {0, 0, 0, 0});
        const auto sizes =
            builder_.addConstant(OperandType::TENSOR_INT32, {4, 2}, bytesOf(paddings));
        builder_.addOperation(PAD, {given, sizes}, {filter});
        const auto bias = builder_.addConstant(kFloat, {1}, bytesOf(std::vector<float>(1)));
        const auto one = builder_.addScalar(1);
        addReader(CONV_2D, {padded_, filter, bias, builder_.addScalar(kValid), one, one,
                            builder_.addScalar(0)});
    }
    void doubleIt() { addReader(ADD, {padded_, padded_, builder_.addScalar(0)}); }

    /// The graph with what mergePaddings does to it, as the main one or as one that IF or WHILE
    /// runs.
    std::unique_ptr<Graph> merged(bool isMain = true) {
        auto model = builder_.build(inputs_, outputs_);
        EXPECT_TRUE(model) << model.error().message;
        model->referenced.push_back(model->main);
        auto graph = Graph::create(*model, isMain ? model->main : model->referenced[0]);
        EXPECT_TRUE(graph);
        GraphCheck check(**graph, GraphCheck::endOfFolding());
        for (std::size_t index = 0; index < (*graph)->subgraph.operations.size(); ++index) {
            EXPECT_TRUE(check.visit(index));
        }
        const auto done = mergePaddings(**graph, check.shapes());
        EXPECT_TRUE(done) << done.error().message;
        ShapeInference shapes(**graph);
        EXPECT_TRUE(shapes.visitAll());
        return std::move(*graph);
    }

  private:
    void addReader(OperationType type, std::vector<std::uint32_t> inputs) {
        outputs_.push_back(builder_.addTensor(kFloat, {0, 0, 0, 0}));
        builder_.addOperation(type, std::move(inputs), {outputs_.back()});
    }

    ModelBuilder builder_;
    std::uint32_t image_;
    std::uint32_t padded_;
    std::vector<std::uint32_t> inputs_{image_};
    std::vector<std::uint32_t> outputs_;
};

/// The scalars that follow the tensors of an operation.
Scalars scalarsOf(const Graph& graph, std::size_t operation) {
    Scalars scalars;
    const std::vector<std::uint32_t>& inputs = graph.subgraph.operations[operation].inputs;
    for (std::size_t input = 3; input < inputs.size(); ++input) {
        std::memcpy(&scalars.emplace_back(), graph.constants.data(inputs[input]),
                    sizeof(std::int32_t));
    }
    return scalars;
}

TEST(PaddingMerge, givesThePaddingToAllConvolutionsThatReadIt) {
    PaddedImage model({0, 0, 1, 2, 3, 4, 0, 0});
    model.convolve({kValid});
    model.convolve({10, 20, 30, 40});
    const auto graph = model.merged();
    EXPECT_TRUE(graph->isFolded[0]);
    EXPECT_EQ(scalarsOf(*graph, 1), (Scalars{3, 4, 1, 2, 1, 1, 0}));
    EXPECT_EQ(scalarsOf(*graph, 2), (Scalars{13, 24, 31, 42, 1, 1, 0}));
    for (const std::size_t convolution : {1U, 2U}) {
        EXPECT_EQ(graph->subgraph.operations[convolution].inputs[0],
                  graph->subgraph.inputIndexes[0]);
    }
}

TEST(PaddingMerge, sharesTheConstantsOfEqualSizes) {
    PaddedImage model({0, 0, 1, 1, 1, 1, 0, 0});
    model.convolve({kValid});
    model.convolve({kValid});
    const auto graph = model.merged();
    const std::vector<Operand>& operands = graph->subgraph.operands;
    const auto one = static_cast<std::uint32_t>(operands.size() - 1);
    for (const std::size_t convolution : {1U, 2U}) {
        const std::vector<std::uint32_t>& inputs = graph->subgraph.operations[convolution].inputs;
        EXPECT_EQ(std::vector(inputs.begin() + 3, inputs.begin() + 7),
                  std::vector<std::uint32_t>(4, one));
    }
    EXPECT_EQ(operands[one].numberOfConsumers, 8U);
}

TEST(PaddingMerge, keepsThePaddingOfTheFilterOfAConvolutionThatWasMerged) {
    PaddedImage model({0, 0, 1, 1, 1, 1, 0, 0});
    model.convolveWithPaddedFilter({0, 0, 1, 1, 1, 1, 0, 0});
    const auto graph = model.merged();
    EXPECT_TRUE(graph->isFolded[0]);
    EXPECT_FALSE(graph->isFolded[1]);
    EXPECT_EQ(scalarsOf(*graph, 2), (Scalars{1, 1, 1, 1, 1, 1, 0}));
}

TEST(PaddingMerge, keepsAPaddingThatAnotherOperationReads) {
    PaddedImage model({0, 0, 1, 1, 1, 1, 0, 0});
    model.convolve({kValid});
    model.doubleIt();
    EXPECT_FALSE(model.merged()->isFolded[0]);
}

TEST(PaddingMerge, keepsAPaddingBeforeAConvolutionWhoseArgumentsOnlyRequestsHave) {
    PaddedImage model({0, 0, 1, 1, 1, 1, 0, 0});
    model.convolveWithStridesOfRequests();
    EXPECT_FALSE(model.merged()->isFolded[0]);
}

TEST(PaddingMerge, keepsAPaddingOfBatchesAndOneBeforeImplicitPadding) {
    PaddedImage model({0, 0, 1, 1, 1, 1, 0, 0});
    model.convolve({kSame});
    EXPECT_FALSE(model.merged()->isFolded[0]);
    PaddedImage batches({1, 0, 1, 1, 1, 1, 0, 0});
    batches.convolve({kValid});
    EXPECT_FALSE(batches.merged()->isFolded[0]);
}

TEST(PaddingMerge, keepsAPaddingThatHasToRefuseImagesOfOtherSizes) {
    struct Case {
        Dimensions image;
        Dimensions padded;
        bool isMerged;
    };
    for (const auto& [image, padded, isMerged] :
         {Case{{1, 0, 0, 2}, {1, 10, 0, 2}, false}, Case{{1, 0, 0, 2}, {1, 0, 10, 2}, false},
          Case{{0, 8, 8, 2}, {1, 10, 10, 2}, false}, Case{{1, 8, 8, 2}, {1, 10, 10, 2}, true},
          Case{{0, 0, 8, 2}, {0, 0, 10, 2}, true}, Case{{0, 0, 0, 2}, {}, true}}) {
        PaddedImage model({0, 0, 1, 1, 1, 1, 0, 0}, image, padded);
        model.convolve({kValid});
        EXPECT_EQ(model.merged()->isFolded[0], isMerged)
            << testing::PrintToString(image) << " to " << testing::PrintToString(padded);
    }
}

TEST(PaddingMerge, keepsThePaddingOfAnImageThatMayBeEmpty) {
    for (const Dimensions& image : {Dimensions{1, 0, 8, 2}, Dimensions{1, 8, 0, 2}}) {
        PaddedImage model({0, 0, 1, 1, 1, 1, 0, 0}, image);
        model.convolve({kValid});
        EXPECT_FALSE(model.merged(false)->isFolded[0]) << testing::PrintToString(image);
    }
    PaddedImage known({0, 0, 1, 1, 1, 1, 0, 0}, {0, 8, 8, 2});
    known.convolve({kValid});
    EXPECT_TRUE(known.merged(false)->isFolded[0]);
}

TEST(PaddingMerge, takesThePaddingOfAnImageThatAConvolutionComputes) {
    PaddedImage model({0, 0, 1, 1, 1, 1, 0, 0}, {1, 0, 0, 2});
    model.convolve({kValid});
    model.padAndConvolveResult({0, 0, 1, 1, 1, 1, 0, 0});
    const auto graph = model.merged(false);
    EXPECT_FALSE(graph->isFolded[0]);
    EXPECT_TRUE(graph->isFolded[2]);
}

}  // namespace
}  // namespace nnburst::exec
