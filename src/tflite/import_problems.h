// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The operators of a file that cannot be imported, so that one error names them all. Belongs to
/// one import. Not thread-safe.

#include <cstddef>
#include <string>
#include <vector>

namespace nnburst::tflite {

class ImportProblems {
  public:
    /// Records an operator that cannot be imported. `place` says which it is, such as
    /// "operator 3"; `reason` says what it is and why, such as " (CUMSUM) is not supported".
    /// Operators with the same reason are counted together.
    void add(const std::string& place, const std::string& reason);
    /// Records an input of the model, or of a subgraph, that cannot be imported.
    void addInput(const std::string& place, const std::string& reason);

    [[nodiscard]] bool isEmpty() const noexcept { return operators_ == 0; }
    /// Every reason with the place of the first operator and the number of operators.
    [[nodiscard]] std::string text() const;

  private:
    struct Problem {
        std::string place;  ///< of the first operator
        std::string reason;
        std::size_t count = 1;
    };

    std::size_t operators_ = 0;  ///< and inputs
    bool haveInputs_ = false;
    std::vector<Problem> problems_;
};

}  // namespace nnburst::tflite
