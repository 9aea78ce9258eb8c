// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D (the root of the mean of squares, not for 8 bits).
//
//     input   [batches, height, width, channels], or NCHW
//     output  [batches, outputHeight, outputWidth, channels], in the layout of the input
//
// Padding is not part of a window: windows at the edges have fewer elements.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/spatial.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/elements.h"
#include "exec/reference/image.h"

namespace nnburst::exec {

namespace {
namespace pooling {

/// A pooling whose shapes are known and go together.
struct Pooling {
    SpatialArguments arguments;
    SpatialWindow window;
    Shape outputShape;
};

Result<Pooling> resolve(const OperationView& operation) {
    NNBURST_TRY_ASSIGN(const SpatialArguments arguments,
                       readSpatialArguments(operation, SpatialForm::POOLING));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    check.input(0, "input").rank(4).notEmpty(arguments.channelAxis());
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const SpatialWindow window, slideWindow(operation, arguments));
    Shape output = operation.inputs[0].shape;
    output[arguments.heightAxis()] = window.height.outputSize;
    output[arguments.widthAxis()] = window.width.outputSize;
    return Pooling{arguments, window, output};
}

Result<HalVersion> check(const OperationView& operation) {
    using enum OperandType;
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(7, 11).outputCount(1);
    OperandCheck input = check.input(0, "input");
    if (operation.type == OperationType::L2_POOL_2D) {
        input.type({TENSOR_FLOAT32, TENSOR_FLOAT16});
    } else {
        input.type(
            {TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED});
    }
    input.rank(4);
    check.output(0, "output").sameTypeAs(input).sameQuantizationAs(input).rank(4);
    NNBURST_TRY(check.result());
    NNBURST_TRY(readSpatialArguments(operation, SpatialForm::POOLING));
    if (hasKnownInputShapes(operation)) {
        NNBURST_TRY(resolve(operation));
    }
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Pooling pooling, resolve(operation));
    outputs[0] = pooling.outputShape;
    return {};
}

/// The mean, in 8 bits rounded to the nearest, ties away from 0.
struct Average {
    template <class T>
    using State = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;

    template <class T>
    static constexpr State<T> kStart{0};

    template <class T>
    static State<T> add(State<T> sum, T element) noexcept {
        return sum + static_cast<State<T>>(element);
    }

    static float finish(double sum, std::size_t count) noexcept {
        return static_cast<float>(sum / static_cast<double>(count));
    }
    static std::int32_t finish(std::int64_t sum, std::size_t count) noexcept {
        const auto divisor = static_cast<std::int64_t>(count);
        const std::int64_t half = sum < 0 ? -divisor / 2 : divisor / 2;
        return static_cast<std::int32_t>((sum + half) / divisor);
    }
};

struct Maximum {
    template <class T>
    using State = std::conditional_t<std::is_integral_v<T>, std::int32_t, float>;

    template <class T>
    static constexpr State<T> kStart = std::is_integral_v<T>
                                           ? std::numeric_limits<State<T>>::lowest()
                                           : -std::numeric_limits<State<T>>::infinity();

    template <class T>
    static State<T> add(State<T> maximum, T element) noexcept {
        return std::max(maximum, static_cast<State<T>>(element));
    }

    template <class State>
    static State finish(State maximum, std::size_t /*count*/) noexcept {
        return maximum;
    }
};

struct RootMeanSquare {
    template <class T>
    using State = double;

    template <class T>
    static constexpr double kStart = 0.0;

    template <class T>
    static double add(double sum, T element) noexcept {
        return sum + static_cast<double>(element) * static_cast<double>(element);
    }

    static float finish(double sum, std::size_t count) noexcept {
        return static_cast<float>(std::sqrt(sum / static_cast<double>(count)));
    }
};

/// output[b, y, x, c] = the elements of input[b, y', x', c] in the window of y, x, pooled by `Pool`
/// and clamped to `range`.
template <class Pool, class T, class Range>
void pool(const OperationView& operation, const Pooling& pooling, Range range) {
    constexpr std::size_t kBlock = 64;  // channels that are pooled together
    const SlidingWindow& height = pooling.window.height;
    const SlidingWindow& width = pooling.window.width;
    const Image input(operation.inputs[0].shape, pooling.arguments);
    const Image output(operation.outputs[0].shape, pooling.arguments);
    const T* inputData = operation.inputs[0].as<const T>();
    T* outputData = operation.outputs[0].as<T>();

    std::array<typename Pool::template State<T>, kBlock> states;
    PartCounter parts(operation);
    // True if the run is out of time.
    const auto poolBlock = [&](std::size_t b, std::uint32_t y, std::uint32_t x, std::size_t first,
                               std::size_t count) {
        const Taps rows(height, y);
        const Taps columns(width, x);
        states.fill(Pool::template kStart<T>);
        const auto addTap = [&](std::size_t t, std::size_t u) {
            const T* pixel = inputData + input.offset(b, rows.at(t), columns.at(u), first);
            for (std::size_t c = 0; c < count; ++c) {
                states[c] = Pool::add(states[c], pixel[c * input.channelStride]);
            }
        };
        if (forEachTap(parts, rows, columns, count, addTap)) {
            return true;
        }
        const std::size_t elements = (rows.last - rows.first) * (columns.last - columns.first);
        for (std::size_t c = 0; c < count; ++c) {
            const auto pooled = Pool::finish(states[c], elements);
            outputData[output.offset(b, y, x, first + c)] =
                static_cast<T>(std::min(std::max(pooled, range.minimum), range.maximum));
        }
        return false;
    };
    for (std::size_t b = 0; b < output.batches; ++b) {
        for (std::uint32_t y = 0; y < output.height; ++y) {
            for (std::uint32_t x = 0; x < output.width; ++x) {
                for (std::size_t c = 0; c < output.channels; c += kBlock) {
                    if (poolBlock(b, y, x, c, std::min(kBlock, output.channels - c))) {
                        return;
                    }
                }
            }
        }
    }
}

template <class Pool>
Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Pooling pooling, resolve(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, pooling.outputShape));
    const OperandType type = operation.inputs[0].type;
    const FusedActivationFunc activation = pooling.arguments.activation;
    dispatchFloat(
        type, [&]<class T>() { pool<Pool, T>(operation, pooling, activationRange(activation)); });
    if constexpr (!std::is_same_v<Pool, RootMeanSquare>) {
        dispatchQuantized8(type, [&]<class T>() {
            pool<Pool, T>(operation, pooling, activationRange(activation, operation.outputs[0]));
        });
    }
    return {};
}

}  // namespace pooling
}  // namespace

constinit const OperationDefinition kAveragePool2d{
    .type = OperationType::AVERAGE_POOL_2D,
    .since = HalVersion::V1_0,
    .check = pooling::check,
    .inferShapes = pooling::inferShapes,
    .run = pooling::run<pooling::Average>,
};

constinit const OperationDefinition kL2Pool2d{
    .type = OperationType::L2_POOL_2D,
    .since = HalVersion::V1_0,
    .check = pooling::check,
    .inferShapes = pooling::inferShapes,
    .run = pooling::run<pooling::RootMeanSquare>,
};

constinit const OperationDefinition kMaxPool2d{
    .type = OperationType::MAX_POOL_2D,
    .since = HalVersion::V1_0,
    .check = pooling::check,
    .inferShapes = pooling::inferShapes,
    .run = pooling::run<pooling::Maximum>,
};

}  // namespace nnburst::exec
