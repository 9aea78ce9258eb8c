// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "rest_service.h"

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

tl::unexpected<Failure> unknownPath(const RestRequest& request) {
    return refuse(Code::NOT_FOUND, "{} {}: there is no such path", request.isPost ? "POST" : "GET",
                  request.path);
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
    if (!request.isPost && path == Segments{"metrics"}) {
        return RestResponse{.body = metrics_(), .contentType = "text/plain; version=0.0.4"};
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
    if (!request.isPost && path.size() == 1) {
        return ok({{"name", kServerName},
                   {"version", kServerVersion},
                   {"extensions", state_.extensions()}});
    }
    if (!request.isPost && path == Segments{"v2", "health", "live"}) {
        return health("live", true);
    }
    if (!request.isPost && path == Segments{"v2", "health", "ready"}) {
        return health("ready", state_.isReady());
    }
    return unknownPath(request);
}

Outcome<RestResponse> RestService::ofModel(const RestRequest& request, const Segments& path) const {
    // v2 models NAME [versions VERSION] [ready | config | stats | infer]
    if (path == Segments{"v2", "models", "stats"} && !request.isPost) {
        return ok(statisticsJson(state_.repository.all()));
    }
    const bool hasVersion = path.size() > 4 && path[3] == "versions";
    const std::size_t end = hasVersion ? 5 : 3;
    if (path.size() < end || path.size() > end + 1) {
        return unknownPath(request);
    }
    const std::string& name = path[2];
    const std::string version = hasVersion ? path[4] : "";
    const std::string what = path.size() > end ? path[end] : "";
    if (request.isPost) {
        return what == "infer" ? infer(request, name, version) : unknownPath(request);
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
    if (what == "stats") {
        return ok(statisticsJson(hasVersion ? std::vector<SharedModelVersion>{model}
                                            : state_.repository.versions(name)));
    }
    return unknownPath(request);
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
    decoded.request.isCancelled = [this] { return state_.isDrainOver(); };
    ResponseBody response(*model, decoded.id);
    NNBURST_SERVE_TRY(
        serve::infer(*model, state_.regions, decoded.request,
                     [&response](const OutputTensor& output) { response.append(output); }));
    std::string text = response.jsonText();
    if (!response.raw()) {
        return RestResponse{.body = std::move(text)};
    }
    const std::size_t jsonBytes = text.size();
    return RestResponse{.body = text + *response.raw(),
                        .contentType = "application/octet-stream",
                        .jsonBytes = jsonBytes};
}

Outcome<RestResponse> RestService::ofRepository(const RestRequest& request,
                                                const Segments& path) const {
    if (!request.isPost) {
        return unknownPath(request);
    }
    if (path == Segments{"v2", "repository", "index"}) {
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
    const bool isLoad = path.size() == 5 && path[4] == "load";
    const bool isUnload = path.size() == 5 && path[4] == "unload";
    if (path.size() != 5 || path[2] != "models" || !(isLoad || isUnload)) {
        return unknownPath(request);
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
    if (!request.isPost && path.back() == "status") {
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
    if (request.isPost && path.back() == "unregister") {
        NNBURST_SERVE_TRY(state_.regions.remove(name));
        return ok(json::object());
    }
    if (request.isPost && hasRegion && path.back() == "register") {
        NNBURST_SERVE_TRY_ASSIGN(const json body, parseObject(request.body, request.memory));
        const auto bytes = numberOf(body, "byte_size");
        if (!bytes || (body.contains("offset") && !numberOf(body, "offset"))) {
            return refuse(Code::INVALID_ARGUMENT,
                          "register shared memory '{}': byte_size and offset must be numbers",
                          name);
        }
        NNBURST_SERVE_TRY(state_.regions.add(name, textOf(body, "key"),
                                             numberOf(body, "offset").value_or(0), *bytes));
        return ok(json::object());
    }
    return unknownPath(request);
}

}  // namespace nnburst::serve
