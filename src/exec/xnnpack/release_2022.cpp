// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The release of February 2022: set-up takes sizes and addresses together.

#include <array>
#include <utility>
#include <vector>

#include "exec/xnnpack/release.h"

namespace nnburst::exec::xnnpack {

namespace {

template <class T, class Function>
SetUp convolutionOf(Function function, const ImageSizes& images, std::size_t output) {
    return {.reshape = {},
            .setUp = [=](xnn_operator_t handle, Operands operands, void* /*workspace*/,
                         pthreadpool_t threads) {
                return function(handle, images.batches, images.height, images.width,
                                operandAs<const T>(operands, 0), operandAs<T>(operands, output),
                                threads);
            }};
}

template <class T, class Function>
SetUp deconvolutionOf(Function function, const ImageSizes& images, std::size_t output) {
    return {.reshape = {},
            .setUp = [=](xnn_operator_t handle, Operands operands, void* /*workspace*/,
                         pthreadpool_t threads) {
                return function(handle, images.batches, images.height, images.width, 0, 0,
                                operandAs<const T>(operands, 0), operandAs<T>(operands, output),
                                threads);
            }};
}

/// Of operators on `rows` rows, of which each is computed by itself.
template <class T>
SetUp rowsOf(xnn_status (*function)(xnn_operator_t, std::size_t, const T*, T*, pthreadpool_t),
             std::size_t rows, std::size_t output) {
    return {.reshape = {},
            .setUp = [=](xnn_operator_t handle, Operands operands, void* /*workspace*/,
                         pthreadpool_t threads) {
                return function(handle, rows, operandAs<const T>(operands, 0),
                                operandAs<T>(operands, output), threads);
            }};
}

/// An operation on each element: one channel a row, since XNNPACK joins rows that follow each
/// other.
template <class T, class Create, class... Rest>
CreatedOperator elementwiseOf(Create create,
                              xnn_status (*setUp)(xnn_operator_t, std::size_t, const T*, T*,
                                                  pthreadpool_t),
                              std::size_t count, std::size_t outputIndex, const Rest&... rest) {
    CreatedOperator made;
    made.status = create(1, 1, 1, rest..., 0, &made.created);
    made.setUp = rowsOf<T>(setUp, count, outputIndex);
    return made;
}

/// LOGISTIC and TANH of 8 bits.
template <class T, class Create, class Function>
CreatedOperator curveOf(Create create, Function setUp, const Elements& input,
                        const Elements& output, std::size_t count, std::size_t outputIndex) {
    const QuantizedRange limits = quantizedLimits(output.type);
    CreatedOperator made =
        elementwiseOf<T>(create, setUp, count, outputIndex, static_cast<T>(input.zeroPoint),
                         input.scale, static_cast<T>(output.zeroPoint), output.scale,
                         static_cast<T>(limits.minimum), static_cast<T>(limits.maximum));
    made.constantBytes = kByteValues;
    return made;
}

CreatedOperator createFloatUnary(OperationType type, float alpha, std::size_t count,
                                 std::size_t outputIndex) {
    switch (type) {
        case OperationType::ABS:
            return elementwiseOf<float>(xnn_create_abs_nc_f32, xnn_setup_abs_nc_f32, count,
                                        outputIndex);
        case OperationType::ELU:
            return elementwiseOf<float>(xnn_create_elu_nc_f32, xnn_setup_elu_nc_f32, count,
                                        outputIndex, alpha);
        case OperationType::FLOOR:
            return elementwiseOf<float>(xnn_create_floor_nc_f32, xnn_setup_floor_nc_f32, count,
                                        outputIndex);
        case OperationType::HARD_SWISH:
            return elementwiseOf<float>(xnn_create_hardswish_nc_f32, xnn_setup_hardswish_nc_f32,
                                        count, outputIndex);
        case OperationType::LOGISTIC:
            return elementwiseOf<float>(xnn_create_sigmoid_nc_f32, xnn_setup_sigmoid_nc_f32, count,
                                        outputIndex);
        case OperationType::NEG:
            return elementwiseOf<float>(xnn_create_negate_nc_f32, xnn_setup_negate_nc_f32, count,
                                        outputIndex);
        case OperationType::SQRT:
            return elementwiseOf<float>(xnn_create_square_root_nc_f32, xnn_setup_square_root_nc_f32,
                                        count, outputIndex);
        default:
            return {};
    }
}

/// A shape with sizes as XNNPACK takes them.
struct Sizes {
    explicit Sizes(const Shape& shape) noexcept : rank(shape.rank()) {
        for (std::size_t axis = 0; axis < rank; ++axis) {
            sizes[axis] = shape[axis];
        }
    }

