// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The release of November 2024: reshape takes sizes, set-up takes addresses. Sums, products and
// averages over whole images have no range of their own.

#include <array>
#include <utility>

#include "exec/xnnpack/packed_weights.h"
#include "exec/xnnpack/release.h"
#include "memory/aligned_buffer.h"

namespace nnburst::exec::xnnpack {

namespace {

xnn_datatype datatypeOf(OperandType type) noexcept {
    switch (type) {
        case OperandType::TENSOR_FLOAT32:
            return xnn_datatype_fp32;
        case OperandType::TENSOR_QUANT8_ASYMM:
            return xnn_datatype_quint8;
        default:
            return xnn_datatype_qint8;
    }
}

xnn_quantization_params quantizationOf(const Elements& elements) noexcept {
    return {.zero_point = elements.zeroPoint, .scale = elements.scale};
}

bool isWhole(const FloatRange& range, OperandType type) noexcept {
    const FloatRange whole = wholeRange(type);
    return range.minimum <= whole.minimum && range.maximum >= whole.maximum;
}

/// The workspace that an operator has asked for. Its alignment is that of all scratch memory.
xnn_status takeWorkspace(xnn_status status, std::size_t sizeBytes, std::size_t alignment,
                         std::size_t& workspaceBytes) {
    NNBURST_ASSERT(
        status != xnn_status_success || sizeBytes == 0 || alignment <= kOperandAlignmentBytes,
        "XNNPACK wants a workspace aligned to {} bytes, and gets {}", alignment,
        kOperandAlignmentBytes);
    workspaceBytes = sizeBytes;
    return status;
}

/// A set-up function with one input and without a workspace.
template <class T>
auto withoutWorkspace(xnn_status (*function)(xnn_operator_t, const T*, T*), std::size_t output) {
    return [=](xnn_operator_t handle, Operands operands, void* /*workspace*/,
               pthreadpool_t /*threads*/) {
        return function(handle, operandAs<const T>(operands, 0), operandAs<T>(operands, output));
    };
}

/// A set-up function with one input and a workspace.
template <class T>
auto withWorkspace(xnn_status (*function)(xnn_operator_t, void*, const T*, T*),
                   std::size_t output) {
    return
        [=](xnn_operator_t handle, Operands operands, void* workspace, pthreadpool_t /*threads*/) {
            return function(handle, workspace, operandAs<const T>(operands, 0),
                            operandAs<T>(operands, output));
        };
}

template <class T, class Reshape>
SetUp convolutionOf(Reshape reshape, xnn_status (*function)(xnn_operator_t, void*, const T*, T*),
                    const ImageSizes& images, std::size_t output) {
    return {.reshape =
                [=](xnn_operator_t handle, std::size_t& workspaceBytes, pthreadpool_t threads) {
                    std::size_t sizeBytes = 0;
                    std::size_t alignment = 1;
                    const xnn_status status =
                        reshape(handle, images.batches, images.height, images.width, &sizeBytes,
                                &alignment, nullptr, nullptr, threads);
                    return takeWorkspace(status, sizeBytes, alignment, workspaceBytes);
                },
            .setUp = withWorkspace<T>(function, output)};
}

template <class T, class Reshape>
SetUp deconvolutionOf(Reshape reshape, xnn_status (*function)(xnn_operator_t, const T*, T*),
                      const ImageSizes& images, std::size_t output) {
    return {.reshape =
                [=](xnn_operator_t handle, std::size_t& /*none*/, pthreadpool_t threads) {
                    return reshape(handle, images.batches, images.height, images.width, 0, 0,
                                   nullptr, nullptr, threads);
                },
            .setUp = withoutWorkspace<T>(function, output)};
}

template <class T, class Reshape>
SetUp fullyConnectedOf(Reshape reshape, xnn_status (*function)(xnn_operator_t, const T*, T*),
                       std::size_t batches, std::size_t output) {
    return {.reshape = [=](xnn_operator_t handle, std::size_t& /*none*/,
                           pthreadpool_t threads) { return reshape(handle, batches, threads); },
            .setUp = withoutWorkspace<T>(function, output)};
}

CreatedOperator createElementwise(xnn_unary_operator type, xnn_datatype inputType,
                                  xnn_datatype outputType, const xnn_unary_params& params,
                                  const xnn_quantization_params& input,
                                  const xnn_quantization_params& output, std::size_t count,
                                  std::size_t outputIndex) {
    CreatedOperator made;
    made.status = xnn_create_unary_elementwise_nc(type, inputType, outputType, &params, &input,
                                                  &output, 0, &made.created);
    // One channel a row: XNNPACK joins rows that follow each other.
    made.setUp = {.reshape =
                      [=](xnn_operator_t handle, std::size_t& /*none*/, pthreadpool_t threads) {
                          return xnn_reshape_unary_elementwise_nc(handle, count, 1, 1, 1, threads);
                      },
                  .setUp =
                      [=](xnn_operator_t handle, Operands operands, void* /*workspace*/,
                          pthreadpool_t /*threads*/) {
                          return xnn_setup_unary_elementwise_nc(
                              handle, operandAs<const void>(operands, 0),
                              operandAs<void>(operands, outputIndex));
                      }};
    return made;
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

SetUp setUpBinary(const Sizes& a, const Sizes& b, std::size_t outputIndex) {
    return {.reshape =
                [=](xnn_operator_t handle, std::size_t& /*none*/, pthreadpool_t threads) {
                    return xnn_reshape_binary_elementwise_nd(handle, a.rank, a.sizes.data(), b.rank,
                                                             b.sizes.data(), threads);
                },
            .setUp =
                [=](xnn_operator_t handle, Operands operands, void* /*workspace*/,
                    pthreadpool_t /*threads*/) {
                    return xnn_setup_binary_elementwise_nd(
                        handle, operandAs<const void>(operands, 0),
                        operandAs<const void>(operands, 1), operandAs<void>(operands, outputIndex));
                }};
}

/// Calls a creation function of poolings: padding, window, strides, then `rest`.
template <class Create, class... Rest>
xnn_status createPool(Create function, const SpatialWindow& window, xnn_operator_t& created,
                      const Rest&... rest) {
    const SlidingWindow& height = window.height;
    const SlidingWindow& width = window.width;
    return function(height.paddingBefore, width.paddingAfter, height.paddingAfter,
                    width.paddingBefore, height.size, width.size, height.stride, width.stride,
                    rest..., 0, &created);
}

template <class T, class Reshape>
SetUp setUpAveragePool(Reshape reshape, xnn_status (*function)(xnn_operator_t, void*, const T*, T*),
                       const SpatialWindow& window, std::uint32_t batches, std::size_t channels,
                       std::size_t outputIndex) {
    return {.reshape =
                [=, height = window.height.inputSize, width = window.width.inputSize](
                    xnn_operator_t handle, std::size_t& workspaceBytes, pthreadpool_t threads) {
                    std::size_t sizeBytes = 0;
                    std::size_t alignment = 1;
                    const xnn_status status =
                        reshape(handle, batches, height, width, channels, channels, channels,
                                &sizeBytes, &alignment, nullptr, nullptr, threads);
                    return takeWorkspace(status, sizeBytes, alignment, workspaceBytes);
                },
            .setUp = withWorkspace<T>(function, outputIndex)};
}

template <class T, class Create, class Reshape>
CreatedOperator maxPoolOf(Create create, Reshape reshape,
                          xnn_status (*function)(xnn_operator_t, const T*, T*),
                          const SpatialWindow& window, std::uint32_t batches, std::size_t channels,
                          const FloatRange& range, std::size_t outputIndex) {
    CreatedOperator made;
    made.status = createPool(create, window, made.created, 1U, 1U, static_cast<T>(range.minimum),
                             static_cast<T>(range.maximum));
    made.setUp = {.reshape =
                      [=, height = window.height.inputSize, width = window.width.inputSize](
                          xnn_operator_t handle, std::size_t& /*none*/, pthreadpool_t threads) {
                          return reshape(handle, batches, height, width, channels, channels,
                                         channels, nullptr, nullptr, threads);
                      },
                  .setUp = withoutWorkspace<T>(function, outputIndex)};
    return made;
}

template <class T, class Reshape>
SetUp setUpSoftmax(Reshape reshape, xnn_status (*function)(xnn_operator_t, const T*, T*),
                   std::size_t rows, std::size_t channels, std::size_t outputIndex) {
    return {.reshape =
                [=](xnn_operator_t handle, std::size_t& /*none*/, pthreadpool_t threads) {
                    return reshape(handle, channels, channels, channels, rows, threads);
                },
            .setUp = withoutWorkspace<T>(function, outputIndex)};
}

template <class T, class Create, class Reshape>
CreatedOperator resizeOf(Create create, Reshape reshape,
                         xnn_status (*function)(xnn_operator_t, void*, const T*, T*),
                         const ImageSizes& images, std::size_t channels, std::size_t outputHeight,
                         std::size_t outputWidth, std::uint32_t flags, std::size_t outputIndex) {
    CreatedOperator made;
    made.status = create(outputHeight, outputWidth, flags, &made.created);
    made.setUp = {
        .reshape =
            [=](xnn_operator_t handle, std::size_t& workspaceBytes, pthreadpool_t threads) {
                std::size_t sizeBytes = 0;
                std::size_t alignment = 1;
                const xnn_status status =
                    reshape(handle, images.batches, images.height, images.width, channels, channels,
                            channels, &sizeBytes, &alignment, threads);
                return takeWorkspace(status, sizeBytes, alignment, workspaceBytes);
            },
        .setUp = withWorkspace<T>(function, outputIndex)};
    return made;
}

OperatorWeights& weightsOf(void* context) noexcept {
    return *static_cast<OperatorWeights*>(context);
}

/// XNNPACK names packed weights by their offset in a cache. A provider has those of one operator.
constexpr std::size_t kOffset = 0;

}  // namespace

WeightsProvider providerOf(OperatorWeights& weights) noexcept {
    return {
        .context = &weights,
        .look_up =
            [](void* context, const xnn_weights_cache_look_up_key* key) {
                return weightsOf(context).lookUp(key->seed) ? kOffset : SIZE_MAX;
            },
        .reserve_space = [](void* context, std::size_t n) { return weightsOf(context).reserve(n); },
        .look_up_or_insert =
            [](void* context, const xnn_weights_cache_look_up_key* key, void* /*ptr*/,
               std::size_t /*size*/) {
                weightsOf(context).insert(key->seed);
                return kOffset;
            },
        // Operators are not set up before their cache is.
        .is_finalized = [](void* /*context*/) { return true; },
        .offset_to_addr = [](void* context,
                             std::size_t /*offset*/) { return weightsOf(context).data(); },
        .delete_cache = [](void* /*context*/) { return xnn_status_success; }};
}

std::span<const std::uint8_t> buildIdentifier() noexcept {
    return {static_cast<const std::uint8_t*>(xnn_experimental_get_build_identifier_data()),
            xnn_experimental_get_build_identifier_size()};
}

SetUp setUpConvolution(OperandType type, bool isPerChannel, const ImageSizes& images,
                       std::size_t output) {
    switch (type) {
        case OperandType::TENSOR_FLOAT32:
            return convolutionOf<float>(xnn_reshape_convolution2d_nhwc_f32,
                                        xnn_setup_convolution2d_nhwc_f32, images, output);
        case OperandType::TENSOR_QUANT8_ASYMM:
            return convolutionOf<std::uint8_t>(xnn_reshape_convolution2d_nhwc_qu8,
                                               xnn_setup_convolution2d_nhwc_qu8, images, output);
        default:
            return isPerChannel ? convolutionOf<std::int8_t>(
                                      xnn_reshape_convolution2d_nhwc_qs8_qc8w,
                                      xnn_setup_convolution2d_nhwc_qs8_qc8w, images, output)
                                : convolutionOf<std::int8_t>(xnn_reshape_convolution2d_nhwc_qs8,
                                                             xnn_setup_convolution2d_nhwc_qs8,
                                                             images, output);
    }
}

SetUp setUpDeconvolution(OperandType type, const ImageSizes& images, std::size_t output) {
    switch (type) {
        case OperandType::TENSOR_FLOAT32:
            return deconvolutionOf<float>(xnn_reshape_deconvolution2d_nhwc_f32,
                                          xnn_setup_deconvolution2d_nhwc_f32, images, output);
        case OperandType::TENSOR_QUANT8_ASYMM:
            return deconvolutionOf<std::uint8_t>(xnn_reshape_deconvolution2d_nhwc_qu8,
                                                 xnn_setup_deconvolution2d_nhwc_qu8, images,
                                                 output);
        default:
            return deconvolutionOf<std::int8_t>(xnn_reshape_deconvolution2d_nhwc_qs8,
                                                xnn_setup_deconvolution2d_nhwc_qs8, images, output);
    }
}

SetUp setUpFullyConnected(OperandType type, std::size_t batches, std::size_t output) {
    switch (type) {
        case OperandType::TENSOR_FLOAT32:
            return fullyConnectedOf<float>(xnn_reshape_fully_connected_nc_f32,
                                           xnn_setup_fully_connected_nc_f32, batches, output);
        case OperandType::TENSOR_QUANT8_ASYMM:
            return fullyConnectedOf<std::uint8_t>(xnn_reshape_fully_connected_nc_qu8,
                                                  xnn_setup_fully_connected_nc_qu8, batches,
                                                  output);
        default:
            return fullyConnectedOf<std::int8_t>(xnn_reshape_fully_connected_nc_qs8,
                                                 xnn_setup_fully_connected_nc_qs8, batches, output);
    }
}

CreatedOperator createUnary(OperationType type, const Elements& input, const Elements& output,
                            float alpha, std::size_t count, std::size_t outputIndex) {
    xnn_unary_operator unary = xnn_unary_invalid;
    xnn_unary_params params{};
    switch (type) {
        case OperationType::ABS:
            unary = xnn_unary_abs;
            break;
        case OperationType::ELU:
            unary = xnn_unary_elu;
            params.elu.alpha = alpha;
            break;
        case OperationType::FLOOR:
            unary = xnn_unary_floor;
            break;
        case OperationType::HARD_SWISH:
            unary = xnn_unary_hardswish;
            break;
        case OperationType::LOGISTIC:
            unary = xnn_unary_sigmoid;
            break;
        case OperationType::NEG:
            unary = xnn_unary_negate;
            break;
        case OperationType::SQRT:
            unary = xnn_unary_square_root;
            break;
        case OperationType::TANH:
            unary = xnn_unary_tanh;
            break;
        default:
            return {};
    }
    CreatedOperator made =
        createElementwise(unary, datatypeOf(input.type), datatypeOf(output.type), params,
                          quantizationOf(input), quantizationOf(output), count, outputIndex);
    made.constantBytes = input.type == OperandType::TENSOR_FLOAT32 ? 0 : kByteValues;
    return made;
}

CreatedOperator createClamp(OperandType type, const FloatRange& range, std::size_t count,
                            std::size_t outputIndex) {
    xnn_unary_params params{};
    params.clamp.min = range.minimum;
    params.clamp.max = range.maximum;
    // With this scale the range is that of the quantised values.
    static constexpr xnn_quantization_params kUnit{.zero_point = 0, .scale = 1.0F};
    return createElementwise(xnn_unary_clamp, datatypeOf(type), datatypeOf(type), params, kUnit,
                             kUnit, count, outputIndex);
}

CreatedOperator createBinary(OperationType type, const Elements& a, const Elements& b,
                             const Elements& output, const FloatRange& range, const Shape& shapeA,
                             const Shape& shapeB, std::size_t outputIndex) {
    xnn_binary_operator binary = xnn_binary_invalid;
    switch (type) {
        case OperationType::ADD:
            binary = xnn_binary_add;
            break;
        case OperationType::DIV:
            binary = xnn_binary_divide;
            break;
        case OperationType::MAXIMUM:
            binary = xnn_binary_maximum;
            break;
        case OperationType::MINIMUM:
            binary = xnn_binary_minimum;
            break;
        case OperationType::MUL:
            binary = xnn_binary_multiply;
            break;
        case OperationType::SUB:
            binary = xnn_binary_subtract;
            break;
        default:
            return {};
    }
    const xnn_quantization_params quantizationA = quantizationOf(a);
    const xnn_quantization_params quantizationB = quantizationOf(b);
    const xnn_quantization_params quantizationOutput = quantizationOf(output);
    CreatedOperator made;
    made.status =
        xnn_create_binary_elementwise_nd(binary, datatypeOf(output.type), &quantizationA,
                                         &quantizationB, &quantizationOutput, 0, &made.created);
    made.setUp = setUpBinary(Sizes(shapeA), Sizes(shapeB), outputIndex);
    made.isClamped = isWhole(range, output.type);
    return made;
}

CreatedOperator createPrelu(std::size_t rows, std::size_t channels, std::span<const float> factors,
                            std::size_t outputIndex) {
    CreatedOperator made;
    made.status = xnn_create_binary_elementwise_nd(xnn_binary_prelu, xnn_datatype_fp32, nullptr,
                                                   nullptr, nullptr, 0, &made.created);
    made.setUp = setUpBinary(
        Sizes(Shape{static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(channels)}),
        Sizes(Shape{static_cast<std::uint32_t>(factors.size())}), outputIndex);
    return made;
}

CreatedOperator createAveragePool(const Elements& elements, const SpatialWindow& window,
                                  std::uint32_t batches, std::uint32_t channels,
                                  const FloatRange& range, std::size_t outputIndex) {
    CreatedOperator made;
    if (elements.type == OperandType::TENSOR_FLOAT32) {
        made.status = createPool(xnn_create_average_pooling2d_nhwc_f32, window, made.created,
                                 range.minimum, range.maximum);
        made.setUp = setUpAveragePool<float>(xnn_reshape_average_pooling2d_nhwc_f32,
                                             xnn_setup_average_pooling2d_nhwc_f32, window, batches,
                                             channels, outputIndex);
    } else if (elements.type == OperandType::TENSOR_QUANT8_ASYMM) {
        const auto zeroPoint = static_cast<std::uint8_t>(elements.zeroPoint);
        made.status = createPool(xnn_create_average_pooling2d_nhwc_qu8, window, made.created,
                                 zeroPoint, elements.scale, zeroPoint, elements.scale,
                                 static_cast<std::uint8_t>(range.minimum),
                                 static_cast<std::uint8_t>(range.maximum));
        made.setUp = setUpAveragePool<std::uint8_t>(xnn_reshape_average_pooling2d_nhwc_qu8,
                                                    xnn_setup_average_pooling2d_nhwc_qu8, window,
                                                    batches, channels, outputIndex);
    }
    return made;
}

CreatedOperator createMaxPool(const Elements& elements, const SpatialWindow& window,
                              std::uint32_t batches, std::uint32_t channels,
                              const FloatRange& range, std::size_t outputIndex) {
    switch (elements.type) {
        case OperandType::TENSOR_FLOAT32:
            return maxPoolOf<float>(
                xnn_create_max_pooling2d_nhwc_f32, xnn_reshape_max_pooling2d_nhwc_f32,
                xnn_setup_max_pooling2d_nhwc_f32, window, batches, channels, range, outputIndex);
        case OperandType::TENSOR_QUANT8_ASYMM:
            return maxPoolOf<std::uint8_t>(
                xnn_create_max_pooling2d_nhwc_u8, xnn_reshape_max_pooling2d_nhwc_u8,
                xnn_setup_max_pooling2d_nhwc_u8, window, batches, channels, range, outputIndex);
        default:
            return maxPoolOf<std::int8_t>(
                xnn_create_max_pooling2d_nhwc_s8, xnn_reshape_max_pooling2d_nhwc_s8,
                xnn_setup_max_pooling2d_nhwc_s8, window, batches, channels, range, outputIndex);
    }
}

CreatedOperator createGlobalAverage(const Elements& elements, const ImageSizes& images,
                                    std::uint32_t channels, const FloatRange& range,
                                    std::size_t outputIndex) {
    const xnn_quantization_params quantization = quantizationOf(elements);
    CreatedOperator made;
    made.status = xnn_create_reduce_nd(xnn_reduce_mean, datatypeOf(elements.type), &quantization,
                                       &quantization, 0, &made.created);
    made.setUp = {
        .reshape =
            [shape =
                 std::array<std::size_t, 4>{images.batches, images.height, images.width, channels},
             isFloat = elements.type == OperandType::TENSOR_FLOAT32](
                xnn_operator_t handle, std::size_t& workspaceBytes, pthreadpool_t threads) {
                static constexpr std::array<std::int64_t, 2> kAxes{1, 2};
                std::size_t sizeBytes = 0;
                std::size_t alignment = 1;
                const xnn_status status =
                    xnn_reshape_reduce_nd(handle, kAxes.size(), kAxes.data(), shape.size(),
                                          shape.data(), &sizeBytes, &alignment, threads);
                // With float32 it asks for a workspace, and calls a null pointer if it gets one.
                return takeWorkspace(status, isFloat ? 0 : sizeBytes, alignment, workspaceBytes);
            },
        .setUp =
            [=](xnn_operator_t handle, Operands operands, void* workspace,
                pthreadpool_t /*threads*/) {
                return xnn_setup_reduce_nd(handle, workspace, operandAs<const void>(operands, 0),
                                           operandAs<void>(operands, outputIndex));
            }};
    made.isClamped = isWhole(range, elements.type);
    return made;
}

CreatedOperator createSoftmax(const Elements& input, std::size_t rows, std::size_t channels,
                              std::size_t outputIndex) {
    CreatedOperator made;
    if (input.type == OperandType::TENSOR_FLOAT32) {
        made.status = xnn_create_softmax_nc_f32(0, &made.created);
        made.setUp = setUpSoftmax<float>(xnn_reshape_softmax_nc_f32, xnn_setup_softmax_nc_f32, rows,
                                         channels, outputIndex);
    } else {
        made.status = xnn_create_softmax_nc_qu8(input.scale, 0, 0x1p-8F, 0, &made.created);
        made.setUp = setUpSoftmax<std::uint8_t>(
            xnn_reshape_softmax_nc_qu8, xnn_setup_softmax_nc_qu8, rows, channels, outputIndex);
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
                                   xnn_reshape_resize_bilinear2d_nhwc_f32,
                                   xnn_setup_resize_bilinear2d_nhwc_f32, images, channels,
                                   outputHeight, outputWidth, flags, outputIndex);
        case OperandType::TENSOR_QUANT8_ASYMM:
            return resizeOf<std::uint8_t>(xnn_create_resize_bilinear2d_nhwc_u8,
                                          xnn_reshape_resize_bilinear2d_nhwc_u8,
                                          xnn_setup_resize_bilinear2d_nhwc_u8, images, channels,
                                          outputHeight, outputWidth, flags, outputIndex);
        default:
            return resizeOf<std::int8_t>(xnn_create_resize_bilinear2d_nhwc_s8,
                                         xnn_reshape_resize_bilinear2d_nhwc_s8,
                                         xnn_setup_resize_bilinear2d_nhwc_s8, images, channels,
                                         outputHeight, outputWidth, flags, outputIndex);
    }
}

CreatedOperator createHalfToFloat(std::size_t count) {
    return createElementwise(xnn_unary_convert, xnn_datatype_fp16, xnn_datatype_fp32, {}, {}, {},
                             count, 1);
}

CreatedOperator createFloatToHalf(std::size_t count) {
    return createElementwise(xnn_unary_convert, xnn_datatype_fp32, xnn_datatype_fp16, {}, {}, {},
                             count, 1);
}

}  // namespace nnburst::exec::xnnpack
