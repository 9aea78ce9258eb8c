// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/controller.h"

#include <atomic>
#include <string>
#include <utility>

#include "burst/channel.h"
#include "burst/frame.h"
#include "burst/slot_table.h"
#include "fmq/wait.h"

namespace nnburst::burst {

namespace {

/// A result that takes longer makes the controller ask whether the driver is alive, again and
/// again.
constexpr std::chrono::milliseconds kPatience{1000};

/// The driver gives up at the deadline by itself; this much later its answer is no longer waited
/// for.
constexpr std::chrono::milliseconds kDeadlineGrace{10};

/// Clears the flag of the thread that is inside.
class Occupation {
  public:
    explicit Occupation(std::atomic<bool>& flag) noexcept : flag_(flag) {}
    Occupation(const Occupation&) = delete;
    Occupation& operator=(const Occupation&) = delete;
    // sync [burst-occupied]: the controller's state is as the next execution wants it
    ~Occupation() { flag_.store(false, std::memory_order_release); }

  private:
    std::atomic<bool>& flag_;
};

}  // namespace

class Controller::Impl {
  public:
    Impl(Channel channel, FrameQueue::Writer requests, FrameQueue::Reader results,
         const WaitPolicy& wait, HalVersion driver)
        : channel_(std::move(channel)),
          requests_(requests),
          results_(results),
          wait_(fmq::effectivePolicy(wait)),
          givesShapes_(driver >= HalVersion::V1_2),
          lines_(std::max(requests.capacity(), results.capacity())) {}

    [[nodiscard]] const SharedRegion& channel() const noexcept { return channel_.region(); }

    void attach(std::shared_ptr<ClientControlPlane> controlPlane) {
        controlPlane_ = std::move(controlPlane);
    }

    [[nodiscard]] std::vector<SharedRegion> getMemories(std::span<const std::int32_t> slots) const {
        return slots_.regions(slots);
    }

    void connectionLost() noexcept {
        // sync [connection-lost]: ordered before the look for sleepers in wakeSleepers
        isLost_.store(true, std::memory_order_seq_cst);
        // The word on which this side sleeps; the queues stay the driver's and the executing
        // thread's.
        channel_.resultEvent().wakeSleepers();
    }

