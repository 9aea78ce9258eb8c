// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/server.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "burst/channel.h"
#include "burst/frame.h"
#include "exec/run/request_runner.h"
#include "fmq/wait.h"
#include "log/marks.h"
#include "model/version_rules.h"
#include "system/affinity.h"

namespace nnburst::burst {

namespace {

/// A burst that is idle for so long is parked.
constexpr std::chrono::milliseconds kPatience{250};
/// The same while others wait for a thread, and for how long a burst is then served at a stretch.
constexpr std::chrono::microseconds kCrowdedPatience{20};
constexpr std::chrono::milliseconds kTurn{1};

/// So many executions after the last one that had to wait, contention is considered over.
constexpr int kContentionMemory = 16;

/// A client may not make the driver spin for longer, whatever it wishes.
constexpr std::chrono::milliseconds kLongestDriverSpin{10};

WaitPolicy driverPolicy(const WaitPolicy& wish) noexcept {
    return {.spinWindow = std::clamp<std::chrono::nanoseconds>(
                wish.spinWindow, std::chrono::nanoseconds(0), kLongestDriverSpin),
            .mode = wish.mode};
}

/// A request that the client named, to run it again without sending it again.
struct RememberedExecution {
    bool isKnown = false;
    /// The bindings are good. Not when the memory of a slot has been freed since: frames that are
    /// in the queue may still want it.
    bool isBound = false;
    std::uint32_t generation = 0;
    DecodedRequest request;
    exec::RequestBindings bindings;  ///< into `request` and the mapped slots
    /// What the client was told last; empty if nothing yet.
    std::vector<OutputShape> toldShapes;
};

}  // namespace

class Server::Impl final : public Servable {
  public:
    Impl(Channel channel, FrameQueue::Reader requests, FrameQueue::Writer results,
         exec::Executable executable, std::shared_ptr<DriverControlPlane> controlPlane,
         const WaitPolicy& wait)
        : channel_(std::move(channel)),
          requests_(requests),
          results_(results),
          controlPlane_(std::move(controlPlane)),
          isFreeRequested_(static_cast<std::size_t>(kMaximumSlots)),
          waiter_(channel_.requestEvent(), channel_.resultEvent(), driverPolicy(wait),
                  channel_.driverWaits()),
          runner_(std::move(executable)),
          lines_(std::max(requests.capacity(), results.capacity())) {}

    ~Impl() override {
        stop();
        place_ = {};  // waits for the thread that is inside
    }

    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    /// Lets `pool` serve the burst. To be called once, first.
    Result<> start(const std::shared_ptr<ServingThreadPool>& pool) {
        servingThreads_ = pool.get();
        channel_.requestEvent().announceParked();
        NNBURST_TRY_ASSIGN(place_, ServingThreadPool::add(pool, *this));
        return {};
    }

    [[nodiscard]] UniqueFd takeDoorbell() noexcept { return place_.takeDoorbell(); }

    void stop() noexcept {
        // sync [server-stopped]: ordered before the look for sleepers in wakeSleepers
        isStopping_.store(true, std::memory_order_seq_cst);
        channel_.requestEvent().wakeSleepers();
    }

    void freeMemory(std::int32_t slot) noexcept {
        if (slot < 0 || slot >= kMaximumSlots) {
            return;
        }
        // sync [slot-freed]: which slots is visible with that there are some
        isFreeRequested_[static_cast<std::size_t>(slot)].store(true, std::memory_order_relaxed);
        hasFreeRequests_.store(true, std::memory_order_seq_cst);
        channel_.requestEvent().wakeSleepers();
        place_.ring();
    }

    bool serve() noexcept override {
        const system::ScopedCpuExclusion away(runner_.executable().model->kernelThreadProcessors());
        const auto hasNews = [this]() noexcept {
            // sync [message-published], [server-stopped], [slot-freed]
            return requests_.hasNews() || isStopping_.load(std::memory_order_acquire) ||
                   hasFreeRequests_.load(std::memory_order_acquire);
        };
        fmq::EventFlag event = channel_.requestEvent();
        event.retractParked();
        const TimePoint start = std::chrono::steady_clock::now();
        while (true) {
            const bool isCrowded = servingThreads_->isExhausted();
            const std::chrono::nanoseconds patience = isCrowded ? kCrowdedPatience : kPatience;
            if (!waiter_.wait({.deadline = {}, .atMost = patience}, &forecast_, hasNews)) {
                event.announceParked();
                if (!hasNews()) {
                    return false;
                }
                event.retractParked();
                continue;
            }
            if (isStopping_.load(std::memory_order_relaxed)) {
                return false;
            }
            serveNext();
            if (isCrowded && std::chrono::steady_clock::now() - start > kTurn) {
                return true;
            }
        }
    }

