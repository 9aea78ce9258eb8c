// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How right a model is on data with known results.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/tflite.h"
#include "nnburst_run/dataset.h"
#include "nnburst_run/runner.h"
#include "report/json.h"
#include "support/image_preparation.h"
#include "support/latency.h"

namespace nnburst::run {

/// Root of the mean of the squares of all differences that were added; 0 without any.
class RootMeanSquare {
  public:
    void add(double difference) {
        sum_ += difference * difference;
        ++count_;
    }
    [[nodiscard]] double value() const {
        return count_ == 0 ? 0 : std::sqrt(sum_ / static_cast<double>(count_));
    }

  private:
    double sum_ = 0;
    std::size_t count_ = 0;
};

/// A classifier on labelled images.
struct ClassifierAccuracy {
    std::size_t images = 0;
    std::size_t top1 = 0;                ///< images whose largest output is their class
    std::size_t top5 = 0;                ///< images whose class is among the five largest
    std::vector<std::size_t> predicted;  ///< the largest output of each image

    [[nodiscard]] double top1Share() const noexcept {
        return static_cast<double>(top1) / static_cast<double>(images);
    }
    [[nodiscard]] double top5Share() const noexcept {
        return static_cast<double>(top5) / static_cast<double>(images);
    }
};

/// A model on sequences.
struct SequenceAccuracy {
    std::size_t sequences = 0;
    double meanSquaredError = 0;  ///< the largest of all sequences
    double largestError = 0;      ///< of one element
    /// MLTS's MelCepLogF0, the largest of all sequences, if the outputs are speech.
    std::optional<double> melCepstralError;
    std::optional<double> logF0Error;
};

/// Limits of MelCepLogF0 (MLTS).
inline constexpr double kMelCepstralLimit = 4.0;
inline constexpr double kLogF0Limit = 0.01;

/// One model on one device.
struct ModelAccuracy {
    std::string model;   ///< its name: the file without folder and extension
    std::string device;  ///< as the options name it, with its kernels
    std::optional<ClassifierAccuracy> classifier;
    std::optional<SequenceAccuracy> sequences;
    tools::Latency latency;
    std::size_t executions = 0;
    std::optional<double> noise;         ///< of the latency
    std::optional<double> expectedTop1;  ///< of MLTS, on all of its 1,490 images; or as given
};

/// Runs the model on all of `dataset`. Of equal outputs the first one is the largest.
[[nodiscard]] Result<ModelAccuracy> measureAccuracy(const Dataset& dataset,
                                                    const TfliteModel& model, Runner& runner,
                                                    const tools::ImagePreparation& preparation);

/// The errors of one sequence of speech: steps of 4 frames with 49 elements each. `statistics` are
/// pairs of mean and standard deviation, one for each element of a step. INVALID_ARGUMENT if sizes
/// do not fit.
struct SpeechErrors {
    double melCepstral = 0;  ///< root mean square difference of amplitudes 1 to 39
    double logF0 = 0;        ///< the same of log F0 in frames that both sides call voiced
};
[[nodiscard]] Result<SpeechErrors> speechErrors(std::span<const float> actual,
                                                std::span<const float> expected,
                                                std::span<const float> statistics);

/// The top-1 share that MLTS names for a model of this name (test_models_list of AOSP
/// platform/test/mlts/models).
[[nodiscard]] std::optional<double> mltsTop1(const std::string& model);

/// Images that two runs classify differently; both have the same images.
[[nodiscard]] std::size_t differentPredictions(const ClassifierAccuracy& a,
                                               const ClassifierAccuracy& b);

/// A share of 1 as "61.7 %".
[[nodiscard]] std::string percentText(double share);
/// Lines for people.
[[nodiscard]] std::string textOf(const ModelAccuracy& accuracy);
[[nodiscard]] tools::Json jsonOf(const ModelAccuracy& accuracy);
/// What jsonOf has written; nothing if it is something else.
[[nodiscard]] std::optional<ModelAccuracy> readAccuracy(const tools::Json& json);

/// How far below the expected top-1 share a model may be (MLTS).
inline constexpr double kExpectedTolerance = 0.05;

/// A change of the top-1 share that counts: 1.5 points.
inline constexpr double kTop1Tolerance = 0.015;

/// How a run differs from an earlier one, or from that of another device.
struct AccuracyDrift {
    std::string model;
    double top1 = 0;                  ///< share now - before
    std::size_t differentImages = 0;  ///< by their largest output
    double latencyRatio = 0;          ///< now / before
    bool isWorse = false;             ///< top1 has fallen by more than kTop1Tolerance
};
[[nodiscard]] AccuracyDrift driftBetween(const ModelAccuracy& before, const ModelAccuracy& now);
[[nodiscard]] std::string textOf(const AccuracyDrift& drift);

}  // namespace nnburst::run
