// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Convolutions of volumes [batches, depth, height, width, channels].
///
/// Both have these inputs: the volume; the filter; the bias, one element for each channel of the
/// output; INT32 activation (a code of the HAL), padding (1: SAME, 2: VALID), strides along depth,
/// height and width, dilations along the same. All tensors are TENSOR_FLOAT32.

#include <algorithm>
#include <array>
#include <limits>

#include "model/operand_info.h"
#include "tflite_operations/elements.h"
#include "tflite_operations/windows.h"

namespace nnburst::tflite_operations {

namespace {

using enum OperandType;

constexpr std::size_t kVolumeFilter = 1;
constexpr std::size_t kVolumeBias = 2;
constexpr std::size_t kVolumeActivation = 3;
constexpr std::size_t kVolumePadding = 4;
constexpr std::size_t kVolumeStrides = 5;
constexpr std::size_t kVolumeDilations = 8;
/// Of CONV_3D_TRANSPOSE only.
constexpr std::size_t kVolumeShape = 11;
constexpr std::size_t kVolumeAxes = 3;
constexpr std::size_t kVolumeRank = 5;

using VolumeWindows = std::array<Window, kVolumeAxes>;

Result<> checkVolume(Operands inputs, Operands outputs, std::size_t inputCount) {
    NNBURST_TRY(checkCounts(inputs, outputs, inputCount, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[kVolumeFilter], "input 1 (filter)", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[kVolumeBias], "input 2 (bias)", {TENSOR_FLOAT32}));
    for (std::size_t i = kVolumeActivation; i < kVolumeShape; ++i) {
        NNBURST_TRY(checkType(inputs[i], "activation, padding, stride or dilation", {INT32}));
    }
    return checkType(outputs[0], "output 0", {TENSOR_FLOAT32});
}

/// The windows along the axes of a volume of these sizes.
Result<VolumeWindows> volumeWindows(Operands inputs, Sizes sizes) {
    const auto scalar = [&](std::size_t i) { return scalarOf<std::int32_t>(inputs[i]); };
    VolumeWindows windows;
    for (std::size_t axis = 0; axis < kVolumeAxes; ++axis) {
        NNBURST_TRY_ASSIGN(windows[axis],
                           windowOf(sizes[1 + axis], inputs[kVolumeFilter].dimensions[axis],
                                    scalar(kVolumePadding), scalar(kVolumeStrides + axis),
                                    scalar(kVolumeDilations + axis)));
    }
    return windows;
}

/// Requires an activation of the HAL, and that volume and filter have 5 dimensions and these
/// channels. `channelsIn` is the filter's axis for those of the volume, `channelsOut` for those of
/// the output.
Result<> checkVolumeShapes(Operands inputs, std::size_t channelsIn, std::size_t channelsOut) {
    NNBURST_TRY(checkActivation(inputs[kVolumeActivation]));
    const Sizes volume = inputs[0].dimensions;
    const Sizes filter = inputs[kVolumeFilter].dimensions;
    if (volume.size() != kVolumeRank || filter.size() != kVolumeRank ||
        volume[kVolumeRank - 1] != filter[channelsIn] ||
        countOf(inputs[kVolumeBias]) != filter[channelsOut]) {
        return invalid(
            "volume of shape {}, filter of {}, {} biases; must have 5 dimensions and "
            "the same channels",
            dimensionsText(volume), dimensionsText(filter), countOf(inputs[kVolumeBias]));
    }
    return {};
}

/// The output. `sourceOf(window, place, tap)` is the element of an axis of the volume that goes
/// into element `place` of the output through `tap` of the filter; none if it is negative.
/// `addProducts(parts, voxel, tap, sums)` adds the products of the channels of both; true if the
/// run is over.
template <class SourceOf, class AddProducts>
Result<> convolveVolume(const RunContext& run, const VolumeWindows& windows, SourceOf sourceOf,
                        AddProducts addProducts) {
    const Sizes in = run.inputs[0].dimensions;
    const Sizes out = run.outputs[0].dimensions;
    const Sizes filter = run.inputs[kVolumeFilter].dimensions;
    const std::size_t channels = out[kVolumeRank - 1];
    const std::size_t tapSize = countOf(filter.subspan(kVolumeAxes));
    const std::size_t taps = countOf(filter.first(kVolumeAxes));
    const FloatRange range = floatRangeOf(run.inputs[kVolumeActivation]);
    const auto* bias = run.input<float>(kVolumeBias);
    float* sums = run.output<float>();
    const std::size_t voxels = countOf(out.first(kVolumeRank - 1));
    PartCounter parts(run);
    for (std::size_t voxel = 0; voxel < voxels; ++voxel, sums += channels) {
        if (forEachElement(run, channels, [&](std::size_t i) { sums[i] = bias[i]; })) {
            return {};
        }
        for (std::size_t tap = 0; tap < taps; ++tap) {
            std::size_t restOfVoxel = voxel;
            std::size_t restOfTap = tap;
            std::size_t from = 0;
            std::size_t step = 1;
            bool isInside = true;
            for (std::size_t axis = kVolumeAxes; axis-- > 0 && isInside;) {
                const std::int64_t source =
                    sourceOf(windows[axis], static_cast<std::int64_t>(restOfVoxel % out[1 + axis]),
                             static_cast<std::int64_t>(restOfTap % filter[axis]));
                isInside = source >= 0 && source < std::int64_t{in[1 + axis]};
                from += static_cast<std::size_t>(source) * step;
                step *= in[1 + axis];
                restOfVoxel /= out[1 + axis];
                restOfTap /= filter[axis];
            }
            const bool isOver =
                isInside &&  // what is left of the voxel is its batch
                addProducts(parts,
                            run.input<float>(0) + (restOfVoxel * step + from) * in[kVolumeRank - 1],
                            run.input<float>(kVolumeFilter) + tap * tapSize, sums);
            if (isOver || parts.isOverAfter(1)) {
                return {};
            }
        }
        const auto clamp = [&](std::size_t i) {
            sums[i] = std::min(std::max(sums[i], range.lowest), range.highest);
        };
        if (forEachElement(run, channels, clamp)) {
            return {};
        }
    }
    return {};
}

// ---- CONV_3D: filter [depth, height, width, channelsIn, channelsOut].

Result<> checkConv3d(Operands inputs, Operands outputs) {
    return checkVolume(inputs, outputs, kVolumeShape);
}

Result<Dimensions> shapeOfConv3d(Operands inputs, std::size_t /*output*/) {
    NNBURST_TRY(checkVolumeShapes(inputs, 3, 4));
    NNBURST_TRY_ASSIGN(const VolumeWindows windows, volumeWindows(inputs, inputs[0].dimensions));
    Dimensions result = dimensionsOf(inputs[0]);
    for (std::size_t axis = 0; axis < kVolumeAxes; ++axis) {
        result[1 + axis] = static_cast<std::uint32_t>(windows[axis].out);
    }
    result.back() = inputs[kVolumeFilter].dimensions[4];
    return result;
}

Result<> runConv3d(const RunContext& run) {
    NNBURST_TRY_ASSIGN(const VolumeWindows windows,
                       volumeWindows(run.inputs, run.inputs[0].dimensions));
    const std::size_t channelsIn = run.inputs[kVolumeFilter].dimensions[3];
    const std::size_t channelsOut = run.inputs[kVolumeFilter].dimensions[4];
    return convolveVolume(
        run, windows,
        [](const Window& window, std::int64_t place, std::int64_t tap) {
            return window.begin(place) + tap * window.dilation;
        },
        [&](PartCounter& parts, const float* voxel, const float* tap, float* sums) {
            for (std::size_t i = 0; i < channelsIn; ++i, tap += channelsOut) {
                const auto add = [&](std::size_t j) { sums[j] += voxel[i] * tap[j]; };
                if (forEachElement(run, channelsOut, add) || parts.isOverAfter(channelsOut)) {
                    return true;
                }
            }
            return false;
        });
}

// ---- CONV_3D_TRANSPOSE: filter [depth, height, width, channelsOut, channelsIn]; another input,
// the shape of the output, which is constant: the windows slide over the output, one for each voxel
// of the volume.

Result<> checkConv3dTranspose(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkVolume(inputs, outputs, kVolumeShape + 1));
    return checkType(inputs[kVolumeShape], "input 11 (shape of the output)", {TENSOR_INT32});
}

Result<Dimensions> shapeOfConv3dTranspose(Operands inputs, std::size_t /*output*/) {
    NNBURST_TRY(checkVolumeShapes(inputs, 4, 3));
    NNBURST_TRY_ASSIGN(Dimensions result, constantShape(inputs[kVolumeShape]));
    const Sizes volume = inputs[0].dimensions;
    if (result.size() != kVolumeRank || result[0] != volume[0] ||
        result.back() != inputs[kVolumeFilter].dimensions[3]) {
        return invalid(
            "output of shape {} for a volume of {}, filter of {}; must have the batches "
            "of the one and the channels of the other",
            dimensionsText(result), dimensionsText(volume),
            dimensionsText(inputs[kVolumeFilter].dimensions));
    }
    NNBURST_TRY_ASSIGN(const VolumeWindows windows, volumeWindows(inputs, result));
    for (std::size_t axis = 0; axis < kVolumeAxes; ++axis) {
        if (windows[axis].out != volume[1 + axis]) {
            return invalid("output of shape {} has {} windows along axis {}; must be {}",
                           dimensionsText(result), windows[axis].out, 1 + axis, volume[1 + axis]);
        }
    }
    return result;
}

Result<> runConv3dTranspose(const RunContext& run) {
    NNBURST_TRY_ASSIGN(const VolumeWindows windows,
                       volumeWindows(run.inputs, run.outputs[0].dimensions));
    const std::size_t channelsOut = run.inputs[kVolumeFilter].dimensions[3];
    const std::size_t channelsIn = run.inputs[kVolumeFilter].dimensions[4];
    return convolveVolume(
        run, windows,
        [](const Window& window, std::int64_t place, std::int64_t tap) -> std::int64_t {
            const std::int64_t begin = place + window.before - tap * window.dilation;
            return begin % window.stride == 0 ? begin / window.stride : -1;
        },
        [&](PartCounter& parts, const float* voxel, const float* tap, float* sums) {
            for (std::size_t j = 0; j < channelsOut; ++j, tap += channelsIn) {
                float sum = 0.0F;
                const auto add = [&](std::size_t i) { sum += voxel[i] * tap[i]; };
                if (forEachElement(run, channelsIn, add) || parts.isOverAfter(channelsIn)) {
                    return true;
                }
                sums[j] += sum;
            }
            return false;
        });
}

constexpr std::array kVolumeOperations{
    OperationDefinition{Code::CONV_3D, "CONV_3D", checkConv3d, shapeOfConv3d, runConv3d},
    OperationDefinition{Code::CONV_3D_TRANSPOSE, "CONV_3D_TRANSPOSE", checkConv3dTranspose,
                        shapeOfConv3dTranspose, runConv3dTranspose},
};

}  // namespace

std::span<const OperationDefinition> volumeOperations() noexcept {
    return kVolumeOperations;
}

}  // namespace nnburst::tflite_operations
