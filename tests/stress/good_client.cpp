// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "good_client.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "device/driver_process.h"
#include "nnburst/builtin_models.h"
#include "nnburst/device.h"
#include "nnburst/memory.h"

namespace nnburst::stress {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Between the starts of two frames, as far as they end in time.
constexpr std::chrono::milliseconds kFrameInterval{3};
constexpr std::chrono::milliseconds kControlInterval{100};
constexpr std::uint32_t kResolution = 128;
constexpr std::uint32_t kInputBytes = kResolution * kResolution * 3;
constexpr std::uint32_t kOutputBytes = 1001;
constexpr std::size_t kInputs = 3;  ///< different ones, in turn

double microseconds(Clock::duration duration) {
    return std::chrono::duration<double, std::micro>(duration).count();
}

/// What both threads write and the main thread reads.
class Measurements {
  public:
    void beginExecution() {
        const std::lock_guard lock(mutex_);
        executionBegun_ = Clock::now();
    }
    void endExecution(bool isGood) {
        const std::lock_guard lock(mutex_);
        if (isGood) {
            latencies_.push_back(microseconds(Clock::now() - std::max(*executionBegun_, begun_)));
        }
        executionBegun_.reset();
    }
    void addControlCall(Clock::time_point begin) {
        const std::lock_guard lock(mutex_);
        ++service_.controlCalls;
        service_.longestControlUs = std::max(service_.longestControlUs,
                                             microseconds(Clock::now() - std::max(begin, begun_)));
    }
    void addFailure(const std::string& what) {
        const std::lock_guard lock(mutex_);
        if (service_.failures++ == 0) {
            service_.firstFailure = what;
        }
    }
    Service take(bool beginsAnew) {
        const std::lock_guard lock(mutex_);
        Service service = service_;
        std::vector<double> sorted = latencies_;
        std::ranges::sort(sorted);
        service.executions = sorted.size();
        if (!sorted.empty()) {
            service.medianUs = sorted[sorted.size() / 2];
            service.p99Us = sorted[sorted.size() * 99 / 100];
            service.longestUs = sorted.back();
        }
        if (executionBegun_) {
            service.longestUs = std::max(
                service.longestUs, microseconds(Clock::now() - std::max(*executionBegun_, begun_)));
        }
        if (beginsAnew) {
            service_ = {};
            latencies_.clear();
            begun_ = Clock::now();
        }
        return service;
    }

  private:
    std::mutex mutex_;  // guards all below
    Service service_;
    std::vector<double> latencies_;  // microseconds
    std::optional<Clock::time_point> executionBegun_;
    Clock::time_point begun_ = Clock::now();
};

/// A request of the network and the places of its arguments.
class NetworkRequest {
  public:
    NetworkRequest() {
        request.pools = {memory_.region()};
        request.inputs = {{.location = {.offset = 0, .length = kInputBytes}}};
        request.outputs = {{.location = {.offset = kInputBytes, .length = kOutputBytes}}};
    }
    void setInput(std::size_t index) {
        std::span<std::byte> input = memory_.bytes().first(kInputBytes);
        for (std::size_t i = 0; i < input.size(); ++i) {
            input[i] = static_cast<std::byte>(i * (2 * index + 7) + (i >> 8));
        }
        std::ranges::fill(memory_.bytes().subspan(kInputBytes, kOutputBytes), std::byte{0x5A});
    }
    [[nodiscard]] std::vector<std::byte> output() const {
        const auto bytes = memory_.bytes().subspan(kInputBytes, kOutputBytes);
        return {bytes.begin(), bytes.end()};
    }

    Request request;

