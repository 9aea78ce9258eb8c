// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Streams frames through a MobileNet as one of the tasks of an Asio program (libasio-dev).
// Usage: nnburst-example-asio-stream [FRAMES]

#include <unistd.h>

#include <algorithm>
#include <asio.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "nnburst/builtin_models.h"
#include "nnburst/device.h"
#include "nnburst/memory.h"

using namespace nnburst;

/// Calls back on the loop when executions of a burst have ended. One at a time; it and the burst
/// must outlive the execution.
class AsyncBurst {
  public:
    using Callback = std::function<void(Result<>)>;

    /// The stream descriptor closes what it is given: a duplicate.
    AsyncBurst(asio::io_context& loop, Burst& burst, int completion)
        : burst_(burst), completion_(loop, ::dup(completion)) {}

    void execute(ReusableExecution& execution, ExecutionOutcome& outcome, Callback callback) {
        const Result<Submission> submitted = execution.submit({});
        if (!submitted) {
            callback(tl::unexpected<Error>(submitted.error()));
            return;
        }
        await(*submitted, outcome, std::move(callback));
    }

  private:
    void await(Submission submission, ExecutionOutcome& outcome, Callback callback) {
        while (!burst_.isDone(submission)) {
            const Result<bool> isThere = burst_.armCompletion();
            if (!isThere) {
                break;  // wait blocks then
            }
            if (!*isThere) {
                completion_.async_wait(
                    asio::posix::stream_descriptor::wait_read,
                    [this, submission, &outcome, callback = std::move(callback)](
                        const asio::error_code&) { await(submission, outcome, callback); });
                return;
            }
        }
        callback(burst_.wait(submission, outcome));
    }

    Burst& burst_;
    asio::posix::stream_descriptor completion_;
};

Result<> streamFrames(int frames) {
    NNBURST_TRY_ASSIGN(const Model model, makeMobileNetV1());
    NNBURST_TRY_ASSIGN(const SharedDevice device, spawnDriver());
    NNBURST_TRY_ASSIGN(const SharedPreparedModel prepared, prepareModel(*device, model));
    NNBURST_TRY_ASSIGN(const auto burst, prepared->configureExecutionBurst({}));
    NNBURST_TRY_ASSIGN(MemoryPool pool, MemoryPool::create(1 << 20));
    NNBURST_TRY_ASSIGN(const auto input, pool.allocate(128 * 128 * 3 * sizeof(float)));
    NNBURST_TRY_ASSIGN(const auto output, pool.allocate(1001 * sizeof(float)));
    const std::span pixels(reinterpret_cast<float*>(input.data()), 128 * 128 * 3);
    const std::span scores(reinterpret_cast<const float*>(output.data()), 1001);
    Request request;
    request.pools = {pool.region()};
    request.inputs = {{.location = {0, input.offset(), input.length()}, .dimensions = {}}};
    request.outputs = {{.location = {0, output.offset(), output.length()}, .dimensions = {}}};
    NNBURST_TRY_ASSIGN(const auto execution, burst->createReusableExecution(request, {}));
    NNBURST_TRY_ASSIGN(const int completion, burst->completionDescriptor());

    asio::io_context loop;
    AsyncBurst asyncBurst(loop, *burst, completion);
    ExecutionOutcome outcome;
    Result<> last;
    int frame = 0;
    std::function<void()> next = [&] {
        if (frame == frames) {
            loop.stop();
            return;
        }
        std::fill(pixels.begin(), pixels.end(), 0.1F * static_cast<float>(frame++));
        asyncBurst.execute(*execution, outcome, [&](Result<> result) {
            last = std::move(result);
            if (!last) {
                loop.stop();
                return;
            }
            const auto best = std::max_element(scores.begin(), scores.end());
            std::printf("frame %d: class %td\n", frame, best - scores.begin());
            asio::post(loop, next);
        });
    };
    asio::post(loop, next);
    // Another task of the program, which goes on meanwhile.
    int ticks = 0;
    asio::steady_timer clock(loop);
    std::function<void(const asio::error_code&)> tick = [&](const asio::error_code&) {
        ++ticks;
        clock.expires_after(std::chrono::milliseconds(1));
        clock.async_wait(tick);
    };
    tick({});
    loop.run();
    std::printf("%d frames, and %d ticks of another task\n", frame, ticks);
    return last;
}

int main(int argc, char** argv) {
    const Result<> result = streamFrames(argc > 1 ? std::atoi(argv[1]) : 100);
    if (!result) {
        std::fprintf(stderr, "%s: %s\n", toString(result.error().status),
                     result.error().message.c_str());
        return 1;
    }
}
