// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Data with known results, in the form of MLTS (AOSP platform/test/mlts/models).
///
/// - Labelled images: images, `labels.txt` (line n, from 0, names class n of the output) and
///   `ground_truth_labels.txt` (line n is the name of the class of image n, in the natural order of
///   the images' names).
/// - Sequences: pairs NAME.input and NAME.output of elements, little-endian. One
///   `*.output_mean_std_dev` (pairs of float32, one for each element of a step) makes outputs be
///   judged as speech.

#include <cstddef>
#include <string>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::run {

struct LabelledImage {
    std::string path;
    std::size_t label = 0;  ///< index of its class
};

struct Sequence {
    std::string name;
    std::string input;   ///< path
    std::string output;  ///< path
};

/// Either has images or sequences.
struct Dataset {
    std::vector<LabelledImage> images;
    std::vector<std::string> labels;  ///< names of the classes
    std::vector<Sequence> sequences;
    std::string statistics;  ///< path of means and standard deviations of outputs, or empty
};

/// The data in `directory`; at most `limit` images or sequences, spread over all of them; 0: all.
/// INVALID_ARGUMENT says what is missing or does not fit.
[[nodiscard]] Result<Dataset> readDataset(const std::string& directory, std::size_t limit);

}  // namespace nnburst::run
