// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Clients that want a driver to hold more than they may make it hold: the call is refused, and the
/// driver goes on.

#include <capnp/any.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "burst/channel.h"
#include "burst/request_frame.h"
#include "device/driver_process.h"
#include "device/foreign_memory.h"
#include "device/hal_models.h"
#include "device/rpc/conversion.h"
#include "nnburst/device.h"
#include "nnburst/fence.h"
#include "nnburst/model_builder.h"
#include "stress/raw_client.h"
#include "support/sanitizers.h"

namespace nnburst::test {
namespace {

template <class T>
void expectRefused(const Result<T>& result, const std::string& limit) {
    ASSERT_FALSE(result) << limit;
    EXPECT_TRUE(result.error().status == ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT ||
                result.error().status == ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT)
        << toString(result.error().status);
    EXPECT_NE(result.error().message.find("limit on " + limit), std::string::npos)
        << result.error().message;
}

/// For allocate and the calls of IBuffer, which have no RESOURCE_EXHAUSTED_*.
template <class T>
void expectBufferRefused(const Result<T>& result, const std::string& limit) {
    ASSERT_FALSE(result) << limit;
    EXPECT_EQ(result.error().status, ErrorStatus::GENERAL_FAILURE);
    EXPECT_NE(result.error().message.find("limit on " + limit), std::string::npos)
        << result.error().message;
}

void expectServed(const SharedPreparedModel& prepared) {
    AddRequest add;
    ExecutionOutcome outcome;
    const auto executed = prepared->executeSynchronously(add.request, {}, outcome);
    EXPECT_TRUE(executed) << executed.error().message;
}

/// out = in + a constant of `count` floats, all zero, in a region that takes no memory.
Model makeSparseModel(std::uint32_t count) {
    constexpr auto kFloats = OperandType::TENSOR_FLOAT32;
    ModelBuilder builder;
    const auto in = builder.addTensor(kFloats, {count});
    const auto constant = builder.addTensor(kFloats, {count});
    const auto out = builder.addTensor(kFloats, {count});
    builder.addOperation(OperationType::ADD, {in, constant, builder.addScalar(std::int32_t{0})},
                         {out});
    Model model = std::move(*builder.build({in, constant}, {out}));
    model.main.inputIndexes.pop_back();
    const auto bytes = static_cast<std::uint32_t>(count * sizeof(float));
    Operand& operand = model.main.operands[constant];
    operand.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
    operand.location = {
        .poolIndex = static_cast<std::uint32_t>(model.pools.size()), .offset = 0, .length = bytes};
    model.pools.push_back(*Region::create(bytes));
    return model;
}

/// makeAddModel with unused constants of 128 MiB together, all of which are the same 4 MiB.
Model makeModelOfOneConstant(OperandType type) {
    constexpr std::uint32_t kRows = 1024;
    constexpr std::uint32_t kBytes = kRows * kRows * 4;
    Model model = makeAddModel();
    const Operand constant{.type = type,
                           .dimensions = {kRows, kRows},
                           .numberOfConsumers = 0,
                           .scale = 0.0F,
                           .zeroPoint = 0,
                           .lifetime = OperandLifeTime::CONSTANT_REFERENCE,
                           .location = {.poolIndex = static_cast<std::uint32_t>(model.pools.size()),
                                        .offset = 0,
                                        .length = kBytes},
                           .extraParams = {}};
    model.main.operands.insert(model.main.operands.end(), 32, constant);
    model.pools.push_back(*Region::create(kBytes));
    return model;
}

/// A loop without end that doubles its second value each time.
Model makeDoublingLoop() {
    constexpr auto kFloats = OperandType::TENSOR_FLOAT32;
    const std::vector<float> large{1e30F};
    ModelBuilder builder;
    ModelBuilder isBelow;
    const auto counted = isBelow.addTensor(kFloats, {1});
    const auto ignored = isBelow.addTensor(kFloats, {0});
    const auto truth = isBelow.addTensor(OperandType::TENSOR_BOOL8, {1});
    isBelow.addOperation(
        OperationType::LESS,
        {counted, isBelow.addConstant(kFloats, {1}, std::as_bytes(std::span(large)))}, {truth});
    const auto condition = builder.addReferenced(std::move(isBelow), {counted, ignored}, {truth});
    ModelBuilder twice;
    const auto counter = twice.addTensor(kFloats, {1});
    const auto value = twice.addTensor(kFloats, {0});
    const auto sameCounter = twice.addTensor(kFloats, {1});
    const auto doubled = twice.addTensor(kFloats, {0});
    twice.addOperation(OperationType::RELU, {counter}, {sameCounter});
    twice.addOperation(OperationType::CONCATENATION,
                       {value, value, twice.addScalar(std::int32_t{0})}, {doubled});
    const auto body =
        builder.addReferenced(std::move(twice), {counter, value}, {sameCounter, doubled});
    const auto start = builder.addTensor(kFloats, {1});
    const auto first = builder.addTensor(kFloats, {0});
    const auto end = builder.addTensor(kFloats, {1});
    const auto last = builder.addTensor(kFloats, {0});
    builder.addOperation(
        OperationType::WHILE,
        {builder.addSubgraphReference(condition), builder.addSubgraphReference(body), start, first},
        {end, last});
    return std::move(*builder.build({start, first}, {end, last}));
}

TEST(ClientLimits, boundTheBurstsOfAClientAndAreGivenBack) {
    const DriverProcess driver({"--limit", "client.bursts=2"});
    const SharedDevice device = driver.connect();
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    std::vector<std::unique_ptr<Burst>> bursts;
    for (int i = 0; i < 2; ++i) {
        bursts.push_back(std::move(*prepared->configureExecutionBurst({})));
    }
    expectRefused(prepared->configureExecutionBurst({}), "bursts");
    bursts.pop_back();
    EXPECT_TRUE(eventually([&] { return bool{prepared->configureExecutionBurst({})}; }));
}

TEST(ClientLimits, boundThePreparedModelsOfAClientAndAreGivenBack) {
    const DriverProcess driver({"--limit", "client.prepared-models=1"});
    const SharedDevice device = driver.connect();
    SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    expectRefused(prepareModel(*device, makeAddModel(5)), "prepared-models");
    const SharedDevice other = driver.connect();
    EXPECT_TRUE(prepareModel(*other, makeAddModel(5)));
    prepared = nullptr;
    EXPECT_TRUE(eventually([&] { return bool{prepareModel(*device, makeAddModel(5))}; }));
}

TEST(ClientLimits, boundModelsThatComeFromTheCache) {
    const DriverProcess driver({"--limit", "client.prepared-models=1"});
    const SharedDevice device = driver.connect();
    const UniqueFd model(::memfd_create("model", MFD_CLOEXEC));
    const UniqueFd data(::memfd_create("data", MFD_CLOEXEC));
    const PrepareOptions options{.modelCache = {model.get()}, .dataCache = {data.get()}};
    SharedPreparedModel prepared = *prepareModel(*device, makeAddModel(), options);
    expectRefused(prepareModelFromCache(*device, options), "prepared-models");
    prepared = nullptr;
    ASSERT_TRUE(eventually([&] {
        auto again = prepareModelFromCache(*device, options);
        prepared = again ? *again : nullptr;
        return again.has_value();
    }));
    expectServed(prepared);
}

TEST(ClientLimits, countWhatTheDriverCopiesOfSparseConstants) {
    const DriverProcess driver({"--limit", "client.memory=64M"});
    const SharedDevice device = driver.connect();
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    expectRefused(prepareModel(*device, makeSparseModel(64 << 20)), "memory");
    expectServed(prepared);
}

TEST(ClientLimits, countCopiesOfConstantsThatNameTheSameBytes) {
    const DriverProcess driver({"--limit", "client.memory=64M"});
    const SharedDevice device = driver.connect();
    const Model copied = makeModelOfOneConstant(OperandType::TENSOR_INT32);
    expectRefused(device->getSupportedOperations(copied), "memory");
    expectRefused(prepareModel(*device, copied), "memory");
    const Model mapped = makeModelOfOneConstant(OperandType::TENSOR_FLOAT32);
    EXPECT_TRUE(device->getSupportedOperations(mapped)) << "the check does not copy weights";
    expectRefused(prepareModel(*device, mapped), "memory");
    expectServed(*prepareModel(*device, makeAddModel()));
}

TEST(ClientLimits, boundTheMemoryOfALoopThatDoublesItsState) {
    const DriverProcess driver({"--limit", "client.memory=64M"});
    const SharedDevice device = driver.connect();
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    const auto loop = prepareModel(*device, makeDoublingLoop());
    ASSERT_TRUE(loop) << loop.error().message;
    const MemoryPool pool = *MemoryPool::create(4096);
    Request request;
    request.pools = {pool.region()};
    const auto at = [](std::uint32_t offset) {
        return RequestArgument{.location = {.poolIndex = 0, .offset = offset, .length = 4},
                               .dimensions = {1}};
    };
    request.inputs = {at(0), at(64)};
    request.outputs = {at(128), at(192)};
    ExecutionOutcome outcome;
    expectRefused(
        (*loop)->executeSynchronously(request, {.loopTimeout = std::chrono::seconds(15)}, outcome),
        "memory");
    expectServed(prepared);
}

TEST(ClientLimits, countTheAddressesOfSparsePools) {
    const DriverProcess driver({"--limit", "user.address-space=1G"});
    const SharedDevice device = driver.connect();
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    AddRequest add;
    Request large = add.request;
    large.pools.push_back(*Region::create(std::uint64_t{2} << 30));
    ExecutionOutcome outcome;
    expectRefused(prepared->executeSynchronously(large, {}, outcome), "address-space");
    expectServed(prepared);
}

// A client once had a driver map 4 GiB of one memfd again and again. The page tables took all of
// the driver's memory, and were charged to nobody.
TEST(ClientLimits, countThePageTablesOfPools) {
    constexpr std::uint64_t kBytes = std::uint64_t{4} << 30;  // takes 8 MiB of page tables
    const DriverProcess driver({"--limit", "client.memory=64M"});
    const SharedDevice device = driver.connect();
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    const auto burst = std::move(*prepared->configureExecutionBurst({}));
    const SharedRegion memory = *Region::create(kBytes);
    std::vector<SharedRegion> pools;
    ExecutionOutcome outcome;
    Result<> executed;
    while (executed && pools.size() < 20) {
        pools.push_back(*Region::receive(*UniqueFd::duplicate(memory->fd()), kBytes));
        executed = burst->execute(addRequest(pools.back()), {}, outcome);
    }
    ASSERT_FALSE(executed) << "memory of 160 MiB was taken";
    EXPECT_EQ(executed.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_EQ(pools.size(), 8U) << "the eighth is refused: little else is charged";
    expectRefused(prepared->executeSynchronously(addRequest(memory), {}, outcome), "memory");
    for (const SharedRegion& pool : pools) {
        burst->freeMemory(pool);
    }
    EXPECT_TRUE(eventually([&] {
        return bool{prepared->executeSynchronously(addRequest(memory), {}, outcome)};
    })) << "what was unmapped is given back";
}

TEST(ClientLimits, boundDriverManagedBuffers) {
    const DriverProcess driver({"--limit", "client.buffers=1"});
    const SharedDevice device = driver.connect();
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    const std::array<BufferRole, 1> role{{{.modelIndex = 0, .ioIndex = 0, .frequency = 1.0F}}};
    const std::array models{prepared};
    const auto first = device->allocate({}, models, role, {});
    ASSERT_TRUE(first) << first.error().message;
    expectBufferRefused(device->allocate({}, models, role, {}), "buffers of client");
}

TEST(ClientLimits, boundTheMemoryOfDriverManagedBuffers) {
    constexpr std::uint32_t kFloats = 2U << 20;  // 8 MiB
    const DriverProcess driver({"--limit", "client.memory=4M"});
    const SharedDevice device = driver.connect();
    const std::array models{*prepareModel(*device, makeAddModel(0))};
    const std::array<BufferRole, 1> role{{{.frequency = 1.0F}}};
    expectBufferRefused(device->allocate({{kFloats}}, models, role, {}), "memory of client");
    const auto allocated = device->allocate({}, models, role, {});
    ASSERT_TRUE(allocated) << allocated.error().message;
    const SharedRegion source = *Region::create(kFloats * sizeof(float));
    expectBufferRefused(allocated->buffer->copyFrom(source, {kFloats}), "memory of client");
}

/// A model with an input, beside those of makeAddModel(), of `channels` scales and without
/// elements.
Model makeModelWithScales(std::uint32_t channels) {
    Model model = makeAddModel();
    model.main.inputIndexes.push_back(static_cast<std::uint32_t>(model.main.operands.size()));
    model.main.operands.push_back(
        {.type = OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL,
         .dimensions = {channels, 0},
         .lifetime = OperandLifeTime::SUBGRAPH_INPUT,
         .extraParams = SymmPerChannelQuantParams{.scales = std::vector<float>(channels, 1.0F),
                                                  .channelDim = 0}});
    return model;
}

// Each buffer once kept a copy of the scales, charged to nobody: 250 GiB with all that a client may
// have.
TEST(ClientLimits, boundWhatDriverManagedBuffersTakeBesideTheirContents) {
    constexpr std::uint32_t kChannels = 100'000;
    constexpr std::size_t kBuffers = 200;
    const DriverProcess driver;
    const SharedDevice device = driver.connect();
    const std::array models{*prepareModel(*device, makeModelWithScales(kChannels))};
    const std::array<BufferRole, 1> role{{{.ioIndex = 2, .frequency = 1.0F}}};
    const std::uint64_t before = residentBytes(driver.pid());
    std::vector<AllocatedBuffer> buffers;
    while (buffers.size() < kBuffers) {
        auto allocated = device->allocate({}, models, role, {});
        ASSERT_TRUE(allocated) << allocated.error().message;
        buffers.push_back(std::move(*allocated));
    }
    constexpr std::uint64_t kBytesOfScales = kChannels * sizeof(float);
    EXPECT_LT(residentBytes(driver.pid()), before + kBuffers * kBytesOfScales / 4);
}

TEST(ClientLimits, countTheAddressesOfMemoryThatBuffersAreCopiedFromAndTo) {
    const DriverProcess driver({"--limit", "user.address-space=1G"});
    const SharedDevice device = driver.connect();
    const std::array models{*prepareModel(*device, makeAddModel(0))};
    const std::array<BufferRole, 1> role{{{.frequency = 1.0F}}};
    const auto allocated = device->allocate({}, models, role, {});
    ASSERT_TRUE(allocated) << allocated.error().message;
    const SharedRegion large = *Region::create(std::uint64_t{2} << 30);
    expectBufferRefused(allocated->buffer->copyFrom(large, {1U << 29}), "address-space");
    expectBufferRefused(allocated->buffer->copyTo(large), "address-space");
}

TEST(ClientLimits, countThreadsThatCopyBetweenBuffersAndFiles) {
    const DriverProcess driver({"--limit", "client.blocked-threads=0"});
    const SharedDevice device = driver.connect();
    const std::array models{*prepareModel(*device, makeAddModel(0))};
    const std::array<BufferRole, 1> role{{{.frequency = 1.0F}}};
    const auto allocated = device->allocate({}, models, role, {});
    ASSERT_TRUE(allocated) << allocated.error().message;
    const SharedRegion sealed = *Region::create(4 * sizeof(float));
    const Result<> copied = allocated->buffer->copyFrom(sealed, {4});
    ASSERT_TRUE(copied) << copied.error().message;
    EXPECT_TRUE(allocated->buffer->copyTo(sealed));
    const ForeignMemory file(sealed->sizeBytes());
    expectBufferRefused(allocated->buffer->copyTo(file.region), "blocked-threads of client");
    expectBufferRefused(allocated->buffer->copyFrom(file.region, {4}), "blocked-threads of client");
}

TEST(ClientLimits, countTheFencesThatExecutionsWaitFor) {
    const DriverProcess driver({"--limit", "client.descriptors=40"});
    const SharedDevice device = driver.connect();
    const auto prepared = *prepareModel(*device, makeAddModel());
    AddRequest add;
    const UniqueFd fence = std::move(*makeFence());
    const std::vector<int> fences(8, fence.get());
    std::vector<FencedExecution> waiting;
    Result<FencedExecution> execution = prepared->executeFenced(add.request, fences, {}, {});
    for (int i = 0; i < 40 && execution; ++i) {
        waiting.push_back(std::move(*execution));
        execution = prepared->executeFenced(add.request, fences, {}, {});
    }
    EXPECT_FALSE(waiting.empty());
    expectRefused(execution, "descriptors of client");
    signalFence(fence.get());
    EXPECT_TRUE(eventually([&] {
        return prepared->executeFenced(add.request, fences, {}, {}).has_value();
    })) << "fences are given back";
}

/// However many a message brings, and however many there is still room for.
TEST(ClientLimits, areNamedByEachCallWhoseDescriptorsWereNotTaken) {
    const UniqueFd fence = std::move(*makeFence());
    for (int limit = 30; limit < 42; ++limit) {
        const DriverProcess driver({"--limit", "client.descriptors=" + std::to_string(limit)});
        const SharedDevice device = driver.connect();
        const auto prepared = *prepareModel(*device, makeAddModel());
        AddRequest add;
        for (const std::size_t count : {1, 2, 3}) {
            const std::vector<int> fences(count, fence.get());
            std::vector<FencedExecution> waiting;
            Result<FencedExecution> execution =
                prepared->executeFenced(add.request, fences, {}, {});
            for (int i = 0; i < limit && execution; ++i) {
                waiting.push_back(std::move(*execution));
                execution = prepared->executeFenced(add.request, fences, {}, {});
            }
            expectRefused(execution, "descriptors of client");
        }
    }
    signalFence(fence.get());
}

// A client once had a driver keep 63 files for each of its preparations.
TEST(ClientLimits, countCacheFilesWhileTheirPreparationWaits) {
    constexpr std::size_t kDescriptors = 200;
    constexpr unsigned kFiles = 32;
    const DriverProcess driver({"--limit", "client.descriptors=" + std::to_string(kDescriptors)});
    stress::RawClient client(driver.socketPath());
    const UniqueFd file(::memfd_create("cache", MFD_CLOEXEC));
    const std::size_t before = descriptorCount(driver.pid());
    kj::Vector<kj::Promise<void>> calls;
    for (int i = 0; i < 20; ++i) {
        auto call = client.device().prepareModelRequest();
        device::toMessage(PrepareOptions(), call.initOptions());
        auto files = call.getOptions().initModelCache(kFiles);
        for (unsigned each = 0; each + 1 < kFiles; ++each) {
            files.set(each, kj::heap<stress::DescriptorServer<rpc::File>>(file.get()));
        }
        files.set(kFiles - 1, kj::Promise<rpc::File::Client>(kj::NEVER_DONE));
        calls.add(call.send().ignoreResult());
    }
    // Answered after the driver has read the other calls.
    client.device().getCapabilitiesRequest().send().wait(client.io().waitScope);
    EXPECT_LE(descriptorCount(driver.pid()), before + kDescriptors);
}

TEST(ClientLimits, countTheCopiesOfCacheFilesThatAPreparationKeeps) {
    const std::string_view refused = "cannot save to the cache: limit on descriptors of client";
    const UniqueFd model(::memfd_create("model", MFD_CLOEXEC));
    const UniqueFd data(::memfd_create("data", MFD_CLOEXEC));
    const PrepareOptions options{.modelCache = {model.get()}, .dataCache = {data.get()}};
    int refusals = 0;
    for (int limit = 9; limit < 13; ++limit) {  // a connection takes 5, each file 2, its copy 1
        const DriverProcess driver({"--limit", "client.descriptors=" + std::to_string(limit)},
                                   DriverProcess::Calibration::NONE, DriverProcess::Log::FILE);
        const auto prepared = prepareModel(*driver.connect(), makeAddModel(), options);
        ASSERT_TRUE(prepared) << prepared.error().message;
        refusals += driver.log().find(refused) != std::string::npos ? 1 : 0;
    }
    EXPECT_GT(refusals, 0);
}

TEST(ClientLimits, countTheAlignedCopiesOfArguments) {
    const DriverProcess driver({"--limit", "client.memory=4M"});
    const SharedDevice device = driver.connect();
    constexpr std::uint32_t kFloats = 1U << 20;
    const auto prepared = *prepareModel(*device, makeAddModel(0));
    constexpr auto kLength = static_cast<std::uint32_t>(kFloats * sizeof(float));
    const auto argument = [](std::uint32_t offset) {
        return RequestArgument{.location = {.poolIndex = 0, .offset = offset, .length = kLength},
                               .dimensions = {kFloats}};
    };
    const Request request{.inputs = {argument(1), argument(kLength + 1)},
                          .outputs = {argument(2 * kLength + 4)},
                          .pools = {*Region::create(std::uint64_t{3} * kLength + 4)}};
    ExecutionOutcome outcome;
    expectRefused(prepared->executeSynchronously(request, {}, outcome), "memory of client");
}

TEST(ClientLimits, countTheMemoryOfBursts) {
    const DriverProcess driver({"--limit", "client.memory=8M"});
    const SharedDevice device = driver.connect();
    const auto prepared = *prepareModel(*device, makeAddModel());
    std::vector<std::unique_ptr<Burst>> bursts;
    auto burst = prepared->configureExecutionBurst({.queueLines = 4096});
    for (int i = 0; i < 40 && burst; ++i) {
        bursts.push_back(std::move(*burst));
        burst = prepared->configureExecutionBurst({.queueLines = 4096});
    }
    EXPECT_FALSE(bursts.empty());
    expectRefused(burst, "memory of client");
}

/// Sets up a burst with a request in its queue that names memory which the driver has to ask for.
/// Gives the client's end of the doorbell; nothing if the burst is refused.
kj::Maybe<rpc::File::Client> setUpAskingBurst(stress::RawClient& client,
                                              rpc::PreparedModel::Client& prepared) {
    const burst::Channel channel = std::move(*burst::Channel::create(128));
    auto requests = *burst::FrameQueue::Writer::attach(channel.memory(), channel.requests());
    const AddRequest add;
    std::vector<burst::FrameLine> lines(burst::requestLineCount(add.request));
    burst::encodeRequest(1, {}, add.request,
                         std::vector<burst::FramePool>(add.request.pools.size()), {}, lines);
    EXPECT_TRUE(requests.tryWrite(lines));
    auto request = prepared.configureExecutionBurstRequest();
    stress::setRegion(request.initChannel(), channel.region()->fd(), channel.region()->sizeBytes());
    request.initDriverWait();
    auto watchdog = client.io().provider->getTimer().timeoutAfter(
        std::chrono::seconds(kWatchdog).count() * kj::SECONDS, request.send());
    auto answer = watchdog.wait(client.io().waitScope);
    if (!answer.hasDoorbell()) {
        return nullptr;
    }
    return answer.getDoorbell();
}

TEST(ClientLimits, refuseABurstThatHasBegunToAskForMemory) {
    const DriverProcess driver({"--limit", "client.descriptors=32"});
    stress::RawClient client(driver.socketPath());
    auto prepared = client.prepare(makeAddModel());
    kj::Vector<rpc::File::Client> doorbells;  // kept, until too few descriptors are left
    constexpr int kAttempts = 3000;
    int refused = 0;
    for (int i = 0; i < kAttempts; ++i) {
        KJ_IF_MAYBE (doorbell, setUpAskingBurst(client, prepared)) {
            doorbells.add(*doorbell);
        } else {
            ++refused;
        }
    }
    EXPECT_GT(refused, 0);
    expectServed(*prepareModel(*driver.connect(), makeAddModel()));
}

TEST(ClientLimits, countTheRequestsOfExecutionsThatWait) {
    const DriverProcess driver({"--limit", "client.memory=4M"});
    const SharedDevice device = driver.connect();
    constexpr std::size_t kInputs = 1000;
    ModelBuilder builder;
    std::vector<std::uint32_t> inputs(kInputs);
    std::generate(inputs.begin(), inputs.end(),
                  [&] { return builder.addTensor(OperandType::TENSOR_FLOAT32, {1}); });
    std::vector<std::uint32_t> concatenated = inputs;
    concatenated.push_back(builder.addScalar(std::int32_t{0}));
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {kInputs});
    builder.addOperation(OperationType::CONCATENATION, concatenated, {out});
    const auto prepared = *prepareModel(*device, *builder.build(inputs, {out}));
    const MemoryPool pool = *MemoryPool::create(1 << 14);
    Request request{.inputs = {}, .outputs = {}, .pools = {pool.region()}};
    request.inputs.assign(kInputs, {.location = {.length = sizeof(float)}, .dimensions = {1}});
    request.outputs = {{.location = {.offset = 64, .length = kInputs * sizeof(float)}}};
    const UniqueFd fence = std::move(*makeFence());
    const std::array fences{fence.get()};
    std::vector<FencedExecution> waiting;
    Result<FencedExecution> execution = prepared->executeFenced(request, fences, {}, {});
    for (int i = 0; i < 200 && execution; ++i) {
        waiting.push_back(std::move(*execution));
        execution = prepared->executeFenced(request, fences, {}, {});
    }
    EXPECT_FALSE(waiting.empty());
    expectRefused(execution, "memory of client");
    signalFence(fence.get());
}

/// The most memory that a process has had present at a time.
std::uint64_t highestMemory(pid_t process) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    std::string name;
    std::uint64_t kibibytes = 0;
    while (status >> name) {
        if (name == "VmHWM:") {
            status >> kibibytes;
        }
    }
    return kibibytes * 1024;
}

constexpr unsigned kManyElements = 1U << 20;
constexpr std::uint64_t kLittleMemory = std::uint64_t{64} << 20;

/// `list` is a list of structs in the struct of `builder`, its pointer of this number. It gets
/// elements that have no bytes in the message.
template <class Builder>
void initBytelessElements(Builder builder, unsigned list) {
    capnp::toAny(builder).getPointerSection()[list].initAsListOfAnyStruct(0, 0, kManyElements);
}

TEST(ClientLimits, countOperandsThatHaveNoBytesInTheirMessage) {
    const DriverProcess driver({"--limit", "client.memory=64M"});
    stress::RawClient client(driver.socketPath());
    const std::uint64_t before = highestMemory(driver.pid());
    auto request = client.device().getSupportedOperationsRequest();
    auto model = request.initModel();
    initBytelessElements(model.initMain(), 0);
    for (auto subgraph : model.initReferenced(2)) {
        initBytelessElements(subgraph, 0);
    }
    auto answer = request.send().wait(client.io().waitScope);
    expectRefused(device::fromMessage(answer.getStatus()), "memory of client");
    EXPECT_LT(highestMemory(driver.pid()), before + kLittleMemory);
}

TEST(ClientLimits, countArgumentsThatHaveNoBytesInTheirMessage) {
    const DriverProcess driver({"--limit", "client.memory=64M"});
    stress::RawClient client(driver.socketPath());
    auto prepared = client.prepare(makeAddModel());
    const std::uint64_t before = highestMemory(driver.pid());
    auto request = prepared.executeSynchronouslyRequest();
    auto arguments = request.initRequest();
    initBytelessElements(arguments, 0);
    initBytelessElements(arguments, 1);
    auto answer = request.send().wait(client.io().waitScope);
    expectRefused(device::fromMessage(answer.getStatus()), "memory of client");
    EXPECT_LT(highestMemory(driver.pid()), before + kLittleMemory);
}

TEST(ClientLimits, countTheOperandsOfPreparedModels) {
    const DriverProcess driver({"--limit", "client.memory=32M"});
    const SharedDevice device = driver.connect();
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {1});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {1});
    builder.addOperation(OperationType::RELU, {in}, {out});
    for (int i = 0; i < 200'000; ++i) {
        (void)builder.addOmitted(OperandType::TENSOR_FLOAT32);
    }
    expectRefused(prepareModel(*device, *builder.build({in}, {out})), "memory of client");
    expectServed(*prepareModel(*device, makeAddModel()));
}

