// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/controller.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <utility>

#include "burst/channel.h"
#include "burst/exclusive_use.h"
#include "burst/flight.h"
#include "burst/frame.h"
#include "burst/reusable_request.h"
#include "burst/slot_table.h"
#include "fmq/wait.h"
#include "model/outcome.h"
#include "model/version_rules.h"
#include "system/time.h"

namespace nnburst::burst {

namespace {

/// A result that takes longer makes the controller ask whether the driver is alive, again and
/// again.
constexpr std::chrono::milliseconds kPatience{1000};

/// The driver gives up at the deadline by itself; this much later its answer is no longer waited
/// for.
constexpr std::chrono::milliseconds kDeadlineGrace{10};

tl::unexpected<Error> lost() {
    return failure(ErrorStatus::DEVICE_UNAVAILABLE, "the connection to the driver is lost");
}

/// `result`, with the outcome that goes with it.
Result<> failed(ExecutionOutcome& outcome, Result<> result) {
    clearOutcome(outcome);
    return result;
}

}  // namespace

class Controller::Impl {
  public:
    Impl(Channel channel, FrameQueue::Writer requests, FrameQueue::Reader results,
         const BurstOptions& options, HalVersion driver)
        : channel_(std::move(channel)),
          requests_(requests),
          results_(results),
          driver_(driver),
          waiter_(channel_.resultEvent(), channel_.requestEvent(), options.clientWait, waits_),
          lines_(std::max(requests.capacity(), results.capacity())),
          flights_(options.inFlight) {}

    [[nodiscard]] const SharedRegion& channel() const noexcept { return channel_.region(); }

    void attach(std::shared_ptr<ClientControlPlane> controlPlane, Peer peer) {
        controlPlane_ = std::move(controlPlane);
        peer_ = std::move(peer);
        requests_.setDoorbell(peer_.doorbell.get());
        waiter_.leaveProcessors(peer_.kernelThreads > 1 &&
                                peer_.kernelThreads >= std::thread::hardware_concurrency());
    }

    [[nodiscard]] std::vector<SharedRegion> getMemories(std::span<const std::int32_t> slots) {
        return slots_.regions(slots);
    }

    void connectionLost() noexcept {
        // sync [connection-lost]: ordered before the wake-up
        isLost_.store(true, std::memory_order_seq_cst);
        // The word on which this side sleeps; the queues stay the driver's and the executing
        // thread's.
        channel_.resultEvent().wakeSleepers();
    }

    [[nodiscard]] ExecutionName takeName() {
        return keepsReusableExecutions(driver_) ? names_.take() : ExecutionName();
    }
    void giveBack(const ExecutionName& name) { names_.giveBack(name); }

    /// Executes `request`, which is that of `reusable` unless that is null.
    Result<> execute(const Request& request, ReusableRequest* reusable,
                     const ExecutionOptions& options, ExecutionOutcome& outcome) {
        const ExclusiveUse use(isUsed_);
        if (!use) {
            return failed(outcome, usedByAnotherThread());
        }
        NNBURST_TRY_ASSIGN(Flight * flight, freeFlight(outcome));
        begin(*flight, request, reusable, options, outcome);
        NNBURST_TRY(launch(*flight, outcome));
        return land(*flight);
    }

    /// As execute, without waiting. `reusable` may be null.
    Result<Submission> submit(const Request& request, std::shared_ptr<ReusableRequest> reusable,
                              const ExecutionOptions& options) {
        const ExclusiveUse use(isUsed_);
        if (!use) {
            return usedByAnotherThread();
        }
        ExecutionOutcome unused;
        NNBURST_TRY_ASSIGN(Flight * flight, freeFlight(unused));
        collectOutputs(request, flight->outputs);
        NNBURST_TRY(checkOverlap(*flight));
        flight->ownReusable = std::move(reusable);
        if (!flight->ownReusable) {
            flight->ownRequest = request;
        }
        begin(*flight, flight->ownReusable ? flight->ownReusable->request : flight->ownRequest,
              flight->ownReusable.get(), options, flight->ownOutcome);
        NNBURST_TRY(launch(*flight, flight->ownOutcome));
        flight->submission = Submission{++lastSubmission_};
        return flight->submission;
    }

    Result<> wait(Submission submission, ExecutionOutcome& outcome) {
        const ExclusiveUse use(isUsed_);
        if (!use) {
            return failed(outcome, usedByAnotherThread());
        }
        const auto flight =
            std::find_if(flights_.begin(), flights_.end(), [submission](const Flight& candidate) {
                return candidate.isTaken && candidate.submission == submission;
            });
        if (submission == Submission{} || flight == flights_.end()) {
            return failed(outcome, notInFlight(submission));
        }
        Result<> result = land(*flight);
        std::swap(outcome, flight->ownOutcome);
        return result;
    }

