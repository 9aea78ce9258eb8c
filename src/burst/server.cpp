// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <new>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "burst/bound_request.h"
#include "burst/burst_errors.h"
#include "burst/channel.h"
#include "burst/contention_watch.h"
#include "burst/repeated_request.h"
#include "burst/request_frame.h"
#include "burst/result_frame.h"
#include "burst/reusable_registry.h"
#include "burst/slot_mappings.h"
#include "exec/run/burst_registration.h"
#include "exec/run/execution_session.h"
#include "fmq/wait.h"
#include "log/assert.h"
#include "log/marks.h"
#include "log/verbose.h"
#include "model/invalid.h"
#include "model/outcome.h"
#include "system/affinity.h"
#include "system/time.h"

namespace nnburst::burst {

namespace {

/// Idle time after which a burst is parked.
constexpr std::chrono::milliseconds kParkAfterIdle{250};
/// The same while the thread pool is exhausted.
constexpr std::chrono::microseconds kParkAfterIdleWhenExhausted{20};
/// While the thread pool is exhausted, a burst is served for this long before others get its
/// thread.
constexpr std::chrono::milliseconds kTurnWhenExhausted{1};

/// Time after set-up during which a burst polls for its first request without sleeping. Clients
/// execute soon, and waking a thread takes as long as executing a small network.
constexpr std::chrono::microseconds kAwakeAfterSetUp{500};

/// A burst whose usual wait for a request is longer gets no processor from BurstPlacement: its
/// client does not fill one.
constexpr std::chrono::milliseconds kLongestPause{2};

/// What a burst takes beside copies of its frames.
constexpr std::uint64_t kBytesOfBurst = std::uint64_t{16} << 10;
/// Memory per queue line, in multiples of a frame line: the raw frame, the decoded request and its
/// bindings.
constexpr std::uint64_t kCopiesOfFrame = 24;

/// Limit on the spin window that a client can request from the driver.
constexpr std::chrono::milliseconds kLongestDriverSpin{10};

WaitPolicy driverPolicy(const WaitPolicy& requested) noexcept {
    return {.spinWindow = std::clamp<std::chrono::nanoseconds>(
                requested.spinWindow, std::chrono::nanoseconds(0), kLongestDriverSpin),
            .mode = requested.mode};
}

/// `lines` are in the queue, the header among them.
Result<> brokenFrame(const FrameLine& header, std::uint64_t lines) {
    const auto frame = std::bit_cast<RequestFrameHeader>(header);
    return invalid("request frame {}: announces {} lines; must be 1 to the {} in the queue",
                   frame.serial, frame.lineCount, lines);
}

Result<> unknownExecution(const ExecutionName& name) {
    return invalid(
        "compute frame: reusable execution {}, generation {}: must have been sent whole before",
        name.number, name.generation);
}

Result<> resultTooLong(std::uint64_t lineCount, std::uint64_t capacity) {
    return failure(ErrorStatus::GENERAL_FAILURE,
                   fmt::format("result of {} lines: the result queue has {}", lineCount, capacity));
}

/// Without memory for a runner, executions share those that are there.
void makeRunnerFor(const exec::BurstRegistration& burst) noexcept {
    try {
        burst.makeRunner();
    } catch (const std::bad_alloc&) {
        NNBURST_VLOG(DRIVER, "no memory for a further runner of a model");
    }
}

/// Serves one burst: reads request frames, executes them, writes result frames.
class FrameServer final : public Server, public Servable {
  public:
    FrameServer(Channel channel, FrameQueue::Reader requests, FrameQueue::Writer results,
                exec::Executable executable, std::shared_ptr<DriverControlPlane> controlPlane,
                const WaitPolicy& wait, std::shared_ptr<ServingThreadPool> servingThreads,
                SharedAccount account, Charge charge)
        : account_(std::move(account)),
          charge_(std::move(charge)),
          channel_(std::move(channel)),
          requests_(requests),
          results_(results),
          servingThreads_(std::move(servingThreads)),
          mode_(wait.mode),
          slots_(std::move(controlPlane), *servingThreads_, account_),
          waiter_(channel_.requestEvent(), channel_.resultEvent(), driverPolicy(wait),
                  channel_.driverWaits()),
          modelRegistration_(executable),
          session_(keepingPass(std::move(executable))),
          lines_(std::max(requests.capacity(), results.capacity())),
          contention_(session_.executable().model->contention()) {}

