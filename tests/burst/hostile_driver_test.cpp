// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// A driver that lies to the client's controller: it writes anything into the channel.

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <future>
#include <thread>
#include <vector>

#include "burst/channel.h"
#include "burst/pending_executions.h"
#include "burst/request_frame.h"
#include "burst/result_frame.h"
#include "burst/result_receiver.h"
#include "fakes.h"

namespace nnburst::burst {
namespace {

using namespace std::chrono_literals;

class HostileDriver : public testing::Test {
  protected:
    HostileDriver() { open({.deadlineGrace = 10ms}); }

    void open(const BurstOptions& options) {
        controller = std::move(*Controller::create(options));
        controller->attach(client, {});
        channel = std::move(*Channel::open(controller->channel()));
        requests.emplace(*FrameQueue::Reader::attach(channel.memory(), channel.requests()));
        results.emplace(*FrameQueue::Writer::attach(channel.memory(), channel.results()));
    }

    /// Executes, while `driver` is called with the serial of the request and answers it.
    template <class Driver>
    Result<> execute(Driver driver) {
        std::thread thread([&] {
            std::vector<FrameLine> lines(1);
            EXPECT_TRUE(requests->read(lines, {}, std::chrono::steady_clock::now() + 20s));
            requests->consume(requests->availableToRead());
            driver(serialOf(lines[0]));
        });
        Result<> result = controller->execute(doubling.request, {}, outcome);
        thread.join();
        return result;
    }

    void send(std::uint64_t serial, ErrorStatus status, const ExecutionOutcome& sent,
              void (*change)(ResultFrameHeader&) = nullptr) {
        std::vector<FrameLine> lines(resultLineCount(sent.outputShapes, 0));
        encodeResult(serial, 0, status, sent, "", lines);
        if (change != nullptr) {
            auto header = std::bit_cast<ResultFrameHeader>(lines[0]);
            change(header);
            lines[0] = std::bit_cast<FrameLine>(header);
        }
        EXPECT_TRUE(results->tryWrite(lines));
    }

    /// Calls `function` while the driver writes results of no request as fast as it can. False if
    /// the driver was tired of it before `function` has ended.
    template <class Function>
    bool endsBeforeTheFlood(Function function) {
        std::atomic<bool> hasEnded{false};
        std::future<bool> flood = std::async(std::launch::async, [&] {
            const FrameLine line = encodeSameShapes(12345, {});
            const TimePoint end = std::chrono::steady_clock::now() + 20s;
            while (!hasEnded && std::chrono::steady_clock::now() < end) {
                (void)results->tryWrite({&line, 1});
            }
            return hasEnded.load();
        });
        function();
        hasEnded = true;
        return flood.get();
    }

    static void remember(ResultFrameHeader& header) { header.flags = kRemembered; }
    static void forget(ResultFrameHeader& header) { header.flags = kUnknownExecution; }

    static ExecutionOutcome shapes(std::size_t count) {
        ExecutionOutcome sent;
        sent.outputShapes.assign(count, {.dimensions = {4}, .isSufficient = true});
        return sent;
    }