    void freeMemory(const SharedRegion& region) { forget(slots_.retire(region.get())); }

    [[nodiscard]] BurstWaitStats waitStats() const noexcept {
        return {.client = waits_.stats(), .driver = channel_.driverWaits().stats()};
    }

  private:
    /// What pool `i` of the last request was: most requests use the same pools again.
    struct RememberedPool {
        std::uint64_t regionId = 0;
        std::uint64_t version = 0;  ///< of the slot table
        std::int32_t slot = 0;
    };

    /// The result of an execution that was given up, which has not come yet.
    struct LateResult {
        std::uint64_t serial = 0;
        std::uint64_t lines = 0;  ///< kept free for it
    };

    Result<Flight*> freeFlight(ExecutionOutcome& outcome) {
        for (Flight& flight : flights_) {
            if (!flight.isTaken) {
                return &flight;
            }
        }
        clearOutcome(outcome);
        return tooManyInFlight(flights_.size());
    }

    Result<> checkOverlap(const Flight& flight) const {
        for (const Flight& other : flights_) {
            if (!other.isTaken || &other == &flight) {
                continue;
            }
            if (overlap(flight.outputs, other.outputs)) {
                return overlapping(other.submission);
            }
        }
        return {};
    }

    void begin(Flight& flight, const Request& request, ReusableRequest* reusable,
               const ExecutionOptions& options, ExecutionOutcome& outcome) const noexcept {
        flight.isTaken = true;
        flight.isDone = false;
        flight.serial = 0;
        flight.request = &request;
        flight.reusable = reusable;
        // A deadline that the driver does not know ends no wait of the client either.
        flight.options = knownTo(driver_, options);
        flight.outcome = &outcome;
    }

    /// Sends a flight that has begun, or executes it over the control plane when all others have
    /// landed. It is free again after an error.
    Result<> launch(Flight& flight, ExecutionOutcome& outcome) {
        Result<bool> sent = send(flight);
        while (sent && !*sent && isAnyUnderway(flight)) {
            awaitAny();
            sent = send(flight);
        }
        if (sent && !*sent) {
            flight.status = controlPlane_->executeSynchronously(*flight.request, flight.options,
                                                                *flight.outcome);
            flight.isDone = true;
            return {};
        }
        if (!sent) {
            flight.isTaken = false;
            return failed(outcome, tl::unexpected<Error>(std::move(sent.error())));
        }
        return {};
    }

    [[nodiscard]] bool isAnyUnderway(const Flight& except) const noexcept {
        return std::any_of(flights_.begin(), flights_.end(), [&](const Flight& flight) {
            return &flight != &except && flight.isTaken && !flight.isDone;
        });
    }

    /// Puts a flight's frame into the queue; false if there is no room for it or for its result.
    Result<bool> send(Flight& flight) {
        if (isLost_.load(std::memory_order_relaxed)) {  // only a hint: the wait looks again
            return lost();
        }
        flight.resultLines = longestResultLineCount(flight.request->outputs.size());
        while (!hasRoomForResult(flight)) {
            if (!results_.hasNews() || !takeResult()) {
                return false;
            }
        }
        ReusableRequest* reusable = flight.reusable;
        if (reusable != nullptr && reusable->isRemembered &&
            reusable->slotVersion == slots_.version()) {
            if (!requests_.beginWrite(1)) {
                return false;
            }
            flight.serial = ++lastSerial_;
            flight.slotVersion = reusable->slotVersion;
            requests_.set(0, encodeCompute(flight.serial, reusable->name, flight.options.deadline));
            requests_.commitWrite(1);
            return true;
        }
        return sendWhole(flight);
    }

    Result<bool> sendWhole(Flight& flight) {
        const Request& request = *flight.request;
        if (request.pools.size() > pools_.size()) {
            pools_.resize(request.pools.size());
            lastPools_.resize(request.pools.size());
        }
        bool fits = true;
        std::uint64_t version = 0;
        do {  // again if a slot was retired meanwhile
            version = slots_.version();
            NNBURST_TRY_ASSIGN(fits, namePools(flight));
        } while (version != slots_.version());
        const std::uint64_t lineCount = requestLineCount(request);
        if (!fits || lineCount > requests_.capacity() || !requests_.beginWrite(lineCount)) {
            return false;
        }
        flight.serial = ++lastSerial_;
        flight.slotVersion = version;
        const ExecutionName name =
            flight.reusable != nullptr ? flight.reusable->name : ExecutionName();
        const std::span<FrameLine> frame(lines_.data(), lineCount);
        encodeRequest(flight.serial, name, request, std::span(pools_).first(request.pools.size()),
                      flight.options, frame);
        for (std::size_t i = 0; i < frame.size(); ++i) {
            requests_.set(i, frame[i]);
        }
        requests_.commitWrite(frame.size());
        return true;
    }