/// in[n] through `count` RELU; requests give n.
Model makeChainModel(int count) {
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {0});
    auto out = in;
    for (int i = 0; i < count; ++i) {
        const auto next = builder.addTensor(OperandType::TENSOR_FLOAT32, {0});
        builder.addOperation(OperationType::RELU, {out}, {next});
        out = next;
    }
    return std::move(*builder.build({in}, {out}));
}

TEST(ClientLimits, countThePlansOfModelsWithManyOperations) {
    constexpr std::uint64_t kLimit = std::uint64_t{64} << 20;
    constexpr std::uint32_t kFloatBytes = sizeof(float);
    const DriverProcess driver({"--limit", "client.memory=64M"});
    const SharedDevice device = driver.connect();
    const auto prepared = prepareModel(*device, makeChainModel(1 << 14));
    ASSERT_TRUE(prepared) << prepared.error().message;
    const std::uint64_t before = highestMemory(driver.pid());
    Result<> executed;
    for (std::uint32_t size = 1; size <= 8 && executed; ++size) {
        SmallRequest shape;
        shape.input(std::vector<float>(size), {size}).output(size * kFloatBytes, {size});
        ExecutionOutcome outcome;
        executed = (*prepared)->executeSynchronously(shape.request, {}, outcome);
    }
    expectRefused(executed, "memory of client");
    if (!kHasSanitizer) {  // they take memory themselves
        EXPECT_LT(highestMemory(driver.pid()), before + kLimit + kLittleMemory);
    }
    expectServed(*prepareModel(*device, makeAddModel()));
}

