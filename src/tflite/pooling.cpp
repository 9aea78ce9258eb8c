// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converter of poolings of images [batches, height, width, channels].

#include "tflite/converters.h"
#include "tflite/windows.h"

namespace nnburst::tflite {

Result<> convertPool2d(OperatorImport& pool, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, pool.options<schema::Pool2DOptions>());
    const std::int32_t height = options->filter_height();
    const std::int32_t width = options->filter_width();
    if (height < 1 || width < 1) {
        return invalid("window of {}x{}: must be at least 1x1", height, width);
    }
    const Windows windows{.padding = options->padding(),
                          .height = {static_cast<std::uint32_t>(height), options->stride_h(), 1},
                          .width = {static_cast<std::uint32_t>(width), options->stride_w(), 1}};
    NNBURST_TRY(checkWindows(windows));
    const Dimensions& image = pool.shape(0);
    pool.inferOutputShape(outputShape(image, windows, image.size() == 4 ? image[3] : 0));

    NNBURST_TRY_ASSIGN(const std::uint32_t activation,
                       pool.activation(options->fused_activation_function()));
    pool.add(
        operation,
        {pool.input(0), paddingScalar(pool, windows.padding), pool.scalar(windows.width.stride),
         pool.scalar(windows.height.stride), pool.scalar(width), pool.scalar(height), activation},
        {pool.output()});
    return {};
}

}  // namespace nnburst::tflite
