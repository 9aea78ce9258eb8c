// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "rest_messages.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "data_type.h"
#include "nnburst/type_queries.h"
#include "rest_elements.h"
#include "server_state.h"

namespace nnburst::serve {
namespace {

using nlohmann::json;

/// Data of a tensor is nested 16 deep at most, in an input in the inputs of a request.
constexpr std::size_t kMaximumNesting = 32;

struct ParsingCost {
    std::size_t bytes = 0;
    std::size_t depth = 0;
};

/// The position of the quote that ends the string whose contents begin at `position`.
std::size_t endOfString(std::string_view text, std::size_t position) {
    while (position < text.size() && text[position] != '"') {
        position += text[position] == '\\' ? 2 : 1;
    }
    return position;
}

/// At most so much does it take to parse `text`, whether it is JSON or not.
ParsingCost costOf(std::string_view text) {
    // Sizes in nlohmann::json, with what malloc adds. Arrays grow to twice their size, beside the
    // copy that they had.
    constexpr std::size_t kValueBytes = 48;
    constexpr std::size_t kStringBytes = 48;
    constexpr std::size_t kContainerBytes = 112;  // with its first value
    ParsingCost cost{.bytes = text.size()};
    std::size_t depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        switch (text[i]) {
            case '"':
                cost.bytes += kStringBytes;
                i = endOfString(text, i + 1);
                break;
            case '[':
            case '{':
                cost.bytes += kContainerBytes;
                cost.depth = std::max(cost.depth, ++depth);
                break;
            case ']':
            case '}':
                depth -= depth > 0 ? 1 : 0;
                break;
            case ',':
                cost.bytes += kValueBytes;
                break;
            default:
                break;
        }
    }
    return cost;
}

/// Member `name` of `object` if it is there, else null.
const json* member(const json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
}

/// The parameters of a request, input or output; none are an empty object.
Outcome<const json*> parametersOf(const json& object) {
    static const json none = json::object();
    const json* parameters = member(object, "parameters");
    if (parameters == nullptr) {
        return &none;
    }
    if (!parameters->is_object()) {
        return refuse(Code::INVALID_ARGUMENT, "parameters: must be a JSON object");
    }
    return parameters;
}

Outcome<std::string> text(const json& object, const char* name) {
    const json* value = member(object, name);
    if (value == nullptr || !value->is_string()) {
        return refuse(Code::INVALID_ARGUMENT, "{}: must be there, and a JSON string", name);
    }
    return value->get<std::string>();
}

/// A number that is not negative; `otherwise` if it is not there.
Outcome<std::uint64_t> number(const json& object, const char* name, std::uint64_t otherwise) {
    const json* value = member(object, name);
    if (value == nullptr) {
        return otherwise;
    }
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() > INT64_MAX) {
        return refuse(Code::INVALID_ARGUMENT, "{}: must be an integer from 0 to 2^63 - 1", name);
    }
    return value->get<std::uint64_t>();
}

Outcome<bool> flag(const json& object, const char* name, bool otherwise) {
    const json* value = member(object, name);
    if (value == nullptr) {
        return otherwise;
    }
    if (!value->is_boolean()) {
        return refuse(Code::INVALID_ARGUMENT, "{}: must be true or false", name);
    }
    return value->get<bool>();
}

Outcome<std::optional<SharedRange>> sharedRange(const json& parameters) {
    if (!parameters.contains("shared_memory_region")) {
        if (parameters.contains("shared_memory_byte_size") ||
            parameters.contains("shared_memory_offset")) {
            return refuse(Code::INVALID_ARGUMENT,
                          "parameter shared_memory_region is missing beside "
                          "shared_memory_byte_size or shared_memory_offset");
        }
        return std::optional<SharedRange>();
    }
    SharedRange range;
    NNBURST_SERVE_TRY_ASSIGN(range.region, text(parameters, "shared_memory_region"));
    NNBURST_SERVE_TRY_ASSIGN(range.offset, number(parameters, "shared_memory_offset", 0));
    NNBURST_SERVE_TRY_ASSIGN(range.bytes, number(parameters, "shared_memory_byte_size", 0));
    return std::optional<SharedRange>(std::move(range));
}

Outcome<std::vector<std::int64_t>> shapeOfInput(const json& input, const std::string& name) {
    const json* shape = member(input, "shape");
    std::vector<std::int64_t> sizes;
    if (shape != nullptr && shape->is_array()) {
        for (const json& size : *shape) {
            if (!size.is_number_unsigned() || size.get<std::uint64_t>() > INT64_MAX) {
                break;
            }
            sizes.push_back(size.get<std::int64_t>());
        }
        if (sizes.size() == shape->size()) {
            return sizes;
        }
    }
    return refuse(Code::INVALID_ARGUMENT, "input '{}': shape must be an array of sizes", name);
}

