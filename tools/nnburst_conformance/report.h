// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Counts of results, overall and for each operation.

#include <cstdint>
#include <iosfwd>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "nnburst_conformance/example_test.h"

namespace nnburst::conformance {

struct Counts {
    std::uint64_t passed = 0;
    std::uint64_t failed = 0;
    std::uint64_t skipped = 0;

    void add(Verdict verdict) noexcept;
};

/// Thread-safe.
class Report {
  public:
    /// Prints each failure on `out` when it is added.
    explicit Report(std::ostream& out) : out_(out) {}

    /// Counts a result in total and for each operation of the example, once for each type.
    void add(const VectorExample& example, const TestResult& result);

    [[nodiscard]] Counts total() const;
    /// Counts and failures as JSON.
    void writeJson(std::ostream& stream) const;

  private:
    std::ostream& out_;
    mutable std::mutex mutex_;
    Counts total_;
    std::map<std::string, Counts> operations_;
    std::vector<std::string> failures_;
};

}  // namespace nnburst::conformance
