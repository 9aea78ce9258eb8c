// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// A new version of a model takes over a stream of 60 frames a second, between two frames. The new
// version is prepared meanwhile, by a thread of its own. Ends with an error if a frame was lost.
// Usage: nnburst-example-hot-swap [FRAMES]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>

#include "nnburst/builtin_models.h"
#include "nnburst/session.h"

using namespace nnburst;

/// Version `version` of the model: the weights differ.
Result<Session> prepareVersion(Device& device, std::uint32_t version) {
    NNBURST_TRY_ASSIGN(const Model model, makeMobileNetV1({.seed = version}));
    return Session::create(device, model, {.prepare = {.priority = Priority::LOW}});
}

Result<> stream(int frames) {
    NNBURST_TRY_ASSIGN(const SharedDevice device, spawnDriver());
    NNBURST_TRY_ASSIGN(Session session, prepareVersion(*device, 1));
    NNBURST_TRY_ASSIGN(const std::span<float> pixels, session.input<float>());
    NNBURST_TRY_ASSIGN(const std::span<const float> scores, session.output<float>());

    std::future<Result<Session>> nextVersion;
    constexpr std::chrono::nanoseconds kFrameTime(1'000'000'000 / 60);
    std::chrono::nanoseconds longest{};
    TimePoint due = std::chrono::steady_clock::now();
    for (int frame = 0; frame < frames; ++frame) {
        std::this_thread::sleep_until(due);
        if (frame == frames / 4) {
            nextVersion =
                std::async(std::launch::async, [&] { return prepareVersion(*device, 2); });
        }
        // The spans stay; a version that has other inputs and outputs is refused.
        if (nextVersion.valid() &&
            (nextVersion.wait_for(std::chrono::seconds(0)) == std::future_status::ready ||
             frame == frames - 1)) {
            NNBURST_TRY_ASSIGN(Session next, nextVersion.get());
            NNBURST_TRY(session.replaceModel(std::move(next)));
            std::printf("frame %d: version 2 takes over\n", frame);
        }
        std::fill(pixels.begin(), pixels.end(), 0.5F);
        NNBURST_TRY(session.run());
        longest =
            std::max<std::chrono::nanoseconds>(longest, std::chrono::steady_clock::now() - due);
        due += kFrameTime;
        const auto best = std::max_element(scores.begin(), scores.end());
        std::printf("frame %d: class %td\n", frame, best - scores.begin());
    }
    std::printf("the slowest frame was done %.1f ms after it was due; a frame lasts %.1f ms\n",
                std::chrono::duration<double, std::milli>(longest).count(),
                std::chrono::duration<double, std::milli>(kFrameTime).count());
    return {};
}

int main(int argc, char** argv) {
    const Result<> result = stream(argc > 1 ? std::atoi(argv[1]) : 240);
    if (!result) {
        std::fprintf(stderr, "%s: %s\n", toString(result.error().status),
                     result.error().message.c_str());
        return 1;
    }
}
