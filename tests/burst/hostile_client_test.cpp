// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// A client that lies to the driver's server: it writes anything into the channel.

#include <gtest/gtest.h>
#include <malloc.h>

#include <bit>
#include <random>
#include <string>

#include "burst/channel.h"
#include "burst/request_frame.h"
#include "burst/result_frame.h"
#include "fakes.h"
#include "nnburst/validation.h"
#include "support/sanitizers.h"

namespace nnburst::burst {
namespace {

using namespace std::chrono_literals;

class HostileClient : public testing::Test {
  protected:
    HostileClient() { open(16); }

    void open(std::uint32_t queueLines) {
        channel = std::move(*Channel::create(queueLines));
        requests.emplace(*FrameQueue::Writer::attach(channel.memory(), channel.requests()));
        results.emplace(*FrameQueue::Reader::attach(channel.memory(), channel.results()));
    }

    void serve() {
        auto served = Server::create(
            channel.region(),
            {.model = model,
             .buffers = std::make_shared<exec::ManagedBuffers>(),
             .client = account ? std::make_shared<exec::LaneShare>(nullptr, account) : nullptr},
            driver, {}, servingThreads);
        ASSERT_TRUE(served) << served.error().message;
        server = std::move(*served);
        doorbell = server->takeDoorbell();
        requests->setDoorbell(doorbell.get());
    }

    /// The frame of a good request, with slot 3 for its pool.
    std::vector<FrameLine> goodFrame() {
        std::vector<FrameLine> lines(requestLineCount(doubling.request));
        const FramePool pool{.kind = 0, .value = 3};
        encodeRequest(++serial, {}, doubling.request, {&pool, 1}, {}, lines);
        return lines;
    }

    /// The next result; fails the test if none comes.
    Result<> answer() {
        std::vector<FrameLine> lines(1);
        EXPECT_TRUE(results->read(lines, {}, std::chrono::steady_clock::now() + 20s));
        answeredSerial = serialOf(lines[0]);
        lines.resize(std::max(1U, announcedLineCount(lines[0], 16)));
        EXPECT_TRUE(results->tryRead(std::span(lines).subspan(1)));
        return isSameShapes(lines[0]) ? Result<>() : decodeResult(lines, outcome);
    }

    /// The result of the last request, after those of earlier ones.
    Result<> lastAnswer() {
        constexpr int kMaximumAnswers = 100'000;
        for (int i = 0; i < kMaximumAnswers; ++i) {
            Result<> result = answer();
            if (answeredSerial == serial || HasFailure()) {
                return result;
            }
        }
        ADD_FAILURE() << "answers come without an end";
        return {};
    }

    void expectThatItStillServes() {
        doubling.in()[0] = 4.0F;
        doubling.out()[0] = 0.0F;
        ASSERT_TRUE(requests->tryWrite(goodFrame()));
        const Result<> result = lastAnswer();
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(doubling.out()[0], 8.0F);
    }

