// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "client/connection.h"

#include <fmt/format.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <limits>
#include <utility>

namespace nnburst::remote {
namespace {

using Metadata = inference::ModelMetadataResponse;

Result<std::string> readFile(const std::string& path) {
    if (path.empty()) {
        return std::string();
    }
    std::ifstream file(path, std::ios::binary);
    std::string contents((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file || contents.empty()) {
        return failure(ErrorStatus::INVALID_ARGUMENT, fmt::format("TLS: cannot read {}", path));
    }
    return contents;
}

Result<std::shared_ptr<grpc::ChannelCredentials>> credentialsOf(const RemoteOptions& options) {
    if (!options.useTls) {
        return grpc::InsecureChannelCredentials();
    }
    grpc::SslCredentialsOptions files;
    NNBURST_TRY_ASSIGN(files.pem_root_certs, readFile(options.rootCertificatesFile));
    NNBURST_TRY_ASSIGN(files.pem_cert_chain, readFile(options.certificateFile));
    NNBURST_TRY_ASSIGN(files.pem_private_key, readFile(options.keyFile));
    return grpc::SslCredentials(files);
}

struct TypeName {
    const char* datatype;
    OperandType tensor;
};

/// The tensors that data types stand for where the server does not say more.
constexpr std::array kTypes{
    TypeName{"BOOL", OperandType::TENSOR_BOOL8},
    TypeName{"UINT8", OperandType::TENSOR_QUANT8_ASYMM},
    TypeName{"UINT16", OperandType::TENSOR_QUANT16_ASYMM},
    TypeName{"INT8", OperandType::TENSOR_QUANT8_ASYMM_SIGNED},
    TypeName{"INT16", OperandType::TENSOR_QUANT16_SYMM},
    TypeName{"INT32", OperandType::TENSOR_INT32},
    TypeName{"FP16", OperandType::TENSOR_FLOAT16},
    TypeName{"FP32", OperandType::TENSOR_FLOAT32},
};

Result<NamedOperand> operandOf(const std::string& model, const Metadata::TensorMetadata& tensor) {
    NamedOperand operand{.name = tensor.name()};
    bool isKnown = false;
    for (const TypeName& type : kTypes) {
        if (tensor.datatype() == type.datatype) {
            operand.type = type.tensor;
            isKnown = true;
        }
    }
    if (!isKnown) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("remote model '{}', tensor '{}': the HAL has no data type '{}'",
                                   model, tensor.name(), tensor.datatype()));
    }
    for (const std::int64_t size : tensor.shape()) {
        if (size < -1 || size > std::numeric_limits<std::uint32_t>::max()) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           fmt::format("remote model '{}', tensor '{}': the server says it has a "
                                       "dimension of {}",
                                       model, tensor.name(), size));
        }
        operand.dimensions.push_back(size == -1 ? 0 : static_cast<std::uint32_t>(size));
    }
    return operand;
}

/// Takes what nnburst-serve says of an operand in the model's configuration.
void complete(NamedOperand& operand, const inference::ModelConfig& config) {
    const auto text = [&](const char* key) {
        const auto found = config.parameters().find(key + operand.name);
        return found == config.parameters().end() ? std::string() : found->second.string_value();
    };
    const std::string scale = text("scale:");
    const std::string zeroPoint = text("zero_point:");
    std::from_chars(scale.data(), scale.data() + scale.size(), operand.scale);
    std::from_chars(zeroPoint.data(), zeroPoint.data() + zeroPoint.size(), operand.zeroPoint);
}

