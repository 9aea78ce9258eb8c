// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/operation/spatial.h"

#include <string>

#include "exec/operation/activation.h"
#include "exec/operation/scalar_reads.h"
#include "exec/operation/shape_arguments.h"

namespace nnburst::exec {

namespace {

/// Reads arguments one after the other. Goes on after one whose value is not known yet, so that the
/// types of those behind it are checked too; `result` says at the end that a value was missing.
class ArgumentReader {
  public:
    ArgumentReader(const OperationView& operation, std::size_t first)
        : operation_(operation), next_(first) {}

    /// Reads an INT32 of at least `minimum` into `value`.
    template <class Integer>
    Result<> read(const char* name, std::int32_t minimum, Integer& value) {
        return take(readConstantInt32(operation_, next_, name, minimum), value);
    }

    Result<> read(FusedActivationFunc& activation) {
        return take(readActivation(operation_, next_), activation);
    }

    /// Reads the BOOL that says NCHW.
    Result<> readNchw(bool& isNchw) { return take(readLayout(operation_, next_), isNchw); }
    /// The same for one that may be left out: false then.
    Result<> readOptionalNchw(bool& isNchw) {
        return take(readOptionalLayout(operation_, next_), isNchw);
    }

    /// Reads two dilations of at least 1, which may be left out together: 1 then.
    Result<> readDilations(std::uint32_t& width, std::uint32_t& height) {
        const std::size_t first = next_;
        if (operation_.has(first) != operation_.has(first + 1)) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           std::string(toString(operation_.type)) + " inputs " +
                               std::to_string(first) + " and " + std::to_string(first + 1) +
                               " (dilations): one is left out; must be both or none");
        }
        NNBURST_TRY(take(readOptionalInt32(operation_, next_, "dilation width", 1, 1), width));
        return take(readOptionalInt32(operation_, next_, "dilation height", 1, 1), height);
    }

    /// The error that the argument read last has a value that it must not have.
    [[nodiscard]] Result<> refused(const char* name, std::uint32_t value, const char* rule) const {
        return failure(ErrorStatus::INVALID_ARGUMENT, std::string(toString(operation_.type)) +
                                                          " input " + std::to_string(next_ - 1) +
                                                          " (" + name + "): value " +
                                                          std::to_string(value) + "; " + rule);
    }

    [[nodiscard]] std::size_t next() const noexcept { return next_; }
    [[nodiscard]] Result<> result() const { return reads_.result(); }

  private:
    template <class Read, class Value>
    Result<> take(const Result<Read>& read, Value& value) {
        ++next_;
        return reads_.take(read, value);
    }

    const OperationView& operation_;
    std::size_t next_;
    ScalarReads reads_;
};

