// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "grpc_messages.h"

#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "data_type.h"

namespace nnburst::serve {
namespace {

using Parameters = google::protobuf::Map<std::string, inference::InferParameter>;

constexpr const char* kRegion = "shared_memory_region";
constexpr const char* kOffset = "shared_memory_offset";
constexpr const char* kByteSize = "shared_memory_byte_size";

/// A parameter that is a number; `otherwise` if there is none.
Outcome<std::int64_t> number(const Parameters& parameters, const char* name,
                             std::int64_t otherwise) {
    const auto found = parameters.find(name);
    if (found == parameters.end()) {
        return otherwise;
    }
    switch (found->second.parameter_choice_case()) {
        case inference::InferParameter::kInt64Param:
            return found->second.int64_param();
        case inference::InferParameter::kUint64Param:
            if (found->second.uint64_param() <= std::numeric_limits<std::int64_t>::max()) {
                return static_cast<std::int64_t>(found->second.uint64_param());
            }
            break;
        default:
            break;
    }
    return refuse(Code::INVALID_ARGUMENT, "parameter {}: must be an integer of 64 bits", name);
}

/// The shared memory that parameters of a tensor name; nothing if they name none.
Outcome<std::optional<SharedRange>> sharedRange(const Parameters& parameters) {
    const auto region = parameters.find(kRegion);
    if (region == parameters.end()) {
        if (parameters.contains(kByteSize) || parameters.contains(kOffset)) {
            return refuse(Code::INVALID_ARGUMENT, "parameter {} is missing beside {} or {}",
                          kRegion, kByteSize, kOffset);
        }
        return std::optional<SharedRange>();
    }
    if (region->second.parameter_choice_case() != inference::InferParameter::kStringParam) {
        return refuse(Code::INVALID_ARGUMENT, "parameter {}: must be a string", kRegion);
    }
    NNBURST_SERVE_TRY_ASSIGN(const std::int64_t bytes, number(parameters, kByteSize, -1));
    NNBURST_SERVE_TRY_ASSIGN(const std::int64_t offset, number(parameters, kOffset, 0));
    if (bytes < 0 || offset < 0) {
        return refuse(Code::INVALID_ARGUMENT, "parameters {} {} and {} {}: must not be negative",
                      kByteSize, bytes, kOffset, offset);
    }
    return std::optional(SharedRange{.region = region->second.string_param(),
                                     .offset = static_cast<std::uint64_t>(offset),
                                     .bytes = static_cast<std::uint64_t>(bytes)});
}

/// Elements of a message's field as elements of type T, which must hold them.
template <class T, class Field>
Outcome<std::vector<std::byte>> convert(const std::string& name, const Field& elements) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(elements.size()) * sizeof(T));
    std::byte* place = bytes.data();
    for (const auto element : elements) {
        const T converted = static_cast<T>(element);
        if constexpr (std::is_integral_v<T>) {
            if (static_cast<std::int64_t>(converted) != static_cast<std::int64_t>(element)) {
                return refuse(Code::INVALID_ARGUMENT,
                              "input '{}' has the element {}: its data type does not hold it", name,
                              element);
            }
        }
        std::memcpy(place, &converted, sizeof(T));
        place += sizeof(T);
    }
    return bytes;
}

Outcome<std::vector<std::byte>> convertContents(
    const inference::ModelInferRequest::InferInputTensor& input) {
    const DataType* type = dataTypeNamed(input.datatype());
    if (type == nullptr) {
        return refuse(Code::INVALID_ARGUMENT,
                      "input '{}' has data type '{}', which no model here has", input.name(),
                      input.datatype());
    }
    const inference::InferTensorContents& contents = input.contents();
    switch (type->kind) {
        case DataKind::BOOL:
            return convert<std::uint8_t>(input.name(), contents.bool_contents());
        case DataKind::INT8:
            return convert<std::int8_t>(input.name(), contents.int_contents());
        case DataKind::INT16:
            return convert<std::int16_t>(input.name(), contents.int_contents());
        case DataKind::INT32:
            return convert<std::int32_t>(input.name(), contents.int_contents());
        case DataKind::UINT8:
            return convert<std::uint8_t>(input.name(), contents.uint_contents());
        case DataKind::UINT16:
            return convert<std::uint16_t>(input.name(), contents.uint_contents());
        case DataKind::UINT32:
            return convert<std::uint32_t>(input.name(), contents.uint_contents());
        case DataKind::FP32:
            return convert<float>(input.name(), contents.fp32_contents());
        case DataKind::FP16:
            break;
    }
    return refuse(Code::INVALID_ARGUMENT,
                  "input '{}' of data type {}: must be sent as raw contents", input.name(),
                  input.datatype());
}