Result<Metadata> askForMetadata(const ServerConnection& connection, const std::string& address) {
    grpc::ClientContext context;
    setDeadline(context, connection.options, {});
    context.set_wait_for_ready(connection.options.timeout.count() != 0);
    inference::ModelMetadataRequest request;
    request.set_name(connection.model);
    request.set_version(connection.options.version);
    Metadata response;
    const grpc::Status status = connection.stub->ModelMetadata(&context, request, &response);
    if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
        return failure(ErrorStatus::DEVICE_UNAVAILABLE,
                       fmt::format("remote model '{}': no server at {} has answered for {} ms",
                                   connection.model, address, connection.options.timeout.count()));
    }
    if (!status.ok()) {
        return tl::unexpected<Error>(toError(connection.model, status));
    }
    return response;
}

/// Empty if the server does not have this extension.
inference::ModelConfig askForConfig(const ServerConnection& connection) {
    grpc::ClientContext context;
    setDeadline(context, connection.options, {});
    inference::ModelConfigRequest request;
    request.set_name(connection.model);
    request.set_version(connection.options.version);
    inference::ModelConfigResponse response;
    const grpc::Status status = connection.stub->ModelConfig(&context, request, &response);
    return status.ok() ? std::move(*response.mutable_config()) : inference::ModelConfig();
}

}  // namespace

Result<SharedServerConnection> connect(const std::string& address, const std::string& model,
                                       const RemoteOptions& options) {
    NNBURST_TRY_ASSIGN(const auto credentials, credentialsOf(options));
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(static_cast<int>(options.maximumMessageBytes));
    arguments.SetMaxSendMessageSize(-1);
    auto connection = std::make_shared<ServerConnection>();
    connection->model = model;
    connection->options = options;
    connection->stub = inference::GRPCInferenceService::NewStub(
        grpc::CreateCustomChannel(address, credentials, arguments));
    NNBURST_TRY_ASSIGN(const Metadata metadata, askForMetadata(*connection, address));
    const inference::ModelConfig config = askForConfig(*connection);
    for (const auto& input : metadata.inputs()) {
        NNBURST_TRY_ASSIGN(NamedOperand operand, operandOf(model, input));
        complete(operand, config);
        connection->signature.inputs.push_back(std::move(operand));
    }
    for (const auto& output : metadata.outputs()) {
        NNBURST_TRY_ASSIGN(NamedOperand operand, operandOf(model, output));
        complete(operand, config);
        connection->signature.outputs.push_back(std::move(operand));
    }
    return connection;
}

Error toError(const std::string& model, const grpc::Status& status) {
    ErrorStatus code = ErrorStatus::GENERAL_FAILURE;
    switch (status.error_code()) {
        case grpc::StatusCode::INVALID_ARGUMENT:
        case grpc::StatusCode::NOT_FOUND:
            code = ErrorStatus::INVALID_ARGUMENT;
            break;
        case grpc::StatusCode::DEADLINE_EXCEEDED:
            code = ErrorStatus::MISSED_DEADLINE_TRANSIENT;
            break;
        case grpc::StatusCode::RESOURCE_EXHAUSTED:
            code = ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT;
            break;
        case grpc::StatusCode::UNAVAILABLE:
            code = ErrorStatus::DEVICE_UNAVAILABLE;
            break;
        default:
            break;
    }
    return {code,
            fmt::format("remote model '{}': the server answers with code {} of gRPC: {}", model,
                        static_cast<int>(status.error_code()), status.error_message())};
}

void setDeadline(grpc::ClientContext& context, const RemoteOptions& options,
                 const OptionalTimePoint& deadline) {
    // Later ones are never reached, and adding to them would overflow.
    constexpr std::chrono::hours kFarthest{10 * 365 * 24};
    if (deadline) {
        const TimePoint now = std::chrono::steady_clock::now();
        if (*deadline < now + kFarthest) {
            context.set_deadline(std::chrono::system_clock::now() +
                                 std::chrono::duration_cast<std::chrono::system_clock::duration>(
                                     std::max(*deadline, now) - now));
        }
    } else if (options.timeout.count() > 0 && options.timeout < kFarthest) {
        context.set_deadline(std::chrono::system_clock::now() + options.timeout);
    }
}

}  // namespace nnburst::remote
