// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// A driver that writes anything into the shared memory of a burst and answers anything, at a
/// client of this library. Each execution ends, and one that counts as done has one output shape.
///
///     input: repeated: what to do (8 bits) | its arguments

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "burst/channel.h"
#include "burst/fakes.h"
#include "burst/result_frame.h"
#include "byte_source.h"

namespace nnburst::burst {
namespace {

using fuzz::ByteSource;
using namespace std::chrono_literals;

constexpr std::size_t kMaximumActions = 60;
/// Soon, since what a hostile driver does not answer is awaited until then.
constexpr auto kTimeLimit = 100us;

/// The driver's end, played by the fuzzer.
class HostileDriver {
  public:
    explicit HostileDriver(const SharedRegion& region)
        : channel_(std::move(*Channel::open(region))),
          requests_(*FrameQueue::Reader::attach(channel_.memory(), channel_.requests())),
          results_(*FrameQueue::Writer::attach(channel_.memory(), channel_.results())) {}

    void act(ByteSource& bytes) {
        switch (bytes.take<std::uint8_t>() % 8) {
            case 0:
                writeAnywhere(bytes);
                break;
            case 1:
                writeAnyLines(bytes);
                break;
            case 2: {
                const FrameLine line = encodeSameShapes(takeSerial(bytes), {});
                (void)results_.tryWrite({&line, 1});
                break;
            }
            default:
                answer(bytes);
        }
    }

  private:
    /// Mostly of the last execution that was sent. A result of none, as of the next one that will
    /// be, ends the burst.
    std::uint64_t takeSerial(ByteSource& bytes) {
        for (FrameLine line{}; requests_.peek(0, line);) {
            last_ = std::max(last_, serialOf(line));
            requests_.consume(std::max(1U, announcedLineCount(line, requests_.capacity())));
        }
        const auto choice = bytes.take<std::uint8_t>();
        return choice < 240 ? last_ - choice / 224 : last_ + 1 - choice % 4;
    }

    void writeAnywhere(ByteSource& bytes) {
        const std::size_t word = bytes.below(channel_.memory().size() / sizeof(std::uint64_t));
        reinterpret_cast<std::atomic<std::uint64_t>*>(channel_.memory().data())[word].store(
            bytes.take<std::uint64_t>());
    }

    void writeAnyLines(ByteSource& bytes) {
        std::vector<FrameLine> lines(1 + bytes.below(4));
        const auto contents = bytes.takeBytes(lines.size() * sizeof(FrameLine));
        if (!contents.empty()) {
            std::memcpy(lines.data(), contents.data(), contents.size());
        }
        (void)results_.tryWrite(lines);
    }

    /// A result as a driver gives it, in which a few bits may be changed.
    void answer(ByteSource& bytes) {
        ExecutionOutcome outcome;
        const auto shape = bytes.take<std::uint8_t>();
        outcome.outputShapes.assign(
            shape < 240 ? 1 : shape - 240,
            {.dimensions = Dimensions(shape % 8, 4), .isSufficient = shape % 16 != 15});
        const auto choice = bytes.take<std::uint8_t>();
        const auto status = static_cast<ErrorStatus>(choice < 200 ? 0 : choice % 10);
        const std::string message(status == ErrorStatus::NONE ? 0 : choice, 'm');
        std::vector<FrameLine> lines(resultLineCount(outcome.outputShapes, message.size()));
        encodeResult(takeSerial(bytes), bytes.take<std::uint8_t>() % 8, status, outcome, message,
                     lines);
        if (bytes.take<std::uint8_t>() % 4 == 3) {
            lines[bytes.below(lines.size())].words[bytes.below(FrameLine::kWords)] ^=
                std::uint64_t{bytes.take<std::uint16_t>()} << bytes.below(49);
        }
        (void)results_.tryWrite(lines);
    }

    Channel channel_;
    FrameQueue::Reader requests_;
    FrameQueue::Writer results_;
    std::uint64_t last_ = 0;
};

/// The application.
class Client {
  public:
    explicit Client(Controller& controller) : controller_(controller) {
        for (std::size_t i = 0; i < kRequests; ++i) {
            reusable_[i] = *controller.createReusableExecution(requests()[i].request, options());
        }
    }

    void act(ByteSource& bytes) {
        const std::size_t one = bytes.take<std::uint8_t>() % kRequests;
        switch (bytes.take<std::uint8_t>() % 8) {
            case 0:
                expectShape(controller_.execute(requests()[one].request, options(), outcome_));
                break;
            case 1:
            case 2:
                expectShape(reusable_[one]->compute(*options().deadline, outcome_));
                break;
            case 3:
                keep(controller_.submit(requests()[one].request, options()));
                break;
            case 4:
                keep(reusable_[one]->submit(options().deadline));
                break;
            case 5:
                expectShape(controller_.wait(submission_, outcome_));
                break;
            case 6:
                lookAtState(bytes);
                break;
            default:
                controller_.freeMemory(requests()[one].pool.region());
        }
    }

  private:
    static constexpr std::size_t kRequests = 4;

    static std::array<DoublingRequest, kRequests>& requests() {
        static std::array<DoublingRequest, kRequests> all;
        return all;
    }

    static ExecutionOptions options() {
        ExecutionOptions options;
        options.deadline = std::chrono::steady_clock::now() + kTimeLimit;
        return options;
    }

    void expectShape(const Result<>& executed) const {
        if (executed && outcome_.outputShapes.size() != 1) {
            std::printf("an execution is done with %zu output shapes\n",
                        outcome_.outputShapes.size());
            std::abort();
        }
    }

    void keep(const Result<Submission>& submitted) {
        if (submitted) {
            submission_ = *submitted;
        }
    }

    void lookAtState(ByteSource& bytes) {
        switch (bytes.take<std::uint8_t>() % 4) {
            case 0:
                (void)controller_.completionDescriptor();
                (void)controller_.armCompletion();
                break;
            case 1:
                (void)controller_.isDone(submission_);
                break;
            case 2:
                (void)controller_.isMemoryInUse();
                break;
            default:
                (void)controller_.waitForMemory(options().deadline);
        }
    }

    Controller& controller_;
    std::array<std::unique_ptr<ReusableExecution>, kRequests> reusable_;
    Submission submission_{};
    ExecutionOutcome outcome_;
};

UniqueFd makeDoorbell(UniqueFd& driversEnd) {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
        std::abort();
    }
    driversEnd = UniqueFd(ends[1]);
    return UniqueFd(ends[0]);
}

void attack(ByteSource bytes) {
    const auto controller = *Controller::create(
        {.queueLines = 16, .inFlight = 4, .clientWait = {.spinWindow = 0ns}, .deadlineGrace = 0ms});
    UniqueFd driversEnd;
    controller->attach(std::make_shared<FakeClientControlPlane>(),
                       {.doorbell = makeDoorbell(driversEnd), .ringsBack = bytes.flip()});
    HostileDriver driver(controller->channel());
    Client client(*controller);
    for (std::size_t i = 0; i < kMaximumActions && !bytes.isEmpty(); ++i) {
        if (bytes.flip()) {
            driver.act(bytes);
        } else {
            client.act(bytes);
        }
    }
    controller->connectionLost();
}

}  // namespace
}  // namespace nnburst::burst

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    nnburst::burst::attack({data, size});
    return 0;
}