    DoublingRequest doubling;
    ExecutionOutcome outcome;
    std::shared_ptr<FakeClientControlPlane> client = std::make_shared<FakeClientControlPlane>();
    std::shared_ptr<Controller> controller;
    Channel channel;
    std::optional<FrameQueue::Reader> requests;
    std::optional<FrameQueue::Writer> results;
};

TEST_F(HostileDriver, thatIsHonestIsBelieved) {
    EXPECT_TRUE(execute([&](auto serial) { send(serial, ErrorStatus::NONE, shapes(1)); }));
}

TEST_F(HostileDriver, answersARequestThatWasNotSentAndIsNeverBelievedAgain) {
    ASSERT_TRUE(execute([&](auto serial) { send(serial, ErrorStatus::NONE, shapes(1)); }));
    Result<> result = execute([&](auto serial) {
        send(serial + 1, ErrorStatus::NONE, shapes(1));
        send(serial, ErrorStatus::NONE, shapes(1));
    });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_EQ(result.error().message,
              "result frame: serial 3 matches no request in flight; the connection counts as lost");
    result = controller->execute(doubling.request, {}, outcome);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
}

TEST_F(HostileDriver, answersARequestTwiceAndIsNeverBelievedAgain) {
    ASSERT_TRUE(execute([&](auto serial) {
        send(serial, ErrorStatus::NONE, shapes(1));
        send(serial, ErrorStatus::NONE, shapes(1));
    }));
    const Result<> result =
        execute([&](auto serial) { send(serial, ErrorStatus::NONE, shapes(1)); });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
}

TEST_F(HostileDriver, doesNotKeepAnExecutionByResultsWithoutAPause) {
    Result<> result;
    EXPECT_TRUE(endsBeforeTheFlood([&] {
        result = controller->execute(
            doubling.request, {.deadline = std::chrono::steady_clock::now() + 50ms}, outcome);
    }));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
}

TEST_F(HostileDriver, doesNotKeepALookForResultsByResultsWithoutAPause) {
    const Result<Submission> submission =
        controller->submit(doubling.request, {.deadline = std::chrono::steady_clock::now() + 50ms});
    ASSERT_TRUE(submission);
    EXPECT_TRUE(endsBeforeTheFlood([&] {
        while (!controller->isDone(*submission)) {
            std::this_thread::yield();
        }
        EXPECT_FALSE(controller->isMemoryInUse());
    }));
    EXPECT_FALSE(controller->wait(*submission, outcome));
}

TEST_F(HostileDriver, doesNotKnowARequestThatWasJustSentWhole) {
    const auto reusable = std::move(*controller->createReusableExecution(doubling.request, {}));
    std::atomic<int> frames{0};
    std::atomic<bool> mayEnd{false};
    std::thread driver([&] {
        std::vector<FrameLine> lines(1);
        while (!mayEnd && frames < 1000) {
            if (requests->read(lines, {}, std::chrono::steady_clock::now() + 10ms)) {
                requests->consume(requests->availableToRead());
                const bool isFirst = ++frames == 1;
                send(serialOf(lines[0]), isFirst ? ErrorStatus::NONE : ErrorStatus::GENERAL_FAILURE,
                     isFirst ? shapes(1) : ExecutionOutcome(), isFirst ? remember : forget);
            }
        }
    });
    EXPECT_TRUE(reusable->compute({}, outcome));
    const Result<> result =
        reusable->compute(TimePoint(std::chrono::steady_clock::now() + 10s), outcome);
    mayEnd = true;
    driver.join();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::GENERAL_FAILURE);
    EXPECT_TRUE(outcome.outputShapes.empty());
    EXPECT_EQ(frames, 3) << "the second is a line, the third the whole request";
}

/// The driver does not know a request for whose frame the queue has no room: a call that does not
/// block once executed it over the control plane.
TEST_F(HostileDriver, doesNotMakeALookForResultsExecuteWhatItHasForgotten) {
    open({.queueLines = 64, .inFlight = 2, .deadlineGrace = 10ms});
    const auto drain = [this] { requests->consume(requests->availableToRead()); };
    const auto reusable = std::move(*controller->createReusableExecution(doubling.request, {}));
    const Result<Submission> first = reusable->submit({});
    ASSERT_TRUE(first);
    drain();
    send(1, ErrorStatus::NONE, shapes(1), remember);
    ASSERT_TRUE(controller->wait(*first, outcome));

    const Result<Submission> forgotten = reusable->submit({});
    DoublingRequest large;
    while (requestLineCount(large.request) < 63) {
        large.request.inputs.push_back(large.request.inputs[0]);
    }
    const Result<Submission> other = controller->submit(large.request, {});
    ASSERT_TRUE(forgotten && other);
    ASSERT_EQ(requests->availableToRead(), 64U);
    requests->consume(1);
    send(2, ErrorStatus::GENERAL_FAILURE, {}, forget);
    EXPECT_FALSE(controller->isDone(*forgotten));
    EXPECT_FALSE(controller->isMemoryInUse());
    EXPECT_EQ(client->fallbacks, 0);

    drain();
    send(3, ErrorStatus::NONE, shapes(1));
    EXPECT_TRUE(controller->isDone(*other));
    EXPECT_EQ(requests->availableToRead(), requestLineCount(doubling.request));
    send(4, ErrorStatus::NONE, shapes(1));
    EXPECT_TRUE(controller->wait(*forgotten, outcome));
    EXPECT_TRUE(controller->wait(*other, outcome));
    EXPECT_EQ(client->fallbacks, 0);
}

TEST_F(HostileDriver, doesNotProlongAWaitByTheLateResultsOfOthers) {
    constexpr std::uint32_t kInFlight = 64;
    open({.queueLines = 4096, .inFlight = kInFlight, .deadlineGrace = 500ms});
    std::vector<DoublingRequest> others(kInFlight - 1);
    std::uint64_t serial = 0;
    for (const DoublingRequest& other : others) {
        ASSERT_TRUE(controller->submit(other.request, {}));
        ++serial;
    }
    const Result<Submission> ours =
        controller->submit(doubling.request, {.deadline = std::chrono::steady_clock::now()});
    ASSERT_TRUE(ours);
    std::atomic<bool> mayEnd{false};
    std::atomic<std::uint64_t> answered{0};
    std::thread driver([&] {
        while (!mayEnd && answered < serial) {
            std::this_thread::sleep_for(300ms);
            send(++answered, ErrorStatus::NONE, shapes(1));
        }
    });
    const Result<> result = controller->wait(*ours, outcome);
    const std::uint64_t answeredUntilThen = answered;
    mayEnd = true;
    driver.join();
    ASSERT_FALSE(result);
    EXPECT_LT(answeredUntilThen, serial);
}

TEST_F(HostileDriver, givesMoreOrFewerShapesThanThereAreOutputs) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{2}}) {
        const Result<> result =
            execute([&](auto serial) { send(serial, ErrorStatus::NONE, shapes(count)); });
        ASSERT_FALSE(result) << count;
        EXPECT_EQ(result.error().status, ErrorStatus::GENERAL_FAILURE);
        EXPECT_TRUE(outcome.outputShapes.empty());
    }
}

