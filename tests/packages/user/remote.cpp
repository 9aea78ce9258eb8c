// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Asks a server that does not exist for a model.

#include <nnburst/remote_model.h>

#include <chrono>
#include <cstdio>

int main() {
    using namespace std::chrono_literals;
    const auto model = nnburst::openRemoteModel("unix:/nonexistent", "mobilenet", {.timeout = 1s});
    if (model) {
        return 1;
    }
    std::puts(model.error().message.c_str());
    return model.error().status == nnburst::ErrorStatus::DEVICE_UNAVAILABLE ? 0 : 1;
}
