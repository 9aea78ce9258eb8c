// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/standard_output.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace nnburst::tools {

int runWithOutput(const char* program, const std::function<int()>& run) {
    // A pipe that nobody reads is an error of the write then, and not the end of this process.
    (void)std::signal(SIGPIPE, SIG_IGN);
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
    printError(program, std::string("cannot write to standard output: ") +
                            std::strerror(error != 0 ? error : EIO));
    return 1;
}

void printError(const char* program, const std::string& message) noexcept {
    (void)std::fprintf(stderr, "%s: %s\n", program, message.c_str());
}

}  // namespace nnburst::tools