Result<SlidingWindow> slideAxis(const OperationView& operation, const SpatialArguments& arguments,
                                const AxisArguments& axis, const char* name,
                                std::uint32_t inputSize, std::uint32_t windowSize) {
    SlidingWindow window{.inputSize = inputSize,
                         .size = windowSize,
                         .stride = axis.stride,
                         .dilation = axis.dilation,
                         .paddingBefore = axis.paddingBefore,
                         .paddingAfter = axis.paddingAfter,
                         .outputSize = 0};
    const auto refused = [&](const std::string& why) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       std::string(toString(operation.type)) + " along the " + name + ": " + why);
    };
    if (inputSize == 0 || windowSize == 0) {
        return refused("image of " + std::to_string(inputSize) + " and window of " +
                       std::to_string(windowSize) + "; both must be at least 1");
    }
    // Below 2^63, as dilation is below 2^31; the other terms are below 2^34.
    const std::uint64_t extent = std::uint64_t{windowSize - 1} * axis.dilation + 1;
    if (arguments.implicitPadding == PaddingScheme::SAME) {
        const std::uint64_t outputs = (std::uint64_t{inputSize} + axis.stride - 1) / axis.stride;
        const std::uint64_t covered = (outputs - 1) * axis.stride + extent;
        const std::uint64_t padding = covered > inputSize ? covered - inputSize : 0;
        if (padding / 2 >= INT32_MAX) {
            return refused("a window that covers " + std::to_string(extent) +
                           " elements needs more padding than 32 bits can say");
        }
        window.paddingBefore = static_cast<std::uint32_t>(padding / 2);
        window.paddingAfter = static_cast<std::uint32_t>(padding - padding / 2);
    }
    const std::uint64_t padded =
        std::uint64_t{inputSize} + window.paddingBefore + window.paddingAfter;
    if (extent > padded) {
        return refused("a window that covers " + std::to_string(extent) +
                       " elements does not fit into the padded image of " + std::to_string(padded));
    }
    const std::uint64_t outputs = (padded - extent) / axis.stride + 1;
    if (outputs > UINT32_MAX) {
        return refused(std::to_string(outputs) + " outputs; at most 2^32 - 1");
    }
    window.outputSize = static_cast<std::uint32_t>(outputs);
    if (axis.window != 0 && (window.paddingBefore >= extent || window.paddingAfter >= extent)) {
        return refused("padding of " + std::to_string(window.paddingBefore) + " and " +
                       std::to_string(window.paddingAfter) + "; must be less than the window of " +
                       std::to_string(extent));
    }
    return window;
}

/// Whether layout and dilations follow the first `required` arguments as the form allows it: a
/// layout may follow (it must in a grouped convolution), and two dilations after it (of a
/// convolution without groups).
Result<> checkCount(const OperationView& operation, SpatialForm form, bool isImplicit,
                    std::size_t required) {
    const bool isGrouped = form == SpatialForm::GROUPED_CONVOLUTION;
    const bool isDilated = !isGrouped && form != SpatialForm::POOLING;
    const std::size_t count = operation.inputs.size();
    if ((!isGrouped && count == required) || count == required + 1 ||
        (isDilated && count == required + 3)) {
        return {};
    }
    std::string allowed = std::to_string(required + 1);
    if (!isGrouped) {
        allowed = std::to_string(required) + (isDilated ? ", " : " or ") + allowed;
    }
    if (isDilated) {
        allowed += " or " + std::to_string(required + 3);
    }
    return failure(ErrorStatus::INVALID_ARGUMENT, std::string(toString(operation.type)) + ": " +
                                                      std::to_string(count) + " inputs; with " +
                                                      (isImplicit ? "implicit" : "explicit") +
                                                      " padding must be " + allowed);
}

Result<> readPaddingScheme(ArgumentReader& reader, SpatialArguments& arguments) {
    std::uint32_t scheme = 0;
    NNBURST_TRY(reader.read("padding scheme", 0, scheme));
    if (scheme > static_cast<std::uint32_t>(PaddingScheme::VALID)) {
        return reader.refused("padding scheme", scheme, "must be 0 (NONE), 1 (SAME) or 2 (VALID)");
    }
    arguments.implicitPadding =
        scheme == 0 ? PaddingScheme::VALID : static_cast<PaddingScheme>(scheme);
    return {};
}

/// Reads 4 explicit paddings. Those after the image are at least `minimumAfter`.
template <class Axis>
Result<> readExplicitPadding(ArgumentReader& reader, std::int32_t minimumAfter, Axis& height,
                             Axis& width) {
    NNBURST_TRY(reader.read("padding left", 0, width.paddingBefore));
    NNBURST_TRY(reader.read("padding right", minimumAfter, width.paddingAfter));
    NNBURST_TRY(reader.read("padding top", 0, height.paddingBefore));
    return reader.read("padding bottom", minimumAfter, height.paddingAfter);
}

