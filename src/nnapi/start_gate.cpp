// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnapi/start_gate.h"

#include <poll.h>

#include <array>

namespace nnburst::nnapi {

namespace {

bool hasState(int fence, FenceState state) {
    const auto its = fenceState(fence);
    return its && *its == state;
}

}  // namespace

Status StartGate::create(std::span<const int> dependencies, std::unique_ptr<StartGate>& gate) {
    auto fence = makeFence();
    if (!fence) {
        return refused(toResultCode(fence.error().status), "{}", fence.error().message);
    }
    std::vector<UniqueFd> duplicates;
    for (const int dependency : dependencies) {
        auto duplicate = UniqueFd::duplicate(dependency);
        if (!duplicate) {
            return refused(toResultCode(duplicate.error().status), "{}", duplicate.error().message);
        }
        duplicates.push_back(*std::move(duplicate));
    }
    gate.reset(new StartGate(*std::move(fence), std::move(duplicates)));
    return {};
}

bool StartGate::awaitDependencies(int end) const {
    for (const UniqueFd& dependency : dependencies_) {
        while (hasState(dependency.get(), FenceState::PENDING)) {
            if (!hasState(end, FenceState::PENDING)) {
                return false;
            }
            std::array<pollfd, 2> looks{{{.fd = dependency.get(), .events = POLLIN, .revents = 0},
                                         {.fd = end, .events = POLLIN, .revents = 0}}};
            (void)::poll(looks.data(), looks.size(), -1);
        }
        if (!hasState(dependency.get(), FenceState::SIGNALED)) {
            return false;
        }
    }
    return true;
}

}  // namespace nnburst::nnapi
