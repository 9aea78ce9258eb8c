// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A connection to a server, and the questions about a model.

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <memory>
#include <string>

#include "nnburst/model_signature.h"
#include "nnburst/remote_model.h"
#include "nnburst/result.h"
#include "open_inference.grpc.pb.h"

namespace nnburst::remote {

/// The state that all executions of a model share. Never changes; thread-safe.
struct ServerConnection {
    std::string model;
    RemoteOptions options;
    std::unique_ptr<inference::GRPCInferenceService::Stub> stub;
    ModelSignature signature;
};

using SharedServerConnection = std::shared_ptr<const ServerConnection>;

/// Errors of openRemoteModel.
[[nodiscard]] Result<SharedServerConnection> connect(const std::string& address,
                                                     const std::string& model,
                                                     const RemoteOptions& options);

/// The error that a call of gRPC ended with.
[[nodiscard]] Error toError(const std::string& model, const grpc::Status& status);

/// Gives `context` the deadline, or the time limit of the options if there is none.
void setDeadline(grpc::ClientContext& context, const RemoteOptions& options,
                 const OptionalTimePoint& deadline);

}  // namespace nnburst::remote
