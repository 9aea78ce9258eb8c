// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A model of a server that speaks the Open Inference Protocol (v2) over gRPC, such as
/// nnburst-serve or Triton, as a prepared model. An application moves from a driver to a cluster by
/// exchanging the call that gives it the model.
///
///     NNBURST_TRY_ASSIGN(RemoteModel model, openRemoteModel("inference:8001", "mobilenet"));
///     NNBURST_TRY_ASSIGN(Session session, Session::create(model.prepared, model.signature));
///
/// In a library of its own, libnnburst_remote (the CMake target nnburst::remote), which needs gRPC.

#include <chrono>
#include <cstdint>
#include <string>

#include "nnburst/export.h"
#include "nnburst/model_signature.h"
#include "nnburst/prepared_model.h"
#include "nnburst/result.h"

namespace nnburst {

/// How the client talks to a server.
struct RemoteOptions {
    /// Version of the model. Empty: the latest one that the server has at each request.
    std::string version;
    bool useTls = false;
    /// Certificates (PEM) of the authorities that may sign the server's. Empty: those of the
    /// system.
    std::string rootCertificatesFile;
    std::string certificateFile;  ///< of this client (PEM), if the server wants one
    std::string keyFile;          ///< of that certificate
    /// Time limit of calls that ask about the model, and of executions without a deadline; 0: no
    /// limit for these executions.
    std::chrono::milliseconds timeout{10'000};
    /// How often a request is sent again if it did not reach a server, or the server was lost
    /// (UNAVAILABLE). Repeating is safe: the model computes the same result again.
    std::uint32_t retries = 1;
    std::uint32_t maximumMessageBytes = 256U << 20U;  ///< limit on responses
};

/// A model by its name. Inputs and outputs are in the order of the server.
struct RemoteModel {
    /// Executes requests on the server. Inputs are read when a request is launched, outputs written
    /// when its result is waited for; both are copied. Driver-managed buffers and optional inputs
    /// are refused with INVALID_ARGUMENT. Bursts have no completion descriptor. Statuses:
    /// DEVICE_UNAVAILABLE if the server cannot be reached, MISSED_DEADLINE_TRANSIENT after a
    /// deadline, RESOURCE_EXHAUSTED_TRANSIENT if the server is busy.
    SharedPreparedModel prepared;
    /// Scales and zero points are those that nnburst-serve gives; other servers give none, and they
    /// are 0. States of recurrent models stay on the server.
    ModelSignature signature;
};

/// Asks the server at `address` (`HOST:PORT`, or `unix:PATH`) for the model `name`.
/// DEVICE_UNAVAILABLE if it cannot be reached, INVALID_ARGUMENT if it has no such model, or the
/// model has data types that the HAL does not have.
[[nodiscard]] NNBURST_EXPORT Result<RemoteModel> openRemoteModel(const std::string& address,
                                                                 const std::string& name,
                                                                 const RemoteOptions& options = {});

}  // namespace nnburst
