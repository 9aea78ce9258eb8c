// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "repository.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "data_type.h"
#include "nnburst/tflite.h"

namespace nnburst::serve {
namespace {

constexpr const char* kModelFile = "model.tflite";
/// The root of an ext4 volume has this folder, which only root may read.
constexpr const char* kFolderOfVolume = "lost+found";

/// The name of a folder, so that no request leaves the repository.
bool isModelName(const std::string& name) {
    return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos &&
           name.find('\0') == std::string::npos;
}

/// Names are strings of JSON, protobuf and Prometheus, whose strings are all UTF-8.
bool isUtf8(const std::string& text) {
    try {
        (void)nlohmann::json(text).dump();
        return true;
    } catch (const nlohmann::json::exception&) {
        return false;
    }
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

using VersionFiles = std::map<std::uint64_t, std::filesystem::path>;

/// The file of each version in the folder of a model. A folder NUMBER without a file is no version
/// yet. A file that cannot be read is listed, so that loading it fails. Sets `error` if the folder
/// cannot be read.
VersionFiles versionFiles(const std::filesystem::path& folder, std::error_code& error) {
    VersionFiles files;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const auto number = versionNumber(entry->path().filename().string());
        std::filesystem::path file = entry->path() / kModelFile;
        std::error_code ignored;
        const bool hasNoFile =
            entry->exists(ignored) && std::filesystem::symlink_status(file, ignored).type() ==
                                          std::filesystem::file_type::not_found;
        if (number && !hasNoFile) {
            files.emplace(*number, std::move(file));
        }
    }
    return files;
}

/// Whether `error` says that there is no folder, rather than that it cannot be read.
bool isAbsent(const std::error_code& error) {
    return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory ||
           error == std::errc::filename_too_long;
}

/// Whether a folder of the repository has a model, or may have one that cannot be read.
bool isModelFolder(const std::filesystem::path& folder) {
    if (folder.filename() == kFolderOfVolume || !isUtf8(folder.filename().string())) {
        return false;
    }
    std::error_code error;
    const bool hasFiles = !versionFiles(folder, error).empty();
    return error ? !isAbsent(error) : hasFiles;
}

/// The operands with names that are all different, as requests find them by name. Names in a file
/// may be alike, and loadTflite shortens them: the first operand keeps such a name, the others have
/// it with a number that no name of the file has.
std::vector<NamedOperand> withUniqueNames(std::span<const NamedOperand> operands) {
    std::vector<NamedOperand> result(operands.begin(), operands.end());
    std::set<std::string> taken;
    for (const NamedOperand& operand : operands) {
        taken.insert(operand.name);
    }
    std::map<std::string, std::size_t> lastNumbers;  // of each name in the file
    for (NamedOperand& operand : result) {
        const auto [name, isFirst] = lastNumbers.try_emplace(operand.name, 0);
        while (!isFirst && !taken.insert(operand.name).second) {
            operand.name = fmt::format("{}:{}", name->first, ++name->second);
        }
    }
    return result;
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
      inputs(withUniqueNames(pool.anySession().inputs())),
      outputs(withUniqueNames(pool.anySession().outputs())) {}

Repository::Repository(SharedDevice device, RepositoryOptions options)
    : device_(std::move(device)), options_(std::move(options)) {}

std::vector<std::string> Repository::namesInFolder(std::error_code& error) const {
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator entry(options_.folder, error), end;
         !error && entry != end; entry.increment(error)) {
        std::error_code ignored;
        std::string name = entry->path().filename().string();
        // A link that leads nowhere, and what cannot be reached, may be a model.
        const bool isOther = entry->exists(ignored) && !entry->is_directory(ignored);
        if (!isOther && isModelName(name)) {
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
    const std::vector<std::string> names = namesInFolder(error);
    if (error) {
        return refuse(Code::UNAVAILABLE, "model repository {}: cannot read it: {}",
                      options_.folder.string(), error.message());
    }
    for (const std::string& name : names) {
        const std::filesystem::path folder = options_.folder / name;
        if (name == kFolderOfVolume || std::filesystem::is_empty(folder, error)) {
            fmt::print(stderr, "nnburst-serve: {}: left out, as it is {}\n", folder.string(),
                       name == kFolderOfVolume ? "a folder of the file system" : "empty");
        } else {
            NNBURST_SERVE_TRY(load(name));
        }
    }
    return {};
}

Outcome<> Repository::load(const std::string& name) {
    const std::lock_guard loading(loading_);
    if (!isModelName(name) || name == kFolderOfVolume) {
        return refuse(Code::NOT_FOUND, "load model '{}': the repository has no such model", name);
    }
    if (!isUtf8(name)) {
        return refuse(Code::INVALID_ARGUMENT, "load model '{}': the name must be UTF-8", name);
    }
    Outcome<Versions> versions = prepare(name);
    const std::lock_guard lock(mutex_);
    if (!versions) {
        // A name without a model must not keep the server from being ready.
        if (versions.error().code != Code::NOT_FOUND || models_.contains(name)) {
            models_[name].failure = versions.error().message;
        }
        return tl::unexpected<Failure>(std::move(versions.error()));
    }
    // The earlier versions end when the last request that uses them has ended.
    models_[name] = {.versions = std::move(*versions), .failure = {}};
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
    std::error_code error;
    const VersionFiles files = versionFiles(folder, error);
    if (error && isAbsent(error)) {
        return refuse(Code::NOT_FOUND, "load model '{}': {}: there is no such folder", name,
                      folder.string());
    }
    if (error) {
        return refuse(Code::UNAVAILABLE, "load model '{}': cannot read {}: {}", name,
                      folder.string(), error.message());
    }
    if (files.empty()) {
        return refuse(Code::NOT_FOUND, "load model '{}': {} has no folder NUMBER with a {}", name,
                      folder.string(), kModelFile);
    }
    Versions versions;
    for (const auto& [number, file] : files) {
        NNBURST_SERVE_TRY_ASSIGN(versions[number], prepareVersion(name, number, file));
    }
    return versions;
}

Outcome<SharedModelVersion> Repository::prepareVersion(const std::string& name,
                                                       std::uint64_t version,
                                                       const std::filesystem::path& file) const {
    std::error_code ignored;  // loadTflite reports it
    const auto status = std::filesystem::status(file, ignored);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        // Opening a pipe would wait until another process writes to it.
        return refuse(Code::INVALID_ARGUMENT, "load model '{}': {} must be a regular file", name,
                      file.string());
    }
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
    std::unique_lock lock(mutex_);
    const auto model = models_.find(name);
    if (model == models_.end()) {
        lock.unlock();  // a file system that hangs must not stop the models that are loaded
        if (isModelName(name) && isModelFolder(options_.folder / name)) {
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
    std::error_code ignored;
    std::vector<std::string> names = namesInFolder(ignored);
    std::erase_if(names,
                  [&](const std::string& name) { return !isModelFolder(options_.folder / name); });
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