/// Reads the inputs of a request; `raw` is what is left of the bytes after its JSON text.
class InputReader {
  public:
    InputReader(std::string_view raw, std::vector<std::vector<std::byte>>& converted)
        : raw_(raw), converted_(converted) {}

    Outcome<InputTensor> read(const json& input) {
        if (!input.is_object()) {
            return refuse(Code::INVALID_ARGUMENT, "inputs: must be an array of JSON objects");
        }
        InputTensor tensor;
        NNBURST_SERVE_TRY_ASSIGN(tensor.name, text(input, "name"));
        NNBURST_SERVE_TRY_ASSIGN(tensor.datatype, text(input, "datatype"));
        NNBURST_SERVE_TRY_ASSIGN(tensor.shape, shapeOfInput(input, tensor.name));
        NNBURST_SERVE_TRY_ASSIGN(tensor.contents, contentsOf(input, tensor));
        return tensor;
    }

    [[nodiscard]] bool hasMore() const noexcept { return !raw_.empty(); }

  private:
    Outcome<InputContents> contentsOf(const json& input, const InputTensor& tensor) {
        NNBURST_SERVE_TRY_ASSIGN(const json* parameters, parametersOf(input));
        const json* data = member(input, "data");
        NNBURST_SERVE_TRY_ASSIGN(std::optional<SharedRange> shared, sharedRange(*parameters));
        const bool isBinary = parameters->contains("binary_data_size");
        if ((data != nullptr ? 1 : 0) + (shared ? 1 : 0) + (isBinary ? 1 : 0) != 1) {
            return refuse(Code::INVALID_ARGUMENT,
                          "input '{}': must have data, or binary_data_size, or shared memory",
                          tensor.name);
        }
        if (shared) {
            return InputContents(std::move(*shared));
        }
        if (isBinary) {
            NNBURST_SERVE_TRY_ASSIGN(const std::uint64_t bytes,
                                     number(*parameters, "binary_data_size", 0));
            return takeRaw(tensor.name, bytes);
        }
        const DataType* type = dataTypeNamed(tensor.datatype);
        if (type == nullptr) {
            return refuse(Code::INVALID_ARGUMENT,
                          "input '{}' has data type '{}', which no model here has", tensor.name,
                          tensor.datatype);
        }
        NNBURST_SERVE_TRY_ASSIGN(std::vector<std::byte> bytes,
                                 elementsOf(*data, *type, tensor.name));
        converted_.push_back(std::move(bytes));
        return InputContents(std::span<const std::byte>(converted_.back()));
    }

    Outcome<InputContents> takeRaw(const std::string& name, std::uint64_t bytes) {
        if (bytes > raw_.size()) {
            return refuse(Code::INVALID_ARGUMENT,
                          "input '{}': binary_data_size is {}, and {} bytes are left in the body",
                          name, bytes, raw_.size());
        }
        const std::string_view contents = raw_.substr(0, bytes);
        raw_.remove_prefix(bytes);
        return InputContents(std::as_bytes(std::span(contents)));
    }

    std::string_view raw_;
    std::vector<std::vector<std::byte>>& converted_;
};

Outcome<OutputChoice> readChoice(const json& output, bool isBinary) {
    if (!output.is_object()) {
        return refuse(Code::INVALID_ARGUMENT, "outputs: must be an array of JSON objects");
    }
    OutputChoice choice;
    NNBURST_SERVE_TRY_ASSIGN(choice.name, text(output, "name"));
    NNBURST_SERVE_TRY_ASSIGN(const json* parameters, parametersOf(output));
    if (const json* classes = member(*parameters, "classification");
        classes != nullptr && *classes != 0) {
        return refuse(Code::UNIMPLEMENTED,
                      "output '{}', parameter classification: is not supported", choice.name);
    }
    NNBURST_SERVE_TRY_ASSIGN(choice.shared, sharedRange(*parameters));
    NNBURST_SERVE_TRY_ASSIGN(choice.isBinary, flag(*parameters, "binary_data", isBinary));
    return choice;
}

Outcome<> readParameters(const json& parameters, InferenceRequest& request) {
    NNBURST_SERVE_TRY_ASSIGN(request.isBinary, flag(parameters, "binary_data_output", false));
    if (const json* sequence = member(parameters, "sequence_id");
        sequence != nullptr && *sequence != 0 && *sequence != "") {
        return refuse(Code::UNIMPLEMENTED,
                      "parameter sequence_id: sequences are not supported; the states of a model "
                      "begin at zero in each request");
    }
    NNBURST_SERVE_TRY_ASSIGN(const std::uint64_t timeout, number(parameters, "timeout", 0));
    NNBURST_SERVE_TRY_ASSIGN(request.deadline, deadlineAfter(static_cast<std::int64_t>(timeout)));
    return {};
}