constexpr std::uint32_t kConstantBytes = 64U << 20;

/// makeSparseModel with the constant among the operand values, which are not part of the model yet.
Model makeModelWithLargeOperandValues() {
    constexpr std::uint32_t kOffset = 64;  // behind the scalar
    Model model = makeSparseModel((kConstantBytes - kOffset) / sizeof(float));
    model.pools.clear();
    for (Operand& operand : model.main.operands) {
        if (operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE) {
            operand.lifetime = OperandLifeTime::CONSTANT_COPY;
            operand.location.offset = kOffset;
        }
    }
    return model;
}

/// A callback of a client that keeps how its preparations or executions ended.
template <class Callback>
class End final : public Callback::Server {
  public:
    explicit End(std::vector<Result<>>& ends) : ends_(ends) {}

  protected:
    kj::Promise<void> notify(typename Callback::Server::NotifyContext context) override {
        ends_.push_back(device::fromMessage(context.getParams().getStatus()));
        return kj::READY_NOW;
    }

  private:
    std::vector<Result<>>& ends_;
};
using PreparationEnd = End<rpc::PreparedModelCallback>;
using ExecutionEnd = End<rpc::ExecutionCallback>;

/// Launches many preparations at once, each of which would wait with a constant of kConstantBytes,
/// and expects that the driver, which admits one and a half such constants, holds few of them.
/// `makeRequest` makes a request whose options and callback are set here.
template <class MakeRequest>
void expectThatFewModelsWait(const DriverProcess& driver, MakeRequest makeRequest) {
    constexpr std::size_t kPreparations = 10;
    stress::RawClient client(driver.socketPath());
    const std::uint64_t before = highestMemory(driver.pid());
    std::vector<Result<>> ends;
    auto launches = kj::heapArrayBuilder<kj::Promise<void>>(kPreparations);
    for (std::size_t i = 0; i < kPreparations; ++i) {
        auto request = makeRequest(client);
        // Work with a higher priority comes first: all models are received before one is prepared.
        request.getOptions().setPriority(static_cast<std::int32_t>(Priority::LOW));
        request.setCallback(kj::heap<PreparationEnd>(ends));
        launches.add(request.send().ignoreResult());
    }
    client.io()
        .provider->getTimer()
        .timeoutAfter(std::chrono::seconds(kWatchdog).count() * kj::SECONDS,
                      kj::joinPromises(launches.finish()))
        .wait(client.io().waitScope);
    for (int i = 0; i < 2000 && ends.size() < kPreparations; ++i) {
        client.serveFor(10);
    }
    EXPECT_EQ(ends.size(), kPreparations);
    for (const Result<>& end : ends) {
        expectRefused(end, "memory of client");
    }
    EXPECT_LT(highestMemory(driver.pid()), before + std::uint64_t{3} * kConstantBytes);
    expectServed(*prepareModel(*driver.connect(), makeAddModel()));
}