  private:
    /// The memory that a slot names: one of the two, or none.
    struct Slot {
        Mapping mapping;
        SharedRegion foreign;
    };

    void serveNext() noexcept {
        FrameLine header;
        const bool hasFrame = requests_.peek(0, header);
        // After the frame was seen and before it is served: a slot that it names anew was freed
        // before it was sent.
        if (hasFreeRequests_.load(std::memory_order_relaxed)) {
            unmapFreedSlots();
        }
        if (hasFrame) {
            serveFrame(header);
            lookForContention();
        }
    }

    /// While executions have to wait for each other, neither side of the burst is to spin.
    void lookForContention() noexcept {
        const std::uint32_t delayed = runner_.executable().model->delayedCount();
        if (delayed != delayedCount_) {
            delayedCount_ = delayed;
            contendedExecutions_ = kContentionMemory;
        } else if (contendedExecutions_ > 0) {
            --contendedExecutions_;
        }
        waiter_.setContended(contendedExecutions_ > 0);
    }

    void serveFrame(const FrameLine& header) {
        if (isCompute(header)) {
            requests_.consume(1);
            serveCompute(header);
            return;
        }
        const std::uint32_t lineCount = announcedLineCount(header, requests_.capacity());
        if (lineCount == 0 || !requests_.tryRead(std::span(lines_).first(lineCount))) {
            // Where the next frame starts is unknown: drop all that is there.
            requests_.consume(requests_.availableToRead());
            answer(serialOf(header), 0,
                   failure(ErrorStatus::INVALID_ARGUMENT,
                           "request frame: it announces more lines than it has, or none"));
            return;
        }
        const std::span<const FrameLine> frame(lines_.data(), lineCount);
        NNBURST_MARK(burst__begin, this);
        request_.name = {};
        const Result<> result = knownTo(runner_.executable().version, execute(frame));
        NNBURST_MARK(burst__end, this);
        answerRequest(result);
    }

    /// Answers `request_`, and remembers it if it is to be.
    void answerRequest(const Result<>& result) {
        RememberedExecution* remembered = remember();
        if (answer(request_.serial, remembered != nullptr ? kRemembered : 0, result) &&
            remembered != nullptr) {
            remembered->toldShapes = outcome_.outputShapes;
        }
    }

    void serveCompute(const FrameLine& line) {
        const std::uint64_t serial = serialOf(line);
        if (const Result<> decoded = decodeCompute(line, compute_); !decoded) {
            answer(serial, 0, decoded);
            return;
        }
        const std::size_t index = compute_.name.number - 1;
        if (index >= remembered_.size() || !remembered_[index].isKnown ||
            remembered_[index].generation != compute_.name.generation) {
            answer(serial, kUnknownExecution,
                   failure(ErrorStatus::INVALID_ARGUMENT,
                           "compute frame: the driver does not know its execution"));
            return;
        }
        RememberedExecution& execution = remembered_[index];
        NNBURST_MARK(burst__begin, this);
        ExecutionOptions& options = execution.request.options;
        options.deadline = compute_.deadline;
        if (!execution.isBound) {
            request_ = execution.request;
            request_.serial = serial;
            const Result<> result = executeDecoded();
            NNBURST_MARK(burst__end, this);
            answerRequest(result);
            return;
        }
        const Result<> result = measured(options, [&] {
            const exec::Executable& executable = runner_.executable();
            return executable.model->run(execution.bindings, executable.priority, options,
                                         outcome_);
        });
        NNBURST_MARK(burst__end, this);
        if (result && outcome_.outputShapes == execution.toldShapes && results_.beginWrite(1)) {
            results_.set(0, encodeSameShapes(serial, outcome_.timing));
            results_.commitWrite(1);
        } else if (answer(serial, 0, result)) {
            execution.toldShapes = outcome_.outputShapes;
        }
    }

    /// Keeps the request that was just executed, if the client has named it and all of its memory
    /// is mapped; null if not.
    RememberedExecution* remember() {
        if (request_.name.number == 0 || !keepsReusableExecutions(runner_.executable().version)) {
            return nullptr;
        }
        if (remembered_.size() < request_.name.number) {
            remembered_.resize(request_.name.number);
        }
        RememberedExecution& execution = remembered_[request_.name.number - 1];
        execution.isKnown = false;
        poolViews_.clear();
        for (const exec::RequestMemory& pool : pools_) {
            if (pool.view.data == nullptr) {
                return nullptr;
            }
            poolViews_.push_back(pool.view);
        }
        execution.request = request_;
        execution.generation = request_.name.generation;
        execution.toldShapes.clear();
        execution.isBound = pools_.size() == request_.pools.size() &&
                            runner_.executable()
                                .model
                                ->bind(execution.request.inputs, execution.request.outputs,
                                       poolViews_, execution.bindings)
                                .has_value();
        execution.isKnown = execution.isBound;
        return execution.isKnown ? &execution : nullptr;
    }

