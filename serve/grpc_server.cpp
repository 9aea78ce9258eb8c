// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "grpc_server.h"

#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "unix_socket_file.h"

namespace nnburst::serve {
namespace {

/// Connections whose clients have gone without a word are ended, and with them their streams.
constexpr int kKeepAliveMs = 60'000;
constexpr int kKeepAliveTimeoutMs = 20'000;
/// Threads for what does not wait for a session: health checks, metadata, streams.
constexpr std::size_t kOtherThreads = 64;
/// Limit on gRPC's threads, whatever the number of models.
constexpr std::size_t kMaximumThreads = 10'000;

Outcome<std::string> readFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string contents((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file || contents.empty()) {
        return refuse(Code::UNAVAILABLE, "TLS: cannot read {}", path);
    }
    return contents;
}

Outcome<std::shared_ptr<grpc::ServerCredentials>> credentialsOf(const TlsOptions& tls) {
    if (!tls.isEnabled()) {
        return grpc::InsecureServerCredentials();
    }
    grpc::SslServerCredentialsOptions options(
        tls.clientCa.empty() ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                             : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
    NNBURST_SERVE_TRY_ASSIGN(std::string key, readFile(tls.key));
    NNBURST_SERVE_TRY_ASSIGN(std::string certificate, readFile(tls.certificate));
    options.pem_key_cert_pairs.push_back({std::move(key), std::move(certificate)});
    if (!tls.clientCa.empty()) {
        NNBURST_SERVE_TRY_ASSIGN(options.pem_root_certs, readFile(tls.clientCa));
    }
    return grpc::SslServerCredentials(options);
}

}  // namespace

Outcome<std::unique_ptr<GrpcServer>> GrpcServer::start(ServerState& state, const Address& address,
                                                       const Options& options) {
    NNBURST_SERVE_TRY_ASSIGN(const std::shared_ptr<grpc::ServerCredentials> credentials,
                             credentialsOf(options.tls));
    UniqueFd lock;
    if (address.isUnix()) {
        NNBURST_SERVE_TRY_ASSIGN(lock, claimSocketPath(address.path));
    }
    std::unique_ptr<GrpcServer> result(new GrpcServer(state, address, options));
    grpc::EnableDefaultHealthCheckService(true);
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(address.text(), credentials, &port);
    builder.RegisterService(&result->service_);
    // Limits the messages that have not come whole, which SetMaxThreads does not count.
    result->quota_.Resize(state.memory.size());
    builder.SetResourceQuota(result->quota_);
    // gRPC checks the size of a compressed message before it decompresses it, and not after that.
    builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
    builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
    builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
    builder.SetMaxReceiveMessageSize(static_cast<int>(options.maximumRequestBytes));
    builder.SetMaxSendMessageSize(-1);  // as large as the outputs of a model are
    // A second server must not get part of the connections to the same port.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepAliveMs);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepAliveTimeoutMs);
    result->server_ = builder.BuildAndStart();
    if (result->server_ == nullptr) {
        return refuse(Code::UNAVAILABLE, "gRPC: cannot listen on {}", address.text());
    }
    if (!address.isUnix()) {
        result->address_.port = static_cast<std::uint16_t>(port);
    }
    state.changes->setListener([server = result.get()] { server->update(); });
    return result;
}

GrpcServer::~GrpcServer() {
    state_.changes->setListener({});
    if (server_ != nullptr) {
        shutDown(std::chrono::milliseconds(0));
    }
}

void GrpcServer::update() {
    server_->GetHealthCheckService()->SetServingStatus(state_.isReady());
    const std::size_t requests = state_.repository.versionCount() * requestsOfVersion_;
    // Not lowered: requests to a model that was unloaded may still have threads.
    threads_ = std::max(threads_, std::min(requests + kOtherThreads, kMaximumThreads));
    quota_.SetMaxThreads(static_cast<int>(threads_));
}

void GrpcServer::shutDown(std::chrono::milliseconds time) {
    service_.endStreams();
    server_->Shutdown(std::chrono::system_clock::now() + time);
}

}  // namespace nnburst::serve
