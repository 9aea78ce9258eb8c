// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Fakes around a burst: a model that doubles numbers, and both control planes.

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <thread>

#include "burst/channel.h"
#include "burst/control_plane.h"
#include "burst/controller.h"
#include "burst/result_frame.h"
#include "burst/server.h"
#include "exec/threads/execution_gate.h"
#include "exec/threads/lane_share.h"

namespace nnburst::burst {

/// Doubles the float32 elements of its one input into its one output. Calls the function of
/// setOnRun before that.
class DoublingModel final : public exec::CompiledModel {
  public:
    std::atomic<int> runs{0};
    mutable std::atomic<int> binds{0};
    std::atomic<int> bindWithoutMemory{0};  ///< the number of the bind that throws; 0: none
    std::atomic<std::uint32_t> delayed{0};
    std::atomic<bool> wouldOversubscribe{false};
    std::atomic<bool> hasMemory{true};  ///< for further runners
    /// The number of output elements that it reports; 0 for the true one.
    std::atomic<std::uint32_t> shape{0};
    exec::ExecutionGate* gate = nullptr;  ///< of one model; runs pass it if it is there

    void setOnRun(std::function<Result<>()> onRun) {
        const std::lock_guard lock(mutex_);
        onRun_ = std::move(onRun);
    }
    ExecutionOptions lastOptions() {
        const std::lock_guard lock(mutex_);
        return lastOptions_;
    }

    std::span<const Operand> inputs() const noexcept override { return {&operand_, 1}; }
    std::span<const Operand> outputs() const noexcept override { return {&operand_, 1}; }
    exec::Contention contention() const noexcept override {
        return {.delayedCount = delayed, .wouldOversubscribe = wouldOversubscribe};
    }

    Result<> bind(std::span<const RequestArgument> inputs, std::span<const RequestArgument> outputs,
                  std::span<const exec::PoolView> pools,
                  exec::RequestBindings& bindings) const override {
        if (++binds == bindWithoutMemory) {
            throw std::bad_alloc();
        }
        if (inputs.size() != 1 || outputs.size() != 1) {
            return failure(ErrorStatus::INVALID_ARGUMENT, "one input and one output, please");
        }
        bindings.memo = {};
        bindings.inputs.resize(1);
        bindings.outputs.resize(1);
        NNBURST_TRY(bindOne(inputs[0], pools, bindings.inputs[0]));
        return bindOne(outputs[0], pools, bindings.outputs[0]);
    }

    Result<> run(exec::RequestBindings& bindings, const exec::Caller& caller,
                 const ExecutionOptions& options, ExecutionOutcome& outcome) override {
        ++runs;
        if (gate != nullptr) {
            NNBURST_TRY(caller.keptPass->emplace(*gate, runners_).enter({}));
        }
        const exec::ArgumentBinding& input = bindings.inputs[0];
        const exec::ArgumentBinding& output = bindings.outputs[0];
        const std::uint32_t count = input.lengthBytes / 4;
        outcome.outputShapes.resize(1);
        outcome.outputShapes[0].dimensions.assign(1, shape == 0 ? count : shape.load());
        outcome.outputShapes[0].isSufficient = output.lengthBytes >= input.lengthBytes;
        if (!outcome.outputShapes[0].isSufficient) {
            return failure(ErrorStatus::OUTPUT_INSUFFICIENT_SIZE, "output 0 is too small");
        }
        std::function<Result<>()> onRun;
        {
            const std::lock_guard lock(mutex_);
            lastOptions_ = options;
            onRun = onRun_;
        }
        NNBURST_TRY(onRun());
        for (std::size_t at = 0; at < std::size_t{count} * 4; at += 4) {
            float value = 0;  // arguments lie at any offset
            std::memcpy(&value, input.data + at, sizeof(value));
            value *= 2;
            std::memcpy(output.data + at, &value, sizeof(value));
        }
        const std::uint64_t ranWith = outcome.outputShapes[0].dimensions[0] + std::uint64_t{1};
        bindings.memo.wasHit = bindings.memo.generation == ranWith;
        bindings.memo.generation = ranWith;
        outcome.timing.timeOnDevice = options.measure == MeasureTiming::YES
                                          ? static_cast<std::uint64_t>(runs.load())
                                          : kTimeNotAvailable;
        return {};
    }

