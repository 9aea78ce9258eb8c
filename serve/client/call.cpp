// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "client/call.h"

#include <fmt/format.h>

#include <limits>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "nnburst/memory.h"
#include "nnburst/type_queries.h"

namespace nnburst::remote {
namespace {

template <class... Args>
tl::unexpected<Error> invalid(fmt::format_string<Args...> format, Args&&... args) {
    return failure(ErrorStatus::INVALID_ARGUMENT, fmt::format(format, std::forward<Args>(args)...));
}

/// The protocol's data type of a tensor that operandOf has made.
const char* datatypeOf(OperandType type) {
    switch (type) {
        case OperandType::TENSOR_BOOL8:
            return "BOOL";
        case OperandType::TENSOR_QUANT8_ASYMM:
            return "UINT8";
        case OperandType::TENSOR_QUANT16_ASYMM:
            return "UINT16";
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
            return "INT8";
        case OperandType::TENSOR_QUANT16_SYMM:
            return "INT16";
        case OperandType::TENSOR_INT32:
            return "INT32";
        case OperandType::TENSOR_FLOAT16:
            return "FP16";
        default:
            return "FP32";
    }
}

/// The memory that `argument` lies in.
Result<SharedRegion> regionOf(const Request& request, const RequestArgument& argument,
                              const NamedOperand& operand) {
    if (argument.hasNoValue) {
        return invalid("remote execution, '{}': is left out, which the protocol does not have",
                       operand.name);
    }
    if (argument.location.poolIndex >= request.pools.size()) {
        return invalid("remote execution, '{}': pool {} of {}", operand.name,
                       argument.location.poolIndex, request.pools.size());
    }
    const auto* region = std::get_if<SharedRegion>(&request.pools[argument.location.poolIndex]);
    if (region == nullptr || *region == nullptr) {
        return invalid(
            "remote execution, '{}': lies in a buffer of a driver: must be in shared memory",
            operand.name);
    }
    return *region;
}

/// The dimensions of a tensor of the response; nothing if they are not those of an operand.
std::optional<Dimensions> dimensionsOf(
    const inference::ModelInferResponse::InferOutputTensor& tensor) {
    Dimensions dimensions;
    for (const std::int64_t size : tensor.shape()) {
        if (size < 0 || size > std::numeric_limits<std::uint32_t>::max()) {
            return std::nullopt;
        }
        dimensions.push_back(static_cast<std::uint32_t>(size));
    }
    return dimensions;
}

std::uint64_t microseconds(std::chrono::steady_clock::duration duration) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(duration).count());
}

}  // namespace

Result<std::thread> startThread(std::function<void()> function) {
    try {
        return std::thread(std::move(function));
    } catch (const std::system_error& error) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       fmt::format("cannot start a thread for the execution: {}", error.what()));
    }
}

Call::Call(SharedServerConnection connection, const Request& request,
           const ExecutionOptions& options)
    : connection_(std::move(connection)),
      request_(request),
      options_(options),
      start_(std::chrono::steady_clock::now()) {}

Result<std::unique_ptr<Call>> Call::make(SharedServerConnection connection, const Request& request,
                                         const ExecutionOptions& options) {
    const ModelSignature& signature = connection->signature;
    if (request.inputs.size() != signature.inputs.size() ||
        request.outputs.size() != signature.outputs.size()) {
        return invalid("remote execution with {} inputs and {} outputs: must be {} and {}",
                       request.inputs.size(), request.outputs.size(), signature.inputs.size(),
                       signature.outputs.size());
    }
    std::unique_ptr<Call> call(new Call(std::move(connection), request, options));
    NNBURST_TRY(call->readInputs());
    return call;
}

Result<> Call::readInputs() {
    message_.set_model_name(connection_->model);
    message_.set_model_version(connection_->options.version);
    for (std::size_t index = 0; index < request_.inputs.size(); ++index) {
        const RequestArgument& argument = request_.inputs[index];
        const NamedOperand& operand = connection_->signature.inputs[index];
        NNBURST_TRY_ASSIGN(const SharedRegion region, regionOf(request_, argument, operand));
        const Dimensions& dimensions =
            argument.dimensions.empty() ? operand.dimensions : argument.dimensions;
        const auto bytes = operandBytes(operand.type, dimensions);
        if (!bytes || *bytes != argument.location.length) {
            return invalid("remote execution, input '{}': has {} bytes: must be {}", operand.name,
                           argument.location.length, bytes.value_or(0));
        }
        auto& tensor = *message_.add_inputs();
        tensor.set_name(operand.name);
        tensor.set_datatype(datatypeOf(operand.type));
        for (const std::uint32_t size : dimensions) {
            tensor.add_shape(size);
        }
        std::string& contents = *message_.add_raw_input_contents();
        contents.resize(*bytes);
        NNBURST_TRY(
            region->read(argument.location.offset, std::as_writable_bytes(std::span(contents))));
    }
    for (std::size_t index = 0; index < request_.outputs.size(); ++index) {
        const NamedOperand& operand = connection_->signature.outputs[index];
        NNBURST_TRY(regionOf(request_, request_.outputs[index], operand));
        message_.add_outputs()->set_name(operand.name);
    }
    return {};
}

