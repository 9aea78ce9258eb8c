// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The thread of all RPC of a process: an event loop of Cap'n Proto to which other threads pass
/// jobs. Capabilities and promises belong to this thread only. Other threads use `post`, which does
/// not wait, and `call`, which does.
///
/// Threads meet at a mutex and an eventfd of ours rather than at kj's executor: a job can be posted
/// without waiting for it, and the thread sanitizer sees the hand-over.

#include <kj/async-io.h>
#include <kj/async-unix.h>
#include <kj/async.h>
#include <kj/exception.h>
#include <kj/function.h>

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "device/rpc/kj_conversions.h"
#include "log/assert.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "nnburst/unique_fd.h"
#include "system/mutex.h"
#include "system/scheduling.h"
#include "system/semaphore.h"

namespace nnburst::device {

/// Constructed, run and destroyed on one thread, and on its stack.
class EventLoop {
  public:
    EventLoop();
    ~EventLoop();
    KJ_DISALLOW_COPY(EventLoop);

    [[nodiscard]] kj::AsyncIoContext& io() noexcept { return io_; }
    [[nodiscard]] kj::Timer& timer() { return io_.provider->getTimer(); }

    /// Serves everything until `end` is there. On the loop's thread.
    void run(kj::Promise<void> end);

    /// From now on the loop's thread has a high priority, except while it computes a lot
    /// (system::ScopedAdaptivePriority): for a process of which many others wait for this thread.
    /// On the loop's thread.
    void raisePriority() { priority_.emplace(); }
    /// To be called before the loop works on what another process has sent. On the loop's thread.
    void noteWork() noexcept {
        if (priority_) {
            priority_->look();
        }
    }

    /// Refuses all later jobs, drops those that wait, and fails the calls that wait: before the
    /// threads are joined that may be waiting in `call`. On the loop's thread.
    void close();

    /// Runs `job` on the loop's thread, soon and in order, and destroys it there. False, and the
    /// job is destroyed at once, after `close`. Any thread; does not block.
    bool post(kj::Function<void()> job);

    /// Runs `start` on the loop's thread and waits for what its promise gives. Any thread but the
    /// loop's. An exception becomes an error by `toError`.
    template <class T>
    [[nodiscard]] Result<T> call(kj::Function<kj::Promise<Result<T>>()> start);

  private:
    template <class T>
    class Answer;
    template <class T>
    class Completion;

    /// Sends messages of the RPC system to our log, and omits stack traces of exceptions, for which
    /// it would start a process.
    class Diagnostics final : public kj::ExceptionCallback {
      public:
        void logMessage(kj::LogSeverity severity, const char* file, int line, int contextDepth,
                        kj::String&& text) override;
        StackTraceMode stackTraceMode() override { return StackTraceMode::NONE; }
    };

    /// Where errors end that no caller waits for.
    struct ErrorLog final : public kj::TaskSet::ErrorHandler {
        void taskFailed(kj::Exception&& exception) override;
    };

    kj::Promise<void> serveJobs();
    void runJobs();

    const std::thread::id thread_ = std::this_thread::get_id();
    const system::ScopedTimeSlice slice_{system::kShortTimeSlice};
    std::optional<system::ScopedAdaptivePriority> priority_;
    Diagnostics diagnostics_;  // first: it serves as long as anything is there
    kj::AsyncIoContext io_;
    UniqueFd wakeUp_;  // eventfd
    kj::UnixEventPort::FdObserver wakeUpObserver_;

    system::Mutex mutex_;
    std::vector<kj::Function<void()>> jobs_ NNBURST_GUARDED_BY(mutex_);
    bool isClosed_ NNBURST_GUARDED_BY(mutex_) = false;

    ErrorLog errorLog_;
    kj::Own<kj::TaskSet> calls_;  // what `call` started
    kj::Promise<void> jobServer_;
};

/// Where a thread waits for a result.
template <class T>
class EventLoop::Answer {
  public:
    void give(Result<T> result) {
        NNBURST_ASSERT(!result_.has_value(), "a call is answered twice");
        result_.emplace(std::move(result));
        given_.release();  // from here on the waiting thread may destroy this object
    }

    [[nodiscard]] Result<T> wait() {
        given_.acquire();
        return std::move(*result_);
    }

  private:
    system::Semaphore given_;
    std::optional<Result<T>> result_;  // handed over by given_
};

/// Gives an answer exactly once: at the latest when it is dropped, with an error.
template <class T>
class EventLoop::Completion {
  public:
    explicit Completion(Answer<T>& answer) noexcept : answer_(&answer) {}
    Completion(Completion&& other) noexcept : answer_(std::exchange(other.answer_, nullptr)) {}
    Completion(const Completion&) = delete;
    Completion& operator=(const Completion&) = delete;
    Completion& operator=(Completion&&) = delete;
    ~Completion() {
        give(failure(ErrorStatus::DEVICE_UNAVAILABLE, "the connection has been closed"));
    }

    void give(Result<T> result) {
        if (answer_ != nullptr) {
            std::exchange(answer_, nullptr)->give(std::move(result));
        }
    }

  private:
    Answer<T>* answer_;
};

template <class T>
Result<T> EventLoop::call(kj::Function<kj::Promise<Result<T>>()> start) {
    NNBURST_ASSERT(std::this_thread::get_id() != thread_,
                   "the event loop's thread would wait for itself");
    Answer<T> answer;
    auto completion = std::make_shared<Completion<T>>(answer);
    (void)post([this, completion, start = kj::mv(start)]() mutable {
        calls_->add(kj::evalNow(start).then(
            [completion](Result<T>&& result) { completion->give(std::move(result)); },
            [completion](kj::Exception&& exception) {
                completion->give(tl::unexpected<Error>(toError(exception)));
            }));
    });
    completion.reset();
    return answer.wait();
}

/// Resolves when the process of a pidfd has ended.
[[nodiscard]] kj::Promise<void> whenProcessEnds(EventLoop& loop, UniqueFd process);

/// Shared ownership of an object of the loop's thread, such as a capability. Any thread may hold
/// and release it; the object is destroyed on the loop's thread. After EventLoop::close it is
/// leaked, since the process is ending, and also where there is no memory for a job.
template <class T>
[[nodiscard]] std::shared_ptr<T> ownedByLoop(EventLoop& loop, T thing) {
    return std::shared_ptr<T>(new T(kj::mv(thing)), [&loop](T* pointer) noexcept {
        try {
            (void)loop.post([pointer] { delete pointer; });
        } catch (const std::bad_alloc&) {
            // The destructors of whoever holds it must not throw.
        }
    });
}

}  // namespace nnburst::device
