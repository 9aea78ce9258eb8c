// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How the service's event loop and the workers hand work to each other.

#include <functional>
#include <memory>
#include <utility>

#include "device/local/scheduler.h"
#include "device/rpc/event_loop.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// Something that belongs to the loop's thread and that any thread may hold and drop, such as a
/// capability: it is destroyed on the loop's thread. Once the loop is closed it is not destroyed at
/// all, because then the process is ending.
template <class T>
[[nodiscard]] std::shared_ptr<T> ownedByLoop(EventLoop& loop, T thing) {
    return std::shared_ptr<T>(new T(kj::mv(thing)), [&loop](T* pointer) {
        (void)loop.post([pointer] { delete pointer; });
    });
}

/// Runs `work` on a worker and gives its result on the loop. RESOURCE_EXHAUSTED_TRANSIENT if too
/// many jobs are waiting. On the loop's thread.
template <class T>
[[nodiscard]] kj::Promise<Result<T>> onWorker(EventLoop& loop, Scheduler::Client& scheduler,
                                              const exec::Urgency& urgency,
                                              std::function<Result<T>()> work) {
    auto pair = kj::newPromiseAndFulfiller<Result<T>>();
    const auto fulfiller = ownedByLoop(loop, kj::mv(pair.fulfiller));
    const Result<> submitted =
        scheduler.trySubmit(urgency, [&loop, fulfiller, work = std::move(work)]() mutable {
            const auto result = std::make_shared<Result<T>>(work());
            work = nullptr;  // what it holds is done with before the answer is given
            (void)loop.post([fulfiller = std::move(fulfiller), result] {
                (*fulfiller)->fulfill(std::move(*result));
            });
        });
    if (!submitted) {
        return Result<T>(tl::unexpected<Error>(submitted.error()));
    }
    return kj::mv(pair.promise);
}

}  // namespace nnburst::device