    bool releaseIfIdle() override { return false; }

    void makeRunnersForBursts(Account* /*account*/) override {
        if (!hasMemory) {
            throw std::bad_alloc();
        }
    }

  private:
    static Result<> bindOne(const RequestArgument& argument, std::span<const exec::PoolView> pools,
                            exec::ArgumentBinding& binding) {
        const DataLocation& at = argument.location;
        if (at.poolIndex >= pools.size() ||
            std::uint64_t{at.offset} + at.length > pools[at.poolIndex].sizeBytes) {
            return failure(ErrorStatus::INVALID_ARGUMENT, "argument outside its pool");
        }
        binding = {.data = pools[at.poolIndex].data + at.offset,
                   .lengthBytes = at.length,
                   .dimensions = argument.dimensions,
                   .hasNoValue = argument.hasNoValue};
        return {};
    }

    Operand operand_{.dimensions = {0}};
    exec::RunnerSet runners_;
    // The two ends are synchronised through shared memory, which a thread sanitizer does not see
    // because each has a mapping of its own; what a test and the driver's thread share is guarded.
    std::mutex mutex_;
    std::function<Result<>()> onRun_ = [] { return Result<>(); };
    ExecutionOptions lastOptions_;
};

/// Asks a function of the test for memory, instead of the client.
class FakeDriverControlPlane final : public DriverControlPlane {
  public:
    using Memories =
        std::function<Result<std::vector<SharedRegion>>(std::span<const std::int32_t>)>;

    explicit FakeDriverControlPlane(Memories memories) : memories_(std::move(memories)) {}

    void setMemories(Memories memories) {
        const std::lock_guard lock(mutex_);
        memories_ = std::move(memories);
    }

    Result<std::vector<SharedRegion>> getMemories(std::span<const std::int32_t> slots) override {
        fetched += static_cast<int>(slots.size());
        const std::lock_guard lock(mutex_);
        return memories_(slots);
    }

    std::atomic<int> fetched{0};

  private:
    std::mutex mutex_;
    Memories memories_;
};

/// Counts requests that go over the control plane instead of the queue.
class FakeClientControlPlane final : public ClientControlPlane {
  public:
    Server* server = nullptr;
    std::atomic<int> fallbacks{0};
    std::atomic<int> refusals{0};
    std::atomic<int> lifeSigns{0};
    std::atomic<bool> isAlive{true};
    std::vector<std::int32_t> freed;
    bool forgetsSlots = true;  ///< or does not answer freeMemory
    OptionalTimePoint lastGiveUpAt;

    /// Executions get no answer until the test sets this flag, if there is one.
    std::shared_ptr<std::atomic<bool>> answered;

    Result<> executeSynchronously(const Request&, const ExecutionOptions&,
                                  const OptionalTimePoint& giveUpAt, ExecutionOutcome& outcome,
                                  AnswerFlag& flag) override {
        ++fallbacks;
        lastGiveUpAt = giveUpAt;
        if (giveUpAt && answered != nullptr) {
            flag = answered;
            return {};
        }
        outcome.outputShapes.assign(1, {.dimensions = {77}, .isSufficient = true});
        return {};
    }
    void discardOutputs(const Request& /*request*/,
                        const OptionalTimePoint& /*giveUpAt*/) override {
        ++refusals;
    }
    void freeMemory(std::int32_t slot, std::function<void()> forgotten) override {
        freed.push_back(slot);
        if (server != nullptr) {
            server->freeMemory(slot);
        }
        if (forgetsSlots) {
            forgotten();
        }
    }
    Result<> checkAlive() override {
        ++lifeSigns;
        if (!isAlive) {
            return failure(ErrorStatus::DEVICE_UNAVAILABLE, "no sign of life");
        }
        return {};
    }
};

/// Regions as another process would receive them: with handles of their own.
inline std::vector<SharedRegion> asReceived(std::vector<SharedRegion> regions) {
    for (SharedRegion& region : regions) {
        if (region) {
            region = *Region::receive(*UniqueFd::duplicate(region->fd()), region->sizeBytes());
        }
    }
    return regions;
}

/// Both ends of a burst in one process.
struct BurstPair {
    /// The driver charges `account`, unless it is null.
    explicit BurstPair(
        const BurstOptions& options = {},
        std::shared_ptr<ServingThreadPool> sharedThreads = *ServingThreadPool::create(),
        const SharedAccount& account = nullptr)
        : servingThreads(std::move(sharedThreads)) {
        auto created = Controller::create(options);
        EXPECT_TRUE(created) << created.error().message;
        controller = std::move(*created);
        client = std::make_shared<FakeClientControlPlane>();
        driver = std::make_shared<FakeDriverControlPlane>(
            [weak = std::weak_ptr<Controller>(controller)](
                std::span<const std::int32_t> slots) -> Result<std::vector<SharedRegion>> {
                const std::shared_ptr<Controller> known = weak.lock();
                return known ? asReceived(known->getMemories(slots)) : std::vector<SharedRegion>();
            });
        auto served = Server::create(
            controller->channel(),
            {.model = model,
             .buffers = buffers,
             .client = account ? std::make_shared<exec::LaneShare>(nullptr, account) : nullptr},
            driver, options.driverWait, servingThreads);
        EXPECT_TRUE(served) << served.error().message;
        server = std::move(*served);
        controller->attach(client, {.doorbell = server->takeDoorbell()});
        client->server = server.get();
    }