    std::array<std::size_t, kMaximumRank> sizes{};
    std::size_t rank;
};

template <class T>
using SetUpBinary = xnn_status (*)(xnn_operator_t, std::size_t, const std::size_t*, std::size_t,
                                   const std::size_t*, const T*, const T*, T*, pthreadpool_t);

/// Two tensors, of sizes that are broadcast.
struct BinaryShapes {
    Sizes a;
    Sizes b;
    std::size_t output;

    template <class T>
    [[nodiscard]] SetUp setUp(SetUpBinary<T> function) const {
        return {.reshape = {},
                .setUp = [function, *this](xnn_operator_t handle, Operands operands,
                                           void* /*workspace*/, pthreadpool_t threads) {
                    return function(handle, a.rank, a.sizes.data(), b.rank, b.sizes.data(),
                                    operandAs<const T>(operands, 0),
                                    operandAs<const T>(operands, 1), operandAs<T>(operands, output),
                                    threads);
                }};
    }
};

CreatedOperator createFloatBinary(OperationType type, const FloatRange& range,
                                  const BinaryShapes& shapes) {
    const auto clamped = [&](auto create, SetUpBinary<float> setUp) {
        CreatedOperator made;
        made.status = create(range.minimum, range.maximum, 0, &made.created);
        made.setUp = shapes.setUp<float>(setUp);
        return made;
    };
    const auto plain = [&](auto create, SetUpBinary<float> setUp) {
        CreatedOperator made;
        made.status = create(0, &made.created);
        made.setUp = shapes.setUp<float>(setUp);
        return made;
    };
    switch (type) {
        case OperationType::ADD:
            return clamped(xnn_create_add_nd_f32, xnn_setup_add_nd_f32);
        case OperationType::SUB:
            return clamped(xnn_create_subtract_nd_f32, xnn_setup_subtract_nd_f32);
        case OperationType::MUL:
            return clamped(xnn_create_multiply_nd_f32, xnn_setup_multiply_nd_f32);
        case OperationType::DIV:
            return clamped(xnn_create_divide_nd_f32, xnn_setup_divide_nd_f32);
        case OperationType::MAXIMUM:
            return plain(xnn_create_maximum_nd_f32, xnn_setup_maximum_nd_f32);
        case OperationType::MINIMUM:
            return plain(xnn_create_minimum_nd_f32, xnn_setup_minimum_nd_f32);
        default:
            return {};
    }
}

template <class T>
using CreateQuantized = xnn_status (*)(T, float, T, float, T, float, T, T, std::uint32_t,
                                       xnn_operator_t*);

/// `create` and `setUp` have one function for ADD, SUB and MUL each.
template <class T>
CreatedOperator createQuantizedBinary(OperationType type, const Elements& a, const Elements& b,
                                      const Elements& output, const FloatRange& range,
                                      const BinaryShapes& shapes,
                                      const std::array<CreateQuantized<T>, 3>& create,
                                      const std::array<SetUpBinary<T>, 3>& setUp) {
    std::size_t function = 0;
    switch (type) {
        case OperationType::ADD:
            break;
        case OperationType::SUB:
            function = 1;
            break;
        case OperationType::MUL:
            function = 2;
            break;
        default:
            return {};
    }
    CreatedOperator made;
    made.status = create[function](
        static_cast<T>(a.zeroPoint), a.scale, static_cast<T>(b.zeroPoint), b.scale,
        static_cast<T>(output.zeroPoint), output.scale, static_cast<T>(range.minimum),
        static_cast<T>(range.maximum), 0, &made.created);
    made.setUp = shapes.setUp<T>(setUp[function]);
    return made;
}

/// Poolings by windows.
struct Pool {
    const SpatialWindow& window;
    std::uint32_t batches;
    std::size_t channels;
    std::size_t output;

