// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/state_file.h"

#include <cstdlib>

namespace nnburst::device {

std::string stateFile(const std::string& name) {
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state != nullptr && state[0] == '/') {
        return std::string(state) + "/nnburst/" + name;
    }
    const char* home = std::getenv("HOME");
    return home != nullptr && home[0] == '/' ? std::string(home) + "/.local/state/nnburst/" + name
                                             : std::string();
}

}  // namespace nnburst::device