// Clients once had a driver hold 64 GiB: copies of sparse operand values of models that waited.
TEST(ClientLimits, countTheOperandValuesOfModelsThatWaitForTheirPreparation) {
    const DriverProcess driver({"--limit", "client.memory=96M"});
    const SharedRegion values = *Region::create(kConstantBytes);
    const Model model = makeModelWithLargeOperandValues();
    expectThatFewModelsWait(driver, [&](stress::RawClient& client) {
        auto request = client.device().prepareModelRequest();
        auto builder = request.initModel();
        EXPECT_TRUE(device::structureToMessage(model, builder));
        stress::setRegion(builder.initOperandValues().initShared(), values->fd(),
                          values->sizeBytes());
        device::toMessage(PrepareOptions(), request.initOptions());
        return request;
    });
}

TEST(ClientLimits, countWhatWaitsAfterItWasReadFromTheCache) {
    const UniqueFd model(::memfd_create("model", MFD_CLOEXEC));
    const UniqueFd data(::memfd_create("data", MFD_CLOEXEC));
    {
        const DriverProcess driver;
        ASSERT_TRUE(prepareModel(*driver.connect(), makeSparseModel(kConstantBytes / sizeof(float)),
                                 {.modelCache = {model.get()}, .dataCache = {data.get()}}));
    }
    const DriverProcess driver({"--limit", "client.memory=96M"});
    expectThatFewModelsWait(driver, [&](stress::RawClient& client) {
        auto request = client.device().prepareModelFromCacheRequest();
        auto options = request.initOptions();
        device::toMessage(PrepareOptions(), options);
        options.initModelCache(1).set(0,
                                      kj::heap<stress::DescriptorServer<rpc::File>>(model.get()));
        options.initDataCache(1).set(0, kj::heap<stress::DescriptorServer<rpc::File>>(data.get()));
        return request;
    });
}

