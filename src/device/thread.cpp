// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/thread.h"

#include <pthread.h>
#include <signal.h>

#include <system_error>
#include <utility>

namespace nnburst::device {

Result<std::thread> startThread(const std::string& name, std::function<void()> body) {
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before);  // inherited by the new thread
    Result<std::thread> started = [&]() -> Result<std::thread> {
        try {
            return std::thread(std::move(body));
        } catch (const std::system_error& error) {
            return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                           "cannot start thread " + name + ": " + error.what());
        }
    }();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (started) {
        ::pthread_setname_np(started->native_handle(), name.c_str());
    }
    return started;
}

void joinOrDetach(std::thread& thread) {
    if (!thread.joinable()) {
        return;
    }
    if (thread.get_id() == std::this_thread::get_id()) {
        thread.detach();
    } else {
        thread.join();
    }
}

}  // namespace nnburst::device
