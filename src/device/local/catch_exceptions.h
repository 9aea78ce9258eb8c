// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Turns exceptions of the standard library into errors where a client's request is handled, so
/// that a request that needs too much memory fails for its client only.

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "nnburst/result.h"

namespace nnburst::device {

/// What `work` returns; RESOURCE_EXHAUSTED_TRANSIENT if it throws std::bad_alloc, GENERAL_FAILURE
/// if it throws another exception. `what` begins the message.
template <class Work>
[[nodiscard]] auto catchExceptions(const char* what, Work&& work) -> decltype(work()) {
    try {
        return std::forward<Work>(work)();
    } catch (const std::bad_alloc&) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       std::string(what) + ": not enough memory");
    } catch (const std::exception& exception) {
        return failure(ErrorStatus::GENERAL_FAILURE, std::string(what) + ": " + exception.what());
    }
}

}  // namespace nnburst::device
