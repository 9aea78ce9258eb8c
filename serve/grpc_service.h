// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The methods of the protocol over gRPC. gRPC calls them on threads of its own, one for each
/// request.

#include <atomic>

#include "idle_streams.h"
#include "open_inference.grpc.pb.h"
#include "server_state.h"

namespace nnburst::serve {

class GrpcService final : public inference::GRPCInferenceService::Service {
  public:
    using Stream =
        grpc::ServerReaderWriter<inference::ModelStreamInferResponse, inference::ModelInferRequest>;

    /// `state` outlives the service.
    explicit GrpcService(ServerState& state) noexcept : state_(state) {}

    /// Cancels streams that wait for a request. Others end after their request.
    void endStreams() { idleStreams_.end(); }

    grpc::Status ServerLive(grpc::ServerContext* context,
                            const inference::ServerLiveRequest* request,
                            inference::ServerLiveResponse* response) override;
    grpc::Status ServerReady(grpc::ServerContext* context,
                             const inference::ServerReadyRequest* request,
                             inference::ServerReadyResponse* response) override;
    grpc::Status ServerMetadata(grpc::ServerContext* context,
                                const inference::ServerMetadataRequest* request,
                                inference::ServerMetadataResponse* response) override;

    grpc::Status ModelReady(grpc::ServerContext* context,
                            const inference::ModelReadyRequest* request,
                            inference::ModelReadyResponse* response) override;
    grpc::Status ModelMetadata(grpc::ServerContext* context,
                               const inference::ModelMetadataRequest* request,
                               inference::ModelMetadataResponse* response) override;
    grpc::Status ModelConfig(grpc::ServerContext* context,
                             const inference::ModelConfigRequest* request,
                             inference::ModelConfigResponse* response) override;
    grpc::Status ModelStatistics(grpc::ServerContext* context,
                                 const inference::ModelStatisticsRequest* request,
                                 inference::ModelStatisticsResponse* response) override;
    grpc::Status ModelInfer(grpc::ServerContext* context,
                            const inference::ModelInferRequest* request,
                            inference::ModelInferResponse* response) override;
    /// Requests of a stream run one after the other. A stream occupies a thread until its client
    /// ends it, so that only a part of the threads serves streams: RESOURCE_EXHAUSTED for more.
    grpc::Status ModelStreamInfer(grpc::ServerContext* context, Stream* stream) override;

    grpc::Status RepositoryIndex(grpc::ServerContext* context,
                                 const inference::RepositoryIndexRequest* request,
                                 inference::RepositoryIndexResponse* response) override;
    grpc::Status RepositoryModelLoad(grpc::ServerContext* context,
                                     const inference::RepositoryModelLoadRequest* request,
                                     inference::RepositoryModelLoadResponse* response) override;
    grpc::Status RepositoryModelUnload(grpc::ServerContext* context,
                                       const inference::RepositoryModelUnloadRequest* request,
                                       inference::RepositoryModelUnloadResponse* response) override;

    grpc::Status SystemSharedMemoryStatus(
        grpc::ServerContext* context, const inference::SystemSharedMemoryStatusRequest* request,
        inference::SystemSharedMemoryStatusResponse* response) override;
    grpc::Status SystemSharedMemoryRegister(
        grpc::ServerContext* context, const inference::SystemSharedMemoryRegisterRequest* request,
        inference::SystemSharedMemoryRegisterResponse* response) override;
    grpc::Status SystemSharedMemoryUnregister(
        grpc::ServerContext* context, const inference::SystemSharedMemoryUnregisterRequest* request,
        inference::SystemSharedMemoryUnregisterResponse* response) override;

  private:
    [[nodiscard]] Outcome<> inferOne(const grpc::ServerContext& context,
                                     const inference::ModelInferRequest& request,
                                     inference::ModelInferResponse& response);
    /// Waits for the next request of a stream. False if there is none, or the server ends.
    [[nodiscard]] bool readNext(const grpc::ServerContext& context, Stream& stream,
                                inference::ModelInferRequest& request);

    ServerState& state_;
    std::atomic<int> streams_ = 0;
    IdleStreams idleStreams_;
};

}  // namespace nnburst::serve