    DoublingRequest doubling;
    SharedAccount account;  ///< null: the client is not charged
    Channel channel;
    std::optional<FrameQueue::Writer> requests;
    std::optional<FrameQueue::Reader> results;
    std::uint64_t serial = 0;          ///< of the last request
    std::uint64_t answeredSerial = 0;  ///< of the last answer
    ExecutionOutcome outcome;
    std::shared_ptr<DoublingModel> model = std::make_shared<DoublingModel>();
    const FakeDriverControlPlane::Memories goodMemories = [this](auto slots) {
        return std::vector<SharedRegion>(slots.size(), doubling.pool.region());
    };
    std::shared_ptr<FakeDriverControlPlane> driver =
        std::make_shared<FakeDriverControlPlane>(goodMemories);
    std::shared_ptr<ServingThreadPool> servingThreads = *ServingThreadPool::create();
    std::unique_ptr<Server> server;
    UniqueFd doorbell;
};

TEST_F(HostileClient, thatIsHonestIsServed) {
    serve();
    expectThatItStillServes();
}

TEST_F(HostileClient, forWhichThereIsNoMemoryEndsItsRequestAlone) {
    model->hasMemory = false;
    model->setOnRun([]() -> Result<> { throw std::bad_alloc(); });
    serve();
    ASSERT_TRUE(requests->tryWrite(goodFrame()));
    const Result<> result = answer();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    model->setOnRun([] { return Result<>(); });
    expectThatItStillServes();
}

TEST_F(HostileClient, computesWhatItHasNotNamedOrNamedOtherwise) {
    serve();
    const auto computeIsRefused = [this](const ExecutionName& name, const std::string& why) {
        const FrameLine line = encodeCompute(++serial, name, std::nullopt);
        ASSERT_TRUE(requests->tryWrite({&line, 1}));
        const Result<> result = answer();
        ASSERT_FALSE(result) << name.number << ", " << name.generation;
        EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
        EXPECT_EQ(result.error().message, "compute frame: " + why);
    };
    computeIsRefused({.number = 1, .generation = 5},
                     "reusable execution 1, generation 5: must have been sent whole before");
    std::vector<FrameLine> lines(requestLineCount(doubling.request));
    const FramePool pool{.kind = 0, .value = 3};
    encodeRequest(++serial, {.number = 1, .generation = 5}, doubling.request, {&pool, 1}, {},
                  lines);
    ASSERT_TRUE(requests->tryWrite(lines));
    ASSERT_TRUE(answer());
    computeIsRefused({.number = 1, .generation = 6},
                     "reusable execution 1, generation 6: must have been sent whole before");
    computeIsRefused({.number = 2, .generation = 5},
                     "reusable execution 2, generation 5: must have been sent whole before");
    computeIsRefused({.number = 0, .generation = 5}, "execution 0: must be 1 to 64");
    computeIsRefused({.number = kMaximumReusableExecutions + 1, .generation = 5},
                     "execution 65: must be 1 to 64");
    EXPECT_EQ(model->runs, 1);
    const FrameLine line = encodeCompute(++serial, {.number = 1, .generation = 5}, std::nullopt);
    ASSERT_TRUE(requests->tryWrite({&line, 1}));
    EXPECT_TRUE(answer());
    expectThatItStillServes();
}

TEST_F(HostileClient, announcesMoreLinesThanItWrote) {
    serve();
    std::vector<FrameLine> frame = goodFrame();
    auto header = std::bit_cast<RequestFrameHeader>(frame[0]);
    header.lineCount = 9;
    frame[0] = std::bit_cast<FrameLine>(header);
    ASSERT_TRUE(requests->tryWrite(frame));
    const Result<> result = answer();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_EQ(result.error().message,
              "request frame 1: announces 9 lines; must be 1 to the 2 in the queue");
    expectThatItStillServes();
}

TEST_F(HostileClient, announcesNoLinesOrMoreThanTheQueueHas) {
    serve();
    for (const std::uint32_t lineCount : {0U, 17U, UINT32_MAX}) {
        std::vector<FrameLine> frame = goodFrame();
        auto header = std::bit_cast<RequestFrameHeader>(frame[0]);
        header.lineCount = lineCount;
        frame[0] = std::bit_cast<FrameLine>(header);
        ASSERT_TRUE(requests->tryWrite(frame));
        ASSERT_FALSE(answer()) << lineCount;
        expectThatItStillServes();
    }
}

TEST_F(HostileClient, namesMemoryThatItDoesNotGive) {
    serve();
    driver->setMemories([](std::span<const std::int32_t> slots) {
        return std::vector<SharedRegion>(slots.size());
    });
    ASSERT_TRUE(requests->tryWrite(goodFrame()));
    Result<> result = answer();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_NE(result.error().message.find("slot 3"), std::string::npos) << result.error().message;
    driver->setMemories([](auto) { return std::vector<SharedRegion>(5); });
    ASSERT_TRUE(requests->tryWrite(goodFrame()));
    result = answer();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
    driver->setMemories([](auto) -> Result<std::vector<SharedRegion>> {
        return failure(ErrorStatus::DEVICE_UNAVAILABLE, "the client is gone");
    });
    ASSERT_TRUE(requests->tryWrite(goodFrame()));
    EXPECT_FALSE(answer());
    driver->setMemories(goodMemories);
    expectThatItStillServes();
}

/// Memory that the process has from its allocator.
std::uint64_t heapBytes() {
    const struct mallinfo2 heap = ::mallinfo2();
    return heap.uordblks + heap.hblkhd;
}

/// The driver once kept the memory of the longest request that had a number, and charged for the
/// last one.
TEST_F(HostileClient, keepsNoMoreMemoryByLongRequestsThanItIsChargedFor) {
    if (test::kHasSanitizer) {
        GTEST_SKIP() << "sanitizers have an allocator of their own";
    }
    constexpr std::size_t kArguments = 14'000;  // nearly as many as fit into the queue
    constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
    Amounts limits;
    limits[Resource::MEMORY] = 16 * kMebibyte;
    account = Account::create("client", limits);
    open(kMaximumQueueLines);
    serve();
    std::uint32_t number = 1;
    const auto expectRefusal = [&](std::size_t pools, std::size_t inputs, std::size_t outputs) {
        Request request;
        request.pools.resize(pools);
        request.inputs.resize(inputs);
        request.outputs.resize(outputs);
        const std::vector<FramePool> framePools(pools, {.kind = 0, .value = 3});
        std::vector<FrameLine> lines(requestLineCount(request));
        encodeRequest(++serial, {.number = number, .generation = 1}, request, framePools, {},
                      lines);
        ASSERT_TRUE(requests->tryWrite(lines));
        EXPECT_FALSE(answer());
    };
    const auto nameLongAndShort = [&] {
        expectRefusal(0, kArguments, 0);
        expectRefusal(0, 0, kArguments);
        expectRefusal(kMaximumPools, 0, 0);
        expectRefusal(0, 0, 0);
    };
    nameLongAndShort();
    const std::uint64_t before = heapBytes();
    for (number = 2; number <= 17; ++number) {
        nameLongAndShort();
    }
    EXPECT_LT(heapBytes(), before + 4 * kMebibyte);
}

TEST_F(HostileClient, doesNotReadItsResults) {
    serve();
    for (int i = 0; i < 100; ++i) {
        const std::vector<FrameLine> frame = goodFrame();
        while (!requests->tryWrite(frame)) {
            std::this_thread::yield();
        }
    }
    while (model->runs < 100) {
        std::this_thread::yield();
    }
    while (results->hasElement()) {
        results->consume(results->availableToRead());
    }
    expectThatItStillServes();
}

TEST_F(HostileClient, sendsFramesOfRandomWords) {
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    serve();
    for (int i = 0; i < 3000; ++i) {
        std::vector<FrameLine> frame = goodFrame();
        std::uint64_t& word = frame[random() % frame.size()].words[random() % 7];
        word ^= random() % 2 == 0 ? std::uint64_t{1} << (random() % 64) : random();
        while (!requests->tryWrite(frame)) {
            std::this_thread::yield();
        }
        while (results->hasElement()) {
            (void)answer();
        }
    }
    // A good request is answered in the end, after the answers to what came before. It is sent when
    // the queue is empty, because a frame that lies about its length takes the next one with it.
    // Its answer needs room beside that of the last frame, which may still be served: the results
    // are read once more after the queue was seen empty.
    bool isEmpty = false;
    while (!isEmpty) {
        std::this_thread::yield();
        isEmpty = requests->availableToWrite() == requests->capacity();
        while (results->hasElement()) {
            (void)answer();
        }
    }
    ASSERT_TRUE(requests->tryWrite(goodFrame()));
    (void)lastAnswer();
}

TEST_F(HostileClient, spoilsTheEventWordAndTheServerStillStops) {
    serve();
    auto& word = *reinterpret_cast<std::atomic<std::uint32_t>*>(channel.memory().data() +
                                                                kRequestEventOffset);
    std::atomic<bool> isDone{false};
    std::thread spoiler([&] {
        while (!isDone) {
            word.store(fmq::EventFlag::kSleeping);
        }
    });
    std::this_thread::sleep_for(30ms);
    server.reset();  // ends within kLongestSleep; a watchdog of the test run ends it otherwise
    isDone = true;
    spoiler.join();
}

TEST_F(HostileClient, lengthensTheArgumentsBeyondThePool) {
    serve();
    doubling.request.inputs[0].location.offset = UINT32_MAX - 3;
    doubling.request.inputs[0].location.length = UINT32_MAX;
    ASSERT_TRUE(requests->tryWrite(goodFrame()));
    const Result<> result = answer();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
}

TEST(HostileChannel, isRefusedWhateverItsHeaderSays) {
    const auto expectRefusal = [](const char* what, auto change) {
        const Channel channel = std::move(*Channel::create(16));
        change(*reinterpret_cast<ChannelHeader*>(channel.memory().data()));
        const auto server =
            Server::create(channel.region(), {.model = std::make_shared<DoublingModel>()},
                           std::make_shared<FakeDriverControlPlane>(
                               [](auto) { return std::vector<SharedRegion>(); }),
                           {}, *ServingThreadPool::create());
        ASSERT_FALSE(server) << what;
        EXPECT_EQ(server.error().status, ErrorStatus::INVALID_ARGUMENT) << what;
    };
    expectRefusal("magic", [](ChannelHeader& h) { h.magic = 0; });
    expectRefusal("version", [](ChannelHeader& h) { h.version = kChannelVersion + 1; });
    expectRefusal("size", [](ChannelHeader& h) { h.sizeBytes = 64; });
    expectRefusal("reserved", [](ChannelHeader& h) { h.reserved = 1; });
    expectRefusal("capacity", [](ChannelHeader& h) { h.requests.capacity = 32; });
    expectRefusal("huge capacity", [](ChannelHeader& h) { h.results.capacity = 1U << 20; });
    expectRefusal("offset", [](ChannelHeader& h) { h.requests.offset = UINT64_MAX - 63; });
    expectRefusal("flavour", [](ChannelHeader& h) { h.results.flavor = 2; });
    expectRefusal("element", [](ChannelHeader& h) { h.results.elementBytes = 64; });
}

TEST(HostileChannel, isRefusedWhenItIsTooSmall) {
    const auto server = Server::create(
        *Region::create(100), {.model = std::make_shared<DoublingModel>()},
        std::make_shared<FakeDriverControlPlane>([](auto) { return std::vector<SharedRegion>(); }),
        {}, *ServingThreadPool::create());
    ASSERT_FALSE(server);
    EXPECT_EQ(server.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_NE(server.error().message.find("too small"), std::string::npos)
        << server.error().message;
}

TEST(HostileChannel, isRefusedWithQueuesThatAreTooLongOrTooShort) {
    for (auto member : {&ChannelHeader::requests, &ChannelHeader::results}) {
        for (const std::uint64_t capacity : {2 * kMaximumQueueLines, kMinimumQueueLines / 2, 1U}) {
            const Channel channel = std::move(*Channel::create(16));
            auto& header = *reinterpret_cast<ChannelHeader*>(channel.memory().data());
            (header.*member).capacity = capacity;
            const auto opened = Channel::open(channel.region());
            ASSERT_FALSE(opened);
            EXPECT_NE(opened.error().message.find("must be 16 to"), std::string::npos)
                << opened.error().message;
        }
    }
}

/// A driver that read its own results as requests served one bad line for ever.
TEST(HostileChannel, isRefusedWithQueuesThatOverlapEachOtherOrTheEventWords) {
    const auto expectRefusal = [](std::uint64_t requestsAt, std::uint64_t resultsAt) {
        const Channel channel = std::move(*Channel::create(16));
        ASSERT_TRUE(FrameQueue::create(channel.memory(), requestsAt, 16, kRequestEventOffset, 0));
        ASSERT_TRUE(FrameQueue::create(channel.memory(), resultsAt, 16, kResultEventOffset, 0));
        auto& header = *reinterpret_cast<ChannelHeader*>(channel.memory().data());
        header.requests.offset = requestsAt;
        header.results.offset = resultsAt;
        const auto opened = Channel::open(channel.region());
        ASSERT_FALSE(opened) << requestsAt << ", " << resultsAt;
        EXPECT_EQ(opened.error().status, ErrorStatus::INVALID_ARGUMENT);
        EXPECT_EQ(opened.error().message, "burst channel: queues at offsets " +
                                              std::to_string(requestsAt) + " and " +
                                              std::to_string(resultsAt) + ": must be at " +
                                              std::to_string(kRequestQueueOffset) + " and 1920");
    };
    expectRefusal(kRequestQueueOffset, kRequestQueueOffset);
    expectRefusal(kRequestQueueOffset, kRequestQueueOffset + 64);
    expectRefusal(kRequestQueueOffset, 128);
    expectRefusal(128, 1920);
}

/// Where the driver writes event words is not for the client to say.
TEST(HostileChannel, doesNotMoveTheEventWords) {
    const Channel channel = std::move(*Channel::create(16));
    auto& header = *reinterpret_cast<ChannelHeader*>(channel.memory().data());
    header.requests.notEmptyOffset = 0;
    header.results.notEmptyOffset = 64;
    header.results.notFullOffset = 64;
    const Channel opened = std::move(*Channel::open(channel.region()));
    EXPECT_EQ(opened.requests().notEmptyOffset, kRequestEventOffset);
    EXPECT_EQ(opened.results().notEmptyOffset, kResultEventOffset);
    EXPECT_EQ(opened.results().notFullOffset, 0U);
}

}  // namespace
}  // namespace nnburst::burst