Call::~Call() {
    if (thread_.joinable()) {
        {
            const std::lock_guard lock(mutex_);
            isCancelled_ = true;
            if (context_ != nullptr) {
                context_->TryCancel();
            }
        }
        thread_.join();
    }
}

void Call::send() {
    for (std::uint32_t attempt = 0; attempt <= connection_->options.retries; ++attempt) {
        // gRPC may send a request whose deadline is over, and give its answer.
        if (options_.deadline && *options_.deadline <= std::chrono::steady_clock::now()) {
            status_ = {grpc::StatusCode::DEADLINE_EXCEEDED,
                       "the deadline was over before the request was sent"};
            break;
        }
        grpc::ClientContext context;
        setDeadline(context, connection_->options, options_.deadline);
        {
            const std::lock_guard lock(mutex_);
            if (isCancelled_) {
                break;
            }
            context_ = &context;
        }
        status_ = connection_->stub->ModelInfer(&context, message_, &response_);
        {
            const std::lock_guard lock(mutex_);
            context_ = nullptr;
        }
        if (status_.error_code() != grpc::StatusCode::UNAVAILABLE) {
            break;
        }
    }
    end_ = std::chrono::steady_clock::now();
}

Result<> Call::run(ExecutionOutcome& outcome) {
    send();
    return takeResult(outcome);
}

Result<> Call::start() {
    NNBURST_TRY_ASSIGN(thread_, startThread([this] {
                           send();
                           const std::lock_guard lock(mutex_);
                           isDone_ = true;
                       }));
    return {};
}

bool Call::isDone() const {
    const std::lock_guard lock(mutex_);
    return isDone_;
}

Result<> Call::finish(ExecutionOutcome& outcome) {
    thread_.join();
    return takeResult(outcome);
}

Result<> Call::takeResult(ExecutionOutcome& outcome) const {
    outcome.outputShapes.clear();
    outcome.timing = {};
    if (!status_.ok()) {
        return tl::unexpected<Error>(toError(connection_->model, status_));
    }
    NNBURST_TRY(writeOutputs(outcome));
    if (options_.measure == MeasureTiming::YES) {
        outcome.timing = {.timeOnDevice = microseconds(end_ - start_),
                          .timeInDriver = microseconds(end_ - start_)};
    }
    return {};
}

Result<> Call::writeOutputs(ExecutionOutcome& outcome) const {
    const inference::ModelInferResponse& response = response_;
    const auto& signature = connection_->signature.outputs;
    const int count = static_cast<int>(signature.size());
    if (response.outputs_size() != count || response.raw_output_contents_size() != count) {
        return failure(
            ErrorStatus::GENERAL_FAILURE,
            fmt::format("remote model '{}': the server gives {} outputs, {} of them as raw "
                        "contents: must be {}",
                        connection_->model, response.outputs_size(),
                        response.raw_output_contents_size(), count));
    }
    bool isSufficient = true;
    for (int index = 0; index < count; ++index) {
        const auto place = static_cast<std::size_t>(index);
        const auto& tensor = response.outputs(index);
        const auto dimensions = dimensionsOf(tensor);
        const auto bytes = dimensions ? operandBytes(signature[place].type, *dimensions)
                                      : std::optional<std::uint64_t>();
        const std::string& contents = response.raw_output_contents(index);
        if (tensor.name() != signature[place].name || !bytes || *bytes != contents.size()) {
            return failure(ErrorStatus::GENERAL_FAILURE,
                           fmt::format("remote model '{}', output {}: the server gives '{}' of {} "
                                       "bytes: must be '{}', as large as its shape says",
                                       connection_->model, index, tensor.name(), contents.size(),
                                       signature[place].name));
        }
        const bool fits = contents.size() <= request_.outputs[place].location.length;
        outcome.outputShapes.push_back({.dimensions = *dimensions, .isSufficient = fits});
        isSufficient = isSufficient && fits;
    }
    if (!isSufficient) {
        return failure(ErrorStatus::OUTPUT_INSUFFICIENT_SIZE,
                       fmt::format("remote model '{}': an output does not fit into its memory",
                                   connection_->model));
    }
    for (int index = 0; index < count; ++index) {
        const auto place = static_cast<std::size_t>(index);
        const RequestArgument& argument = request_.outputs[place];
        NNBURST_TRY_ASSIGN(const SharedRegion region,
                           regionOf(request_, argument, signature[place]));
        NNBURST_TRY(region->write(argument.location.offset,
                                  std::as_bytes(std::span(response.raw_output_contents(index)))));
    }
    return {};
}

}  // namespace nnburst::remote
