// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// The reader of test vectors: any file gives examples or std::runtime_error.

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "nnburst/unique_fd.h"
#include "nnburst/validation.h"
#include "vectors/vector_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const nnburst::UniqueFd file(::memfd_create("vectors.jsonl", MFD_CLOEXEC));
    if (::write(file.get(), data, size) != static_cast<ssize_t>(size)) {
        return 0;
    }
    try {
        nnburst::forEachExample("/proc/self/fd/" + std::to_string(file.get()), std::nullopt,
                                [](const nnburst::VectorExample& example) {
                                    (void)nnburst::validateModel(example.model);
                                });
    } catch (const std::runtime_error&) {
        // It says which line is wrong.
    }
    return 0;
}
