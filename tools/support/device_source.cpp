// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/device_source.h"

namespace nnburst::tools {

Result<SharedDevice> openDevice(const std::string& name, const DriverOptions& options) {
    if (name == "local") {
        return makeLocalDevice(options);
    }
    return name == "spawn" ? spawnDriver(options) : connect(name);
}

}  // namespace nnburst::tools