/// Where the bytes of input `index` are. `raw` counts the raw contents that were used.
Outcome<InputContents> contentsOf(const inference::ModelInferRequest& message, int index, int& raw,
                                  std::vector<std::vector<std::byte>>& converted) {
    const auto& input = message.inputs(index);
    NNBURST_SERVE_TRY_ASSIGN(std::optional<SharedRange> shared, sharedRange(input.parameters()));
    if (shared) {
        if (input.has_contents()) {
            return refuse(Code::INVALID_ARGUMENT,
                          "input '{}' is in shared memory: must have no contents", input.name());
        }
        return InputContents(std::move(*shared));
    }
    if (message.raw_input_contents_size() == 0) {
        NNBURST_SERVE_TRY_ASSIGN(std::vector<std::byte> bytes, convertContents(input));
        converted.push_back(std::move(bytes));
        return InputContents(std::span<const std::byte>(converted.back()));
    }
    if (input.has_contents()) {
        return refuse(Code::INVALID_ARGUMENT,
                      "input '{}' has contents: must have none beside raw_input_contents",
                      input.name());
    }
    if (raw >= message.raw_input_contents_size()) {
        return refuse(Code::INVALID_ARGUMENT,
                      "raw_input_contents has {} entries: must have one for each input that is not "
                      "in shared memory",
                      message.raw_input_contents_size());
    }
    return InputContents(std::as_bytes(std::span(message.raw_input_contents(raw++))));
}

/// The values of sequence_id that mean no sequence.
bool isZeroOrEmpty(const inference::InferParameter& parameter) {
    switch (parameter.parameter_choice_case()) {
        case inference::InferParameter::kInt64Param:
            return parameter.int64_param() == 0;
        case inference::InferParameter::kUint64Param:
            return parameter.uint64_param() == 0;
        case inference::InferParameter::kStringParam:
            return parameter.string_param().empty();
        default:
            return false;
    }
}

Outcome<> refuseUnsupported(const Parameters& parameters) {
    const auto sequence = parameters.find("sequence_id");
    if (sequence != parameters.end() && !isZeroOrEmpty(sequence->second)) {
        return refuse(Code::UNIMPLEMENTED,
                      "parameter sequence_id: sequences are not supported; the states of a model "
                      "begin at zero in each request");
    }
    return {};
}

void setShape(const std::vector<std::int64_t>& shape,
              google::protobuf::RepeatedField<std::int64_t>& field) {
    field.Add(shape.begin(), shape.end());
}

void encodeTotal(const Total& total, inference::StatisticDuration& message) {
    message.set_count(total.count);
    message.set_ns(static_cast<std::uint64_t>(total.time.count()));
}

}  // namespace

Outcome<DecodedRequest> decode(const inference::ModelInferRequest& message) {
    DecodedRequest decoded;
    NNBURST_SERVE_TRY(refuseUnsupported(message.parameters()));
    NNBURST_SERVE_TRY_ASSIGN(const std::int64_t timeout,
                             number(message.parameters(), "timeout", 0));
    NNBURST_SERVE_TRY_ASSIGN(decoded.request.deadline, deadlineAfter(timeout));
    int raw = 0;
    for (int i = 0; i < message.inputs_size(); ++i) {
        const auto& input = message.inputs(i);
        NNBURST_SERVE_TRY_ASSIGN(InputContents contents,
                                 contentsOf(message, i, raw, decoded.converted));
        decoded.request.inputs.push_back({.name = input.name(),
                                          .datatype = input.datatype(),
                                          .shape = {input.shape().begin(), input.shape().end()},
                                          .contents = std::move(contents)});
    }
    if (raw != message.raw_input_contents_size()) {
        return refuse(Code::INVALID_ARGUMENT,
                      "raw_input_contents has {} entries: must have {}, one for each input that is "
                      "not in shared memory",
                      message.raw_input_contents_size(), raw);
    }
    for (const auto& output : message.outputs()) {
        NNBURST_SERVE_TRY_ASSIGN(const std::int64_t classes,
                                 number(output.parameters(), "classification", 0));
        if (classes != 0) {
            return refuse(Code::UNIMPLEMENTED,
                          "output '{}', parameter classification: is not supported", output.name());
        }
        NNBURST_SERVE_TRY_ASSIGN(std::optional<SharedRange> shared,
                                 sharedRange(output.parameters()));
        decoded.request.outputs.push_back(
            {.name = output.name(), .shared = std::move(shared), .isBinary = true});
    }
    return decoded;
}

