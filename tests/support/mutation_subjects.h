// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Small valid models to be broken. Together they have constants by copy and by reference, scalars
/// and tensors of all kinds, per-channel scales, omitted operands, subgraphs, unknown dimensions.

#include <cstddef>
#include <string>
#include <vector>

#include "nnburst/memory.h"
#include "nnburst/types.h"

namespace nnburst::test {

struct Subject {
    std::string name;
    Model model;
    /// Of the inputs and outputs, where the model leaves them open.
    std::vector<Dimensions> inputDimensions;
    std::vector<Dimensions> outputDimensions;
};

void PrintTo(const Subject& subject, std::ostream* out);

/// All subjects. Their names are those of tests.
[[nodiscard]] const std::vector<Subject>& subjects();

/// The subject of this name.
[[nodiscard]] const Subject& subject(const std::string& name);

/// A valid request for a subject, with memory of its own: inputs in pool 0, outputs in pool 1.
class SubjectRequest {
  public:
    explicit SubjectRequest(const Subject& subject);

    [[nodiscard]] const Request& request() const noexcept { return request_; }
    /// Writes the same small numbers into the inputs each time, and zeros into the outputs.
    void reset();
    /// The bytes of all inputs.
    [[nodiscard]] std::vector<std::byte> inputs() const;
    /// The bytes of all outputs.
    [[nodiscard]] std::vector<std::byte> outputs() const;

  private:
    Request request_;
    std::vector<OperandType> inputTypes_;
    Mapping inputs_;
    Mapping outputs_;
};

}  // namespace nnburst::test
