// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// A driver that writes anything into the shared memory of a burst, at a client of this library.
/// Each execution ends, and one that counts as done has the shapes that the driver said.
///
///     input: repeated: what to do (8 bits) | where and what to write

#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

#include "burst/channel.h"
#include "burst/fakes.h"
#include "burst/result_frame.h"
#include "byte_source.h"

namespace nnburst::burst {
namespace {

using fuzz::ByteSource;
using namespace std::chrono_literals;

/// The driver's end, played by the fuzzer.
class HostileDriver {
  public:
    explicit HostileDriver(const SharedRegion& region)
        : channel_(std::move(*Channel::open(region))),
          results_(*FrameQueue::Writer::attach(channel_.memory(), channel_.results())) {}

    void act(ByteSource& bytes) {
        if (bytes.take<std::uint8_t>() % 3 == 0) {
            const std::size_t word = bytes.below(channel_.memory().size() / sizeof(std::uint64_t));
            reinterpret_cast<std::atomic<std::uint64_t>*>(channel_.memory().data())[word].store(
                bytes.take<std::uint64_t>());
            return;
        }
        std::vector<FrameLine> lines(1 + bytes.below(4));
        const auto contents = bytes.takeBytes(lines.size() * sizeof(FrameLine));
        if (!contents.empty()) {
            std::memcpy(lines.data(), contents.data(), contents.size());
        }
        if (bytes.flip()) {  // what the client reads further than its header
            lines[0].words[0] = 1 + bytes.below(4);
            lines[0].words[1] =
                static_cast<std::uint64_t>(FrameKind::RESULT) | std::uint64_t{lines.size()} << 32;
        }
        (void)results_.tryWrite(lines);
    }

  private:
    Channel channel_;
    FrameQueue::Writer results_;
};

void attack(ByteSource bytes) {
    static DoublingRequest doubling;
    const auto controller = *Controller::create(
        {.queueLines = 16, .inFlight = 2, .clientWait = {.spinWindow = 0ns}, .deadlineGrace = 0ms});
    const auto client = std::make_shared<FakeClientControlPlane>();
    controller->attach(client, {.doorbell = {}, .ringsBack = false});
    HostileDriver driver(controller->channel());
    ExecutionOutcome outcome;
    for (int i = 0; i < 20 && !bytes.isEmpty(); ++i) {
        for (std::size_t actions = bytes.below(4); actions > 0; --actions) {
            driver.act(bytes);
        }
        ExecutionOptions options;
        options.deadline = std::chrono::steady_clock::now() + 100us;
        (void)controller->execute(doubling.request, options, outcome);
    }
    controller->connectionLost();
}

}  // namespace
}  // namespace nnburst::burst

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    nnburst::burst::attack({data, size});
    return 0;
}