/// Places the windows of TRANSPOSE_CONV_2D along `axis`, of which the arguments were read. `wanted`
/// is the output's size with implicit padding.
Result<> placeAxis(const OperationView& operation, const SpatialArguments& arguments,
                   TransposeConvolution::Axis& axis, const char* name, std::uint32_t inputSize,
                   std::uint32_t filterSize, std::int32_t wanted) {
    axis.inputSize = inputSize;
    axis.filterSize = filterSize;
    // All below 2^63: sizes are below 2^32, strides below 2^31, paddings at least -2^31.
    const std::int64_t stride = axis.stride;
    if (arguments.implicitPadding == PaddingScheme::SAME) {
        const std::int64_t inputs = (std::int64_t{wanted} + stride - 1) / stride;
        const std::int64_t padding = (inputs - 1) * stride + filterSize - wanted;
        axis.paddingBefore = padding > 0 ? padding / 2 : 0;
        axis.paddingAfter = padding - axis.paddingBefore;
    }
    const std::int64_t covered = (std::int64_t{inputSize} - 1) * stride + filterSize;
    const std::int64_t output = covered - axis.paddingBefore - axis.paddingAfter;
    const bool isWanted = arguments.implicitPadding != PaddingScheme::SAME || wanted > 0;
    if (inputSize == 0 || filterSize == 0 || !isWanted || output < 1 || output > UINT32_MAX) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       std::string(toString(operation.type)) + " along the " + name +
                           ": image of " + std::to_string(inputSize) + " and filter of " +
                           std::to_string(filterSize) + " with padding of " +
                           std::to_string(axis.paddingBefore) + " and " +
                           std::to_string(axis.paddingAfter) +
                           "; must give at least 1 output and less than 2^32");
    }
    axis.outputSize = static_cast<std::uint32_t>(output);
    return {};
}

}  // namespace

Result<SpatialArguments> readSpatialArguments(const OperationView& operation, SpatialForm form) {
    const bool isPooling = form == SpatialForm::POOLING;
    const bool isDepthwise = form == SpatialForm::DEPTHWISE_CONVOLUTION;
    const bool isGrouped = form == SpatialForm::GROUPED_CONVOLUTION;
    const std::size_t tensors = isPooling ? 1 : 3;
    // Up to the activation: padding, two strides, what the form adds, the activation.
    const std::size_t implicitCount =
        tensors + 1 + 2 + (isPooling ? 2U : 0U) + (isDepthwise || isGrouped ? 1U : 0U) + 1;
    const std::size_t explicitCount = implicitCount + 3;
    const std::size_t count = operation.inputs.size();
    // Where both readings are possible, the layout tells: explicit padding has an INT32 there.
    const bool isImplicit =
        count < explicitCount ||
        (count > implicitCount && operation.inputs[implicitCount].type == OperandType::BOOL);

    NNBURST_TRY(
        checkCount(operation, form, isImplicit, isImplicit ? implicitCount : explicitCount));

    SpatialArguments arguments;
    AxisArguments& height = arguments.height;
    AxisArguments& width = arguments.width;
    ArgumentReader reader(operation, tensors);
    NNBURST_TRY(isImplicit ? readPaddingScheme(reader, arguments)
                           : readExplicitPadding(reader, 0, height, width));
    NNBURST_TRY(reader.read("stride width", 1, width.stride));
    NNBURST_TRY(reader.read("stride height", 1, height.stride));
    if (isPooling) {
        NNBURST_TRY(reader.read("filter width", 1, width.window));
        NNBURST_TRY(reader.read("filter height", 1, height.window));
    }
    if (isDepthwise) {
        NNBURST_TRY(reader.read("depth multiplier", 1, arguments.depthMultiplier));
    }
    if (isGrouped) {
        NNBURST_TRY(reader.read("groups", 1, arguments.groups));
    }
    NNBURST_TRY(reader.read(arguments.activation));
    NNBURST_TRY(isGrouped ? reader.readNchw(arguments.isNchw)
                          : reader.readOptionalNchw(arguments.isNchw));
    if (!isPooling && !isGrouped && reader.next() < count) {
        NNBURST_TRY(reader.readDilations(width.dilation, height.dilation));
    }
    NNBURST_TRY(reader.result());
    return arguments;
}