    ~FrameServer() override {
        stop();
        registration_ = {};  // waits for the thread that serves
    }

    /// Begins to serve. Once. A thread serves the burst from here on until it is parked, so that
    /// the first request finds one that runs.
    Result<> start() {
        NNBURST_TRY_ASSIGN(registration_, ServingThreadPool::add(servingThreads_, *this, account_));
        results_.setDoorbell(registration_.ringBackDescriptor());
        waiter_.setSpinAllowance(registration_.spinAllowance());
        assignment_ = &registration_.assignment();
        registration_.ring();
        return {};
    }

    [[nodiscard]] UniqueFd takeDoorbell() noexcept override { return registration_.takeDoorbell(); }

    void stop() noexcept override {
        // sync [server-stopped]: ordered before the look for sleepers in wakeSleepers
        isStopping_.store(true, std::memory_order_seq_cst);
        channel_.requestEvent().wakeSleepers();
    }

    void freeMemory(std::int32_t slot) noexcept override {
        slots_.requestUnmap(slot);
        channel_.requestEvent().wakeSleepers();
        registration_.ring();
    }

    bool serve(const ServingTurn& turn) noexcept override {
        const system::ScopedCpuExclusion away(
            session_.executable().model->kernelThreadProcessors());
        const auto hasWork = [this]() noexcept {
            // sync [message-published], [server-stopped], [slot-freed]
            return requests_.hasElement() || isStopping_.load(std::memory_order_acquire) ||
                   slots_.hasUnmapRequests();
        };
        waiter_.unpark(forecast_);
        const TimePoint start = std::chrono::steady_clock::now();
        while (true) {
            const bool isExhausted = servingThreads_->isExhausted();
            const std::chrono::nanoseconds parkAfter =
                isExhausted ? kParkAfterIdleWhenExhausted : kParkAfterIdle;
            if (!awaitRequest(parkAfter, hasWork)) {
                if (waiter_.park(hasWork)) {
                    return false;
                }
                continue;
            }
            if (isStopping_.load(std::memory_order_relaxed)) {
                return false;
            }
            serveNext();
            if (contention_.isContendedWithoutWaiting() &&
                forecast_.longestUsual() < kLongestPause) {
                assignment_->moveThread(channel_.resultEvent().waiterProcessor());
            } else {
                assignment_->leave();
            }
            if (turn.isOver() ||
                (isExhausted && std::chrono::steady_clock::now() - start > kTurnWhenExhausted)) {
                return true;
            }
        }
    }

  private:
    /// A client has its result before this thread leaves the gate, and before the next execution
    /// takes the processor.
    exec::Executable keepingPass(exec::Executable executable) noexcept {
        executable.keptPass = &pass_;
        return executable;
    }

    /// Waits for a request, for at most `parkAfter`. False if there is none.
    template <class HasWork>
    [[nodiscard]] bool awaitRequest(std::chrono::nanoseconds parkAfter, const HasWork& hasWork) {
        if (!std::exchange(hasAwaitedFirst_, true)) {
            // Here, because the thread of the control plane must not wait.
            makeRunnerFor(modelRegistration_);
            return awaitFirstRequest(parkAfter, hasWork);
        }
        return waiter_.wait({.deadline = {}, .atMost = parkAfter}, &forecast_, hasWork);
    }

    /// The same for the first request. Yields the processor, and then sleeps without spinning: the
    /// answer to the client, which it needs before it sends a request, may have to come from the
    /// same processor.
    template <class HasWork>
    [[nodiscard]] bool awaitFirstRequest(std::chrono::nanoseconds parkAfter,
                                         const HasWork& hasWork) const noexcept {
        const TimePoint end = std::chrono::steady_clock::now() +
                              std::min<std::chrono::nanoseconds>(kAwakeAfterSetUp, parkAfter);
        while (mode_ != WaitMode::BLOCK && !hasWork() && std::chrono::steady_clock::now() < end) {
            std::this_thread::yield();
        }
        return fmq::waitUntil(channel_.requestEvent(), {.mode = WaitMode::BLOCK},
                              {.deadline = {}, .atMost = parkAfter}, hasWork);
    }

