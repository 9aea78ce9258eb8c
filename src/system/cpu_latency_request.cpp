// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/cpu_latency_request.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace nnburst {

namespace {

constexpr const char* kFile = "/dev/cpu_dma_latency";

tl::unexpected<Error> refused(const char* what) {
    return failure(
        ErrorStatus::GENERAL_FAILURE,
        fmt::format("cannot {} {}: {}; run as root, or give the user the right to write it "
                    "(a udev rule)",
                    what, kFile, std::strerror(errno)));
}

}  // namespace

Result<CpuLatencyRequest> CpuLatencyRequest::request(std::chrono::microseconds longestWakeUp) {
    if (longestWakeUp.count() < 0) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("shallow idle states of at most {} us; must be 0 or more",
                                   longestWakeUp.count()));
    }
    UniqueFd file(::open(kFile, O_WRONLY | O_CLOEXEC));
    if (!file) {
        return refused("open");
    }
    const auto microseconds = static_cast<std::int32_t>(
        std::min<std::chrono::microseconds::rep>(longestWakeUp.count(), INT32_MAX));
    if (::write(file.get(), &microseconds, sizeof(microseconds)) != sizeof(microseconds)) {
        return refused("write to");
    }
    return CpuLatencyRequest(std::move(file));
}

}  // namespace nnburst