Result<SpatialWindow> slideWindow(const OperationView& operation,
                                  const SpatialArguments& arguments) {
    constexpr std::size_t kFilterHeight = 1;
    constexpr std::size_t kFilterWidth = 2;
    const Shape& input = operation.inputs[0].shape;
    const auto sizeOf = [&](const AxisArguments& axis, std::size_t filterAxis) {
        return axis.window != 0 ? axis.window : operation.inputs[1].shape[filterAxis];
    };
    SpatialWindow window;
    NNBURST_TRY_ASSIGN(window.height, slideAxis(operation, arguments, arguments.height, "height",
                                                input[arguments.heightAxis()],
                                                sizeOf(arguments.height, kFilterHeight)));
    NNBURST_TRY_ASSIGN(window.width, slideAxis(operation, arguments, arguments.width, "width",
                                               input[arguments.widthAxis()],
                                               sizeOf(arguments.width, kFilterWidth)));
    return window;
}

Result<TransposeConvolution> readTransposeArguments(const OperationView& operation) {
    constexpr std::size_t kExplicitInputs = 11;
    const std::size_t count = operation.inputs.size();
    if (count != kTransposeImplicitInputs && count != kExplicitInputs) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       std::string(toString(operation.type)) + ": " + std::to_string(count) +
                           " inputs; must be 9 with implicit padding or 11 with explicit padding");
    }
    const bool isImplicit = count == kTransposeImplicitInputs;
    TransposeConvolution convolution;
    SpatialArguments& arguments = convolution.arguments;
    TransposeConvolution::Axis& height = convolution.height;
    TransposeConvolution::Axis& width = convolution.width;
    ArgumentReader reader(operation,
                          isImplicit ? kTransposeOutputShape + 1 : kTransposeOutputShape);
    NNBURST_TRY(isImplicit ? readPaddingScheme(reader, arguments)
                           : readExplicitPadding(reader, INT32_MIN, height, width));
    NNBURST_TRY(reader.read("stride width", 1, width.stride));
    NNBURST_TRY(reader.read("stride height", 1, height.stride));
    NNBURST_TRY(reader.read(arguments.activation));
    NNBURST_TRY(reader.readNchw(arguments.isNchw));
    NNBURST_TRY(reader.result());
    return convolution;
}

Result<TransposeConvolution> resolveTransposeConvolution(const OperationView& operation) {
    NNBURST_TRY_ASSIGN(TransposeConvolution convolution, readTransposeArguments(operation));
    const SpatialArguments& arguments = convolution.arguments;
    const Shape& input = operation.inputs[0].shape;
    const Shape& filter = operation.inputs[1].shape;
    std::int32_t wantedHeight = 0;
    std::int32_t wantedWidth = 0;
    if (arguments.implicitPadding) {
        const OperandView& shape = operation.inputs[kTransposeOutputShape];
        wantedHeight = shape.as<const std::int32_t>()[arguments.heightAxis()];
        wantedWidth = shape.as<const std::int32_t>()[arguments.widthAxis()];
    }
    NNBURST_TRY(placeAxis(operation, arguments, convolution.height, "height",
                          input[arguments.heightAxis()], filter[1], wantedHeight));
    NNBURST_TRY(placeAxis(operation, arguments, convolution.width, "width",
                          input[arguments.widthAxis()], filter[2], wantedWidth));
    return convolution;
}

double tapCount(const TransposeConvolution& convolution) noexcept {
    return static_cast<double>(convolution.height.filterSize) * convolution.width.filterSize *
           convolution.height.outputSize * convolution.width.outputSize;
}

double tapCount(const SpatialWindow& window) noexcept {
    return static_cast<double>(window.height.size) * window.width.size * window.height.outputSize *
           window.width.outputSize;
}

}  // namespace nnburst::exec