    /// Writes the names of the flight's pools into `pools_`; false if there is no slot for one.
    Result<bool> namePools(const Flight& flight) {
        const Request& request = *flight.request;
        bool fits = true;
        for (std::size_t i = 0; i < request.pools.size(); ++i) {
            const RequestPool& pool = request.pools[i];
            if (const auto* token = std::get_if<BufferToken>(&pool)) {
                pools_[i] = {.kind = static_cast<std::uint32_t>(FramePool::Kind::TOKEN),
                             .value = static_cast<std::uint32_t>(*token)};
                continue;
            }
            const SharedRegion& region = std::get<SharedRegion>(pool);
            if (!region) {
                return failure(ErrorStatus::INVALID_ARGUMENT,
                               "request pool " + std::to_string(i) + " is null");
            }
            const std::optional<std::int32_t> slot = slotOf(i, region, flight);
            fits = fits && slot.has_value();
            pools_[i] = {.kind = static_cast<std::uint32_t>(FramePool::Kind::SLOT),
                         .value = static_cast<std::uint32_t>(slot.value_or(0))};
        }
        return fits;
    }

    /// The driver drops results that find no room.
    [[nodiscard]] bool hasRoomForResult(const Flight& flight) const noexcept {
        std::uint64_t lines = 0;
        for (const Flight& other : flights_) {
            const bool counts = &other == &flight || (other.isTaken && !other.isDone);
            lines += counts ? other.resultLines : 0;
        }
        for (const LateResult& late : lateResults_) {
            lines += late.lines;
        }
        return lines <= results_.capacity();
    }

    std::optional<std::int32_t> slotOf(std::size_t poolIndex, const SharedRegion& region,
                                       const Flight& flight) {
        RememberedPool& remembered = lastPools_[poolIndex];
        const std::uint64_t version = slots_.version();
        if (remembered.regionId == region->id() && remembered.version == version) {
            return remembered.slot;
        }
        std::optional<std::int32_t> slot = slots_.find(*region);
        if (!slot) {
            const std::uint64_t oldest = oldestSlots(flight);
            // a new region is the time to forget those that have vanished
            forget(slots_.retire(nullptr, oldest));
            slot = slots_.add(region, oldest);
        }
        if (slot) {
            remembered = {.regionId = region->id(), .version = version, .slot = *slot};
        }
        return slot;
    }

    /// The version of the oldest slots that the frames in flight name, beside that of `except`.
    [[nodiscard]] std::uint64_t oldestSlots(const Flight& except) const noexcept {
        std::uint64_t oldest = SlotTable::kNothingInFlight;
        for (const Flight& flight : flights_) {
            if (&flight != &except && flight.isTaken && !flight.isDone) {
                oldest = std::min(oldest, flight.slotVersion);
            }
        }
        return oldest;
    }

    /// Tells the driver to forget slots that were retired.
    void forget(const std::vector<std::int32_t>& slots) {
        for (const std::int32_t slot : slots) {
            controlPlane_->freeMemory(slot);
            slots_.reuse(slot);
        }
    }

    /// Waits for the result of `flight` and makes it free.
    Result<> land(Flight& flight) {
        while (!flight.isDone) {
            awaitResult(flight);
        }
        flight.isTaken = false;
        flight.submission = {};
        flight.ownReusable = nullptr;
        return std::move(flight.status);
    }

    void awaitAny() {
        const auto next = std::find_if(flights_.begin(), flights_.end(), [](const Flight& flight) {
            return flight.isTaken && !flight.isDone && flight.submission != Submission{};
        });
        awaitResult(*next);
    }

    /// Takes one result out of the queue, or ends `flight` if there is none in its time.
    void awaitResult(Flight& flight) {
        fmq::WaitLimit limit{.deadline = {}, .atMost = kPatience};
        if (flight.options.deadline) {
            limit.deadline = system::saturatingAdd(*flight.options.deadline, kDeadlineGrace);
        }
        const bool hasNews = waiter_.wait(limit, &forecastOf(flight), [&]() noexcept {
            // sync [message-published], [connection-lost]
            return results_.hasNews() || isLost_.load(std::memory_order_acquire);
        });
        if (!hasNews) {
            endLate(flight, limit);
            return;
        }
        if (!results_.hasNews()) {
            end(flight, lost());
            return;
        }
        if (!takeResult()) {
            connectionLost();
            end(flight, failure(ErrorStatus::DEVICE_UNAVAILABLE,
                                "the driver put something into the result queue that is no frame"));
        }
    }

