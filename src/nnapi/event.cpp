// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnapi/event.h"

#include <pthread.h>
#include <signal.h>

#include <system_error>
#include <utility>

namespace nnburst::nnapi {

namespace {

/// RAII: blocks the signals that are sent to the process, in the calling thread and in the threads
/// that it starts. They belong to the program's threads.
class ScopedSignalBlock {
  public:
    ScopedSignalBlock() noexcept {
        sigset_t sentToProcess;
        ::sigfillset(&sentToProcess);
        for (const int ownFault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
            ::sigdelset(&sentToProcess, ownFault);
        }
        ::pthread_sigmask(SIG_BLOCK, &sentToProcess, &before_);
    }
    ~ScopedSignalBlock() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    ScopedSignalBlock(const ScopedSignalBlock&) = delete;
    ScopedSignalBlock& operator=(const ScopedSignalBlock&) = delete;

  private:
    sigset_t before_{};
};

}  // namespace

void CompletionEvent::complete(Status status) {
    const std::lock_guard lock(mutex_);
    status_ = std::move(status);
    completed_.notify_all();  // under the lock: the event may be freed as soon as it is seen
}

Status CompletionEvent::wait() {
    std::unique_lock lock(mutex_);
    completed_.wait(lock, [&] { return status_.has_value(); });
    return *status_;
}

Status FenceEvent::wait() {
    const Result<> result = waitForFence(fence_.get());
    return result ? Status() : Status{ANEURALNETWORKS_OP_FAILED, result.error().message};
}

FencedExecutionEvent::~FencedExecutionEvent() {
    if (thread_.joinable()) {
        thread_.join();
    }
}

Status FencedExecutionEvent::finishInBackground() {
    auto fence = makeFence();
    if (!fence) {
        return refused(toResultCode(fence.error().status), "{}", fence.error().message);
    }
    ownFence_ = *std::move(fence);
    try {
        const ScopedSignalBlock block;
        thread_ = std::thread([this] {
            if (finish().isOk()) {
                signalFence(ownFence_.get());
            } else {
                failFence(ownFence_.get());
            }
        });
    } catch (const std::system_error& error) {
        return refused(ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT, "a thread: {}", error.what());
    }
    return {};
}

const Status& FencedExecutionEvent::finish() {
    const std::lock_guard lock(mutex_);
    if (!status_) {
        status_ = finish_(execution_);
    }
    return *status_;
}

Status FencedExecutionEvent::wait() {
    return finish();
}

int FencedExecutionEvent::descriptor() const noexcept {
    return ownFence_ ? ownFence_.get() : execution_.fence.get();
}

}  // namespace nnburst::nnapi

using nnburst::UniqueFd;
using nnburst::nnapi::answer;
using nnburst::nnapi::badData;
using nnburst::nnapi::FenceEvent;
using nnburst::nnapi::refuseNull;
using nnburst::nnapi::Status;

int ANeuralNetworksEvent_wait(ANeuralNetworksEvent* event) {
    if (event == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] { return event->event->wait(); });
}

void ANeuralNetworksEvent_free(ANeuralNetworksEvent* event) {
    if (event == nullptr) {
        return;
    }
    (void)answer(__func__, [&]() -> Status {
        event->event->waitBeforeFree();
        delete event;
        return {};
    });
}

int ANeuralNetworksEvent_createFromSyncFenceFd(int syncFenceFd, ANeuralNetworksEvent** event) {
    if (event == nullptr) {
        return refuseNull(__func__);
    }
    *event = nullptr;
    return answer(__func__, [&]() -> Status {
        if (syncFenceFd <= 0) {
            return badData("descriptor {}: must be greater than 0", syncFenceFd);
        }
        auto fence = UniqueFd::duplicate(syncFenceFd);
        if (!fence) {
            return badData("{}", fence.error().message);
        }
        if (const auto state = nnburst::fenceState(fence->get()); !state) {
            return badData("{}", state.error().message);
        }
        *event = new ANeuralNetworksEvent{std::make_shared<FenceEvent>(*std::move(fence))};
        return {};
    });
}

int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent* event, int* syncFenceFd) {
    if (syncFenceFd != nullptr) {
        *syncFenceFd = -1;
    }
    if (event == nullptr || syncFenceFd == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&]() -> Status {
        const int descriptor = event->event->descriptor();
        if (descriptor < 0) {
            return badData("the event has no descriptor");
        }
        auto duplicate = UniqueFd::duplicate(descriptor);
        if (!duplicate) {
            return badData("{}", duplicate.error().message);
        }
        *syncFenceFd = duplicate->release();
        return {};
    });
}
