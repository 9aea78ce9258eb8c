// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Classifies the frames of a camera, 60 a second, in a driver process, which is started again if
// it ends.
// Usage: nnburst-example-camera [FRAMES [MODEL.tflite]]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "nnburst/builtin_models.h"
#include "nnburst/session.h"
#include "nnburst/supervised_device.h"

using namespace nnburst;

Result<> classify(int frames, const char* file) {
    NNBURST_TRY_ASSIGN(const SharedSupervisedDevice device, superviseDriver());
    NNBURST_TRY_ASSIGN(const Model builtin, makeMobileNetV1());
    NNBURST_TRY_ASSIGN(Session session, file != nullptr ? Session::open(*device, file)
                                                        : Session::create(*device, builtin));
    // Memory that the driver uses in place. By index; input<float>("image") takes a name.
    NNBURST_TRY_ASSIGN(const std::span<float> pixels, session.input<float>(0));
    NNBURST_TRY_ASSIGN(const std::span<const float> scores, session.output<float>(0));

    constexpr std::chrono::microseconds kFrameTime(1'000'000 / 60);
    TimePoint next = std::chrono::steady_clock::now();
    for (int frame = 0; frame < frames; ++frame) {
        std::this_thread::sleep_until(next);  // here a program waits for its camera
        std::fill(pixels.begin(), pixels.end(), 0.01F * static_cast<float>(frame));
        next += kFrameTime;
        const Result<> result = session.run(next);
        const ErrorStatus status = result ? ErrorStatus::NONE : result.error().status;
        if (status == ErrorStatus::NONE) {
            const auto best = std::max_element(scores.begin(), scores.end());
            std::printf("frame %d: class %td\n", frame, best - scores.begin());
        } else if (status == ErrorStatus::INVALID_ARGUMENT) {
            return result;
        } else {  // it is late, or there is no driver now
            std::printf("frame %d: left out: %s\n", frame, result.error().message.c_str());
        }
    }
    return {};
}

int main(int argc, char** argv) {
    const Result<> result =
        classify(argc > 1 ? std::atoi(argv[1]) : 600, argc > 2 ? argv[2] : nullptr);
    if (!result) {
        std::fprintf(stderr, "%s: %s\n", toString(result.error().status),
                     result.error().message.c_str());
        return 1;
    }
}