    Result<> execute(const Request& request, const ExecutionOptions& options,
                     ExecutionOutcome& outcome) {
        // sync [burst-occupied]
        if (isOccupied_.exchange(true, std::memory_order_acquire)) {
            return failed(outcome, ErrorStatus::GENERAL_FAILURE,
                          "another thread is executing on this burst; a burst executes one request "
                          "at a time");
        }
        const Occupation occupation(isOccupied_);
        if (isLost_.load(std::memory_order_relaxed)) {  // only a hint: the wait looks again
            return lost(outcome);
        }
        if (request.pools.size() > pools_.size()) {
            pools_.resize(request.pools.size());
            remembered_.resize(request.pools.size());
        }
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
                return failed(outcome, ErrorStatus::INVALID_ARGUMENT,
                              "request pool " + std::to_string(i) + " is null");
            }
            const std::optional<std::int32_t> slot = slotOf(i, region);
            fits = fits && slot.has_value();
            pools_[i] = {.kind = static_cast<std::uint32_t>(FramePool::Kind::SLOT),
                         .value = static_cast<std::uint32_t>(slot.value_or(0))};
        }
        const std::uint64_t lineCount = requestLineCount(request);
        if (!fits || lineCount > requests_.capacity() ||
            longestResultLineCount(request.outputs.size()) > results_.capacity() ||
            !requests_.beginWrite(lineCount)) {
            return controlPlane_->executeSynchronously(request, options, outcome);
        }
        const std::uint64_t serial = ++lastSerial_;
        const std::span<FrameLine> frame(lines_.data(), lineCount);
        encodeRequest(serial, request, std::span(pools_).first(request.pools.size()), options,
                      frame);
        for (std::size_t i = 0; i < frame.size(); ++i) {
            requests_.set(i, frame[i]);
        }
        requests_.commitWrite(frame.size());
        return awaitResult(serial, givesShapes_ ? request.outputs.size() : 0, options, outcome);
    }

    void freeMemory(const Region* region) {
        for (const std::int32_t slot : slots_.retire(region)) {
            controlPlane_->freeMemory(slot);
            slots_.reuse(slot);
        }
    }

  private:
    /// What pool `i` of the last request was: most requests use the same pools again.
    struct RememberedPool {
        std::uint64_t regionId = 0;
        std::uint64_t version = 0;  ///< of the slot table
        std::int32_t slot = 0;
    };

    std::optional<std::int32_t> slotOf(std::size_t poolIndex, const SharedRegion& region) {
        RememberedPool& remembered = remembered_[poolIndex];
        const std::uint64_t version = slots_.version();
        if (remembered.regionId == region->id() && remembered.version == version) {
            return remembered.slot;
        }
        std::optional<std::int32_t> slot = slots_.find(*region);
        if (!slot) {
            freeMemory(nullptr);  // a new region is the time to forget those that have vanished
            slot = slots_.add(region);
        }
        if (slot) {
            remembered = {.regionId = region->id(), .version = slots_.version(), .slot = *slot};
        }
        return slot;
    }

    Result<> awaitResult(std::uint64_t serial, std::size_t shapeCount,
                         const ExecutionOptions& options, ExecutionOutcome& outcome) {
        fmq::WaitLimit limit{.deadline = {}, .atMost = kPatience};
        if (options.deadline) {
            limit.deadline = *options.deadline + kDeadlineGrace;
        }
        while (true) {
            const bool hasNews = fmq::waitUntil(
                channel_.resultEvent(), channel_.requestEvent(), wait_, limit, [&]() noexcept {
                    // sync [message-published], [connection-lost]
                    return results_.hasNews() || isLost_.load(std::memory_order_seq_cst);
                });
            if (!hasNews) {
                const TimePoint now = std::chrono::steady_clock::now();
                if (limit.deadline && now >= *limit.deadline) {
                    return failed(outcome, ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                                  "the driver gave no result before the deadline; it may still be "
                                  "writing the outputs");
                }
                if (limit.deadline && *limit.deadline - now < kHangTimeout) {
                    continue;  // the deadline comes sooner than an answer about life would
                }
                if (const Result<> alive = controlPlane_->checkAlive(); !alive) {
                    connectionLost();
                    return failed(outcome, alive.error().status, alive.error().message);
                }
                continue;
            }
            if (!results_.hasNews()) {
                return lost(outcome);
            }
            const std::uint32_t lineCount = readFrame();
            if (lineCount == 0) {
                connectionLost();
                return failed(outcome, ErrorStatus::DEVICE_UNAVAILABLE,
                              "the driver put something into the result queue that is no frame");
            }
            if (serialOf(lines_[0]) != serial) {
                continue;  // the late answer of an execution that was given up
            }
            Result<> result = decodeResult(std::span(lines_).first(lineCount), outcome);
            const bool wantsShapes =
                result || result.error().status == ErrorStatus::OUTPUT_INSUFFICIENT_SIZE;
            if (wantsShapes && outcome.outputShapes.size() != shapeCount) {
                return failed(outcome, ErrorStatus::GENERAL_FAILURE,
                              "the driver answered with " +
                                  std::to_string(outcome.outputShapes.size()) +
                                  " output shapes; must be " + std::to_string(shapeCount));
            }
            return result;
        }
    }

    /// Takes the next result frame into `lines_`; gives its number of lines, 0 if it is none.
    std::uint32_t readFrame() noexcept {
        FrameLine header;
        if (!results_.peek(0, header)) {
            return 0;
        }
        const std::uint32_t lineCount = announcedLineCount(header, results_.capacity());
        if (lineCount == 0 || !results_.tryRead(std::span(lines_).first(lineCount))) {
            return 0;
        }
        return lineCount;
    }

    static Result<> failed(ExecutionOutcome& outcome, ErrorStatus status, std::string message) {
        outcome.outputShapes.clear();
        outcome.timing = {};
        return failure(status, std::move(message));
    }

    static Result<> lost(ExecutionOutcome& outcome) {
        return failed(outcome, ErrorStatus::DEVICE_UNAVAILABLE,
                      "the connection to the driver is lost");
    }

    const Channel channel_;
    FrameQueue::Writer requests_;
    FrameQueue::Reader results_;
    const WaitPolicy wait_;
    const bool givesShapes_;
    std::shared_ptr<ClientControlPlane> controlPlane_;
    SlotTable slots_;
    std::atomic<bool> isOccupied_{false};
    std::atomic<bool> isLost_{false};

    // Of the executing thread; reused, so that the steady state allocates nothing.
    std::uint64_t lastSerial_ = 0;
    std::vector<FrameLine> lines_;
    std::vector<FramePool> pools_;
    std::vector<RememberedPool> remembered_;
};

Controller::Controller(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Controller::~Controller() = default;

Result<std::unique_ptr<Controller>> Controller::create(const BurstOptions& options,
                                                       HalVersion driver) {
    NNBURST_TRY_ASSIGN(Channel channel, Channel::create(options.queueLines));
    NNBURST_TRY_ASSIGN(FrameQueue::Writer requests,
                       FrameQueue::Writer::attach(channel.memory(), channel.requests()));
    NNBURST_TRY_ASSIGN(FrameQueue::Reader results,
                       FrameQueue::Reader::attach(channel.memory(), channel.results()));
    return std::unique_ptr<Controller>(new Controller(
        std::make_unique<Impl>(std::move(channel), requests, results, options.clientWait, driver)));
}

const SharedRegion& Controller::channel() const noexcept {
    return impl_->channel();
}

void Controller::attach(std::shared_ptr<ClientControlPlane> controlPlane) {
    impl_->attach(std::move(controlPlane));
}

std::vector<SharedRegion> Controller::getMemories(std::span<const std::int32_t> slots) const {
    return impl_->getMemories(slots);
}

void Controller::connectionLost() noexcept {
    impl_->connectionLost();
}

Result<> Controller::execute(const Request& request, const ExecutionOptions& options,
                             ExecutionOutcome& outcome) {
    return impl_->execute(request, options, outcome);
}

void Controller::freeMemory(const SharedRegion& region) {
    impl_->freeMemory(region.get());
}

}  // namespace nnburst::burst
