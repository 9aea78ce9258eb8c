// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Requests and responses of the protocol over gRPC: to and from what `infer` takes and gives.

#include <grpcpp/support/status.h>

#include <cstddef>
#include <vector>

#include "failure.h"
#include "inference.h"
#include "open_inference.pb.h"
#include "repository.h"
#include "server_state.h"

namespace nnburst::serve {

/// A request with the elements that had to be converted.
struct DecodedRequest {
    InferenceRequest request;
    std::vector<std::vector<std::byte>> converted;
};

/// `message` outlives what this gives, which points into its raw contents.
[[nodiscard]] Outcome<DecodedRequest> decode(const inference::ModelInferRequest& message);

/// Adds `output` to a response, with raw contents.
void append(const OutputTensor& output, inference::ModelInferResponse& response);

void encodeMetadata(const ModelVersion& model, const std::vector<SharedModelVersion>& versions,
                    inference::ModelMetadataResponse& response);
void encodeConfig(const ModelVersion& model, inference::ModelConfig& config);
void encodeStatistics(const ModelVersion& model, inference::ModelStatistics& message);

[[nodiscard]] grpc::Status toStatus(const Failure& failure);

}  // namespace nnburst::serve
