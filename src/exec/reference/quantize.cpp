// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// QUANTIZE and DEQUANTIZE.
//
//     input   any shape, of rank up to 4 for DEQUANTIZE before HAL 1.2
//     output  of the input's shape
//
//     QUANTIZE    round(input / scale) + zero point, in 8 bits
//     DEQUANTIZE  (input - zero point) * scale, with a scale for each channel if the input has them

#include <algorithm>

#include "exec/operation/operation_check.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/elements.h"
#include "exec/reference/quantized_table.h"

namespace nnburst::exec {

namespace {
namespace quantize {

using enum OperandType;

Result<HalVersion> checkQuantize(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(1).outputCount(1);
    const OperandCheck input =
        check.input(0, "input").type({TENSOR_FLOAT32, TENSOR_FLOAT16}).rank(1, kMaximumRank);
    check.output(0, "output")
        .type({TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED})
        .sameShapeAs(input);
    return check.minimumVersion();
}

Result<HalVersion> checkDequantize(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(1).outputCount(1);
    const OperandCheck input = check.input(0, "input")
                                   .type({TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED,
                                          TENSOR_QUANT8_SYMM, TENSOR_QUANT8_SYMM_PER_CHANNEL})
                                   .rank(1, kMaximumRank);
    check.output(0, "output").type({TENSOR_FLOAT32, TENSOR_FLOAT16}).sameShapeAs(input);
    check.since(HalVersion::V1_2, input.view().shape.rank() > 4);
    return check.minimumVersion();
}

Result<> runQuantize(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    const OperandView& input = operation.inputs[0];
    const OperandView& output = operation.outputs[0];
    NNBURST_TRY(requireOutputShape(operation, 0, input.shape));
    dispatchFloat(input.type, [&]<class From>() {
        dispatchQuantized8(output.type, [&]<class To>() {
            // A copy in the function: outputs are bytes, which could be those of what it refers to.
            transformElements<From, To>(operation, [quantize = Quantizer(output)](From element) {
                return static_cast<To>(quantize(static_cast<float>(element)));
            });
        });
    });
    return {};
}

template <class From, class To>
void dequantizePerChannel(const OperationView& operation) {
    const OperandView& input = operation.inputs[0];
    const SymmPerChannelQuantParams& channels = *input.channelQuant;
    std::size_t inner = 1;  // elements of one channel that follow each other
    for (std::size_t axis = channels.channelDim + 1; axis < input.shape.rank(); ++axis) {
        inner *= input.shape[axis];
    }
    const std::size_t runs = inner == 0 ? 0 : input.shape.elementCount() / inner;
    const From* elements = input.as<const From>();
    To* results = operation.outputs[0].as<To>();
    PartCounter parts(operation);
    for (std::size_t run = 0; run < runs; ++run) {
        const float scale = channels.scales[run % channels.scales.size()];
        forEachPart(operation, inner, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = run * inner + first; i < run * inner + last; ++i) {
                results[i] = static_cast<To>(static_cast<float>(elements[i]) * scale);
            }
        });
        if (parts.isOutOfTime(inner)) {
            return;
        }
    }
}

Result<> runDequantize(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    const OperandView& input = operation.inputs[0];
    const OperandView& output = operation.outputs[0];
    NNBURST_TRY(requireOutputShape(operation, 0, input.shape));
    dispatchFloat(output.type, [&]<class To>() {
        const auto from = [&]<class From>() {
            transformElements<From, To>(operation, [&](From element) {
                return static_cast<To>(dequantize(element, input));
            });
        };
        if (input.type == TENSOR_QUANT8_ASYMM) {
            from.template operator()<std::uint8_t>();
        } else if (input.channelQuant == nullptr) {
            from.template operator()<std::int8_t>();
        } else {
            dequantizePerChannel<std::int8_t, To>(operation);
        }
    });
    return {};
}

}  // namespace quantize
}  // namespace

constinit const OperationDefinition kQuantize{
    .type = OperationType::QUANTIZE,
    .since = HalVersion::V1_2,
    .check = quantize::checkQuantize,
    .inferShapes = inferShapeOfInput,
    .run = quantize::runQuantize,
};

constinit const OperationDefinition kDequantize{
    .type = OperationType::DEQUANTIZE,
    .since = HalVersion::V1_0,
    .check = quantize::checkDequantize,
    .inferShapes = inferShapeOfInput,
    .run = quantize::runDequantize,
};

}  // namespace nnburst::exec
