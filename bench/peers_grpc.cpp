// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// gRPC over a Unix socket: a unary call with 64 bytes each way, the usual synchronous server.

#include <benchmark/benchmark.h>
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>

#include "forked_process.h"
#include "measure.h"
#include "peers_grpc.grpc.pb.h"
#include "peers_packaged.h"
#include "processors.h"
#include "round_trip.h"
#include "skip.h"

namespace nnburst::bench {
namespace {

constexpr std::chrono::seconds kStartTimeout{5};

class EchoService final : public Echo::Service {
    grpc::Status exchange(grpc::ServerContext* /*context*/, const Payload* request,
                          Payload* reply) override {
        reply->set_bytes(request->bytes());
        return grpc::Status::OK;
    }
};

void serve(const std::string& address) {
    EchoService service;
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials());
    builder.RegisterService(&service);
    if (const std::unique_ptr<grpc::Server> server = builder.BuildAndStart()) {
        server->Wait();
    }
}

/// A server process and a channel to it, for the whole run, because a process that has used gRPC
/// cannot fork another one that uses it. Both sleep between measurements.
class EchoClient {
  public:
    [[nodiscard]] bool awaitServer() {
        return channel_->WaitForConnected(std::chrono::system_clock::now() + kStartTimeout);
    }

    [[nodiscard]] bool exchange() {
        grpc::ClientContext context;
        return stub_->exchange(&context, request_, &reply_).ok() &&
               reply_.bytes().size() == request_.bytes().size();
    }

  private:
    static Payload makePayload() {
        Payload payload;
        payload.set_bytes(std::string(sizeof(Message), '\0'));
        return payload;
    }

    const std::string address_ = "unix-abstract:nnburst-bench-" + std::to_string(::getpid());
    const ForkedProcess server_{processorPair()->driver, [this] { serve(address_); }};
    const std::shared_ptr<grpc::Channel> channel_ =
        grpc::CreateChannel(address_, grpc::InsecureChannelCredentials());
    const std::unique_ptr<Echo::Stub> stub_ = Echo::NewStub(channel_);
    const Payload request_ = makePayload();
    Payload reply_;
};

void unaryCall(benchmark::State& state) {
    static EchoClient client;
    if (!client.awaitServer()) {
        skip(state, "its server did not start within 5 s");
        return;
    }
    measureEach(state, [&] { return client.exchange(); });
}

}  // namespace

void registerGrpcPeer() {
    registerRoundTrip("grpc", "64 bytes by a unary call of gRPC, Unix socket", unaryCall);
}

}  // namespace nnburst::bench
