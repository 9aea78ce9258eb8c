// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "repository.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "data_type.h"
#include "nnburst/tflite.h"

namespace nnburst::serve {
namespace {

constexpr const char* kModelFile = "model.tflite";

/// The name of a folder, so that no request leaves the repository.
bool isModelName(const std::string& name) {
    return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos &&
           name.find('\0') == std::string::npos;
}

/// A positive number without leading zeros; nothing for another text.
std::optional<std::uint64_t> versionNumber(const std::string& text) {
    std::uint64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end || number == 0 || text.front() == '0') {
        return std::nullopt;
    }
    return number;
}

std::vector<NamedOperand> copyOf(std::span<const NamedOperand> operands) {
    return {operands.begin(), operands.end()};
}

/// Refuses operands for which the protocol has no data type.
Outcome<> checkTypes(const char* kind, const std::vector<NamedOperand>& operands) {
    for (const NamedOperand& operand : operands) {
        if (dataTypeOf(operand.type) == nullptr) {
            return refuse(Code::INVALID_ARGUMENT, "{} {}: the protocol has no data type for it",
                          kind, toString(operand));
        }
    }
    return {};
}

}  // namespace

ModelVersion::ModelVersion(std::string modelName, std::uint64_t number,
                           std::vector<Session> sessions, std::size_t maximumWaiting)
    : name(std::move(modelName)),
      version(number),
      pool(std::move(sessions), maximumWaiting),
      inputs(copyOf(pool.anySession().inputs())),
      outputs(copyOf(pool.anySession().outputs())) {}

Repository::Repository(SharedDevice device, RepositoryOptions options)
    : device_(std::move(device)), options_(std::move(options)) {}

std::vector<std::string> Repository::namesInFolder() const {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(options_.folder, error), end;
         !error && entry != end; entry.increment(error)) {
        std::error_code ignored;
        std::string name = entry->path().filename().string();
        if (entry->is_directory(ignored) && isModelName(name)) {
            names.push_back(std::move(name));
        }
    }
    std::ranges::sort(names);
    return names;
}

Outcome<> Repository::loadAll() {
    std::error_code error;
    if (!std::filesystem::is_directory(options_.folder, error)) {
        return refuse(Code::NOT_FOUND, "model repository {}: is not a folder",
                      options_.folder.string());
    }
    for (const std::string& name : namesInFolder()) {
        NNBURST_SERVE_TRY(load(name));
    }
    return {};
}

Outcome<> Repository::load(const std::string& name) {
    const std::lock_guard loading(loading_);
    std::error_code error;
    if (!isModelName(name) || !std::filesystem::is_directory(options_.folder / name, error)) {
        return refuse(Code::NOT_FOUND, "load model '{}': the repository has no such folder", name);
    }
    Outcome<Versions> versions = prepare(name);
    const std::lock_guard lock(mutex_);
    Entry& entry = models_[name];
    if (!versions) {
        entry.failure = versions.error().message;
        return tl::unexpected<Failure>(std::move(versions.error()));
    }
    // The earlier versions end when the last request that uses them has ended.
    entry = {.versions = std::move(*versions), .failure = {}};
    return {};
}

Outcome<> Repository::unload(const std::string& name) {
    const std::lock_guard loading(loading_);
    const std::lock_guard lock(mutex_);
    if (models_.erase(name) == 0) {
        return refuse(Code::NOT_FOUND, "unload model '{}': it is not loaded", name);
    }
    return {};
}

Outcome<> Repository::checkClientsMayLoad() const {
    if (!options_.clientsMayLoad) {
        return refuse(Code::PERMISSION_DENIED,
                      "load or unload a model: the server runs without --model-control explicit");
    }
    return {};
}

Outcome<Repository::Versions> Repository::prepare(const std::string& name) const {
    const std::filesystem::path folder = options_.folder / name;
    Versions versions;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const auto number = versionNumber(entry->path().filename().string());
        const std::filesystem::path file = entry->path() / kModelFile;
        std::error_code ignored;
        if (number && std::filesystem::is_regular_file(file, ignored)) {
            NNBURST_SERVE_TRY_ASSIGN(versions[*number], prepareVersion(name, *number, file));
        }
    }
    if (versions.empty()) {
        return refuse(Code::NOT_FOUND, "load model '{}': {} has no folder NUMBER with a {}", name,
                      folder.string(), kModelFile);
    }
    return versions;
}

