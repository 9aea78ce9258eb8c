// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Import of constants that a file holds in sparse form.

#include <gtest/gtest.h>

#include "tflite_test.h"

namespace nnburst::sparse_test {
namespace {

using namespace tflite;
using Floats = std::vector<float>;

/// The sum of an input and a sparse constant of the same shape.
FileSpec sparseFile(std::vector<std::int32_t> shape, SparsitySpec sparsity,
                    const Floats& elements) {
    FileSpec file = operatorFile(Code::ADD, {real(shape), reals(shape, elements)}, {real(shape)},
                                 BuiltinOptions::AddOptions, addOptions());
    file.tensors[1].sparsity = std::move(sparsity);
    return file;
}

void expectDense(const FileSpec& file, const Floats& expected) {
    expectComputes<float, float>(file, {Floats(expected.size(), 0.0F)}, {expected});
}

/// Rows 0 and 2 of three have elements.
SparsitySpec rows() {
    return {.traversalOrder = {0, 1},
            .levels = {{.denseSize = 3}, {.segments = {0, 2, 2, 3}, .indices = {0, 3, 1}}}};
}

TEST(TfliteSparse, unpacksRows) {
    expectDense(sparseFile({3, 4}, rows(), {1, 2, 3}), {1, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 0});
}

TEST(TfliteSparse, readsIndicesOfEachWidth) {
    SparsitySpec sparsity = rows();
    sparsity.levels[1].isWide = false;
    expectDense(sparseFile({3, 4}, sparsity, {1, 2, 3}), {1, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 0});
}

TEST(TfliteSparse, unpacksColumns) {
    const SparsitySpec columns{
        .traversalOrder = {1, 0},
        .levels = {{.denseSize = 2}, {.segments = {0, 1, 3}, .indices = {2, 0, 1}}}};
    expectDense(sparseFile({3, 2}, columns, {5, 6, 7}), {0, 6, 0, 7, 5, 0});
}

TEST(TfliteSparse, unpacksBlocks) {
    // Of 2x2 blocks of 2x2 elements, the first row has the second, the second row the first.
    const SparsitySpec blocks{.traversalOrder = {0, 1, 2, 3},
                              .blockMap = {0, 1},
                              .levels = {{.denseSize = 2},
                                         {.segments = {0, 1, 2}, .indices = {1, 0}},
                                         {.denseSize = 2},
                                         {.denseSize = 2}}};
    expectDense(sparseFile({4, 4}, blocks, {1, 2, 3, 4, 5, 6, 7, 8}),
                {0, 0, 1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 7, 8, 0, 0});
}

TEST(TfliteSparse, letsDensifyDisappear) {
    FileSpec file = sparseFile({3, 4}, rows(), {1, 2, 3});
    file.codes.push_back({.code = Code::DENSIFY});
    file.tensors.push_back({.shape = {3, 4}});
    file.operators.insert(file.operators.begin(),
                          {.opcodeIndex = 1, .inputs = {1}, .outputs = {3}});
    file.operators[1].inputs = {0, 3};
    const TfliteModel model = imported(file);
    EXPECT_EQ(operationsOf(model), std::vector{OperationType::ADD});
    EXPECT_EQ(valuesOf<float>(model, inputAt(model, 1)),
              (Floats{1, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 0}));
}

TEST(TfliteSparse, refusesLevelsThatLie) {
    const std::string prefix = "operator 0 (ADD): tensor 1 (\"tensor\"): ";
    const auto message = [](const SparsitySpec& sparsity, const Floats& elements = {1, 2, 3}) {
        return refusal(sparseFile({3, 4}, sparsity, elements));
    };
    SparsitySpec lie = rows();
    lie.levels.pop_back();
    EXPECT_EQ(message(lie), prefix +
                                "sparse with 1 levels in a traversal order of 2: must be its 2 "
                                "dimensions and 0 block dimensions, at most 16 together");
    lie = rows();
    lie.traversalOrder = {1, 1};
    EXPECT_EQ(message(lie),
              prefix + "sparse without dimension 0 in its traversal order: must have each");
    lie = rows();
    lie.levels[0].denseSize = 2147483647;
    EXPECT_EQ(message(lie), prefix + "sparse level 0 of size 2147483647: must be 3");
    lie = rows();
    lie.levels[1].indices = {0, 4, 1};
    EXPECT_EQ(message(lie), prefix + "sparse level 1 with index 4: must be less than 4");
    for (const std::vector<std::int32_t>& segments :
         {std::vector{0, 3, 2, 3}, {0, 2, 2, 4}, {1, 2, 2, 3}, {}, {-1, 2, 2, 3}}) {
        lie = rows();
        lie.levels[1].segments = segments;
        EXPECT_EQ(message(lie), prefix +
                                    "sparse level 1: must have segments in order, from 0 to its "
                                    "number of indices");
    }
    lie = rows();
    lie.levels[1].segments = {0, 3};
    EXPECT_EQ(message(lie), prefix + "sparse level 1 with 2 segments: must have segment 2");
    EXPECT_EQ(message(rows(), {1, 2}),
              prefix + "sparse with 2 elements in its buffer: must have element 2");
    lie = {.traversalOrder = {0, 1, 2},
           .blockMap = {5},
           .levels = {{.denseSize = 3}, {.denseSize = 4}, {.denseSize = 2}}};
    EXPECT_EQ(message(lie), prefix +
                                "sparse with blocks of 2 along dimension 5: must divide one of 2 "
                                "dimensions");
}

TEST(TfliteSparse, refusesTensorsMuchLargerThanTheFile) {
    const SparsitySpec huge{.traversalOrder = {0, 1},
                            .levels = {{.denseSize = 8192}, {.segments = {0}, .indices = {}}}};
    EXPECT_NE(refusal(sparseFile({8192, 8192}, huge, {1})).find("times the size of the file"),
              std::string::npos);
}

}  // namespace
}  // namespace nnburst::sparse_test
