// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace nnburst::tools {

int runWithOutput(const char* program, const std::function<int()>& run) {
    int status = 1;
    int error = 0;
    try {
        status = run();
        error = std::fflush(stdout) == 0 ? 0 : errno;
    } catch (const std::system_error& exception) {  // fmt::print throws when it cannot write
        if (std::ferror(stdout) == 0) {
            throw;
        }
        error = exception.code().value();
    }
    if (std::ferror(stdout) == 0) {
        return status;
    }
    // Not by fmt::print, which would throw if standard error cannot be written either.
    std::fprintf(stderr, "%s: cannot write to standard output: %s\n", program,
                 std::strerror(error != 0 ? error : EIO));
    return 1;
}

}  // namespace nnburst::tools
