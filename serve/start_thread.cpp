// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "start_thread.h"

#include <exception>
#include <utility>

namespace nnburst::serve {

Outcome<std::thread> startThread(std::function<void()> function) {
    try {
        return std::thread(std::move(function));
    } catch (const std::exception& error) {
        return refuse(Code::RESOURCE_EXHAUSTED, "cannot start a thread: {}", error.what());
    }
}

}  // namespace nnburst::serve
