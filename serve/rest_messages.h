// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Requests and responses of the protocol over REST: JSON, with the raw bytes of tensors after it
/// (the extension "binary_tensor_data").

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "failure.h"
#include "inference.h"
#include "memory_budget.h"
#include "repository.h"

namespace nnburst::serve {

/// A request with the elements that had to be converted.
struct DecodedBody {
    InferenceRequest request;
    std::string id;
    std::vector<std::vector<std::byte>> converted;
};

/// Decodes `body`, which outlives what this gives. `jsonBytes` is the length of its JSON text; raw
/// bytes follow. Errors of the text are those of parseObject.
[[nodiscard]] Outcome<DecodedBody> decode(std::string_view body, std::size_t jsonBytes,
                                          MemoryCharge& memory);

/// JSON as text. Bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string toText(const nlohmann::json& message);

/// INVALID_ARGUMENT if the outputs that the request asks for need more memory than there could ever
/// be for the response. Outputs whose sizes the model leaves open are not counted.
[[nodiscard]] Outcome<> checkResponse(const ModelVersion& model, const InferenceRequest& request,
                                      const MemoryCharge& memory);

/// The response of an inference while its outputs come in.
class ResponseBody {
  public:
    ResponseBody(const ModelVersion& model, const std::string& id);

    /// Charges the memory that the output takes until it is sent: RESOURCE_EXHAUSTED if it is not
    /// there.
    [[nodiscard]] Outcome<> append(const OutputTensor& output, MemoryCharge& memory);
    [[nodiscard]] std::string jsonText() const { return toText(json_); }
    /// The bytes that follow the JSON text, if outputs were asked for as raw bytes.
    [[nodiscard]] const std::optional<std::string>& raw() const noexcept { return raw_; }

  private:
    nlohmann::json json_;
    std::optional<std::string> raw_;
};

/// A JSON object; an empty body is an empty object. Charges the memory that parsing takes, which
/// may be 50 times the text, before it parses: RESOURCE_EXHAUSTED if it is not there.
/// INVALID_ARGUMENT for text that is no object, or is nested too deeply.
[[nodiscard]] Outcome<nlohmann::json> parseObject(std::string_view body, MemoryCharge& memory);

[[nodiscard]] nlohmann::json metadataJson(const ModelVersion& model,
                                          const std::vector<SharedModelVersion>& versions);
[[nodiscard]] nlohmann::json configJson(const ModelVersion& model);
[[nodiscard]] nlohmann::json statisticsJson(const std::vector<SharedModelVersion>& models);

/// The status of HTTP for a failure.
[[nodiscard]] int httpStatus(Code code) noexcept;

}  // namespace nnburst::serve
