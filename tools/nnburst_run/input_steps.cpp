// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/input_steps.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "model/invalid.h"
#include "nnburst_run/elements.h"
#include "support/image_file.h"
#include "system/read_file.h"

namespace nnburst::run {

namespace {

/// Limit on the size of files: a sequence of some hours of features, or some thousand images.
constexpr std::size_t kMaximumInputFileBytes = std::size_t{4} << 30U;

}  // namespace

Result<std::vector<std::string>> imagesOf(const std::vector<std::string>& paths) {
    std::vector<std::string> images;
    for (const std::string& path : paths) {
        // What cannot be looked at is no directory: an error names it when it is read.
        std::error_code ignored;
        if (std::filesystem::is_directory(path, ignored)) {
            NNBURST_TRY_ASSIGN(const std::vector<std::string> found, tools::imagesIn(path));
            images.insert(images.end(), found.begin(), found.end());
        } else if (tools::isImageName(path)) {
            images.push_back(path);
        } else {
            return std::vector<std::string>();
        }
    }
    return images;
}

void printAssumedNormalization(const TfliteModel& model,
                               const tools::ImagePreparation& preparation) {
    const Subgraph& main = model.model.main;
    const std::string assumed =
        tools::assumedNormalization(main.operands[main.inputIndexes[0]], preparation);
    if (!assumed.empty()) {
        fmt::print(stderr, "nnburst-run: {}\n", assumed);
    }
}

Result<InputSteps> InputSteps::create(const std::vector<std::string>& paths,
                                      const tools::ImagePreparation& preparation,
                                      const TfliteModel& model, const Runner& runner) {
    const Subgraph& main = model.model.main;
    InputSteps steps(preparation, main.operands[main.inputIndexes[0]]);
    if (paths.empty()) {
        return steps;
    }
    NNBURST_TRY_ASSIGN(steps.images_, imagesOf(paths));
    if (!steps.images_.empty()) {
        if (model.inputNames.size() != 1) {
            return invalid("images for a model of {} inputs: it must have one",
                           model.inputNames.size());
        }
        NNBURST_TRY(tools::checkImageOperand(*steps.firstInput_));
        steps.count_ = steps.images_.size();
        return steps;
    }
    if (preparation != tools::ImagePreparation()) {
        return invalid("--mean, --std, --crop and --square need images: --input has other files");
    }
    if (paths.size() != model.inputNames.size()) {
        return invalid("--input with {} files: the model needs {}", paths.size(),
                       model.inputNames.size());
    }
    std::vector<InputFile> files;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        NNBURST_TRY_ASSIGN(auto contents, system::readFile(paths[i], kMaximumInputFileBytes));
        files.push_back({.path = paths[i],
                         .fileBytes = contents.size(),
                         .operandBytes = runner.input(i).size()});
        steps.files_.push_back(std::move(contents));
    }
    NNBURST_TRY_ASSIGN(steps.count_, countSteps(files));
    return steps;
}

Result<> InputSteps::write(std::uint64_t step, Runner& runner) const {
    if (!images_.empty()) {
        NNBURST_TRY_ASSIGN(const tools::Image image, tools::readImage(images_[step]));
        tools::writeImage(image, preparation_, *firstInput_, runner.input(0));
        return {};
    }
    for (std::size_t i = 0; i < files_.size(); ++i) {
        const std::span<std::byte> input = runner.input(i);
        std::ranges::copy(std::span(files_[i]).subspan(step * input.size(), input.size()),
                          input.begin());
    }
    return {};
}

}  // namespace nnburst::run
