// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Compares the outputs of different kernels for the same model.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "exec/graph/graph.h"
#include "exec/graph/shape_inference.h"
#include "exec/operation/float16.h"
#include "exec/xnnpack/backend.h"
#include "support/test_request.h"

namespace nnburst::exec {

/// How far outputs of two implementations may be apart: that of the HAL's own tests.
inline void expectClose(OperandType type, std::span<const std::byte> actual,
                        std::span<const std::byte> expected) {
    ASSERT_EQ(actual.size(), expected.size());
    const auto compare = [&]<class T>(double absolute, double relative) {
        for (std::size_t offset = 0; offset < actual.size(); offset += sizeof(T)) {
            T a{};
            T e{};
            std::memcpy(&a, &actual[offset], sizeof(T));
            std::memcpy(&e, &expected[offset], sizeof(T));
            const auto is = static_cast<float>(a);
            const auto mustBe = static_cast<float>(e);
            const double tolerance = absolute + relative * std::fabs(static_cast<double>(mustBe));
            ASSERT_LE(std::fabs(static_cast<double>(is) - static_cast<double>(mustBe)), tolerance)
                << "element " << offset / sizeof(T) << ": " << is << " instead of " << mustBe;
        }
    };
    switch (type) {
        case OperandType::TENSOR_FLOAT32:
            return compare.operator()<float>(1e-5, 5 * 0x1p-23);
        case OperandType::TENSOR_FLOAT16:
            return compare.operator()<Float16>(5 * 0x1p-10, 5 * 0x1p-10);
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
            return compare.operator()<std::int8_t>(1, 0);
        default:
            return compare.operator()<std::uint8_t>(1, 0);
    }
}

/// Whether XNNPACK takes the first operation of a model whose dimensions are all known.
inline bool isCoveredByXnnpack(const Model& model) {
    EXPECT_TRUE(makeEngine(true));  // initialises XNNPACK
    const auto graph = Graph::create(model, model.main);
    EXPECT_TRUE(graph);
    ShapeInference shapes(**graph);
    const auto visited = shapes.visit(0);
    EXPECT_TRUE(visited) << visited.error().message;
    xnnpack::OperatorCache operators;
    const OperationInstance operation = shapes.operation(0);
    const auto step = xnnpack::makeStep(operation.view(), {.operators = &operators});
    EXPECT_TRUE(step);
    return step && *step != nullptr;
}

/// Runs a model with XNNPACK, with our own kernels beside it, and with the reference kernels on the
/// same random inputs, and compares the outputs: our own kernels compute the same bits as XNNPACK.
inline void expectSameAsReference(const Model& model, std::uint32_t seed) {
    const auto fast = compile(model, true, 1, false);
    const auto own = compile(model, true);
    const auto reference = compile(model, false);
    ASSERT_TRUE(fast && own && reference);
    TestRequest fastRequest = randomRequest(*fast, seed);
    TestRequest referenceRequest = randomRequest(*reference, seed);
    const auto fastRun = fastRequest.run(*fast);
    ASSERT_TRUE(fastRun) << fastRun.error().message;
    const auto referenceRun = referenceRequest.run(*reference);
    ASSERT_TRUE(referenceRun) << referenceRun.error().message;
    TestRequest ownRequest = randomRequest(*own, seed);
    const auto ownRun = ownRequest.run(*own);
    ASSERT_TRUE(ownRun) << ownRun.error().message;
    for (std::size_t output = 0; output < reference->outputs().size(); ++output) {
        EXPECT_TRUE(std::ranges::equal(ownRequest.output(output), fastRequest.output(output)))
            << "output " << output << " of our own kernels";
        expectClose(reference->outputs()[output].type, fastRequest.output(output),
                    referenceRequest.output(output));
    }
}

}  // namespace nnburst::exec