  private:
    Mapping memory_ = std::move(*Mapping::map(*Region::create(kInputBytes + kOutputBytes)));
};

Model makeNetwork() {
    return std::move(
        *makeMobileNetV1({.resolution = kResolution, .precision = BuiltinPrecision::QUANT8}));
}

std::vector<std::vector<std::byte>> expectedOutputs() {
    const SharedDevice device = *makeLocalDevice();
    const SharedPreparedModel prepared = *prepareModel(*device, makeNetwork());
    std::vector<std::vector<std::byte>> outputs;
    for (std::size_t i = 0; i < kInputs; ++i) {
        NetworkRequest network;
        network.setInput(i);
        ExecutionOutcome outcome;
        (void)prepared->executeSynchronously(network.request, {}, outcome);
        outputs.push_back(network.output());
    }
    return outputs;
}

std::string describe(const char* what, const Error& error) {
    return std::string(what) + ": " + toString(error.status) + ": " + error.message;
}

/// Executes frames until an error, which is recorded.
void streamFrames(const std::string& path, const std::vector<std::vector<std::byte>>& expected,
                  Measurements& measurements) {
    const auto device = nnburst::connect(path);
    if (!device) {
        return measurements.addFailure(describe("connect", device.error()));
    }
    const auto prepared = prepareModel(**device, makeNetwork());
    if (!prepared) {
        return measurements.addFailure(describe("prepare the network", prepared.error()));
    }
    const auto burst = (*prepared)->configureExecutionBurst({});
    if (!burst) {
        return measurements.addFailure(describe("set up a burst", burst.error()));
    }
    NetworkRequest network;
    ExecutionOutcome outcome;
    auto next = Clock::now();
    for (std::size_t frame = 0;; ++frame) {
        network.setInput(frame % kInputs);
        measurements.beginExecution();
        const auto executed = (*burst)->execute(network.request, {}, outcome);
        measurements.endExecution(executed.has_value());
        if (!executed) {
            return measurements.addFailure(describe("execute a frame", executed.error()));
        }
        if (network.output() != expected[frame % kInputs]) {
            return measurements.addFailure("a frame has a wrong result");
        }
        next = std::max(next + kFrameInterval, Clock::now());
        std::this_thread::sleep_until(next);
    }
}

void callOnce(const std::string& path, float value, Measurements& measurements) {
    const auto begin = Clock::now();
    const auto device = nnburst::connect(path);
    if (!device) {
        return measurements.addFailure(describe("connect anew", device.error()));
    }
    const auto prepared = prepareModel(**device, test::makeAddModel());
    if (!prepared) {
        return measurements.addFailure(describe("prepare on a new connection", prepared.error()));
    }
    test::AddRequest add;
    add.a()[0] = value;
    ExecutionOutcome outcome;
    if (const auto executed = (*prepared)->executeSynchronously(add.request, {}, outcome);
        !executed) {
        return measurements.addFailure(describe("execute on a new connection", executed.error()));
    }
    if (add.out()[0] != value + 10.0F) {
        return measurements.addFailure("an execution on a new connection has a wrong result");
    }
    measurements.addControlCall(begin);
}

/// One question and one answer of the case.
struct Question {
    bool beginsAnew;
};
struct Answer {
    std::uint64_t executions, controlCalls, failures;
    double medianUs, p99Us, longestUs, longestControlUs;
    std::array<char, 400> firstFailure;
};

void serveQuestions(int socket, Measurements& measurements) {
    Question question{};
    while (::read(socket, &question, sizeof(question)) == sizeof(question)) {
        const Service service = measurements.take(question.beginsAnew);
        Answer answer{
            service.executions, service.controlCalls, service.failures,         service.medianUs,
            service.p99Us,      service.longestUs,    service.longestControlUs, {}};
        service.firstFailure.copy(answer.firstFailure.data(), answer.firstFailure.size() - 1);
        if (::write(socket, &answer, sizeof(answer)) != sizeof(answer)) {
            return;
        }
    }
}

void runGoodClient(const std::string& path, int socket) {
    Measurements measurements;
    const auto expected = expectedOutputs();
    std::thread([&] {
        while (true) {
            streamFrames(path, expected, measurements);
            std::this_thread::sleep_for(kControlInterval);
        }
    }).detach();
    std::thread([&] {
        for (int i = 0;; ++i) {
            callOnce(path, static_cast<float>(i), measurements);
            std::this_thread::sleep_for(kControlInterval);
        }
    }).detach();
    serveQuestions(socket, measurements);
    ::_exit(0);
}

std::array<UniqueFd, 2> socketPair() {
    std::array<int, 2> ends{-1, -1};
    (void)::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data());
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace

GoodClient::GoodClient(const std::string& socketPath) : GoodClient(socketPath, socketPair()) {}

GoodClient::GoodClient(const std::string& socketPath, std::array<UniqueFd, 2> ends)
    : socket_(std::move(ends[0])), child_([&] {
          socket_.reset();  // so that the client ends with the case
          runGoodClient(socketPath, ends[1].get());
      }) {}

Service GoodClient::ask(bool beginsAnew) {
    const Question question{beginsAnew};
    Answer answer{};
    pollfd readable{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    const auto boundMs = std::chrono::duration_cast<std::chrono::milliseconds>(kHangBound).count();
    Service service;
    if (::send(socket_.get(), &question, sizeof(question), MSG_NOSIGNAL) != sizeof(question) ||
        ::poll(&readable, 1, static_cast<int>(boundMs)) != 1 ||
        ::read(socket_.get(), &answer, sizeof(answer)) != sizeof(answer)) {
        service.failures = 1;
        service.firstFailure = "the good client does not answer";
        return service;
    }
    return {answer.executions, answer.controlCalls,       answer.medianUs,
            answer.p99Us,      answer.longestUs,          answer.longestControlUs,
            answer.failures,   answer.firstFailure.data()};
}

bool GoodClient::begin() {
    bool isServed = false;
    (void)end(isServed);
    (void)ask(true);
    return isServed;
}

Service GoodClient::end(bool& isServed) {
    const auto deadline = Clock::now() + kHangBound;
    Service service;
    do {
        service = ask(false);
        isServed = service.executions > 0 && service.controlCalls > 0;
        if (!isServed) {
            std::this_thread::sleep_for(10ms);
        }
    } while (!isServed && Clock::now() < deadline);
    return service;
}

}  // namespace nnburst::stress