TEST(ClientLimits, countTheNamesOfExtensionsAndTheCopyInWhichTheyAreResolved) {
    const DriverProcess driver({"--limit", "client.memory=4M"});
    const SharedDevice device = driver.connect();
    for (const std::uint16_t count : {std::uint16_t{2000}, std::uint16_t{750}}) {
        Model model = makeAddModel();
        for (std::uint16_t i = 0; i < count; ++i) {
            model.extensionNameToPrefix.push_back({.name = std::string(4000, 'x'), .prefix = i});
        }
        expectRefused(device->getSupportedOperations(model), "memory of client");
    }
}

Result<> launch(stress::RawClient& client, rpc::PreparedModel::Client& prepared,
                const Request& request, std::vector<Result<>>& ends) {
    auto call = prepared.executeRequest();
    EXPECT_TRUE(device::toMessage(request, call.initRequest()));
    device::toMessage(ExecutionOptions{.loopTimeout = std::chrono::seconds(15)},
                      call.initOptions());
    call.setCallback(kj::heap<ExecutionEnd>(ends));
    auto answer = call.send().wait(client.io().waitScope);
    return device::fromMessage(answer.getStatus());
}

TEST(ClientLimits, areToldToTheCallbackOfAnExecutionThatCouldNotBeChecked) {
    const DriverProcess driver;
    std::vector<Result<>> ends;
    stress::RawClient client(driver.socketPath());
    auto endless = client.prepare(makeEndlessModel());
    auto sum = client.prepare(makeAddModel());
    SmallRequest loop;
    loop.input<float>({1.0F}, {1}).output(4, {1});
    Result<> launched;
    for (int i = 0; i < 1000 && launched; ++i) {
        launched = launch(client, endless, loop.request, ends);
    }
    ASSERT_FALSE(launched);
    ASSERT_NE(launched.error().message.find("are waiting already"), std::string::npos)
        << launched.error().message;
    client.serveFor(100);
    ends.clear();
    AddRequest add;  // without an input it is checked by a job
    add.request.inputs[0].hasNoValue = true;
    EXPECT_FALSE(launch(client, sum, add.request, ends));
    client.serveFor(100);
    ASSERT_EQ(ends.size(), 1U);
    ASSERT_FALSE(ends[0]);
    EXPECT_EQ(ends[0].error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT)
        << ends[0].error().message;
}