    /// Takes one result out of the queue, in which there is something. False if that is no frame.
    bool takeResult() {
        const std::uint32_t lineCount = readFrame();
        if (lineCount == 0) {
            return false;
        }
        const std::uint64_t serial = serialOf(lines_[0]);
        if (!lateResults_.empty()) {  // the driver answers in order
            std::erase_if(lateResults_,
                          [serial](const LateResult& late) { return late.serial <= serial; });
        }
        for (Flight& candidate : flights_) {
            if (candidate.serial == serial && candidate.isTaken && !candidate.isDone) {
                take(candidate, std::span(lines_).first(lineCount));
                break;
            }
        }
        return true;  // it may be the late one of an execution that was given up
    }

    [[nodiscard]] fmq::WaitForecast& forecastOf(const Flight& flight) noexcept {
        if (flight.submission != Submission{}) {
            return pipelineForecast_;
        }
        return flight.reusable != nullptr ? flight.reusable->forecast : forecast_;
    }

    /// No result in its time: the deadline has passed, or the driver has been silent for long.
    void endLate(Flight& flight, const fmq::WaitLimit& limit) {
        const TimePoint now = std::chrono::steady_clock::now();
        if (limit.deadline && now >= *limit.deadline) {
            lateResults_.push_back({.serial = flight.serial, .lines = flight.resultLines});
            end(flight, failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                                "the driver gave no result before the deadline; it may still be "
                                "writing the outputs"));
            return;
        }
        if (limit.deadline && system::saturatingDifference(*limit.deadline, now) < kHangTimeout) {
            return;  // the deadline comes sooner than an answer about life would
        }
        if (const Result<> alive = controlPlane_->checkAlive(); !alive) {
            connectionLost();
            end(flight, alive);
        }
    }

    static void end(Flight& flight, Result<> status) {
        flight.status = failed(*flight.outcome, std::move(status));
        flight.isDone = true;
    }

    /// Takes the result frame of `flight`.
    void take(Flight& flight, std::span<const FrameLine> frame) {
        const std::uint16_t flags = resultFlagsOf(frame[0]);
        ReusableRequest* reusable = flight.reusable;
        if (reusable != nullptr && (flags & kUnknownExecution) != 0) {
            reusable->isRemembered = false;
            const Result<bool> sent = sendWhole(flight);
            if (!sent || !*sent) {
                flight.status = controlPlane_->executeSynchronously(*flight.request, flight.options,
                                                                    *flight.outcome);
                flight.isDone = true;
            }
            return;
        }
        if ((flags & kSameShapes) != 0) {
            if (reusable == nullptr) {
                end(flight, failure(ErrorStatus::GENERAL_FAILURE,
                                    "the driver answered with the same output shapes as before, "
                                    "where there were none"));
                return;
            }
            if (flight.outcome->outputShapes != reusable->shapes) {
                flight.outcome->outputShapes = reusable->shapes;
            }
        }
        flight.status = decodeResult(frame, *flight.outcome);
        flight.isDone = true;
        const bool hasShapes =
            flight.status || flight.status.error().status == ErrorStatus::OUTPUT_INSUFFICIENT_SIZE;
        const std::size_t shapeCount =
            knowsOutputShapes(driver_) ? flight.request->outputs.size() : 0;
        if (hasShapes && flight.outcome->outputShapes.size() != shapeCount) {
            end(flight, failure(ErrorStatus::GENERAL_FAILURE,
                                "the driver answered with " +
                                    std::to_string(flight.outcome->outputShapes.size()) +
                                    " output shapes; must be " + std::to_string(shapeCount)));
            return;
        }
        if (reusable != nullptr && (flags & kSameShapes) == 0) {
            if ((flags & kRemembered) != 0) {
                reusable->isRemembered = true;
                reusable->slotVersion = flight.slotVersion;
            }
            reusable->shapes = flight.outcome->outputShapes;
        }
    }

    /// Takes the next result frame into `lines_`; gives its number of lines, 0 if it is none.
    std::uint32_t readFrame() noexcept {
        if (!results_.peek(0, lines_[0])) {
            return 0;
        }
        const std::uint32_t lineCount = announcedLineCount(lines_[0], results_.capacity());
        if (lineCount == 1) {
            results_.consume(1);
            return 1;
        }
        if (lineCount == 0 || !results_.tryRead(std::span(lines_).first(lineCount))) {
            return 0;
        }
        return lineCount;
    }

