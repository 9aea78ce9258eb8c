// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The tests of one example, and of the examples derived from it, in all chosen ways.

#include <functional>
#include <string>

#include "nnburst/device.h"
#include "nnburst_conformance/execution.h"
#include "nnburst_conformance/options.h"
#include "vectors/vector_file.h"

namespace nnburst::conformance {

enum class Verdict : std::uint8_t { PASSED, FAILED, SKIPPED };

/// The result of one test.
struct TestResult {
    Verdict verdict = Verdict::PASSED;
    Derivation derivation = Derivation::NONE;
    Via via = Via::SYNC;
    std::string message;  ///< of a failure
};

/// Runs all tests of `example` on `device` and calls `report` with each result.
void testExample(Device& device, const VectorExample& example, const Options& options,
                 const std::function<void(const TestResult&)>& report);

}  // namespace nnburst::conformance
