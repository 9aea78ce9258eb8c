// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "serving_frame.h"

#include <sys/wait.h>

#include "nnburst/memory.h"
#include "system/process.h"

namespace nnburst {

kj::Promise<void> reapWhenEnded(device::EventLoop& loop, std::optional<pid_t> child) {
    if (!child) {
        return kj::READY_NOW;
    }
    UniqueFd process = system::openProcess(*child);
    if (!process) {  // then it is reaped when this process has ended
        return kj::READY_NOW;
    }
    return device::whenProcessEnds(loop, std::move(process)).then([number = *child] {
        siginfo_t info{};
        (void)::waitid(P_PID, static_cast<id_t>(number), &info, WEXITED);
    });
}

bool ServingFrame::runAccepting(kj::Promise<void> accepting,
                                std::chrono::milliseconds drainTimeout) {
    accepting = accepting.eagerlyEvaluate(nullptr);
    return lifecycle_.run(kj::NEVER_DONE, drainTimeout, [&] {
        accepting = kj::READY_NOW;
        setup_.source.listener.reset();
    });
}

}  // namespace nnburst
