// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One inference, whichever protocol its request came by: checks the request, waits for a session,
/// copies the inputs into its memory, runs it and hands out the outputs.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "failure.h"
#include "nnburst/types.h"
#include "repository.h"
#include "shared_regions.h"

namespace nnburst::serve {

/// The bytes of an input: in this process, or in shared memory of the client.
using InputContents = std::variant<std::span<const std::byte>, SharedRange>;

struct InputTensor {
    std::string name;
    std::string datatype;
    std::vector<std::int64_t> shape;
    InputContents contents;
};

/// An output that the client wants.
struct OutputChoice {
    std::string name;
    std::optional<SharedRange> shared;  ///< where it goes; none: into the response
    bool isBinary = false;              ///< for REST: raw bytes after the JSON text
};

struct InferenceRequest {
    std::vector<InputTensor> inputs;
    std::vector<OutputChoice> outputs;  ///< none: all
    OptionalTimePoint deadline;
    SessionPool::IsCancelled isCancelled = [] { return false; };
    bool isBinary = false;  ///< of outputs, if none are named
};

/// An output after the run. The choice has its name.
struct OutputTensor {
    const NamedOperand& operand;
    const OutputChoice& choice;
    /// Valid during the call. It has been copied to shared memory already if the choice says so.
    std::span<const std::byte> contents;
};

/// Called for each output, in the order of the request. A failure ends the inference.
using TakeOutput = std::function<Outcome<>(const OutputTensor& output)>;

/// Runs `model` once. If the driver is lost meanwhile, the run is repeated on the next driver: runs
/// change nothing but the outputs.
[[nodiscard]] Outcome<> infer(ModelVersion& model, const SharedRegions& regions,
                              const InferenceRequest& request, const TakeOutput& takeOutput);

/// The earlier of both.
[[nodiscard]] OptionalTimePoint earlier(const OptionalTimePoint& a, const OptionalTimePoint& b);

/// The deadline of a request with the parameter "timeout" of this many microseconds: from now on.
/// INVALID_ARGUMENT for a negative one; 0 is no deadline, as in Triton.
[[nodiscard]] Outcome<OptionalTimePoint> deadlineAfter(std::int64_t microseconds);

}  // namespace nnburst::serve
