// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/configuration.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "log/logger.h"
#include "model/invalid.h"
#include "nnburst/runtime.h"
#include "system/read_file.h"

namespace nnburst::runtime {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDefaultFolder = "/etc/nnburst/devices.d";
constexpr const char* kEnvironmentVariable = "NNBURST_DEVICES";
constexpr std::size_t kMaximumFileBytes = std::size_t{1} << 20;
constexpr std::size_t kMaximumNameLength = 64;

// ---- Values of options

template <class T>
Result<> readNumber(const Json& value, T& number) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::numeric_limits<T>::max()) {
        return invalid("{}: must be a whole number of at most {}", value.dump(),
                       std::numeric_limits<T>::max());
    }
    number = value.get<T>();
    return {};
}

Result<> readFlag(const Json& value, bool& flag) {
    if (!value.is_boolean()) {
        return invalid("{}: must be true or false", value.dump());
    }
    flag = value.get<bool>();
    return {};
}

Result<> readText(const Json& value, std::string& text) {
    if (!value.is_string()) {
        return invalid("{}: must be a string", value.dump());
    }
    text = value.get<std::string>();
    return {};
}

template <class T, class ReadItem>
Result<> readList(const Json& value, std::vector<T>& list, ReadItem readItem) {
    if (!value.is_array()) {
        return invalid("{}: must be an array", value.dump());
    }
    for (const Json& item : value) {
        NNBURST_TRY(readItem(item, list.emplace_back()));
    }
    return {};
}

/// One of `candidates` by its name.
template <class T>
Result<> readNamed(const Json& value, std::initializer_list<T> candidates, T& chosen) {
    for (const T candidate : candidates) {
        if (value.is_string() && value.get<std::string>() == toString(candidate)) {
            chosen = candidate;
            return {};
        }
    }
    return invalid("{}: there is no such value", value.dump());
}

Result<> readVersion(const Json& value, HalVersion& version) {
    const auto known = value.is_string() ? halVersionFromString(value.get<std::string>())
                                         : std::optional<HalVersion>();
    if (!known) {
        return invalid("{}: must be \"1.0\", \"1.1\", \"1.2\" or \"1.3\"", value.dump());
    }
    version = *known;
    return {};
}

Result<> readThreads(const Json& value, std::uint32_t& threads) {
    if (value.is_string() && value.get<std::string>() == "auto") {
        threads = 0;
        return {};
    }
    return readNumber(value, threads);
}

template <class Duration>
Result<> readDuration(const Json& value, Duration& duration) {
    std::uint32_t number = 0;
    NNBURST_TRY(readNumber(value, number));
    duration = Duration(number);
    return {};
}

using ReadOption = std::function<Result<>(const Json& value, DriverOptions& options)>;

/// How each option is read, by its name.
const std::map<std::string, ReadOption>& optionReaders() {
    using Options = DriverOptions;
    static const std::map<std::string, ReadOption> readers{
        {"threads", [](const Json& v, Options& o) { return readThreads(v, o.threads); }},
        {"processors",
         [](const Json& v, Options& o) {
             return readList(v, o.processors, readNumber<std::uint32_t>);
         }},
        {"name", [](const Json& v, Options& o) { return readText(v, o.processName); }},
        {"log-level",
         [](const Json& v, Options& o) {
             using enum LogLevel;
             return readNamed(v, {TRACE, DEBUGGING, INFO, WARNING, ERROR, CRITICAL, OFF},
                              o.logLevel);
         }},
        {"memory-limit",
         [](const Json& v, Options& o) { return readNumber(v, o.memoryLimitBytes); }},
        {"concurrency-memory",
         [](const Json& v, Options& o) { return readNumber(v, o.concurrencyMemoryBytes); }},
        {"xnnpack", [](const Json& v, Options& o) { return readFlag(v, o.useXnnpack); }},
        {"dot-products", [](const Json& v, Options& o) { return readFlag(v, o.useDotProducts); }},
        {"tflite-operations",
         [](const Json& v, Options& o) { return readFlag(v, o.useTfliteOperations); }},
        {"cache-key", [](const Json& v, Options& o) { return readText(v, o.cacheKeyFile); }},
        {"hal", [](const Json& v, Options& o) { return readVersion(v, o.version); }},
        {"variant",
         [](const Json& v, Options& o) {
             using enum DriverVariant;
             return readNamed(v, {FULL, FLOAT, QUANT, MINIMAL}, o.variant);
         }},
        {"capabilities", [](const Json& v, Options& o) { return readText(v, o.capabilitiesFile); }},
        {"idle-time", [](const Json& v, Options& o) { return readDuration(v, o.idleTime); }},
        {"extensions",
         [](const Json& v, Options& o) { return readList(v, o.extensionLibraries, readText); }},
        {"realtime", [](const Json& v, Options& o) { return readNumber(v, o.realtimePriority); }},
        {"lock-memory", [](const Json& v, Options& o) { return readFlag(v, o.lockMemory); }},
        {"huge-pages", [](const Json& v, Options& o) { return readFlag(v, o.useHugePages); }},
        {"shallow-idle",
         [](const Json& v, Options& o) { return readDuration(v, o.cpuLatencyLimit.emplace()); }},
    };
    return readers;
}