    Result<> execute(std::span<const FrameLine> frame) {
        outcome_.timing = {};
        pools_.clear();
        NNBURST_TRY(decodeRequest(frame, request_));
        return executeDecoded();
    }

    Result<> executeDecoded() {
        outcome_.timing = {};
        pools_.clear();
        return measured(request_.options, [&]() -> Result<> {
            NNBURST_TRY(resolvePools());
            return runner_.run(request_.inputs, request_.outputs, pools_, request_.options,
                               outcome_);
        });
    }

    /// Runs `run` and adds the time in the driver to what it measured, if it is to be measured.
    template <class Run>
    Result<> measured(const ExecutionOptions& options, Run run) {
        if (options.measure == MeasureTiming::NO) {
            return run();
        }
        const TimePoint arrival = std::chrono::steady_clock::now();
        NNBURST_TRY(run());
        if (outcome_.timing.timeOnDevice != kTimeNotAvailable) {
            const auto inDriver = std::chrono::duration_cast<std::chrono::microseconds>(
                std::chrono::steady_clock::now() - arrival);
            outcome_.timing.timeInDriver = static_cast<std::uint64_t>(inDriver.count());
        }
        return {};
    }

    /// Finds the memory of the request's pools, fetching what is not mapped yet.
    Result<> resolvePools() {
        unknownSlots_.clear();
        for (const FramePool& pool : request_.pools) {
            if (!isToken(pool) && !isKnown(pool.value) &&
                std::find(unknownSlots_.begin(), unknownSlots_.end(),
                          static_cast<std::int32_t>(pool.value)) == unknownSlots_.end()) {
                unknownSlots_.push_back(static_cast<std::int32_t>(pool.value));
            }
        }
        if (!unknownSlots_.empty()) {
            NNBURST_TRY(fetchUnknownSlots());
        }
        pools_.clear();
        for (const FramePool& pool : request_.pools) {
            if (isToken(pool)) {
                NNBURST_TRY_ASSIGN(auto buffer,
                                   runner_.executable().buffers->find(BufferToken{pool.value}));
                pools_.push_back(exec::RequestMemory::managed(std::move(buffer)));
                continue;
            }
            const Slot& slot = slots_[pool.value];
            pools_.push_back(slot.foreign ? exec::RequestMemory::copied(*slot.foreign)
                                          : exec::RequestMemory::mapped(slot.mapping));
        }
        return {};
    }

    [[nodiscard]] static bool isToken(const FramePool& pool) noexcept {
        return pool.kind == static_cast<std::uint32_t>(FramePool::Kind::TOKEN);
    }

    [[nodiscard]] bool isKnown(std::uint32_t slot) const noexcept {
        return slot < slots_.size() &&
               (slots_[slot].mapping.data() != nullptr || slots_[slot].foreign != nullptr);
    }

    Result<std::vector<SharedRegion>> askClientForMemories() {
        const ServingThreadPool::ScopedClientWait waiting(*servingThreads_);
        return controlPlane_->getMemories(unknownSlots_);
    }

