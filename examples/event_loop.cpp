// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Classifies the frames of a camera, 60 a second, in an event loop of epoll, which sleeps while
// the driver computes. When the driver is lost, frames are left out until the next one is there.
// Usage: nnburst-example-event-loop [FRAMES]

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>

#include "nnburst/builtin_models.h"
#include "nnburst/memory.h"
#include "nnburst/supervised_device.h"
#include "nnburst/unique_fd.h"

using namespace nnburst;

Result<> classify(int frames) {
    NNBURST_TRY_ASSIGN(const Model model, makeMobileNetV1());
    NNBURST_TRY_ASSIGN(const SharedSupervisedDevice device, superviseDriver());
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
    NNBURST_TRY_ASSIGN(const auto run, burst->createReusableExecution(request, {}));

    // The loop: a timer is the camera, and the burst's descriptor is watched once for each time
    // that it is armed.
    const UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
    const UniqueFd camera(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
    const itimerspec sixtyTimesASecond{{0, 16'666'667}, {0, 1}};
    ::timerfd_settime(camera.get(), 0, &sixtyTimesASecond, nullptr);
    NNBURST_TRY_ASSIGN(const int completion, burst->completionDescriptor());
    epoll_event watched{.events = EPOLLIN, .data = {.fd = camera.get()}};
    ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, camera.get(), &watched);
    watched = {.events = EPOLLONESHOT, .data = {.fd = completion}};
    ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, completion, &watched);

    std::optional<Submission> running;
    ExecutionOutcome outcome;
    int frame = 0;
    const auto showOrArm = [&]() -> Result<> {
        while (!burst->isDone(*running)) {
            NNBURST_TRY_ASSIGN(const bool isThere, burst->armCompletion());
            if (!isThere) {
                watched = {.events = EPOLLIN | EPOLLONESHOT, .data = {.fd = completion}};
                ::epoll_ctl(epoll.get(), EPOLL_CTL_MOD, completion, &watched);
                return {};
            }
        }
        if (const Result<> result = burst->wait(*running, outcome); result) {
            const auto best = std::max_element(scores.begin(), scores.end());
            std::printf("frame %d: class %td\n", frame, best - scores.begin());
        } else {
            std::printf("frame %d: %s\n", frame, result.error().message.c_str());
        }
        running.reset();
        return {};
    };
    while (frame < frames || running) {
        epoll_event event{};
        if (::epoll_wait(epoll.get(), &event, 1, -1) != 1) {
            continue;  // a signal
        }
        if (event.data.fd == camera.get()) {
            std::uint64_t ticks = 0;
            (void)!::read(camera.get(), &ticks, sizeof(ticks));
            if (running || frame == frames) {
                continue;  // the frame is left out
            }
            std::fill(pixels.begin(), pixels.end(), 0.01F * static_cast<float>(++frame));
            const Result<Submission> submitted = run->submit({});
            if (!submitted) {
                std::printf("frame %d: %s\n", frame, submitted.error().message.c_str());
                continue;
            }
            running = *submitted;
        }
        if (running) {
            NNBURST_TRY(showOrArm());
        }
    }
    return {};
}

int main(int argc, char** argv) {
    const Result<> result = classify(argc > 1 ? std::atoi(argv[1]) : 600);
    if (!result) {
        std::fprintf(stderr, "%s: %s\n", toString(result.error().status),
                     result.error().message.c_str());
        return 1;
    }
}