TEST_F(HostileDriver, answersWithTheSameShapesAsBeforeWhereThereIsNoBefore) {
    // The outcome has shapes, but of another execution.
    for (const std::uint16_t flagsBeside : {std::uint16_t{0}, kRemembered, kUnknownExecution}) {
        ASSERT_TRUE(execute([&](auto serial) { send(serial, ErrorStatus::NONE, shapes(1)); }));
        const Result<> result = execute([&](auto serial) {
            FrameLine line = encodeSameShapes(serial, {});
            line.words[1] |= std::uint64_t{flagsBeside} << 16;
            EXPECT_TRUE(results->tryWrite({&line, 1}));
        });
        ASSERT_FALSE(result) << flagsBeside;
        EXPECT_EQ(result.error().status, ErrorStatus::GENERAL_FAILURE);
        EXPECT_TRUE(outcome.outputShapes.empty());
    }
}

TEST_F(HostileDriver, answersWithAnUnknownStatus) {
    const Result<> result = execute([&](auto serial) {
        send(serial, ErrorStatus::NONE, shapes(1), [](ResultFrameHeader& h) { h.status = 99; });
    });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::GENERAL_FAILURE);
}

TEST_F(HostileDriver, announcesLinesThatItDoesNotWriteAndIsNeverBelievedAgain) {
    Result<> result = execute([&](auto serial) {
        send(serial, ErrorStatus::NONE, shapes(1), [](ResultFrameHeader& h) { h.lineCount = 50; });
    });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_EQ(result.error().message,
              "result frame 1: announces 50 lines; must be 1 to the 2 in the queue; the connection "
              "counts as lost");
    result = controller->execute(doubling.request, {}, outcome);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
}

TEST(ResultReceiver, saysThatNoResultIsThere) {
    const Channel channel = std::move(*Channel::create(16));
    PendingExecutions pending(1, 16);
    ResultReceiver receiver(*FrameQueue::Reader::attach(channel.memory(), channel.results()),
                            pending, HalVersion::V1_3);
    const auto result = receiver.take();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_EQ(result.error().message, "the connection to the driver is lost");
}

TEST_F(HostileDriver, changesTheQueueHeadersLater) {
    std::fill_n(channel.memory().begin(), kRequestEventOffset, std::byte{0xFF});
    EXPECT_TRUE(execute([&](auto serial) { send(serial, ErrorStatus::NONE, shapes(1)); }));
}

TEST_F(HostileDriver, claimsToHaveReadWhatWasNeverWritten) {
    auto& position = *reinterpret_cast<std::atomic<std::uint64_t>*>(
        channel.memory().data() + kRequestQueueOffset + fmq::kReadPositionOffset);
    position = 1000;
    ExecutionOutcome other;
    for (int i = 0; i < 80 && client->fallbacks == 0; ++i) {
        const DoublingRequest another;  // the memory of those before is in use
        (void)controller->execute(another.request,
                                  {.deadline = TimePoint(std::chrono::steady_clock::now())}, other);
    }
    EXPECT_EQ(client->fallbacks, 1) << "the queue counts as full: the control plane is used";
}

}  // namespace
}  // namespace nnburst::burst