    void serveNext() noexcept {
        FrameLine header;
        const bool hasFrame = requests_.peek(0, header);
        if (slots_.hasUnmapRequests()) {
            slots_.unmapRequested();
            registry_.unbindUnmapped(slots_);
            repeated_.unbindUnmapped(slots_);
        }
        if (hasFrame) {
            serveFrame(header);
            pass_.reset();
            // While executions contend for processors, both sides sleep instead of spinning, if
            // their mode is ADAPTIVE.
            contention_.addExecution(session_.executable().model->contention());
            waiter_.setContended(contention_.isContended());
        }
    }

    void serveFrame(const FrameLine& header) noexcept {
        try {
            if (isCompute(header)) {
                requests_.consume(1);
                serveCompute(header);
            } else {
                serveRequest(header);
            }
        } catch (const std::bad_alloc&) {
            if (serialOf(header) != answeredSerial_) {
                answer(serialOf(header), 0, outOfMemory());
            }
        }
    }

    void serveRequest(const FrameLine& header) {
        const std::uint32_t lineCount = announcedLineCount(header, requests_.capacity());
        if (lineCount == 0 || !requests_.tryRead(std::span(lines_).first(lineCount))) {
            // Where the next frame starts is unknown: drop all that is there.
            const std::uint64_t available = requests_.availableToRead();
            requests_.consume(available);
            answer(serialOf(header), 0, brokenFrame(header, available));
            return;
        }
        NNBURST_MARK(burst__begin, this);
        const std::span<const FrameLine> frame(lines_.data(), lineCount);
        const bool isSameAgain = repeated_.isSameAgain(frame);
        if (BoundRequest* const bound = repeated_.bound(); isSameAgain && bound) {
            repeat(serialOf(frame[0]), deadlineOf(frame[0]), *bound);
        } else if (const Result<> decoded = decodeRequest(frame, request_); decoded) {
            executeRequest();
            if (isSameAgain) {
                repeated_.bind(request_, session_, account_);
            }
        } else {
            answer(serialOf(frame[0]), 0, decoded);
        }
        NNBURST_MARK(burst__end, this);
    }

    /// Runs the last request again, which is bound, and answers.
    void repeat(std::uint64_t serial, const OptionalTimePoint& deadline, BoundRequest& request) {
        const Result<> result = runAgain(request, deadline);
        const std::span<FrameLine> sent = repeated_.sentResult();
        if (result && request.bindings.memo.wasHit && !sent.empty()) {
            setSerialAndTiming(sent[0], serial, outcome_.timing);
            (void)results_.tryWrite(sent);
        } else if (answer(serial, 0, result) && result) {
            // Its frame is in lines_.
            repeated_.keepResult(
                std::span(lines_).first(announcedLineCount(lines_[0], lines_.size())));
        } else {
            repeated_.dropResult();
        }
    }

    void serveCompute(const FrameLine& line) {
        const std::uint64_t serial = serialOf(line);
        if (const Result<> decoded = decodeCompute(line, compute_); !decoded) {
            answer(serial, 0, decoded);
            return;
        }
        BoundRequest* const request = registry_.find(compute_.name);
        if (request == nullptr) {
            answer(serial, kUnknownExecution, unknownExecution(compute_.name));
            return;
        }
        NNBURST_MARK(burst__begin, this);
        if (request->isBound) {
            computeBound(serial, *request);
        } else {
            request_ = request->request;
            request_.options.deadline = compute_.deadline;
            request_.serial = serial;
            executeRequest();
        }
        NNBURST_MARK(burst__end, this);
    }

    /// Runs a remembered request that is bound, and answers. The shortest path of all.
    void computeBound(std::uint64_t serial, BoundRequest& request) {
        const Result<> result = runAgain(request, compute_.deadline);
        if (result && request.hasSent(outcome_.outputShapes) && results_.beginWrite(1)) {
            results_.set(0, encodeSameShapes(serial, outcome_.timing));
            results_.commitWrite(1);
        } else if (answer(serial, 0, result)) {
            request.sentShapes = outcome_.outputShapes;
        }
    }

    /// Runs a request that is bound.
    Result<> runAgain(BoundRequest& request, const OptionalTimePoint& deadline) {
        ExecutionOptions& options = request.request.options;
        system::copyByParts(deadline, options.deadline);
        return session_.runBound(request.bindings, options, outcome_);
    }

