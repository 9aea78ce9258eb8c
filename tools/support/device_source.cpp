// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/device_source.h"

#include <CLI/CLI.hpp>
#include <string_view>

#include "support/nnapi_device.h"

namespace nnburst::tools {

void addDeviceOption(CLI::App& app, std::string& name, const std::string& spawned) {
    const std::string help = "local: in this process; spawn: in " + spawned + R"(;
nnapi, nnapi:NAME: through libneuralnetworks.so, on the devices that its runtime
chooses or on the one of that name; PATH: in the driver that listens on that socket)";
    app.add_option("--device", name, help)
        ->type_name("local|spawn|nnapi|PATH")
        ->capture_default_str();
}

Result<SharedDevice> openDevice(const std::string& name, const DriverOptions& options) {
    if (name == "local") {
        return makeLocalDevice(options);
    }
    constexpr std::string_view kNnapi = "nnapi";
    constexpr std::string_view kNnapiPrefix = "nnapi:";
    if (name == kNnapi || name.starts_with(kNnapiPrefix)) {
        NNBURST_TRY_ASSIGN(const NnapiFunctions functions, loadNnapi());
        return makeNnapiDevice(functions, name == kNnapi ? "" : name.substr(kNnapiPrefix.size()));
    }
    return name == "spawn" ? spawnDriver(options) : connect(name);
}

}  // namespace nnburst::tools
