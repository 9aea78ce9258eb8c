// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/device_source.h"

#include <string_view>

#include "support/nnapi_device.h"

namespace nnburst::tools {

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