/// "cache-key, capabilities, ...".
std::string optionNames() {
    std::string names;
    for (const auto& [name, reader] : optionReaders()) {
        names += names.empty() ? name : ", " + name;
    }
    return names;
}

Result<> readOptions(const Json& object, DriverOptions& options) {
    if (!object.is_object()) {
        return invalid("must be an object");
    }
    for (const auto& [name, value] : object.items()) {
        const auto reader = optionReaders().find(name);
        if (reader == optionReaders().end()) {
            return invalid("{}: there is no such option; there are {}", name, optionNames());
        }
        if (const Result<> read = reader->second(value, options); !read) {
            return invalid("{}: {}", name, read.error().message);
        }
    }
    return {};
}

// ---- Devices

Result<> checkName(const std::string& name) {
    const bool isPrintable =
        std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < '\x7f'; });
    if (name.empty() || name.size() > kMaximumNameLength || !isPrintable) {
        return invalid("name \"{}\": must have 1 to {} printable characters without spaces", name,
                       kMaximumNameLength);
    }
    if (name == kReferenceDeviceName) {
        return invalid("name \"{}\": is that of the device in this process", name);
    }
    return {};
}

Result<> readField(const std::string& field, const Json& value, ConfiguredDevice& device) {
    if (field == "name") {
        return readText(value, device.name);
    }
    if (field == "socket") {
        return readText(value, device.socket);
    }
    if (field == "program") {
        return readText(value, device.program);
    }
    if (field == "options") {
        return readOptions(value, device.options);
    }
    return invalid("there is no such field");
}

Result<ConfiguredDevice> readDevice(const Json& object) {
    if (!object.is_object()) {
        return invalid("must be an object");
    }
    ConfiguredDevice device;
    for (const auto& [field, value] : object.items()) {
        if (const Result<> read = readField(field, value, device); !read) {
            return invalid("{}: {}", field, read.error().message);
        }
    }
    NNBURST_TRY(checkName(device.name));
    if (device.socket.empty() == device.program.empty()) {
        return invalid("must have either a socket or a program");
    }
    if (!device.socket.empty() && object.contains("options")) {
        return invalid("options: a driver that listens on a socket has its own");
    }
    return device;
}

// ---- Files

/// The file at `path`, or the files in the folder. Empty if it does not exist, with a warning
/// unless `isOptional`.
std::vector<std::string> filesOf(const std::string& path, bool isOptional) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) {
        std::vector<std::string> files;
        fs::directory_iterator entry(path, error);
        for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
            if (entry->path().extension() == ".json") {
                files.push_back(entry->path());
            }
        }
        if (error) {
            logger().warn("devices: cannot read folder {}: {}", path, error.message());
        }
        std::sort(files.begin(), files.end());
        return files;
    }
    if (!fs::exists(status)) {
        if (!isOptional) {
            logger().warn("devices: there is no file or folder {}", path);
        }
        return {};
    }
    return {path};
}

Result<std::vector<ConfiguredDevice>> readConfigurationFile(const std::string& file) {
    NNBURST_TRY_ASSIGN(const auto bytes, system::readFile(file, kMaximumFileBytes));
    return parseConfiguration({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

Result<std::vector<ConfiguredDevice>> parseConfiguration(std::string_view text) {
    const Json root = Json::parse(text, nullptr, false);
    if (root.is_discarded() || (!root.is_array() && !root.is_object())) {
        return invalid("it must be a JSON object of a device, or an array of such objects");
    }
    const Json list = root.is_array() ? root : Json::array({root});
    std::vector<ConfiguredDevice> devices;
    for (const Json& object : list) {
        auto device = readDevice(object);
        if (!device) {
            return invalid("device {}: {}", devices.size(), device.error().message);
        }
        devices.push_back(std::move(*device));
    }
    return devices;
}

std::vector<ConfiguredDevice> readConfiguration(std::span<const std::string> paths) {
    std::vector<ConfiguredDevice> all;
    for (const std::string& path : paths) {
        for (const std::string& file : filesOf(path, path == kDefaultFolder)) {
            auto devices = readConfigurationFile(file);
            if (!devices) {
                logger().warn("devices: file {} is left out: {}", file, devices.error().message);
                continue;
            }
            for (ConfiguredDevice& device : *devices) {
                const bool isKnown = std::any_of(
                    all.begin(), all.end(),
                    [&](const ConfiguredDevice& other) { return other.name == device.name; });
                if (isKnown || all.size() == kMaximumDevices) {
                    logger().warn("devices: device {} of file {} is left out: {}", device.name,
                                  file,
                                  isKnown ? "another one has its name"
                                          : "there are too many devices already");
                } else {
                    all.push_back(std::move(device));
                }
            }
        }
    }
    return all;
}

std::vector<std::string> configurationPaths(std::span<const std::string> given) {
    if (!given.empty()) {
        return {given.begin(), given.end()};
    }
    const char* variable = std::getenv(kEnvironmentVariable);
    if (variable == nullptr) {
        return {kDefaultFolder};
    }
    std::vector<std::string> paths;
    for (std::string_view rest = variable; !rest.empty();) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        if (end != 0) {
            paths.emplace_back(rest.substr(0, end));
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return paths;
}

}  // namespace nnburst::runtime