template <class T>
void expectGeneralFailure(const Result<T>& result, const std::string& limit) {
    ASSERT_FALSE(result) << limit;
    EXPECT_EQ(result.error().status, ErrorStatus::GENERAL_FAILURE) << result.error().message;
    EXPECT_NE(result.error().message.find("limit on " + limit), std::string::npos)
        << result.error().message;
}

/// Expects that the launch of a preparation and its callback say the same.
template <class Start>
void expectThatBothFail(const Start& start, const std::string& limit) {
    std::promise<Result<SharedPreparedModel>> promise;
    const Result<> launched = start([&promise](Result<SharedPreparedModel> prepared) {
        promise.set_value(std::move(prepared));
    });
    expectGeneralFailure(launched, limit);
    expectGeneralFailure(promise.get_future().get(), limit);
}

TEST(ClientLimits, areGeneralFailuresOfADriverOfHal1_2) {
    const DriverProcess driver({"--hal", "1.2", "--limit", "client.bursts=1", "--limit",
                                "client.prepared-models=1", "--limit", "client.memory=8M"});
    const SharedDevice device = driver.connect();
    const UniqueFd model(::memfd_create("model", MFD_CLOEXEC));
    const UniqueFd data(::memfd_create("data", MFD_CLOEXEC));
    const PrepareOptions cached{.modelCache = {model.get()}, .dataCache = {data.get()}};
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel(), cached);

    expectThatBothFail(
        [&](PreparedModelCallback callback) {
            return device->prepareModel(makeAddModel(5), {}, std::move(callback));
        },
        "prepared-models");
    expectThatBothFail(
        [&](PreparedModelCallback callback) {
            return device->prepareModelFromCache(cached, std::move(callback));
        },
        "prepared-models");

    const auto burst = prepared->configureExecutionBurst({});
    ASSERT_TRUE(burst) << burst.error().message;
    expectGeneralFailure(prepared->configureExecutionBurst({}), "bursts");

    expectGeneralFailure(
        device->getSupportedOperations(makeModelOfOneConstant(OperandType::TENSOR_INT32)),
        "memory");
    Model named = makeAddModel();  // refused before it is checked
    for (std::uint16_t i = 0; i < 3000; ++i) {
        named.extensionNameToPrefix.push_back({.name = std::string(4000, 'x'), .prefix = i});
    }
    expectGeneralFailure(device->getSupportedOperations(named), "memory of client");
}

