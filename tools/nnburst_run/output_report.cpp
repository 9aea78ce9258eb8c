// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/output_report.h"

#include <fmt/core.h>

#include "nnburst_run/elements.h"

namespace nnburst::run {

namespace {

void printComparison(const Comparison& comparison, const Operand& operand) {
    const bool isQuantized = operand.scale != 0.0F;
    if (comparison.differing == 0) {
        fmt::print("  the same as the golden output in all {} elements\n", comparison.elements);
        return;
    }
    fmt::print("  largest difference {:.6g}{}, at element {}; {} of {} elements differ\n",
               comparison.largestDifference, isQuantized ? " steps" : "", comparison.largestAt,
               comparison.differing, comparison.elements);
    if (comparison.steps == 1) {
        fmt::print("  top-1 is {}\n",
                   comparison.stepsWithSameTop == 1 ? "the same" : "another element");
    } else {
        fmt::print("  top-1 is the same in {} of {} steps\n", comparison.stepsWithSameTop,
                   comparison.steps);
    }
}

Result<> printTop(const Operand& operand, std::span<const std::byte> step, std::size_t count,
                  const std::vector<std::string>& labels) {
    NNBURST_TRY_ASSIGN(const auto largest, largestElements(operand, step, count));
    for (const auto& [index, value] : largest) {
        fmt::print("  {:>6}  {:>12.6g}{}\n", index, value,
                   index < labels.size() ? "  " + labels[index] : "");
    }
    return {};
}

/// Elements of types that cannot be compared have no spread.
void printSpread(const OutputContents& output) {
    const auto spread = spreadOf(output.operand, output.contents);
    if (!spread) {
        return;
    }
    const std::string notNumbers =
        spread->notNumbers == 0 ? "" : fmt::format("; {} are NaN", spread->notNumbers);
    fmt::print("  {} elements from {:.6g} to {:.6g}, mean {:.6g}{}\n", spread->elements,
               spread->least, spread->greatest, spread->mean, notNumbers);
}

}  // namespace

Result<bool> reportOutput(const OutputContents& output, const Options& options,
                          std::span<const std::string> images,
                          const std::vector<std::string>& labels) {
    bool isTolerable = true;
    if (output.golden == nullptr && options.top == 0) {
        printSpread(output);
    }
    if (output.golden != nullptr) {
        NNBURST_TRY_ASSIGN(const Comparison comparison,
                           compare(output.operand, *output.golden, output.contents));
        printComparison(comparison, output.operand);
        isTolerable = !options.tolerance || comparison.largestDifference <= *options.tolerance;
        if (!isTolerable) {
            fmt::print("  out of tolerance, which is {:.6g}\n", *options.tolerance);
        }
    }
    if (options.top != 0) {
        for (std::size_t image = 0; image < images.size(); ++image) {
            fmt::print("{}\n", images[image]);
            NNBURST_TRY(printTop(
                output.operand, output.contents.subspan(image * output.stepBytes, output.stepBytes),
                options.top, labels));
        }
        if (images.empty()) {
            NNBURST_TRY(printTop(output.operand, output.contents.last(output.stepBytes),
                                 options.top, labels));
        }
    }
    return isTolerable;
}

}  // namespace nnburst::run
