// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The protocol over REST: the answer of each path. Independent of connections (rest_server.h).
/// Thread-safe.

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "failure.h"
#include "memory_budget.h"
#include "server_state.h"

namespace nnburst::serve {

enum class Method : std::uint8_t {
    GET,  ///< or HEAD, whose answer is sent without its body
    POST,
    OTHER,  ///< which no path has
};

struct RestRequest {
    Method method = Method::GET;
    std::string_view path;
    std::string_view body;
    MemoryCharge& memory;                 ///< for what is made of the body, and the response
    std::function<bool()> hasClientGone;  ///< then nobody needs the answer
    std::optional<std::size_t> jsonBytes = std::nullopt;  ///< Inference-Header-Content-Length
};

struct RestResponse {
    int status = 200;
    std::string body;
    const char* contentType = "application/json";
    std::optional<std::size_t> jsonBytes;  ///< Inference-Header-Content-Length
    const char* allow = nullptr;           ///< the methods of the path, if the request has another
};

class RestService {
  public:
    /// `state` outlives the service. `metrics` gives the text of /metrics.
    RestService(ServerState& state, std::function<std::string()> metrics)
        : state_(state), metrics_(std::move(metrics)) {}

    /// The memory of the requests and responses of all connections.
    [[nodiscard]] MemoryBudget& memory() const noexcept { return state_.memory; }

    [[nodiscard]] RestResponse answer(const RestRequest& request) const;

  private:
    using Segments = std::vector<std::string>;

    [[nodiscard]] Outcome<RestResponse> route(const RestRequest& request,
                                              const Segments& path) const;
    [[nodiscard]] Outcome<RestResponse> ofModel(const RestRequest& request,
                                                const Segments& path) const;
    [[nodiscard]] Outcome<RestResponse> infer(const RestRequest& request, const std::string& name,
                                              const std::string& version) const;
    [[nodiscard]] Outcome<RestResponse> ofRepository(const RestRequest& request,
                                                     const Segments& path) const;
    [[nodiscard]] Outcome<RestResponse> ofSharedMemory(const RestRequest& request,
                                                       const Segments& path) const;

    ServerState& state_;
    const std::function<std::string()> metrics_;
};

}  // namespace nnburst::serve
