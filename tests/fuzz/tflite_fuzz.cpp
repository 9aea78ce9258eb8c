// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// The import of any file gives a valid model or an error.

#include <cstdint>
#include <cstdlib>

#include "nnburst/tflite.h"
#include "nnburst/validation.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto imported = nnburst::importTflite(std::as_bytes(std::span(data, size)));
    if (imported && !nnburst::validateModel(imported->model)) {
        std::abort();
    }
    return 0;
}
