// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "rest_service.h"

#include <fmt/format.h>

#include <utility>

#include "inference.h"
#include "rest_messages.h"

namespace nnburst::serve {
namespace {

using nlohmann::json;

std::vector<std::string> split(std::string_view path) {
    std::vector<std::string> segments;
    while (!path.empty()) {
        const std::size_t end = path.find('/');
        if (end != 0) {
            segments.emplace_back(path.substr(0, end));
        }
        path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    }
    return segments;
}

constexpr const char* kGet = "GET, HEAD";
constexpr const char* kPost = "POST";

tl::unexpected<Failure> unknownPath(const RestRequest& request) {
    return refuse(Code::NOT_FOUND, "{}: there is no such path", request.path);
}

RestResponse wrongMethod(const RestRequest& request, const char* allow) {
    const auto message = fmt::format("{}: must be requested with {}", request.path, allow);
    return {.status = 405, .body = toText({{"error", message}}), .allow = allow};
}

RestResponse ok(const json& body) {
    return {.body = toText(body)};
}

RestResponse health(const char* name, bool isGood) {
    return {.status = isGood ? 200 : 503, .body = toText({{name, isGood}})};
}

/// A member that is a text; empty if it is not there.
std::string textOf(const json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// A member that is a number; nothing if it is not there.
std::optional<std::uint64_t> numberOf(const json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_number_unsigned()) {
        return std::nullopt;
    }
    return found->get<std::uint64_t>();
}

}  // namespace

RestResponse RestService::answer(const RestRequest& request) const {
    Outcome<RestResponse> response = route(request, split(request.path));
    if (response) {
        return std::move(*response);
    }
    return {.status = httpStatus(response.error().code),
            .body = toText({{"error", response.error().message}})};
}

Outcome<RestResponse> RestService::route(const RestRequest& request, const Segments& path) const {
    const bool isGet = request.method == Method::GET;
    if (path == Segments{"metrics"}) {
        return isGet ? RestResponse{.body = metrics_(), .contentType = "text/plain; version=0.0.4"}
                     : wrongMethod(request, kGet);
    }
    if (path.empty() || path[0] != "v2") {
        return unknownPath(request);
    }
    if (path.size() > 1 && path[1] == "models") {
        return ofModel(request, path);
    }
    if (path.size() > 1 && path[1] == "repository") {
        return ofRepository(request, path);
    }
    if (path.size() > 1 && path[1] == "systemsharedmemory") {
        return ofSharedMemory(request, path);
    }
    if (path.size() == 1) {
        return isGet ? ok({{"name", kServerName},
                           {"version", kServerVersion},
                           {"extensions", state_.extensions()}})
                     : wrongMethod(request, kGet);
    }
    if (path == Segments{"v2", "health", "live"}) {
        return isGet ? health("live", true) : wrongMethod(request, kGet);
    }
    if (path == Segments{"v2", "health", "ready"}) {
        return isGet ? health("ready", state_.isReady()) : wrongMethod(request, kGet);
    }
    return unknownPath(request);
}

Outcome<RestResponse> RestService::ofModel(const RestRequest& request, const Segments& path) const {
    // v2 models NAME [versions VERSION] [ready | config | stats | infer]
    const bool isGet = request.method == Method::GET;
    if (path == Segments{"v2", "models", "stats"}) {
        return isGet ? ok(statisticsJson(state_.repository.all())) : wrongMethod(request, kGet);
    }
    const bool hasVersion = path.size() > 4 && path[3] == "versions";
    const std::size_t end = hasVersion ? 5 : 3;
    if (path.size() < end || path.size() > end + 1) {
        return unknownPath(request);
    }
    const std::string& name = path[2];
    const std::string version = hasVersion ? path[4] : "";
    const std::string what = path.size() > end ? path[end] : "";
    if (what == "infer") {
        return request.method == Method::POST ? infer(request, name, version)
                                              : wrongMethod(request, kPost);
    }
    if (!what.empty() && what != "ready" && what != "config" && what != "stats") {
        return unknownPath(request);
    }
    if (!isGet) {
        return wrongMethod(request, kGet);
    }
    NNBURST_SERVE_TRY_ASSIGN(const SharedModelVersion model, state_.repository.find(name, version));
    if (what.empty()) {
        return ok(metadataJson(*model, state_.repository.versions(name)));
    }
    if (what == "ready") {
        const bool isReady = state_.canRun();
        return RestResponse{.status = isReady ? 200 : 503,
                            .body = toText({{"name", name}, {"ready", isReady}})};
    }
    if (what == "config") {
        return ok(configJson(*model));
    }
    return ok(statisticsJson(hasVersion ? std::vector<SharedModelVersion>{model}
                                        : state_.repository.versions(name)));
}

Outcome<RestResponse> RestService::infer(const RestRequest& request, const std::string& name,
                                         const std::string& version) const {
    if (state_.isDraining.load()) {
        return refuse(Code::UNAVAILABLE, "inference: the server ends");
    }
    NNBURST_SERVE_TRY_ASSIGN(const SharedModelVersion model, state_.repository.find(name, version));
    NNBURST_SERVE_TRY_ASSIGN(
        DecodedBody decoded,
        decode(request.body, request.jsonBytes.value_or(request.body.size()), request.memory));
    NNBURST_SERVE_TRY(checkResponse(*model, decoded.request, request.memory));
    decoded.request.isCancelled = [&] { return state_.isDrainOver() || request.hasClientGone(); };
    ResponseBody response(*model, decoded.id);
    NNBURST_SERVE_TRY(serve::infer(
        *model, state_.regions, decoded.request,
        [&](const OutputTensor& output) { return response.append(output, request.memory); }));
    std::string text = response.jsonText();
    if (!response.raw()) {
        return RestResponse{.body = std::move(text)};
    }
    const std::size_t jsonBytes = text.size();
    text += *response.raw();
    return RestResponse{
        .body = std::move(text), .contentType = "application/octet-stream", .jsonBytes = jsonBytes};
}

Outcome<RestResponse> RestService::ofRepository(const RestRequest& request,
                                                const Segments& path) const {
    const bool isIndex = path == Segments{"v2", "repository", "index"};
    const bool isLoad = path.size() == 5 && path[2] == "models" && path[4] == "load";
    const bool isUnload = path.size() == 5 && path[2] == "models" && path[4] == "unload";
    if (!isIndex && !isLoad && !isUnload) {
        return unknownPath(request);
    }
    if (request.method != Method::POST) {
        return wrongMethod(request, kPost);
    }
    if (isIndex) {
        NNBURST_SERVE_TRY_ASSIGN(const json body, parseObject(request.body, request.memory));
        const auto ready = body.find("ready");
        json list = json::array();
        for (const auto& entry : state_.repository.index(ready != body.end() && *ready == true)) {
            list.push_back({{"name", entry.name},
                            {"version", entry.version},
                            {"state", entry.state},
                            {"reason", entry.reason}});
        }
        return ok(list);
    }
    NNBURST_SERVE_TRY(state_.repository.checkClientsMayLoad());
    if (isLoad && !request.body.empty()) {
        NNBURST_SERVE_TRY_ASSIGN(const json body, parseObject(request.body, request.memory));
        if (const auto parameters = body.find("parameters");
            parameters != body.end() && !parameters->empty()) {
            return refuseLoadParameter(
                path[3], parameters->is_object() ? parameters->begin().key() : parameters->dump());
        }
    }
    NNBURST_SERVE_TRY(isLoad ? state_.load(path[3]) : state_.unload(path[3]));
    return ok(json::object());
}

Outcome<RestResponse> RestService::ofSharedMemory(const RestRequest& request,
                                                  const Segments& path) const {
    // v2 systemsharedmemory [region NAME] [status | register | unregister]
    const bool hasRegion = path.size() == 5 && path[2] == "region";
    if (!hasRegion && path.size() != 3) {
        return unknownPath(request);
    }
    const std::string name = hasRegion ? path[3] : "";
    const std::string& what = path.back();
    if (what != "status" && what != "unregister" && (what != "register" || !hasRegion)) {
        return unknownPath(request);
    }
    if (what == "status") {
        if (request.method != Method::GET) {
            return wrongMethod(request, kGet);
        }
        NNBURST_SERVE_TRY_ASSIGN(const auto regions, state_.regions.status(name));
        json list = json::array();
        for (const SharedRegions::Status& region : regions) {
            list.push_back({{"name", region.name},
                            {"key", region.key},
                            {"offset", region.offset},
                            {"byte_size", region.bytes}});
        }
        return ok(list);
    }
    if (request.method != Method::POST) {
        return wrongMethod(request, kPost);
    }
    if (what == "unregister") {
        NNBURST_SERVE_TRY(state_.regions.remove(name));
        return ok(json::object());
    }
    NNBURST_SERVE_TRY_ASSIGN(const json body, parseObject(request.body, request.memory));
    const auto bytes = numberOf(body, "byte_size");
    if (!bytes || (body.contains("offset") && !numberOf(body, "offset"))) {
        return refuse(Code::INVALID_ARGUMENT,
                      "register shared memory '{}': byte_size and offset must be numbers", name);
    }
    NNBURST_SERVE_TRY(state_.regions.add(name, textOf(body, "key"),
                                         numberOf(body, "offset").value_or(0), *bytes));
    return ok(json::object());
}

}  // namespace nnburst::serve