    const Channel channel_;
    FrameQueue::Writer requests_;
    FrameQueue::Reader results_;
    const HalVersion driver_;
    std::shared_ptr<ClientControlPlane> controlPlane_;
    Peer peer_;
    SlotTable slots_;
    ExecutionNames names_;
    TryLock isUsed_;
    std::atomic<bool> isLost_{false};

    // Of the executing thread; reused, so that the steady state allocates nothing.
    fmq::SharedWaitStats waits_{};
    fmq::Waiter waiter_;
    fmq::WaitForecast forecast_;          // of plain executions
    fmq::WaitForecast pipelineForecast_;  // of those that were submitted
    std::uint64_t lastSerial_ = 0;
    std::uint64_t lastSubmission_ = 0;
    std::vector<FrameLine> lines_;
    std::vector<FramePool> pools_;
    std::vector<RememberedPool> lastPools_;
    std::vector<Flight> flights_;
    std::vector<LateResult> lateResults_;
};

class Controller::Reusable final : public ReusableExecution {
  public:
    Reusable(std::shared_ptr<Controller> controller, const Request& request,
             const ExecutionOptions& options)
        : controller_(std::move(controller)), reusable_(std::make_shared<ReusableRequest>()) {
        reusable_->request = request;
        reusable_->options = options;
        reusable_->name = impl().takeName();
    }
    Reusable(const Reusable&) = delete;
    Reusable& operator=(const Reusable&) = delete;
    ~Reusable() override { impl().giveBack(reusable_->name); }

    [[nodiscard]] Result<> compute(const OptionalTimePoint& deadline,
                                   ExecutionOutcome& outcome) override {
        reusable_->options.deadline = deadline;
        return impl().execute(reusable_->request, reusable_.get(), reusable_->options, outcome);
    }

    [[nodiscard]] Result<Submission> submit(const OptionalTimePoint& deadline) override {
        reusable_->options.deadline = deadline;
        return impl().submit(reusable_->request, reusable_, reusable_->options);
    }

  private:
    [[nodiscard]] Impl& impl() const noexcept { return *controller_->impl_; }

    const std::shared_ptr<Controller> controller_;
    const std::shared_ptr<ReusableRequest> reusable_;
};

Controller::Controller(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Controller::~Controller() = default;

Result<std::shared_ptr<Controller>> Controller::create(const BurstOptions& options,
                                                       HalVersion driver) {
    NNBURST_TRY(checkInFlight(options.inFlight));
    NNBURST_TRY_ASSIGN(Channel channel, Channel::create(options.queueLines));
    NNBURST_TRY_ASSIGN(FrameQueue::Writer requests,
                       FrameQueue::Writer::attach(channel.memory(), channel.requests()));
    NNBURST_TRY_ASSIGN(FrameQueue::Reader results,
                       FrameQueue::Reader::attach(channel.memory(), channel.results()));
    return std::shared_ptr<Controller>(new Controller(
        std::make_unique<Impl>(std::move(channel), requests, results, options, driver)));
}

const SharedRegion& Controller::channel() const noexcept {
    return impl_->channel();
}

void Controller::attach(std::shared_ptr<ClientControlPlane> controlPlane, Peer peer) {
    impl_->attach(std::move(controlPlane), std::move(peer));
}

std::vector<SharedRegion> Controller::getMemories(std::span<const std::int32_t> slots) const {
    return impl_->getMemories(slots);
}

void Controller::connectionLost() noexcept {
    impl_->connectionLost();
}

Result<> Controller::execute(const Request& request, const ExecutionOptions& options,
                             ExecutionOutcome& outcome) {
    return impl_->execute(request, nullptr, options, outcome);
}

Result<std::unique_ptr<ReusableExecution>> Controller::createReusableExecution(
    const Request& request, const ExecutionOptions& options) {
    return std::make_unique<Reusable>(shared_from_this(), request, options);
}

Result<Submission> Controller::submit(const Request& request, const ExecutionOptions& options) {
    return impl_->submit(request, nullptr, options);
}

Result<> Controller::wait(Submission submission, ExecutionOutcome& outcome) {
    return impl_->wait(submission, outcome);
}

void Controller::freeMemory(const SharedRegion& region) {
    impl_->freeMemory(region);
}

BurstWaitStats Controller::waitStats() const {
    return impl_->waitStats();
}

}  // namespace nnburst::burst