json tensorJson(const NamedOperand& operand) {
    return {{"name", operand.name},
            {"datatype", dataTypeOf(operand.type)->name},
            {"shape", shapeOf(operand)}};
}

json configTensorJson(const NamedOperand& operand) {
    return {{"name", operand.name},
            {"data_type", "TYPE_" + std::string(dataTypeOf(operand.type)->name)},
            {"dims", shapeOf(operand)}};
}

json totalJson(const Total& total) {
    return {{"count", total.count}, {"ns", total.time.count()}};
}

/// The memory that `bytes` of an output take in a response until it is sent.
std::size_t responseBytes(const DataType& type, std::size_t bytes, bool isBinary) {
    // Texts that grow take up to twice their bytes, and raw bytes are copied behind the JSON text.
    constexpr std::size_t kRawFactor = 3;
    constexpr std::size_t kJsonBytes = 64;  // a json value, and the text of a number that grows
    return isBinary ? kRawFactor * bytes : kJsonBytes * (bytes / type.elementBytes);
}

}  // namespace

Outcome<DecodedBody> decode(std::string_view body, std::size_t jsonBytes, MemoryCharge& memory) {
    if (jsonBytes > body.size()) {
        return refuse(
            Code::INVALID_ARGUMENT,
            "Inference-Header-Content-Length is {}: must be at most the {} bytes of the body",
            jsonBytes, body.size());
    }
    NNBURST_SERVE_TRY_ASSIGN(const json message, parseObject(body.substr(0, jsonBytes), memory));
    DecodedBody decoded;
    if (message.contains("id")) {
        NNBURST_SERVE_TRY_ASSIGN(decoded.id, text(message, "id"));
    }
    NNBURST_SERVE_TRY_ASSIGN(const json* parameters, parametersOf(message));
    NNBURST_SERVE_TRY(readParameters(*parameters, decoded.request));
    const json* inputs = member(message, "inputs");
    const json* outputs = member(message, "outputs");
    if (inputs == nullptr || !inputs->is_array() || (outputs != nullptr && !outputs->is_array())) {
        return refuse(Code::INVALID_ARGUMENT,
                      "inference: must have inputs, an array, and may have outputs, an array");
    }
    InputReader reader(body.substr(jsonBytes), decoded.converted);
    for (const json& input : *inputs) {
        NNBURST_SERVE_TRY_ASSIGN(InputTensor tensor, reader.read(input));
        decoded.request.inputs.push_back(std::move(tensor));
    }
    if (reader.hasMore()) {
        return refuse(
            Code::INVALID_ARGUMENT,
            "inference: the body has more bytes after its JSON text than the inputs take");
    }
    if (outputs != nullptr) {
        for (const json& output : *outputs) {
            NNBURST_SERVE_TRY_ASSIGN(OutputChoice choice,
                                     readChoice(output, decoded.request.isBinary));
            decoded.request.outputs.push_back(std::move(choice));
        }
    }
    return decoded;
}

Outcome<> checkResponse(const ModelVersion& model, const InferenceRequest& request,
                        const MemoryCharge& memory) {
    std::size_t bytes = 0;
    for (const NamedOperand& output : model.outputs) {
        const auto choice = std::ranges::find(request.outputs, output.name, &OutputChoice::name);
        const bool isNamed = choice != request.outputs.end();
        if (isNamed ? choice->shared.has_value() : !request.outputs.empty()) {
            continue;  // not in the response
        }
        bytes += responseBytes(*dataTypeOf(output.type),
                               operandBytes(output.type, output.dimensions).value_or(0),
                               isNamed ? choice->isBinary : request.isBinary);
    }
    if (!memory.couldAdd(bytes)) {
        return refuse(Code::INVALID_ARGUMENT,
                      "outputs: the response needs {} bytes of memory, which is more than the "
                      "limit for all requests; ask for binary data or for fewer outputs, or raise "
                      "--max-request-bytes",
                      bytes);
    }
    return {};
}

ResponseBody::ResponseBody(const ModelVersion& model, const std::string& id)
    : json_{{"model_name", model.name},
            {"model_version", std::to_string(model.version)},
            {"outputs", json::array()}} {
    if (!id.empty()) {
        json_["id"] = id;
    }
}

