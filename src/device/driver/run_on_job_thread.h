// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs work of the service on job threads and brings its result back to the event loop.

#include <kj/exception.h>

#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "device/driver/client_context.h"
#include "device/local/catch_exceptions.h"
#include "device/local/scheduler.h"
#include "device/rpc/event_loop.h"
#include "device/rpc/kj_conversions.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// Runs `work` on a job thread of `client`; the promise resolves on the loop with its result.
/// RESOURCE_EXHAUSTED_TRANSIENT if too many jobs are waiting, MISSED_DEADLINE_* (missedBeforeStart)
/// if it has not begun at its deadline and is no control job. Must be called on the loop's thread.
template <class T>
[[nodiscard]] kj::Promise<Result<T>> runOnJobThread(const ClientContext& client, JobKind kind,
                                                    const exec::Urgency& urgency,
                                                    std::function<Result<T>()> work) {
    auto pair = kj::newPromiseAndFulfiller<Result<T>>();
    // Only one of the two jobs is called: it takes the fulfiller back to the loop.
    const auto fulfiller =
        std::make_shared<std::shared_ptr<kj::Own<kj::PromiseFulfiller<Result<T>>>>>(
            ownedByLoop(client.loop, kj::mv(pair.fulfiller)));
    const auto give = [&loop = client.loop, fulfiller](Result<T> given) {
        const auto result = std::make_shared<Result<T>>(std::move(given));
        (void)loop.post([fulfiller = std::move(*fulfiller), result] {
            (*fulfiller)->fulfill(std::move(*result));
        });
    };
    const Result<> submitted = client.scheduler->trySubmit(
        kind, urgency,
        [give, work = std::move(work)]() mutable {
            Result<T> result = catchExceptions("request", work);
            work = nullptr;  // what it holds is done with before the answer is given
            give(std::move(result));
        },
        [give, wasLateAtLaunch = isPast(urgency.deadline)] {
            give(missedBeforeStart("the request", wasLateAtLaunch));
        });
    if (!submitted) {
        return failureOf<T>(submitted);
    }
    return kj::mv(pair.promise);
}

/// Shares `object`. When the last copy of the returned pointer goes, a job thread releases
/// `object`, because freeing it may take long.
template <class T>
[[nodiscard]] std::shared_ptr<T> droppedOnJobThread(std::shared_ptr<Scheduler::Client> scheduler,
                                                    std::shared_ptr<T> object) {
    T* const pointer = object.get();
    auto drop = [scheduler = std::move(scheduler),
                 object = std::move(object)](T* /*pointer*/) mutable noexcept {
        try {
            scheduler->submit([dropped = std::move(object)]() mutable { dropped = nullptr; });
        } catch (const std::bad_alloc&) {
            // Without memory for a job it is dropped here.
        }
    };
    return std::shared_ptr<T>(pointer, std::move(drop));
}

/// Reads a part of a message on a control thread, because that may take long: the client decides
/// how much it is. INVALID_ARGUMENT if the message is malformed. The message must live until the
/// promise resolves, as that of a call does.
template <class T>
[[nodiscard]] kj::Promise<Result<T>> readOnJobThread(const ClientContext& client,
                                                     std::function<Result<T>()> read) {
    return runOnJobThread<T>(client, JobKind::CONTROL, {}, [read = std::move(read)]() -> Result<T> {
        Result<T> result;
        KJ_IF_MAYBE (exception, kj::runCatchingExceptions([&] { result = read(); })) {
            const bool isForMemory = exception->getType() == kj::Exception::Type::OVERLOADED;
            return failure(
                isForMemory ? ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT
                            : ErrorStatus::INVALID_ARGUMENT,
                std::string("cannot read the message: ") + exception->getDescription().cStr());
        }
        return result;
    });
}

}  // namespace nnburst::device
