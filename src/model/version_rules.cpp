// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "model/version_rules.h"

#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst {

Result<> checkOutput(HalVersion version, std::size_t index, const Operand& operand,
                     const RequestArgument& argument) {
    const Dimensions& dimensions =
        argument.dimensions.empty() ? operand.dimensions : argument.dimensions;
    if (!supportsOutputShapes(version) && !argument.hasNoValue &&
        !isFullySpecified(operand.type, dimensions)) {
        return invalid(
            "output {}: dimensions {} must all be known in HAL {}, from the model or "
            "the request",
            index, dimensionsText(dimensions), toString(version));
    }
    return {};
}

ExecutionOptions knownTo(HalVersion version, const ExecutionOptions& options) noexcept {
    ExecutionOptions known;
    if (supportsTiming(version)) {
        known.measure = options.measure;
    }
    if (supportsDeadlines(version)) {
        known.deadline = options.deadline;
        known.loopTimeout = options.loopTimeout;
    }
    return known;
}

}  // namespace nnburst
