// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// serve-latency ADDRESS MODEL FILE RUNS: what one inference costs through nnburst-serve at ADDRESS,
// with tensors in the messages and in shared memory, beside a burst to a driver with the same FILE.
// The three take turns. bench/serve starts the server.

#include <fcntl.h>
#include <fmt/core.h>
#include <grpcpp/grpcpp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "nnburst/device.h"
#include "nnburst/remote_model.h"
#include "nnburst/session.h"
#include "nnburst/type_queries.h"
#include "open_inference.grpc.pb.h"
#include "percentile.h"

namespace nnburst {
namespace {

using Stub = inference::GRPCInferenceService::Stub;

/// A request whose tensors lie in a region of shared memory.
class SharedMemoryClient {
  public:
    SharedMemoryClient(const std::string& address, const std::string& model,
                       const ModelSignature& signature)
        : stub_(inference::GRPCInferenceService::NewStub(
              grpc::CreateChannel(address, grpc::InsecureChannelCredentials()))) {
        request_.set_model_name(model);
        std::uint64_t offset = 0;
        const auto place = [&](const NamedOperand& operand, auto& tensor) {
            const std::uint64_t bytes = operandBytes(operand.type, operand.dimensions).value_or(0);
            tensor.set_name(operand.name);
            auto& parameters = *tensor.mutable_parameters();
            parameters["shared_memory_region"].set_string_param(key_);
            parameters["shared_memory_offset"].set_int64_param(static_cast<std::int64_t>(offset));
            parameters["shared_memory_byte_size"].set_int64_param(static_cast<std::int64_t>(bytes));
            offset += bytes;
        };
        for (const NamedOperand& input : signature.inputs) {
            auto& tensor = *request_.add_inputs();
            tensor.set_datatype(input.type == OperandType::TENSOR_FLOAT32 ? "FP32" : "UINT8");
            for (const std::uint32_t size : input.dimensions) {
                tensor.add_shape(size);
            }
            place(input, tensor);
        }
        for (const NamedOperand& output : signature.outputs) {
            place(output, *request_.add_outputs());
        }
        const int fd = ::shm_open(key_.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
        isGood_ = fd >= 0 && ::ftruncate(fd, static_cast<off_t>(offset)) == 0 && add(offset);
        ::close(fd);
    }
    SharedMemoryClient(const SharedMemoryClient&) = delete;
    SharedMemoryClient& operator=(const SharedMemoryClient&) = delete;
    ~SharedMemoryClient() { ::shm_unlink(key_.c_str()); }

    [[nodiscard]] bool run() {
        grpc::ClientContext context;
        inference::ModelInferResponse response;
        return isGood_ && stub_->ModelInfer(&context, request_, &response).ok();
    }

  private:
    bool add(std::uint64_t bytes) {
        grpc::ClientContext context;
        inference::SystemSharedMemoryRegisterRequest request;
        request.set_name(key_);
        request.set_key(key_);
        request.set_byte_size(bytes);
        inference::SystemSharedMemoryRegisterResponse response;
        return stub_->SystemSharedMemoryRegister(&context, request, &response).ok();
    }

    const std::string key_ = "nnburst-serve-latency-" + std::to_string(::getpid());
    std::unique_ptr<Stub> stub_;
    inference::ModelInferRequest request_;
    bool isGood_ = false;
};

struct Row {
    const char* name;
    std::function<bool()> run;
    std::vector<double> microseconds;
};

Result<> measure(const std::string& address, const std::string& name, const std::string& file,
                 int runs) {
    NNBURST_TRY_ASSIGN(const SharedDevice device, spawnDriver());
    NNBURST_TRY_ASSIGN(Session local, Session::open(*device, file));
    NNBURST_TRY_ASSIGN(const RemoteModel model, openRemoteModel(address, name));
    NNBURST_TRY_ASSIGN(Session remote, Session::create(model.prepared, model.signature));
    SharedMemoryClient client(address, name, model.signature);
    std::vector<Row> rows{
        {"burst to a driver", [&] { return local.run().has_value(); }, {}},
        {"gRPC, tensors in messages", [&] { return remote.run().has_value(); }, {}},
        {"gRPC, tensors in shared memory", [&] { return client.run(); }, {}}};
    constexpr int kRound = 20;
    for (int run = 0; run < runs; run += kRound) {
        for (Row& row : rows) {
            for (int i = 0; i < kRound; ++i) {
                const auto start = std::chrono::steady_clock::now();
                if (!row.run()) {
                    return failure(ErrorStatus::GENERAL_FAILURE,
                                   fmt::format("{}: a run failed", row.name));
                }
                const std::chrono::duration<double, std::micro> time =
                    std::chrono::steady_clock::now() - start;
                row.microseconds.push_back(time.count());
            }
        }
    }
    fmt::print("{:<32} {:>10} {:>10}\n", "microseconds", "p50", "p99");
    for (Row& row : rows) {
        fmt::print("{:<32} {:>10.1f} {:>10.1f}\n", row.name, percentile(row.microseconds, 0.5),
                   percentile(row.microseconds, 0.99));
    }
    return {};
}

}  // namespace
}  // namespace nnburst

int main(int argc, char** argv) {
    if (argc != 5) {
        fmt::print(stderr, "usage: serve-latency ADDRESS MODEL FILE RUNS\n");
        return 2;
    }
    const auto result = nnburst::measure(argv[1], argv[2], argv[3], std::atoi(argv[4]));
    if (!result) {
        fmt::print(stderr, "serve-latency: {}\n", result.error().message);
        return 1;
    }
    return 0;
}