Outcome<> ResponseBody::append(const OutputTensor& output, MemoryCharge& memory) {
    const DataType& type = *dataTypeOf(output.operand.type);
    json tensor = tensorJson(output.operand);
    tensor["name"] = output.choice.name;
    const std::size_t bytes =
        output.choice.shared ? 0
                             : responseBytes(type, output.contents.size(), output.choice.isBinary);
    if (!memory.add(bytes)) {
        return refuse(Code::RESOURCE_EXHAUSTED,
                      "output '{}': no memory for {} bytes of the response; outputs need less as "
                      "binary data",
                      output.choice.name, bytes);
    }
    if (output.choice.shared) {
        tensor["parameters"] = {{"shared_memory_region", output.choice.shared->region},
                                {"shared_memory_offset", output.choice.shared->offset},
                                {"shared_memory_byte_size", output.contents.size()}};
    } else if (output.choice.isBinary) {
        tensor["parameters"] = {{"binary_data_size", output.contents.size()}};
        if (!raw_) {
            raw_.emplace();
        }
        raw_->append(reinterpret_cast<const char*>(output.contents.data()), output.contents.size());
    } else {
        tensor["data"] = jsonOf(output.contents, type);
    }
    json_["outputs"].push_back(std::move(tensor));
    return {};
}

Outcome<json> parseObject(std::string_view body, MemoryCharge& memory) {
    if (body.empty()) {
        return json::object();
    }
    const ParsingCost cost = costOf(body);
    if (cost.depth > kMaximumNesting) {
        return refuse(Code::INVALID_ARGUMENT,
                      "request body: must be a JSON object, nested at most {} deep",
                      kMaximumNesting);
    }
    if (!memory.add(cost.bytes)) {
        return refuse(
            Code::RESOURCE_EXHAUSTED,
            "request body: no memory for its JSON text; tensors need less as binary data");
    }
    json message = json::parse(body.begin(), body.end(), nullptr, false);
    if (!message.is_object()) {
        return refuse(Code::INVALID_ARGUMENT, "request body: must be a JSON object");
    }
    return message;
}

std::string toText(const json& message) {
    // Names of models and tensors may be any bytes.
    return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

json metadataJson(const ModelVersion& model, const std::vector<SharedModelVersion>& versions) {
    json message{{"name", model.name},
                 {"platform", kPlatform},
                 {"versions", json::array()},
                 {"inputs", json::array()},
                 {"outputs", json::array()}};
    for (const SharedModelVersion& version : versions) {
        message["versions"].push_back(std::to_string(version->version));
    }
    for (const NamedOperand& input : model.inputs) {
        message["inputs"].push_back(tensorJson(input));
    }
    for (const NamedOperand& output : model.outputs) {
        message["outputs"].push_back(tensorJson(output));
    }
    return message;
}

json configJson(const ModelVersion& model) {
    json message{{"name", model.name},          {"platform", kPlatform},  {"backend", "nnburst"},
                 {"max_batch_size", 0},         {"input", json::array()}, {"output", json::array()},
                 {"parameters", json::object()}};
    for (const NamedOperand& input : model.inputs) {
        message["input"].push_back(configTensorJson(input));
    }
    for (const NamedOperand& output : model.outputs) {
        message["output"].push_back(configTensorJson(output));
    }
    for (const auto& [key, value] : configParameters(model)) {
        message["parameters"][key] = {{"string_value", value}};
    }
    return message;
}

json statisticsJson(const std::vector<SharedModelVersion>& models) {
    json list = json::array();
    for (const SharedModelVersion& model : models) {
        const Statistics statistics = model->statistics.statistics();
        list.push_back({{"name", model->name},
                        {"version", std::to_string(model->version)},
                        {"last_inference", statistics.lastInferenceMs},
                        {"inference_count", statistics.success.count},
                        {"execution_count", statistics.success.count},
                        {"inference_stats",
                         {{"success", totalJson(statistics.success)},
                          {"fail", totalJson(statistics.failure)},
                          {"queue", totalJson(statistics.queue)},
                          {"compute_input", totalJson(statistics.input)},
                          {"compute_infer", totalJson(statistics.run)},
                          {"compute_output", totalJson(statistics.output)}}},
                        {"batch_stats", json::array()}});
    }
    return {{"model_stats", std::move(list)}};
}

int httpStatus(Code code) noexcept {
    switch (code) {
        case Code::INVALID_ARGUMENT:
            return 400;
        case Code::PERMISSION_DENIED:
            return 403;
        case Code::NOT_FOUND:
            return 404;
        case Code::ALREADY_EXISTS:
            return 409;
        case Code::UNIMPLEMENTED:
            return 501;
        case Code::RESOURCE_EXHAUSTED:
        case Code::UNAVAILABLE:
            return 503;
        case Code::DEADLINE_EXCEEDED:
            return 504;
        case Code::INTERNAL:
            break;
    }
    return 500;
}

}  // namespace nnburst::serve
