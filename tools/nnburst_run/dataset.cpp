// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/dataset.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>
#include <utility>

#include "model/invalid.h"
#include "support/image_file.h"

namespace nnburst::run {

namespace fs = std::filesystem;

namespace {

/// False also for what cannot be looked at, such as links that lead to themselves.
bool canBeFound(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

std::vector<std::string> linesOf(const fs::path& path) {
    std::vector<std::string> lines;
    std::ifstream stream(path);
    for (std::string line; std::getline(stream, line);) {
        if (!line.empty() && line.back() == '\r') {
            line.pop_back();
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

/// Every so many of `all`, so that `limit` are left.
template <class T>
void spread(std::vector<T>& all, std::size_t limit) {
    if (limit == 0 || all.size() <= limit) {
        return;
    }
    std::vector<T> chosen;
    for (std::size_t i = 0; i < limit; ++i) {
        chosen.push_back(std::move(all[i * all.size() / limit]));
    }
    all = std::move(chosen);
}

Result<> readImages(const fs::path& directory, Dataset& dataset) {
    NNBURST_TRY_ASSIGN(const std::vector<std::string> images, tools::imagesIn(directory));
    const std::vector<std::string> truth = linesOf(directory / "ground_truth_labels.txt");
    dataset.labels = linesOf(directory / "labels.txt");
    if (truth.size() < images.size()) {
        return invalid("{} has {} lines for {} images: must have one for each",
                       (directory / "ground_truth_labels.txt").string(), truth.size(),
                       images.size());
    }
    std::map<std::string, std::size_t> classes;
    for (std::size_t index = 0; index < dataset.labels.size(); ++index) {
        classes.emplace(dataset.labels[index], index);  // of equal names the first
    }
    for (std::size_t i = 0; i < images.size(); ++i) {
        const auto found = classes.find(truth[i]);
        if (found == classes.end()) {
            return invalid("the class \"{}\" of {} is not in {}", truth[i], images[i],
                           (directory / "labels.txt").string());
        }
        dataset.images.push_back({.path = images[i], .label = found->second});
    }
    return {};
}

Result<> readSequences(const fs::path& directory, Dataset& dataset) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(directory, error)) {
        fs::path path = entry.path();
        if (path.extension() == ".output_mean_std_dev") {
            dataset.statistics = path;
        }
        if (path.extension() == ".input") {
            Sequence sequence{.name = path.stem(), .input = path, .output = {}};
            sequence.output = path.replace_extension(".output");
            if (!canBeFound(sequence.output)) {
                return invalid("{} has no expected output: {} is missing", sequence.input,
                               sequence.output);
            }
            dataset.sequences.push_back(std::move(sequence));
        }
    }
    if (error) {
        return invalid("cannot read the directory {}: {}", directory.string(), error.message());
    }
    std::sort(dataset.sequences.begin(), dataset.sequences.end(),
              [](const auto& a, const auto& b) { return tools::isNaturallyLess(a.name, b.name); });
    return {};
}

}  // namespace

Result<Dataset> readDataset(const std::string& directory, std::size_t limit) {
    Dataset dataset;
    if (canBeFound(fs::path(directory) / "ground_truth_labels.txt")) {
        NNBURST_TRY(readImages(directory, dataset));
    } else {
        NNBURST_TRY(readSequences(directory, dataset));
        if (dataset.sequences.empty()) {
            return invalid(
                "{} is no data set: must have ground_truth_labels.txt with labels.txt and images, "
                "or pairs NAME.input and NAME.output",
                directory);
        }
    }
    spread(dataset.images, limit);
    spread(dataset.sequences, limit);
    return dataset;
}

}  // namespace nnburst::run
