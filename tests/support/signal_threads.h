// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Threads to which the kernel may deliver a signal of the process.

#include <signal.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/eventually.h"

namespace nnburst::test {

/// The number of threads of this process to which the kernel may deliver `signal`: they do not
/// block it (SigBlk in proc(5), status). Waits until all threads are started: until then they block
/// SIGSETXID, too, which the C library lets no thread block. (SIGSEGV would not do: a thread of the
/// thread sanitizer blocks it for good.)
inline int threadsThatReceive(int signal) {
    const int setxid = SIGRTMIN - 1;
    int count = 0;
    const auto countThreads = [&] {
        count = 0;
        for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
            std::ifstream status(task.path() / "status");
            std::string name;
            while (status >> name && name != "SigBlk:") {
            }
            std::uint64_t blocked = 0;
            status >> std::hex >> blocked;
            const auto receives = [&](int which) { return (blocked >> (which - 1) & 1) == 0; };
            if (status && !receives(setxid)) {
                return false;
            }
            count += status && receives(signal) ? 1 : 0;
        }
        return true;
    };
    return eventually(countThreads) ? count : -1;
}

}  // namespace nnburst::test