    Result<> fetchUnknownSlots() {
        NNBURST_TRY_ASSIGN(const std::vector<SharedRegion> regions, askClientForMemories());
        if (regions.size() != unknownSlots_.size()) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           "the client gave " + std::to_string(regions.size()) + " memories for " +
                               std::to_string(unknownSlots_.size()) + " slots");
        }
        for (std::size_t i = 0; i < regions.size(); ++i) {
            const auto slot = static_cast<std::size_t>(unknownSlots_[i]);
            if (!regions[i]) {
                return failure(ErrorStatus::INVALID_ARGUMENT,
                               "request names slot " + std::to_string(slot) +
                                   ", of which the client does not know the memory");
            }
            if (slot >= slots_.size()) {
                slots_.resize(slot + 1);
            }
            if (regions[i]->isForeign()) {
                slots_[slot].foreign = regions[i];
            } else {
                NNBURST_TRY_ASSIGN(slots_[slot].mapping, Mapping::map(regions[i]));
            }
        }
        return {};
    }

    void unmapFreedSlots() noexcept {
        // sync [slot-freed]: cleared first, so that a slot that is freed meanwhile is seen the next
        // time
        hasFreeRequests_.exchange(false, std::memory_order_seq_cst);
        for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
            if (isFreeRequested_[slot].exchange(false, std::memory_order_relaxed)) {
                slots_[slot] = Slot();
                unbindExecutionsOn(slot);
            }
        }
    }

    void unbindExecutionsOn(std::size_t slot) noexcept {
        for (RememberedExecution& execution : remembered_) {
            const auto& pools = execution.request.pools;
            if (std::any_of(pools.begin(), pools.end(),
                            [slot](const FramePool& pool) { return pool.value == slot; })) {
                execution.isBound = false;
            }
        }
    }

    /// Puts the result into its queue. False for a client that leaves no room in it, and so has
    /// given its results up.
    bool answer(std::uint64_t serial, std::uint16_t flags, const Result<>& result) {
        ErrorStatus status = ErrorStatus::NONE;
        std::string_view message;
        if (!result) {
            status = result.error().status;
            message = std::string_view(result.error().message).substr(0, kMaximumMessageBytes);
            outcome_.timing = {};
            if (status != ErrorStatus::OUTPUT_INSUFFICIENT_SIZE) {
                outcome_.outputShapes.clear();
            }
        }
        if (resultLineCount(outcome_.outputShapes, message.size()) > results_.capacity()) {
            outcome_.outputShapes.clear();
            outcome_.timing = {};
            status = ErrorStatus::GENERAL_FAILURE;
            message = "the output shapes do not fit into the result queue";
        }
        const std::uint64_t lineCount = resultLineCount(outcome_.outputShapes, message.size());
        if (!results_.beginWrite(lineCount)) {
            return false;
        }
        const std::span<FrameLine> frame(lines_.data(), lineCount);
        encodeResult(serial, flags, status, outcome_, message, frame);
        for (std::size_t i = 0; i < frame.size(); ++i) {
            results_.set(i, frame[i]);
        }
        results_.commitWrite(frame.size());
        return true;
    }

    const Channel channel_;
    FrameQueue::Reader requests_;
    FrameQueue::Writer results_;
    const std::shared_ptr<DriverControlPlane> controlPlane_;

    std::atomic<bool> isStopping_{false};
    std::atomic<bool> hasFreeRequests_{false};
    std::vector<std::atomic<bool>> isFreeRequested_;  // by slot

    // Of the thread that serves; reused, so that the steady state allocates nothing.
    fmq::Waiter waiter_;
    fmq::WaitForecast forecast_;
    exec::RequestRunner runner_;
    std::vector<Slot> slots_;
    std::vector<FrameLine> lines_;
    DecodedRequest request_;
    std::vector<std::int32_t> unknownSlots_;
    std::vector<exec::RequestMemory> pools_;
    std::vector<exec::PoolView> poolViews_;
    DecodedCompute compute_;
    std::vector<RememberedExecution> remembered_;  // by number less 1
    ExecutionOutcome outcome_;

    std::uint32_t delayedCount_ = 0;  // as of the last look
    int contendedExecutions_ = 0;

    ServingThreadPool* servingThreads_ = nullptr;
    ServingThreadPool::Registration place_;  // last: a thread that is inside uses all of the above
};

Server::Server(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::create(SharedRegion channel, exec::Executable executable,
                                               std::shared_ptr<DriverControlPlane> controlPlane,
                                               const WaitPolicy& wait,
                                               const std::shared_ptr<ServingThreadPool>& pool) {
    NNBURST_TRY_ASSIGN(Channel opened, Channel::open(std::move(channel)));
    NNBURST_TRY_ASSIGN(FrameQueue::Reader requests,
                       FrameQueue::Reader::attach(opened.memory(), opened.requests()));
    NNBURST_TRY_ASSIGN(FrameQueue::Writer results,
                       FrameQueue::Writer::attach(opened.memory(), opened.results()));
    auto impl = std::make_unique<Impl>(std::move(opened), requests, results, std::move(executable),
                                       std::move(controlPlane), wait);
    NNBURST_TRY(impl->start(pool));
    return std::unique_ptr<Server>(new Server(std::move(impl)));
}

UniqueFd Server::takeDoorbell() noexcept {
    return impl_->takeDoorbell();
}

void Server::stop() noexcept {
    impl_->stop();
}

void Server::freeMemory(std::int32_t slot) noexcept {
    impl_->freeMemory(slot);
}

}  // namespace nnburst::burst
