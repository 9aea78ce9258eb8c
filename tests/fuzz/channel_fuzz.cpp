// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// A client that writes anything into the shared memory of its burst, at a driver whose threads
/// serve another burst, too. The results of that one must stay right.
///
///     input: repeated: what to do (8 bits) | where and what to write

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "burst/channel.h"
#include "burst/fakes.h"
#include "burst/request_frame.h"
#include "burst/result_frame.h"
#include "byte_source.h"

namespace nnburst::burst {
namespace {

using fuzz::ByteSource;
using namespace std::chrono_literals;

constexpr std::uint32_t kLines = 16;

/// A burst whose client is the fuzzer.
class HostileBurst {
  public:
    explicit HostileBurst(const std::shared_ptr<ServingThreadPool>& threads)
        : channel_(std::move(*Channel::create(kLines))) {
        requests_.emplace(*FrameQueue::Writer::attach(channel_.memory(), channel_.requests()));
        results_.emplace(*FrameQueue::Reader::attach(channel_.memory(), channel_.results()));
        auto driver = std::make_shared<FakeDriverControlPlane>(
            [region = doubling_.pool.region()](std::span<const std::int32_t> slots) {
                std::vector<SharedRegion> regions(slots.size(), region);
                if (!slots.empty() && slots[0] % 7 == 6) {
                    regions.pop_back();
                }
                return regions;
            });
        server_ = std::move(*Server::create(channel_.region(),
                                            {.model = std::make_shared<DoublingModel>(),
                                             .buffers = std::make_shared<exec::ManagedBuffers>()},
                                            std::move(driver), {}, threads));
        doorbell_ = server_->takeDoorbell();
        requests_->setDoorbell(doorbell_.get());
    }

    void act(ByteSource& bytes) {
        switch (bytes.take<std::uint8_t>() % 6) {
            case 0:
                sendGoodFrame(bytes);
                break;
            case 1:
                sendAnyLines(bytes);
                break;
            case 2:
                writeAnywhere(bytes);
                break;
            case 3:
                server_->freeMemory(bytes.take<std::int16_t>());
                break;
            case 4:
                results_->consume(results_->availableToRead());
                break;
            default:
                compute(bytes);
        }
    }

  private:
    /// With some words changed, up to four times, so that the server keeps it.
    void sendGoodFrame(ByteSource& bytes) {
        std::vector<FrameLine> lines(requestLineCount(doubling_.request));
        const FramePool pool{.kind = 0, .value = bytes.take<std::uint8_t>()};
        encodeRequest(++serial_, {.number = bytes.take<std::uint8_t>(), .generation = 1},
                      doubling_.request, {&pool, 1}, {}, lines);
        for (std::size_t i = bytes.take<std::uint8_t>() % 4; i > 0; --i) {
            lines[bytes.below(lines.size())].words[bytes.below(FrameLine::kWords)] ^=
                std::uint64_t{bytes.take<std::uint16_t>()} << bytes.below(49);
        }
        for (std::size_t times = 1 + bytes.below(4); times > 0; --times) {
            (void)requests_->tryWrite(lines);
        }
    }
    void sendAnyLines(ByteSource& bytes) {
        std::vector<FrameLine> lines(1 + bytes.below(kLines));
        const auto contents = bytes.takeBytes(lines.size() * sizeof(FrameLine));
        if (!contents.empty()) {
            std::memcpy(lines.data(), contents.data(), contents.size());
        }
        (void)requests_->tryWrite(lines);
    }
    void compute(ByteSource& bytes) {
        const FrameLine line = encodeCompute(
            ++serial_, {.number = bytes.take<std::uint8_t>(), .generation = 1}, std::nullopt);
        (void)requests_->tryWrite({&line, 1});
    }
    void writeAnywhere(ByteSource& bytes) {
        const std::size_t word = bytes.below(channel_.memory().size() / sizeof(std::uint64_t));
        reinterpret_cast<std::atomic<std::uint64_t>*>(channel_.memory().data())[word].store(
            bytes.take<std::uint64_t>());
    }

    DoublingRequest doubling_;
    Channel channel_;
    std::optional<FrameQueue::Writer> requests_;
    std::optional<FrameQueue::Reader> results_;
    std::unique_ptr<Server> server_;
    UniqueFd doorbell_;
    std::uint64_t serial_ = 0;
};

void expectService(BurstPair& good) {
    static float value = 0;
    static DoublingRequest doubling;
    static ExecutionOutcome outcome;
    doubling.in()[0] = value += 1;
    const Result<> executed = good.controller->execute(doubling.request, {}, outcome);
    if (!executed || doubling.out()[0] != 2 * value) {
        std::printf("another burst is not served: %s\n",
                    executed ? "wrong result" : executed.error().message.c_str());
        std::abort();
    }
}

void attack(ByteSource bytes) {
    static const auto& threads = *new std::shared_ptr(*ServingThreadPool::create());
    static BurstPair& good = *new BurstPair({}, threads);
    HostileBurst hostile(threads);
    constexpr int kMaximumActions = 200;
    for (int i = 0; i < kMaximumActions && !bytes.isEmpty(); ++i) {
        hostile.act(bytes);
    }
    expectService(good);
}

}  // namespace
}  // namespace nnburst::burst

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    nnburst::burst::attack({data, size});
    return 0;
}