    /// Calls a creation function: padding, window, strides, `dilations` if it has them, channels
    /// and their strides, then `rest`.
    template <class T, class Create, class Function, class... Dilations, class... Rest>
    [[nodiscard]] CreatedOperator make(Create create, Function setUp,
                                       const std::tuple<Dilations...>& dilations,
                                       const Rest&... rest) const {
        const SlidingWindow& height = window.height;
        const SlidingWindow& width = window.width;
        CreatedOperator made;
        made.status = std::apply(
            [&](auto... dilation) {
                return create(height.paddingBefore, width.paddingAfter, height.paddingAfter,
                              width.paddingBefore, height.size, width.size, height.stride,
                              width.stride, dilation..., channels, channels, channels, rest..., 0,
                              &made.created);
            },
            dilations);
        made.setUp = convolutionOf<T>(
            setUp, {batches, window.height.inputSize, window.width.inputSize}, output);
        return made;
    }

    template <class T, class Create, class Function>
    [[nodiscard]] CreatedOperator createMaximum(Create create, Function setUp,
                                                const FloatRange& range) const {
        return make<T>(create, setUp, std::tuple(1U, 1U), static_cast<T>(range.minimum),
                       static_cast<T>(range.maximum));
    }
};

template <class T, class Function>
SetUp setUpGlobalAverage(Function function, const ImageSizes& images, std::size_t output) {
    return {.reshape = {},
            .setUp = [=, pixels = std::size_t{images.height} * images.width](
                         xnn_operator_t handle, Operands operands, void* /*workspace*/,
                         pthreadpool_t threads) {
                return function(handle, images.batches, pixels, operandAs<const T>(operands, 0),
                                operandAs<T>(operands, output), threads);
            }};
}

template <class T, class Create, class Function>
CreatedOperator quantizedGlobalAverageOf(Create create, Function setUp, const Elements& elements,
                                         const ImageSizes& images, std::size_t channels,
                                         const FloatRange& range, std::size_t outputIndex) {
    const auto zeroPoint = static_cast<T>(elements.zeroPoint);
    CreatedOperator made;
    made.status =
        create(channels, channels, channels, zeroPoint, elements.scale, zeroPoint, elements.scale,
               static_cast<T>(range.minimum), static_cast<T>(range.maximum), 0, &made.created);
    made.setUp = setUpGlobalAverage<T>(setUp, images, outputIndex);
    return made;
}

template <class T, class Create, class Function>
CreatedOperator resizeOf(Create create, Function setUp, const ImageSizes& images,
                         std::size_t channels, std::size_t outputHeight, std::size_t outputWidth,
                         std::uint32_t flags, std::size_t outputIndex) {
    CreatedOperator made;
    made.status = create(channels, channels, channels, flags, &made.created);
    made.setUp.setUp = [=](xnn_operator_t handle, Operands operands, void* /*workspace*/,
                           pthreadpool_t threads) {
        return setUp(handle, images.batches, images.height, images.width, outputHeight, outputWidth,
                     operandAs<const T>(operands, 0), operandAs<T>(operands, outputIndex), threads);
    };
    return made;
}

}  // namespace

WeightsProvider providerOf(OperatorWeights& /*weights*/) noexcept {
    return {};
}

std::span<const std::uint8_t> buildIdentifier() noexcept {
    return {};
}

SetUp setUpConvolution(OperandType type, bool isPerChannel, const ImageSizes& images,
                       std::size_t output) {
    switch (type) {
        case OperandType::TENSOR_FLOAT32:
            return convolutionOf<float>(xnn_setup_convolution2d_nhwc_f32, images, output);
        case OperandType::TENSOR_QUANT8_ASYMM:
            return convolutionOf<std::uint8_t>(xnn_setup_convolution2d_nhwc_qu8, images, output);
        default:
            return isPerChannel ? convolutionOf<std::int8_t>(xnn_setup_convolution2d_nhwc_qc8,
                                                             images, output)
                                : convolutionOf<std::int8_t>(xnn_setup_convolution2d_nhwc_qs8,
                                                             images, output);
    }
}

SetUp setUpDeconvolution(OperandType type, const ImageSizes& images, std::size_t output) {
    switch (type) {
        case OperandType::TENSOR_FLOAT32:
            return deconvolutionOf<float>(xnn_setup_deconvolution2d_nhwc_f32, images, output);
        case OperandType::TENSOR_QUANT8_ASYMM:
            return deconvolutionOf<std::uint8_t>(xnn_setup_deconvolution2d_nhwc_qu8, images,
                                                 output);
        default:
            return deconvolutionOf<std::int8_t>(xnn_setup_deconvolution2d_nhwc_qs8, images, output);
    }
}

SetUp setUpFullyConnected(OperandType type, std::size_t batches, std::size_t output) {
    switch (type) {
        case OperandType::TENSOR_FLOAT32:
            return rowsOf<float>(xnn_setup_fully_connected_nc_f32, batches, output);
        case OperandType::TENSOR_QUANT8_ASYMM:
            return rowsOf<std::uint8_t>(xnn_setup_fully_connected_nc_qu8, batches, output);
        default:
            return rowsOf<std::int8_t>(xnn_setup_fully_connected_nc_qs8, batches, output);
    }
}

CreatedOperator createUnary(OperationType type, const Elements& input, const Elements& output,
                            float alpha, std::size_t count, std::size_t outputIndex) {
    if (input.type == OperandType::TENSOR_FLOAT32) {
        return createFloatUnary(type, alpha, count, outputIndex);
    }
    const bool isUnsigned = input.type == OperandType::TENSOR_QUANT8_ASYMM;
    switch (type) {
        case OperationType::LOGISTIC:
            return isUnsigned
                       ? curveOf<std::uint8_t>(xnn_create_sigmoid_nc_qu8, xnn_setup_sigmoid_nc_qu8,
                                               input, output, count, outputIndex)
                       : curveOf<std::int8_t>(xnn_create_sigmoid_nc_qs8, xnn_setup_sigmoid_nc_qs8,
                                              input, output, count, outputIndex);
        case OperationType::TANH:
            return isUnsigned ? curveOf<std::uint8_t>(xnn_create_tanh_nc_qu8, xnn_setup_tanh_nc_qu8,
                                                      input, output, count, outputIndex)
                              : curveOf<std::int8_t>(xnn_create_tanh_nc_qs8, xnn_setup_tanh_nc_qs8,
                                                     input, output, count, outputIndex);
        default:
            return {};
    }
}

CreatedOperator createClamp(OperandType type, const FloatRange& range, std::size_t count,
                            std::size_t outputIndex) {
    switch (type) {
        case OperandType::TENSOR_FLOAT32:
            return elementwiseOf<float>(xnn_create_clamp_nc_f32, xnn_setup_clamp_nc_f32, count,
                                        outputIndex, range.minimum, range.maximum);
        case OperandType::TENSOR_QUANT8_ASYMM:
            return elementwiseOf<std::uint8_t>(
                xnn_create_clamp_nc_u8, xnn_setup_clamp_nc_u8, count, outputIndex,
                static_cast<std::uint8_t>(range.minimum), static_cast<std::uint8_t>(range.maximum));
        default:
            return elementwiseOf<std::int8_t>(xnn_create_clamp_nc_s8, xnn_setup_clamp_nc_s8, count,
                                              outputIndex, static_cast<std::int8_t>(range.minimum),
                                              static_cast<std::int8_t>(range.maximum));
    }
}

CreatedOperator createBinary(OperationType type, const Elements& a, const Elements& b,
                             const Elements& output, const FloatRange& range, const Shape& shapeA,
                             const Shape& shapeB, std::size_t outputIndex) {
    const BinaryShapes shapes{Sizes(shapeA), Sizes(shapeB), outputIndex};
    switch (output.type) {
        case OperandType::TENSOR_FLOAT32:
            return createFloatBinary(type, range, shapes);
        case OperandType::TENSOR_QUANT8_ASYMM:
            return createQuantizedBinary<std::uint8_t>(
                type, a, b, output, range, shapes,
                {xnn_create_add_nd_qu8, xnn_create_subtract_nd_qu8, xnn_create_multiply_nd_qu8},
                {xnn_setup_add_nd_qu8, xnn_setup_subtract_nd_qu8, xnn_setup_multiply_nd_qu8});
        default:
            return createQuantizedBinary<std::int8_t>(
                type, a, b, output, range, shapes,
                {xnn_create_add_nd_qs8, xnn_create_subtract_nd_qs8, xnn_create_multiply_nd_qs8},
                {xnn_setup_add_nd_qs8, xnn_setup_subtract_nd_qs8, xnn_setup_multiply_nd_qs8});
    }
}

CreatedOperator createPrelu(std::size_t rows, std::size_t channels, std::span<const float> factors,
                            std::size_t outputIndex) {
    CreatedOperator made;
    // XNNPACK packs a copy.
    std::vector<float> given(factors.begin(), factors.end());
    given.resize(channels, factors[0]);
    made.status =
        xnn_create_prelu_nc_f32(channels, channels, channels, given.data(), 0, &made.created);
    made.setUp = rowsOf<float>(xnn_setup_prelu_nc_f32, rows, outputIndex);
    made.constantBytes = channels * sizeof(float);
    return made;
}

CreatedOperator createAveragePool(const Elements& elements, const SpatialWindow& window,
                                  std::uint32_t batches, std::uint32_t channels,
                                  const FloatRange& range, std::size_t outputIndex) {
    const Pool pool{window, batches, channels, outputIndex};
    if (elements.type == OperandType::TENSOR_FLOAT32) {
        return pool.make<float>(xnn_create_average_pooling2d_nhwc_f32,
                                xnn_setup_average_pooling2d_nhwc_f32, std::tuple<>(), range.minimum,
                                range.maximum);
    }
    if (elements.type == OperandType::TENSOR_QUANT8_ASYMM) {
        const auto zeroPoint = static_cast<std::uint8_t>(elements.zeroPoint);
        return pool.make<std::uint8_t>(
            xnn_create_average_pooling2d_nhwc_qu8, xnn_setup_average_pooling2d_nhwc_qu8,
            std::tuple<>(), zeroPoint, elements.scale, zeroPoint, elements.scale,
            static_cast<std::uint8_t>(range.minimum), static_cast<std::uint8_t>(range.maximum));
    }
    return {};
}

CreatedOperator createMaxPool(const Elements& elements, const SpatialWindow& window,
                              std::uint32_t batches, std::uint32_t channels,
                              const FloatRange& range, std::size_t outputIndex) {
    const Pool pool{window, batches, channels, outputIndex};
    switch (elements.type) {
        case OperandType::TENSOR_FLOAT32:
            return pool.createMaximum<float>(xnn_create_max_pooling2d_nhwc_f32,
                                             xnn_setup_max_pooling2d_nhwc_f32, range);
        case OperandType::TENSOR_QUANT8_ASYMM:
            return pool.createMaximum<std::uint8_t>(xnn_create_max_pooling2d_nhwc_u8,
                                                    xnn_setup_max_pooling2d_nhwc_u8, range);
        default:
            return pool.createMaximum<std::int8_t>(xnn_create_max_pooling2d_nhwc_s8,
                                                   xnn_setup_max_pooling2d_nhwc_s8, range);
    }
}

CreatedOperator createGlobalAverage(const Elements& elements, const ImageSizes& images,
                                    std::uint32_t channels, const FloatRange& range,
                                    std::size_t outputIndex) {
    if (elements.type == OperandType::TENSOR_FLOAT32) {
        CreatedOperator made;
        made.status = xnn_create_global_average_pooling_nwc_f32(
            channels, channels, channels, range.minimum, range.maximum, 0, &made.created);
        made.setUp = setUpGlobalAverage<float>(xnn_setup_global_average_pooling_nwc_f32, images,
                                               outputIndex);
        return made;
    }
    return elements.type == OperandType::TENSOR_QUANT8_ASYMM
               ? quantizedGlobalAverageOf<std::uint8_t>(xnn_create_global_average_pooling_nwc_qu8,
                                                        xnn_setup_global_average_pooling_nwc_qu8,
                                                        elements, images, channels, range,
                                                        outputIndex)
               : quantizedGlobalAverageOf<std::int8_t>(xnn_create_global_average_pooling_nwc_qs8,
                                                       xnn_setup_global_average_pooling_nwc_qs8,
                                                       elements, images, channels, range,
                                                       outputIndex);
}

CreatedOperator createSoftmax(const Elements& input, std::size_t rows, std::size_t channels,
                              std::size_t outputIndex) {
    CreatedOperator made;
    if (input.type == OperandType::TENSOR_FLOAT32) {
        made.status = xnn_create_softmax_nc_f32(channels, channels, channels, 0, &made.created);
        made.setUp = rowsOf<float>(xnn_setup_softmax_nc_f32, rows, outputIndex);
    } else {
        made.status = xnn_create_softmax_nc_qu8(channels, channels, channels, input.scale, 0,
                                                0x1p-8F, 0, &made.created);
        made.setUp = rowsOf<std::uint8_t>(xnn_setup_softmax_nc_qu8, rows, outputIndex);
        made.constantBytes = kByteValues * sizeof(std::uint32_t);
    }
    return made;
}

CreatedOperator createResizeBilinear(OperandType type, const ImageSizes& images,
                                     std::uint32_t channels, std::uint32_t outputHeight,
                                     std::uint32_t outputWidth, std::uint32_t flags,
                                     std::size_t outputIndex) {
    switch (type) {
        case OperandType::TENSOR_FLOAT32:
            return resizeOf<float>(xnn_create_resize_bilinear2d_nhwc_f32,
                                   xnn_setup_resize_bilinear2d_nhwc_f32, images, channels,
                                   outputHeight, outputWidth, flags, outputIndex);
        case OperandType::TENSOR_QUANT8_ASYMM:
            return resizeOf<std::uint8_t>(xnn_create_resize_bilinear2d_nhwc_u8,
                                          xnn_setup_resize_bilinear2d_nhwc_u8, images, channels,
                                          outputHeight, outputWidth, flags, outputIndex);
        default:
            return resizeOf<std::int8_t>(xnn_create_resize_bilinear2d_nhwc_s8,
                                         xnn_setup_resize_bilinear2d_nhwc_s8, images, channels,
                                         outputHeight, outputWidth, flags, outputIndex);
    }
}

CreatedOperator createHalfToFloat(std::size_t count) {
    CreatedOperator made;
    made.status = xnn_create_convert_nc_f16_f32(1, 1, 1, 0, &made.created);
    made.setUp.setUp = [=](xnn_operator_t handle, Operands operands, void* /*workspace*/,
                           pthreadpool_t threads) {
        return xnn_setup_convert_nc_f16_f32(handle, count, operandAs<const void>(operands, 0),
                                            operandAs<float>(operands, 1), threads);
    };
    return made;
}

CreatedOperator createFloatToHalf(std::size_t count) {
    CreatedOperator made;
    made.status = xnn_create_convert_nc_f32_f16(1, 1, 1, 0, &made.created);
    made.setUp.setUp = [=](xnn_operator_t handle, Operands operands, void* /*workspace*/,
                           pthreadpool_t threads) {
        return xnn_setup_convert_nc_f32_f16(handle, count, operandAs<const float>(operands, 0),
                                            operandAs<void>(operands, 1), threads);
    };
    return made;
}

}  // namespace nnburst::exec::xnnpack
