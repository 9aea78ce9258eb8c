// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Streams frames through a MobileNet that runs in a driver process of its own, or in the driver
// that listens on the socket SOCKET. Usage: nnburst-example-stream [SOCKET]

#include <algorithm>
#include <cstdio>
#include <span>

#include "nnburst/builtin_models.h"
#include "nnburst/device.h"
#include "nnburst/memory.h"

using namespace nnburst;

Result<> streamFrames(const char* socket) {
    NNBURST_TRY_ASSIGN(const Model model, makeMobileNetV1());
    NNBURST_TRY_ASSIGN(const SharedDevice device,
                       socket != nullptr ? connect(socket) : spawnDriver());
    NNBURST_TRY_ASSIGN(const SharedPreparedModel prepared, prepareModel(*device, model));
    NNBURST_TRY_ASSIGN(const auto burst, prepared->configureExecutionBurst({}));

    // The operands lie in memory that the driver reads and writes in place.
    constexpr std::uint32_t kInputFloats = 128 * 128 * 3;
    constexpr std::uint32_t kOutputFloats = 1001;
    NNBURST_TRY_ASSIGN(MemoryPool pool, MemoryPool::create(1 << 20));
    NNBURST_TRY_ASSIGN(const auto input, pool.allocate(kInputFloats * sizeof(float)));
    NNBURST_TRY_ASSIGN(const auto output, pool.allocate(kOutputFloats * sizeof(float)));
    const std::span pixels(reinterpret_cast<float*>(input.data()), kInputFloats);
    const std::span scores(reinterpret_cast<const float*>(output.data()), kOutputFloats);

    Request request;
    request.pools = {pool.region()};
    request.inputs = {{.location = {0, input.offset(), input.length()}, .dimensions = {}}};
    request.outputs = {{.location = {0, output.offset(), output.length()}, .dimensions = {}}};

    ExecutionOutcome outcome;
    for (int frame = 0; frame < 10; ++frame) {
        std::fill(pixels.begin(), pixels.end(), 0.1F * static_cast<float>(frame));
        NNBURST_TRY(burst->execute(request, {}, outcome));
        const auto best = std::max_element(scores.begin(), scores.end());
        std::printf("frame %d: class %td, score %.4f\n", frame, best - scores.begin(),
                    static_cast<double>(*best));
    }
    return {};
}

int main(int argc, char** argv) {
    const Result<> result = streamFrames(argc > 1 ? argv[1] : nullptr);
    if (!result) {
        std::fprintf(stderr, "%s: %s\n", toString(result.error().status),
                     result.error().message.c_str());
        return 1;
    }
}