Outcome<SharedModelVersion> Repository::prepareVersion(const std::string& name,
                                                       std::uint64_t version,
                                                       const std::filesystem::path& file) const {
    NNBURST_SERVE_TRY_ASSIGN(const TfliteModel model, loadTflite(file.string()));
    NNBURST_SERVE_TRY_ASSIGN(const SharedPreparedModel prepared,
                             prepareModel(*device_, model.model));
    const ModelSignature signature = signatureOf(model);
    std::vector<Session> sessions;
    for (std::size_t i = 0; i < options_.instances; ++i) {
        NNBURST_SERVE_TRY_ASSIGN(Session session, Session::create(prepared, signature));
        sessions.push_back(std::move(session));
    }
    auto result =
        std::make_shared<ModelVersion>(name, version, std::move(sessions), options_.maximumWaiting);
    NNBURST_SERVE_TRY(checkTypes("input", result->inputs));
    NNBURST_SERVE_TRY(checkTypes("output", result->outputs));
    return result;
}

Outcome<SharedModelVersion> Repository::find(const std::string& name,
                                             const std::string& version) const {
    const std::lock_guard lock(mutex_);
    const auto model = models_.find(name);
    if (model == models_.end()) {
        std::error_code error;
        if (isModelName(name) && std::filesystem::is_directory(options_.folder / name, error)) {
            return refuse(Code::UNAVAILABLE, "model '{}' is not loaded", name);
        }
        return refuse(Code::NOT_FOUND, "model '{}': the repository has no such model", name);
    }
    const Versions& versions = model->second.versions;
    if (versions.empty()) {
        return refuse(Code::UNAVAILABLE, "model '{}' could not be loaded: {}", name,
                      model->second.failure);
    }
    if (version.empty()) {
        return versions.rbegin()->second;
    }
    const auto number = versionNumber(version);
    const auto found = number ? versions.find(*number) : versions.end();
    if (found == versions.end()) {
        return refuse(Code::NOT_FOUND, "model '{}' has no version '{}'", name, version);
    }
    return found->second;
}

std::vector<SharedModelVersion> Repository::versions(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    std::vector<SharedModelVersion> result;
    if (const auto model = models_.find(name); model != models_.end()) {
        for (const auto& [number, version] : model->second.versions) {
            result.push_back(version);
        }
    }
    return result;
}

std::vector<SharedModelVersion> Repository::all() const {
    const std::lock_guard lock(mutex_);
    std::vector<SharedModelVersion> result;
    for (const auto& [name, entry] : models_) {
        for (const auto& [number, version] : entry.versions) {
            result.push_back(version);
        }
    }
    return result;
}

std::size_t Repository::versionCount() const {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const auto& [name, entry] : models_) {
        count += entry.versions.size();
    }
    return count;
}

std::vector<Repository::IndexEntry> Repository::index(bool readyOnly) const {
    const std::vector<std::string> names = namesInFolder();
    const std::lock_guard lock(mutex_);
    std::vector<IndexEntry> result;
    for (const auto& [name, entry] : models_) {
        for (const auto& [number, version] : entry.versions) {
            result.push_back({name, std::to_string(number), "READY", entry.failure});
        }
        if (entry.versions.empty() && !readyOnly) {
            result.push_back({name, "", "UNAVAILABLE", entry.failure});
        }
    }
    for (const std::string& name : names) {
        if (!readyOnly && !models_.contains(name)) {
            result.push_back({name, "", "UNAVAILABLE", "not loaded"});
        }
    }
    return result;
}

bool Repository::isReady() const {
    const std::lock_guard lock(mutex_);
    return std::ranges::all_of(models_,
                               [](const auto& model) { return !model.second.versions.empty(); });
}

}  // namespace nnburst::serve