TEST(ClientLimits, areGeneralFailuresOfExecutionsOfADriverOfHal1_2) {
    const DriverProcess driver({"--hal", "1.2", "--limit", "client.memory=8M"});
    std::vector<Result<>> ends;
    stress::RawClient client(driver.socketPath());
    auto prepared = client.prepare(makeAddModel());

    auto synchronous = prepared.executeSynchronouslyRequest();
    initBytelessElements(synchronous.initRequest(), 0);
    auto ended = synchronous.send().wait(client.io().waitScope);
    expectGeneralFailure(device::fromMessage(ended.getStatus()), "memory of client");

    auto asynchronous = prepared.executeRequest();
    initBytelessElements(asynchronous.initRequest(), 0);
    asynchronous.setCallback(kj::heap<ExecutionEnd>(ends));
    auto launched = asynchronous.send().wait(client.io().waitScope);
    expectGeneralFailure(device::fromMessage(launched.getStatus()), "memory of client");
    for (int i = 0; i < 2000 && ends.empty(); ++i) {
        client.serveFor(10);
    }
    ASSERT_EQ(ends.size(), 1U);
    expectGeneralFailure(ends[0], "memory of client");
}

TEST(ClientLimits, areToldToAClientThatIsOneTooMany) {
    const DriverProcess driver({"--limit", "user.connections=2"});
    const SharedDevice first = driver.connect();
    SharedDevice second = driver.connect();
    ASSERT_TRUE(second);
    expectRefused(nnburst::connect(driver.socketPath()), "connections");
    second = nullptr;
    EXPECT_TRUE(eventually([&] { return bool{nnburst::connect(driver.socketPath())}; }));
}

}  // namespace
TEST(ClientLimits, countTheCopiesOfMemoryThatIsNotSealed) {
    const DriverProcess driver({"--limit", "client.memory=4M"});
    const SharedDevice device = driver.connect();
    constexpr std::uint32_t kFloats = 1U << 20;
    const auto prepared = *prepareModel(*device, makeAddModel(0));
    const TemporaryDirectory directory;
    const std::string path = directory.path() / "memory";
    constexpr std::uint64_t kBytes = std::uint64_t{3} * kFloats * sizeof(float);
    UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(::ftruncate(file.get(), kBytes), 0);
    const auto argument = [](std::uint32_t index) {
        constexpr auto kLength = static_cast<std::uint32_t>(kFloats * sizeof(float));
        return RequestArgument{
            .location = {.poolIndex = 0, .offset = index * kLength, .length = kLength},
            .dimensions = {kFloats}};
    };
    const Request request{.inputs = {argument(0), argument(1)},
                          .outputs = {argument(2)},
                          .pools = {*Region::receive(std::move(file), kBytes)}};
    ExecutionOutcome outcome;
    expectRefused(prepared->executeSynchronously(request, {}, outcome), "memory of client");
    expectServed(*prepareModel(*device, makeAddModel()));
}

}  // namespace nnburst::test