void append(const OutputTensor& output, inference::ModelInferResponse& response) {
    inference::ModelInferResponse::InferOutputTensor& tensor = *response.add_outputs();
    tensor.set_name(output.choice.name);
    tensor.set_datatype(std::string(dataTypeOf(output.operand.type)->name));
    setShape(shapeOf(output.operand), *tensor.mutable_shape());
    std::string& raw = *response.add_raw_output_contents();
    if (output.choice.shared) {
        auto& parameters = *tensor.mutable_parameters();
        parameters[kRegion].set_string_param(output.choice.shared->region);
        parameters[kOffset].set_int64_param(
            static_cast<std::int64_t>(output.choice.shared->offset));
        parameters[kByteSize].set_int64_param(static_cast<std::int64_t>(output.contents.size()));
    } else {
        raw.assign(reinterpret_cast<const char*>(output.contents.data()), output.contents.size());
    }
}

void encodeMetadata(const ModelVersion& model, const std::vector<SharedModelVersion>& versions,
                    inference::ModelMetadataResponse& response) {
    response.set_name(model.name);
    response.set_platform(kPlatform);
    for (const SharedModelVersion& version : versions) {
        response.add_versions(std::to_string(version->version));
    }
    const auto encode = [](const NamedOperand& operand,
                           inference::ModelMetadataResponse::TensorMetadata& tensor) {
        tensor.set_name(operand.name);
        tensor.set_datatype(std::string(dataTypeOf(operand.type)->name));
        setShape(shapeOf(operand), *tensor.mutable_shape());
    };
    for (const NamedOperand& input : model.inputs) {
        encode(input, *response.add_inputs());
    }
    for (const NamedOperand& output : model.outputs) {
        encode(output, *response.add_outputs());
    }
}

void encodeConfig(const ModelVersion& model, inference::ModelConfig& config) {
    const auto encode = [](const NamedOperand& operand, auto& message) {
        message.set_name(operand.name);
        message.set_data_type(
            static_cast<inference::DataType>(dataTypeOf(operand.type)->configValue));
        setShape(shapeOf(operand), *message.mutable_dims());
    };
    config.set_name(model.name);
    config.set_platform(kPlatform);
    config.set_backend("nnburst");
    for (const NamedOperand& input : model.inputs) {
        encode(input, *config.add_input());
    }
    for (const NamedOperand& output : model.outputs) {
        encode(output, *config.add_output());
    }
    for (const auto& [key, value] : configParameters(model)) {
        (*config.mutable_parameters())[key].set_string_value(value);
    }
}

void encodeStatistics(const ModelVersion& model, inference::ModelStatistics& message) {
    const Statistics statistics = model.statistics.statistics();
    message.set_name(model.name);
    message.set_version(std::to_string(model.version));
    message.set_last_inference(statistics.lastInferenceMs);
    message.set_inference_count(statistics.success.count);
    message.set_execution_count(statistics.success.count);
    inference::InferStatistics& times = *message.mutable_inference_stats();
    encodeTotal(statistics.success, *times.mutable_success());
    encodeTotal(statistics.failure, *times.mutable_fail());
    encodeTotal(statistics.queue, *times.mutable_queue());
    encodeTotal(statistics.input, *times.mutable_compute_input());
    encodeTotal(statistics.run, *times.mutable_compute_infer());
    encodeTotal(statistics.output, *times.mutable_compute_output());
}

grpc::Status toStatus(const Failure& failure) {
    constexpr std::pair<Code, grpc::StatusCode> kCodes[] = {
        {Code::INVALID_ARGUMENT, grpc::StatusCode::INVALID_ARGUMENT},
        {Code::NOT_FOUND, grpc::StatusCode::NOT_FOUND},
        {Code::ALREADY_EXISTS, grpc::StatusCode::ALREADY_EXISTS},
        {Code::PERMISSION_DENIED, grpc::StatusCode::PERMISSION_DENIED},
        {Code::DEADLINE_EXCEEDED, grpc::StatusCode::DEADLINE_EXCEEDED},
        {Code::RESOURCE_EXHAUSTED, grpc::StatusCode::RESOURCE_EXHAUSTED},
        {Code::UNAVAILABLE, grpc::StatusCode::UNAVAILABLE},
        {Code::UNIMPLEMENTED, grpc::StatusCode::UNIMPLEMENTED},
    };
    for (const auto& [code, status] : kCodes) {
        if (code == failure.code) {
            return {status, failure.message};
        }
    }
    return {grpc::StatusCode::INTERNAL, failure.message};
}

}  // namespace nnburst::serve
