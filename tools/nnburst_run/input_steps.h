// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The inputs of a run, step by step: from files of elements, or from images.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/tflite.h"
#include "nnburst_run/runner.h"
#include "support/image_preparation.h"

namespace nnburst::run {

/// Without inputs there is one step of zeros.
class InputSteps {
  public:
    /// `paths` are one file of elements for each input, or images and directories of images for the
    /// only input. INVALID_ARGUMENT says what does not fit.
    [[nodiscard]] static Result<InputSteps> create(const std::vector<std::string>& paths,
                                                   const tools::ImagePreparation& preparation,
                                                   const TfliteModel& model, const Runner& runner);

    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    /// The paths of the images, one for each step; empty for files of elements.
    [[nodiscard]] std::span<const std::string> images() const noexcept { return images_; }
    /// Writes the inputs of a step. An image is read and decoded now.
    [[nodiscard]] Result<> write(std::uint64_t step, Runner& runner) const;

  private:
    InputSteps(const tools::ImagePreparation& preparation, const Operand& firstInput)
        : preparation_(preparation), firstInput_(&firstInput) {}

    tools::ImagePreparation preparation_;
    const Operand* firstInput_;
    std::vector<std::vector<std::byte>> files_;
    std::vector<std::string> images_;
    std::uint64_t count_ = 1;
};

/// Says on stderr what `model` sees of images, if that is assumed.
void printAssumedNormalization(const TfliteModel& model,
                               const tools::ImagePreparation& preparation);

/// `paths` with directories replaced by the images in them. Nothing if some are no images.
[[nodiscard]] Result<std::vector<std::string>> imagesOf(const std::vector<std::string>& paths);

}  // namespace nnburst::run
