// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Filters sound with a recurrent network in a driver process, 10 ms at a time. The network's state
// stays in the memory that both processes share: nothing is copied from one block to the next.
// Usage: nnburst-example-audio [BLOCKS]

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "nnburst/builtin_models.h"
#include "nnburst/session.h"

using namespace nnburst;

Result<> filter(int blocks) {
    NNBURST_TRY_ASSIGN(const SharedDevice device, spawnDriver());
    NNBURST_TRY_ASSIGN(const Model model, makeStreamingLstm());
    NNBURST_TRY_ASSIGN(SharedPreparedModel prepared, prepareModel(*device, model));

    // This model was built here and has to say what a .tflite file says itself: outputs 1 and 2 are
    // the inputs 1 and 2 of the next block.
    ModelSignature signature = signatureOf(model);
    signature.inputs[0].name = "sound";
    signature.outputs[0].name = "filtered";
    signature.states = {{.input = 1, .output = 1}, {.input = 2, .output = 2}};
    NNBURST_TRY_ASSIGN(Session session, Session::create(std::move(prepared), signature));
    NNBURST_TRY_ASSIGN(const std::span<float> sound, session.input<float>("sound"));
    NNBURST_TRY_ASSIGN(const std::span<const float> filtered, session.output<float>("filtered"));

    constexpr std::chrono::milliseconds kBlockTime(10);
    TimePoint next = std::chrono::steady_clock::now();
    float phase = 0;
    for (int block = 0; block < blocks; ++block) {
        std::this_thread::sleep_until(next);  // here a program waits for its microphone
        next += kBlockTime;
        for (float& sample : sound) {
            sample = std::sin(phase += 0.05F);
        }
        // A block that fails leaves the state as it was.
        if (const Result<> result = session.run(next); !result) {
            std::printf("block %d: %s\n", block, result.error().message.c_str());
            NNBURST_TRY(session.waitForMemory());
            continue;
        }
        float sum = 0;
        for (const float sample : filtered) {
            sum += sample * sample;
        }
        std::printf("block %d: loudness %.6f\n", block, static_cast<double>(std::sqrt(sum)));
    }
    return {};
}

int main(int argc, char** argv) {
    const Result<> result = filter(argc > 1 ? std::atoi(argv[1]) : 100);
    if (!result) {
        std::fprintf(stderr, "%s: %s\n", toString(result.error().status),
                     result.error().message.c_str());
        return 1;
    }
}
