// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// ARGMAX and ARGMIN.
//
//     input   any shape
//     axis    INT32: along which to look; negative ones count from the last one on
//     output  INT32, without that axis (of shape 1 if the input has no other one): the index of
//             the first largest or smallest element

#include <functional>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/elements.h"
#include "exec/reference/slices.h"

namespace nnburst::exec {

namespace {
namespace arg_extremum {

using enum OperandType;

constexpr std::size_t kAxis = 1;

struct Search {
    std::size_t axis = 0;
    Shape outputShape;
};

Result<Search> resolve(const OperationView& operation) {
    const Shape& input = operation.inputs[0].shape;
    NNBURST_TRY_ASSIGN(const std::size_t axis, readAxis(operation, kAxis, input.rank()));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    check.input(0, "input").notEmpty(axis);
    NNBURST_TRY(check.result());
    std::array<std::uint32_t, kMaximumRank> sizes{1};
    std::size_t rank = 0;
    for (std::size_t i = 0; i < input.rank(); ++i) {
        if (i != axis) {
            sizes[rank++] = input[i];
        }
    }
    return Search{
        axis, Shape(std::span<const std::uint32_t>(sizes.data(), std::max<std::size_t>(rank, 1)))};
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(2).outputCount(1);
    const OperandCheck input = check.input(0, "input")
                                   .type({TENSOR_FLOAT16, TENSOR_FLOAT32, TENSOR_INT32,
                                          TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED})
                                   .rank(1, kMaximumRank);
    check.input(kAxis, "axis").type({INT32});
    check.output(0, "output").type({TENSOR_INT32});
    NNBURST_TRY(check.result());
    if (const std::size_t rank = input.view().shape.rank(); rank != 0) {
        NNBURST_TRY(readAxis(operation, kAxis, rank));
    }
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Search search, resolve(operation));
    outputs[0] = search.outputShape;
    return {};
}

template <class T, class Number, class IsBetter>
void find(const OperationView& operation, const Slices& slices, IsBetter isBetter) {
    const T* input = operation.inputs[0].as<const T>();
    auto* output = operation.outputs[0].as<std::int32_t>();
    slices.forEach(operation, [&](std::size_t offset) {
        auto best = static_cast<Number>(input[offset]);
        std::size_t bestIndex = 0;
        forEachElement(operation, slices.size, [&](std::size_t i) {
            const auto candidate = static_cast<Number>(input[offset + i * slices.stride]);
            if (isBetter(candidate, best)) {
                best = candidate;
                bestIndex = i;
            }
        });
        *output++ = static_cast<std::int32_t>(bestIndex);
    });
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Search search, resolve(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, search.outputShape));
    const OperandView& input = operation.inputs[0];
    if (input.shape.elementCount() == 0) {
        return {};
    }
    const Slices slices(input.shape, search.axis);
    const auto findIn = [&]<class T, class Number>() {
        if (operation.type == OperationType::ARGMAX) {
            find<T, Number>(operation, slices, std::greater<>());
        } else {
            find<T, Number>(operation, slices, std::less<>());
        }
    };
    if (input.type == TENSOR_INT32) {
        findIn.template operator()<std::int32_t, std::int32_t>();
    }
    dispatchFloat(input.type, [&]<class T>() { findIn.template operator()<T, float>(); });
    dispatchQuantized8(input.type, [&]<class T>() { findIn.template operator()<T, T>(); });
    return {};
}

constexpr OperationDefinition kFamily{.type = OperationType::ARGMAX,
                                      .since = HalVersion::V1_2,
                                      .check = check,
                                      .inferShapes = inferShapes,
                                      .run = run};

}  // namespace arg_extremum
}  // namespace

constinit const OperationDefinition kArgmax = arg_extremum::kFamily;
constinit const OperationDefinition kArgmin =
    arg_extremum::kFamily.with(OperationType::ARGMIN, HalVersion::V1_2);

}  // namespace nnburst::exec
