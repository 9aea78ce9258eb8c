// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Which memory counts for operators that runners share, and how long the originals are known.

#include "exec/xnnpack/operator_cache.h"

#include <malloc.h>

#include <gtest/gtest.h>

#include <memory>

#include "exec/graph/shape_inference.h"
#include "exec/xnnpack/backend.h"
#include "exec/xnnpack/release.h"
#include "support/test_request.h"

namespace nnburst::exec::xnnpack {
namespace {

/// A step with packed weights and its cache, as a runner has them.
struct Made {
    explicit Made(const Graph& graph, OriginalOperators* originals, SharedAccount account)
        : operators(originals, nullptr, std::move(account)) {
        ShapeInference shapes(graph);
        EXPECT_TRUE(shapes.visit(0));
        const OperationInstance operation = shapes.operation(0);
        auto made = makeStep(operation.view(), {.operators = &operators});
        EXPECT_TRUE(made && *made != nullptr);
        step = std::move(*made);
    }

    /// The bytes of its operator. They depend on the place: malloc(3) does not split off what is
    /// too small for a block of its own.
    [[nodiscard]] std::size_t operatorBytes() {
        const SharedOperator used = operators.find({.operation = 0});
        EXPECT_NE(used, nullptr);
        return sizeof(Operator) + ::malloc_usable_size(used->handle.get());
    }

    OperatorCache operators;
    std::unique_ptr<Step> step;
};

TEST(OperatorCache, countsAnOriginalOnceAndACopyForEachRunner) {
    ModelBuilder builder;
    const auto x = builder.addTensor(OperandType::TENSOR_FLOAT32, {1, 40});
    const auto w = builder.addConstant(OperandType::TENSOR_FLOAT32, {130, 40},
                                       bytesOf(std::vector<float>(130 * 40)));
    const auto b =
        builder.addConstant(OperandType::TENSOR_FLOAT32, {130}, bytesOf(std::vector<float>(130)));
    const auto y = builder.addTensor(OperandType::TENSOR_FLOAT32, {1, 130});
    builder.addOperation(OperationType::FULLY_CONNECTED, {x, w, b, builder.addScalar(0)}, {y});
    const Model model = *builder.build({x}, {y});
    EXPECT_TRUE(makeEngine(true));  // initialises XNNPACK
    const auto graph = *Graph::create(model, model.main);
    Amounts limits;
    limits[Resource::MEMORY] = 1 << 20;
    const auto account = Account::create("model", limits);
    const auto used = [&] { return account->usage(Resource::MEMORY).used; };

    std::uint64_t ofOne = 0;
    {
        Made one(*graph, nullptr, account);
        ofOne = used();
        EXPECT_EQ(one.step->keptBytes(), one.operatorBytes());
    }
    OriginalOperators originals;
    Made first(*graph, &originals, account);
    const std::uint64_t withOriginal = used();
    EXPECT_EQ(withOriginal > ofOne, !kHasWeightsCaches);
    EXPECT_EQ(first.step->keptBytes(), first.operatorBytes());
    if (!kHasWeightsCaches) {
        Made second(*graph, &originals, account);
        EXPECT_EQ(used(), withOriginal);
        EXPECT_EQ(second.step->keptBytes(), second.operatorBytes());
    }
}

TEST(OriginalOperators, areForgottenAfterTheirCopies) {
    OriginalOperators originals;
    // Each entry keeps the deleter of its original, even without the original.
    const auto entries = std::make_shared<int>();
    for (std::uint32_t operation = 0; operation < 1000; ++operation) {
        originals.insert({.operation = operation}, {static_cast<const OriginalOperator*>(nullptr),
                                                    [entries](const OriginalOperator*) {}});
    }
    EXPECT_LE(entries.use_count(), 3);
}

}  // namespace
}  // namespace nnburst::exec::xnnpack