    /// Runs `request_`, answers, and remembers it if the client has named it.
    void executeRequest() {
        FrameMemory memory(slots_, request_.pools);
        const Result<> result =
            session_.run({request_.inputs, request_.outputs}, memory, request_.options,
                         exec::arrivalTime(request_.options), outcome_);
        BoundRequest* const remembered = registry_.remember(request_, session_, account_);
        if (answer(request_.serial, remembered != nullptr ? kRemembered : 0, result) &&
            remembered != nullptr) {
            remembered->sentShapes = outcome_.outputShapes;
        }
    }

    /// Puts `result`, and after a success the outcome, into the queue of results. False for a
    /// client that leaves no room in it, and so has given its results up.
    bool answer(std::uint64_t serial, std::uint16_t flags, const Result<>& result) {
        ErrorStatus status = ErrorStatus::NONE;
        std::string_view message;
        if (!result) {
            status = result.error().status;
            message = std::string_view(result.error().message).substr(0, kMaximumErrorMessageBytes);
            clearAfterFailure(result, outcome_);  // also of errors that are not the session's
        }
        const std::uint64_t lineCount = resultLineCount(outcome_.outputShapes, message.size());
        if (lineCount > results_.capacity()) {
            return answer(serial, flags, resultTooLong(lineCount, results_.capacity()));
        }
        NNBURST_ASSERT(lineCount <= lines_.size(), "a result of {} lines", lineCount);
        const std::span<FrameLine> frame(lines_.data(), lineCount);
        encodeResult(serial, flags, status, outcome_, message, frame);
        answeredSerial_ = serial;
        return results_.tryWrite(frame);
    }

    const SharedAccount account_;  // null: not charged
    const Charge charge_;
    const Channel channel_;
    FrameQueue::Reader requests_;
    FrameQueue::Writer results_;
    const std::shared_ptr<ServingThreadPool> servingThreads_;
    const WaitMode mode_;
    std::atomic<bool> isStopping_{false};
    SlotMappings slots_;

    // Used by the thread that serves; reused, so that the steady state allocates nothing.
    bool hasAwaitedFirst_ = false;
    std::uint64_t answeredSerial_ = 0;  // by `answer`, last: no frame gets two answers
    fmq::Waiter waiter_;
    fmq::WaitForecast forecast_;
    BurstPlacement::Assignment* assignment_ = nullptr;  // of the registration
    const exec::BurstRegistration modelRegistration_;
    exec::KeptPass pass_;  // of the execution that has just been answered
    exec::ExecutionSession session_;
    ReusableRegistry registry_;
    RepeatedRequest repeated_;
    std::vector<FrameLine> lines_;
    DecodedRequest request_;
    DecodedCompute compute_;
    ExecutionOutcome outcome_;
    ContentionWatch contention_;

    ServingThreadPool::Registration registration_;  // last: the thread that serves uses all above
};

}  // namespace

Result<std::unique_ptr<Server>> Server::create(SharedRegion channel, exec::Executable executable,
                                               std::shared_ptr<DriverControlPlane> controlPlane,
                                               const WaitPolicy& wait,
                                               std::shared_ptr<ServingThreadPool> servingThreads) {
    NNBURST_TRY_ASSIGN(Channel opened, Channel::open(std::move(channel)));
    NNBURST_TRY_ASSIGN(FrameQueue::Reader requests,
                       FrameQueue::Reader::attach(opened.memory(), opened.requests()));
    NNBURST_TRY_ASSIGN(FrameQueue::Writer results,
                       FrameQueue::Writer::attach(opened.memory(), opened.results()));
    results.limitWoken(kMaximumWoken);
    SharedAccount account = executable.client == nullptr ? nullptr : executable.client->account();
    NNBURST_TRY_ASSIGN(Charge charge, chargeTo(account, Resource::MEMORY,
                                               kBytesOfBurst + kCopiesOfFrame * sizeof(FrameLine) *
                                                                   std::max(requests.capacity(),
                                                                            results.capacity())));
    auto server = std::make_unique<FrameServer>(
        std::move(opened), requests, results, std::move(executable), std::move(controlPlane), wait,
        std::move(servingThreads), std::move(account), std::move(charge));
    NNBURST_TRY(server->start());
    return server;
}

}  // namespace nnburst::burst
