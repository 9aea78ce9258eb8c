// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "grpc_service.h"

#include <chrono>
#include <string>

#include "grpc_messages.h"
#include "inference.h"

namespace nnburst::serve {
namespace {

constexpr int kMaximumStreams = 32;

/// Counts a stream while it is open.
class OpenStream {
  public:
    explicit OpenStream(std::atomic<int>& count) noexcept
        : count_(count), isAllowed_(count++ < kMaximumStreams) {}
    OpenStream(const OpenStream&) = delete;
    OpenStream& operator=(const OpenStream&) = delete;
    ~OpenStream() { --count_; }
    [[nodiscard]] bool isAllowed() const noexcept { return isAllowed_; }

  private:
    std::atomic<int>& count_;
    const bool isAllowed_;
};

grpc::Status answer(const Outcome<>& outcome) {
    return outcome ? grpc::Status::OK : toStatus(outcome.error());
}

/// The deadline of the call. gRPC's is a time of the system's clock, a day away at most here.
OptionalTimePoint deadlineOf(const grpc::ServerContext& context) {
    const auto left = context.deadline() - std::chrono::system_clock::now();
    if (left > std::chrono::hours(24)) {
        return std::nullopt;
    }
    return std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::nanoseconds>(left);
}

}  // namespace

grpc::Status GrpcService::ServerLive(grpc::ServerContext* /*context*/,
                                     const inference::ServerLiveRequest* /*request*/,
                                     inference::ServerLiveResponse* response) {
    response->set_live(true);
    return grpc::Status::OK;
}

grpc::Status GrpcService::ServerReady(grpc::ServerContext* /*context*/,
                                      const inference::ServerReadyRequest* /*request*/,
                                      inference::ServerReadyResponse* response) {
    response->set_ready(state_.isReady());
    return grpc::Status::OK;
}

grpc::Status GrpcService::ServerMetadata(grpc::ServerContext* /*context*/,
                                         const inference::ServerMetadataRequest* /*request*/,
                                         inference::ServerMetadataResponse* response) {
    response->set_name(kServerName);
    response->set_version(kServerVersion);
    for (const std::string& extension : state_.extensions()) {
        response->add_extensions(extension);
    }
    return grpc::Status::OK;
}

grpc::Status GrpcService::ModelReady(grpc::ServerContext* /*context*/,
                                     const inference::ModelReadyRequest* request,
                                     inference::ModelReadyResponse* response) {
    response->set_ready(state_.canRun() &&
                        state_.repository.find(request->name(), request->version()).has_value());
    return grpc::Status::OK;
}

grpc::Status GrpcService::ModelMetadata(grpc::ServerContext* /*context*/,
                                        const inference::ModelMetadataRequest* request,
                                        inference::ModelMetadataResponse* response) {
    const auto model = state_.repository.find(request->name(), request->version());
    if (!model) {
        return toStatus(model.error());
    }
    encodeMetadata(**model, state_.repository.versions(request->name()), *response);
    return grpc::Status::OK;
}

grpc::Status GrpcService::ModelConfig(grpc::ServerContext* /*context*/,
                                      const inference::ModelConfigRequest* request,
                                      inference::ModelConfigResponse* response) {
    const auto model = state_.repository.find(request->name(), request->version());
    if (!model) {
        return toStatus(model.error());
    }
    encodeConfig(**model, *response->mutable_config());
    return grpc::Status::OK;
}

grpc::Status GrpcService::ModelStatistics(grpc::ServerContext* /*context*/,
                                          const inference::ModelStatisticsRequest* request,
                                          inference::ModelStatisticsResponse* response) {
    if (!request->version().empty()) {
        const auto model = state_.repository.find(request->name(), request->version());
        if (!model) {
            return toStatus(model.error());
        }
        encodeStatistics(**model, *response->add_model_stats());
        return grpc::Status::OK;
    }
    if (!request->name().empty()) {
        if (const auto model = state_.repository.find(request->name(), {}); !model) {
            return toStatus(model.error());
        }
    }
    for (const SharedModelVersion& model : request->name().empty()
                                               ? state_.repository.all()
                                               : state_.repository.versions(request->name())) {
        encodeStatistics(*model, *response->add_model_stats());
    }
    return grpc::Status::OK;
}

Outcome<> GrpcService::inferOne(const grpc::ServerContext& context,
                                const inference::ModelInferRequest& request,
                                inference::ModelInferResponse& response) {
    NNBURST_SERVE_TRY_ASSIGN(const SharedModelVersion model,
                             state_.repository.find(request.model_name(), request.model_version()));
    NNBURST_SERVE_TRY_ASSIGN(DecodedRequest decoded, decode(request));
    decoded.request.deadline = earlier(decoded.request.deadline, deadlineOf(context));
    decoded.request.isCancelled = [&context] { return context.IsCancelled(); };
    response.set_model_name(model->name);
    response.set_model_version(std::to_string(model->version));
    response.set_id(request.id());
    return infer(*model, state_.regions, decoded.request,
                 [&response](const OutputTensor& output) -> Outcome<> {
                     append(output, response);
                     return {};
                 });
}

grpc::Status GrpcService::ModelInfer(grpc::ServerContext* context,
                                     const inference::ModelInferRequest* request,
                                     inference::ModelInferResponse* response) {
    return answer(inferOne(*context, *request, *response));
}

bool GrpcService::readNext(const grpc::ServerContext& context, Stream& stream,
                           inference::ModelInferRequest& request) {
    if (!idleStreams_.add(context)) {
        return false;
    }
    const bool isRead = stream.Read(&request);
    idleStreams_.remove(context);
    return isRead;
}

grpc::Status GrpcService::ModelStreamInfer(grpc::ServerContext* context, Stream* stream) {
    const OpenStream open(streams_);
    if (!open.isAllowed()) {
        return {grpc::StatusCode::RESOURCE_EXHAUSTED,
                "stream: 32 streams are open, which is the limit"};
    }
    inference::ModelInferRequest request;
    while (readNext(*context, *stream, request)) {
        inference::ModelStreamInferResponse response;
        if (const Outcome<> outcome =
                inferOne(*context, request, *response.mutable_infer_response());
            !outcome) {
            response.clear_infer_response();
            response.mutable_infer_response()->set_id(request.id());
            response.set_error_message(outcome.error().message);
        }
        if (!stream->Write(response)) {
            break;
        }
    }
    if (state_.isDraining.load()) {
        return {grpc::StatusCode::UNAVAILABLE, "stream: the server ends"};
    }
    return grpc::Status::OK;
}

grpc::Status GrpcService::RepositoryIndex(grpc::ServerContext* /*context*/,
                                          const inference::RepositoryIndexRequest* request,
                                          inference::RepositoryIndexResponse* response) {
    for (const Repository::IndexEntry& entry : state_.repository.index(request->ready())) {
        auto& model = *response->add_models();
        model.set_name(entry.name);
        model.set_version(entry.version);
        model.set_state(entry.state);
        model.set_reason(entry.reason);
    }
    return grpc::Status::OK;
}

grpc::Status GrpcService::RepositoryModelLoad(
    grpc::ServerContext* /*context*/, const inference::RepositoryModelLoadRequest* request,
    inference::RepositoryModelLoadResponse* /*response*/) {
    if (const Outcome<> allowed = state_.repository.checkClientsMayLoad(); !allowed) {
        return toStatus(allowed.error());
    }
    if (!request->parameters().empty()) {
        return toStatus(
            refuseLoadParameter(request->model_name(), request->parameters().begin()->first)
                .value());
    }
    return answer(state_.load(request->model_name()));
}

grpc::Status GrpcService::RepositoryModelUnload(
    grpc::ServerContext* /*context*/, const inference::RepositoryModelUnloadRequest* request,
    inference::RepositoryModelUnloadResponse* /*response*/) {
    if (const Outcome<> allowed = state_.repository.checkClientsMayLoad(); !allowed) {
        return toStatus(allowed.error());
    }
    return answer(state_.unload(request->model_name()));
}

grpc::Status GrpcService::SystemSharedMemoryStatus(
    grpc::ServerContext* /*context*/, const inference::SystemSharedMemoryStatusRequest* request,
    inference::SystemSharedMemoryStatusResponse* response) {
    const auto regions = state_.regions.status(request->name());
    if (!regions) {
        return toStatus(regions.error());
    }
    for (const SharedRegions::Status& region : *regions) {
        auto& message = (*response->mutable_regions())[region.name];
        message.set_name(region.name);
        message.set_key(region.key);
        message.set_offset(region.offset);
        message.set_byte_size(region.bytes);
    }
    return grpc::Status::OK;
}

grpc::Status GrpcService::SystemSharedMemoryRegister(
    grpc::ServerContext* /*context*/, const inference::SystemSharedMemoryRegisterRequest* request,
    inference::SystemSharedMemoryRegisterResponse* /*response*/) {
    return answer(state_.regions.add(request->name(), request->key(), request->offset(),
                                     request->byte_size()));
}

grpc::Status GrpcService::SystemSharedMemoryUnregister(
    grpc::ServerContext* /*context*/, const inference::SystemSharedMemoryUnregisterRequest* request,
    inference::SystemSharedMemoryUnregisterResponse* /*response*/) {
    return answer(state_.regions.remove(request->name()));
}

}  // namespace nnburst::serve
