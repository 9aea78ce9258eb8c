// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "forked_process.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fail.h"
#include "processors.h"

namespace nnburst::bench {

ForkedProcess::ForkedProcess(std::uint32_t processor, const std::function<void()>& body)
    : pid_(::fork()) {
    if (pid_ < 0) {
        fail(std::string("fork: ") + std::strerror(errno));
    }
    if (pid_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        pinTo(processor);
        // The exit handlers of the parent's objects must not run in this process.
        (void)std::atexit([] { ::_exit(0); });
        body();
        std::exit(0);
    }
}

ForkedProcess::~ForkedProcess() {
    if (pid_ >= 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
}

bool ForkedProcess::hasEnded() {
    if (pid_ >= 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) {
        pid_ = -1;
    }
    return pid_ < 0;
}

void ForkedProcess::awaitEnd() {
    if (pid_ >= 0) {
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }
}

}  // namespace nnburst::bench
