// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// MAXIMUM and MINIMUM.
//
//     inputs  two tensors, broadcast
//     output  of the broadcast shape: the larger or smaller of two elements

#include <algorithm>

#include "exec/reference/broadcast.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/quantized_table.h"

namespace nnburst::exec {

namespace {
namespace maximum_minimum {

Result<HalVersion> check(const OperationView& operation) {
    using enum OperandType;
    return checkBroadcast(operation, "input0", "input1",
                          {TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM,
                           TENSOR_QUANT8_ASYMM_SIGNED});
}

template <class T, class Value>
void runOn(const OperationView& operation, Value&& value) {
    if (operation.type == OperationType::MAXIMUM) {
        forEachPair<T, T>(operation, [&](T a, T b) {
            return static_cast<T>(std::max(value(a, 0), value(b, 1)));
        });
    } else {
        forEachPair<T, T>(operation, [&](T a, T b) {
            return static_cast<T>(std::min(value(a, 0), value(b, 1)));
        });
    }
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY(requireBroadcastOutput(operation));
    const OperandType type = operation.inputs[0].type;
    if (type == OperandType::TENSOR_INT32) {
        runOn<std::int32_t>(operation, [](std::int32_t element, int /*input*/) { return element; });
    }
    dispatchFloat(type, [&]<class T>() {
        runOn<T>(operation, [](T element, int /*input*/) { return static_cast<float>(element); });
    });
    dispatchQuantized8(type, [&]<class T>() {
        const auto same = [](float real) { return real; };
        const QuantizedTable<T> tables[]{{operation.inputs[0], operation.outputs[0], same},
                                         {operation.inputs[1], operation.outputs[0], same}};
        runOn<T>(operation, [&](T element, int input) { return tables[input](element); });
    });
    return {};
}

constexpr OperationDefinition kFamily{.type = OperationType::MAXIMUM,
                                      .since = HalVersion::V1_2,
                                      .check = check,
                                      .inferShapes = inferBroadcastShape,
                                      .run = run};

}  // namespace maximum_minimum
}  // namespace

constinit const OperationDefinition kMaximum = maximum_minimum::kFamily;
constinit const OperationDefinition kMinimum =
    maximum_minimum::kFamily.with(OperationType::MINIMUM, HalVersion::V1_2);

}  // namespace nnburst::exec