    std::shared_ptr<ServingThreadPool> servingThreads;
    std::shared_ptr<DoublingModel> model = std::make_shared<DoublingModel>();
    std::shared_ptr<exec::ManagedBuffers> buffers = std::make_shared<exec::ManagedBuffers>();
    std::shared_ptr<Controller> controller;
    std::shared_ptr<FakeClientControlPlane> client;
    std::shared_ptr<FakeDriverControlPlane> driver;
    std::unique_ptr<Server> server;
};

/// A request of `count` floats in one pool, with room for as many outputs.
struct DoublingRequest {
    explicit DoublingRequest(std::uint32_t count = 4, std::uint32_t outputBytes = UINT32_MAX)
        : pool(*MemoryPool::create(8192)) {
        input = *pool.allocate(std::size_t{count} * 4);
        output = *pool.allocate(std::min(outputBytes, count * 4));
        request.inputs = {argument(input, {count})};
        request.outputs = {argument(output, {count})};
        request.pools = {pool.region()};
        for (std::uint32_t i = 0; i < count; ++i) {
            in()[i] = static_cast<float>(i) + 0.5F;
        }
    }

    static RequestArgument argument(const MemoryPool::Block& block, Dimensions dimensions) {
        return {.hasNoValue = false,
                .location = {.poolIndex = 0, .offset = block.offset(), .length = block.length()},
                .dimensions = std::move(dimensions)};
    }

    [[nodiscard]] float* in() const { return reinterpret_cast<float*>(input.data()); }
    [[nodiscard]] float* out() const { return reinterpret_cast<float*>(output.data()); }

    MemoryPool pool;
    MemoryPool::Block input;
    MemoryPool::Block output;
    Request request;
};

/// A client whose driver's end is the test's.
struct LonelyClient {
    LonelyClient() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        driverEnd = UniqueFd(ends[0]);
        controller->attach(client, {.doorbell = UniqueFd(ends[1])});
    }

    /// Answers the request with `serial`, which has one output of four elements.
    void publish(std::uint64_t serial, std::uint16_t flags = 0) {
        const ExecutionOutcome sent{.outputShapes = {{.dimensions = {4}, .isSufficient = true}},
                                    .timing = {}};
        std::vector<FrameLine> lines(resultLineCount(sent.outputShapes, 0));
        encodeResult(serial, flags, ErrorStatus::NONE, sent, "", lines);
        ASSERT_TRUE(results.tryWrite(lines));
    }
    /// The two steps of a driver that announces a result.
    void clearBit() { channel.resultEvent().wakeSleepers(); }  // it has no doorbell here
    void ring() { ASSERT_EQ(::send(driverEnd.get(), "", 1, MSG_DONTWAIT), 1); }

    const std::shared_ptr<Controller> controller = *Controller::create({});
    const std::shared_ptr<FakeClientControlPlane> client =
        std::make_shared<FakeClientControlPlane>();
    const Channel channel = *Channel::open(controller->channel());
    FrameQueue::Writer results = *FrameQueue::Writer::attach(channel.memory(), channel.results());
    UniqueFd driverEnd;  ///< of the doorbell
};

}  // namespace nnburst::burst
