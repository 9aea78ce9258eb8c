// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// How long do whole networks take here and with ONNX Runtime? Both compute the same network, and
/// the outputs are compared. ONNX Runtime runs in this process, which costs it no transport.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "fail.h"
#include "length.h"
#include "measure.h"
#include "model_paths.h"
#include "nnburst/builtin_models.h"
#include "onnx_model.h"
#include "onnx_runtime.h"
#include "processors.h"
#include "row.h"
#include "skip.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

enum class Arithmetic { FLOAT32, UNSIGNED, SIGNED_FILTERS };

struct Kind {
    const char* network;  ///< of the names of benchmarks
    Arithmetic arithmetic;
    std::uint32_t threads;

    auto operator<=>(const Kind&) const = default;
};

std::string nameOf(const Kind& kind) {
    static constexpr std::array kTitles{"float32", "unsigned", "signed filters"};
    const std::string_view network = kind.network;
    return fmt::format("{} {}",
                       network == "V1Small"   ? "v1 0.25/128"
                       : network == "V1Large" ? "v1 1.0/224"
                                              : "v2 1.0/224",
                       kTitles[static_cast<std::size_t>(kind.arithmetic)]);
}

Model modelOf(const Kind& kind) {
    const auto precision = kind.arithmetic == Arithmetic::FLOAT32 ? BuiltinPrecision::FLOAT32
                                                                  : BuiltinPrecision::QUANT8;
    const bool isSmall = std::string_view(kind.network) == "V1Small";
    const float width = isSmall ? 0.25F : 1.0F;
    const std::uint32_t resolution = isSmall ? 128 : 224;
    Model model = std::string_view(kind.network) == "V2"
                      ? valueOf(makeMobileNetV2(
                            {.width = width, .resolution = resolution, .precision = precision}))
                      : valueOf(makeMobileNetV1(
                            {.width = width, .resolution = resolution, .precision = precision}));
    return kind.arithmetic == Arithmetic::SIGNED_FILTERS ? withSignedFilters(std::move(model))
                                                         : model;
}

/// A network on both sides, with the same image.
class Pair {
  public:
    explicit Pair(const Kind& kind)
        : model_(modelOf(kind)),
          paths(model_,
                kind.threads == 1 ? DriverPlacement::OWN_PROCESSOR : DriverPlacement::ANYWHERE,
                kind.threads),
          onnx(toOnnx(model_), kind.threads, elementBytes(), inputDimensions(), name(true),
               {1, operand(false).dimensions[1]}, name(false)) {
        fillInputs();
        if (!paths.runBurst() || !onnx.run()) {
            fail("MobileNet " + nameOf(kind) + " cannot be run");
        }
        checkOutputs(kind);
    }

  private:
    [[nodiscard]] const Operand& operand(bool isInput) const {
        const Subgraph& graph = model_.main;
        return graph.operands[isInput ? graph.inputIndexes[0] : graph.outputIndexes[0]];
    }
    [[nodiscard]] std::string name(bool isInput) const {
        const Subgraph& graph = model_.main;
        return "value" + std::to_string(isInput ? graph.inputIndexes[0] : graph.outputIndexes[0]);
    }
    [[nodiscard]] std::size_t elementBytes() const {
        return operand(true).type == OperandType::TENSOR_FLOAT32 ? sizeof(float) : 1;
    }
    [[nodiscard]] std::vector<std::int64_t> inputDimensions() const {
        const Dimensions& nhwc = operand(true).dimensions;
        return {nhwc[0], nhwc[3], nhwc[1], nhwc[2]};
    }

    void fillInputs() {
        std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same on every run
        const std::size_t size = elementBytes();
        const std::size_t channels = operand(true).dimensions[3];
        const std::size_t pixels = paths.input().size() / (channels * size);
        for (std::size_t element = 0; element < pixels * channels; ++element) {
            const float real = static_cast<float>(random() % 256) / 128 - 1;
            const auto byte = static_cast<std::uint8_t>(random());
            const void* const source = size == 1 ? static_cast<const void*>(&byte) : &real;
            const std::size_t planar = element % channels * pixels + element / channels;
            std::memcpy(&paths.input()[element * size], source, size);
            std::memcpy(&onnx.input()[planar * size], source, size);
        }
    }

    /// Probabilities, which may differ by rounding: with Debian 13's XNNPACK the average pooling
    /// rounds half-way cases as the reference kernels do, which SOFTMAX makes 5 steps of 1/256.
    void checkOutputs(const Kind& kind) const {
        const auto at = [&](std::span<const std::byte> values, std::size_t element) {
            if (elementBytes() == 1) {
                return static_cast<float>(std::to_integer<int>(values[element])) *
                       operand(false).scale;
            }
            float value = 0;
            std::memcpy(&value, &values[element * sizeof(float)], sizeof(value));
            return value;
        };
        const float limit = elementBytes() == 1 ? 0.05F : 1e-4F;
        for (std::size_t i = 0; i < onnx.output().size() / elementBytes(); ++i) {
            const float theirs = at(onnx.output(), i);
            const float ours = at(paths.output(), i);
            if (!(std::abs(theirs - ours) <= limit)) {
                fail(
                    fmt::format("MobileNet {}: output {} is {} with ONNX Runtime and {} with the "
                                "driver, which differ by more than {}",
                                nameOf(kind), i, theirs, ours, limit));
            }
        }
    }

    Model model_;

  public:
    ModelPaths paths;
    OnnxSession onnx;
};

Pair& pairOf(const Kind& kind) {
    static std::map<Kind, std::unique_ptr<Pair>> pairs;
    std::unique_ptr<Pair>& pair = pairs[kind];
    if (!pair) {
        pair = std::make_unique<Pair>(kind);
    }
    return *pair;
}

template <class Run>
void registerRun(const Kind& kind, const std::string& name, const std::string& label, Run run) {
    static constexpr std::array kNames{"Float32", "Unsigned", "Signed"};
    const auto arithmetic = static_cast<std::size_t>(kind.arithmetic);
    registerRow(
        fmt::format("onnx{}{}Threads{}/{}", kind.network, kNames[arithmetic], kind.threads, name),
        fmt::format("MobileNet {}, threads: {}, {}", nameOf(kind), kind.threads, label),
        [=](benchmark::State& state) {
            const ScopedAffinity affinity(kind.threads == 1 ? Affinity::CLIENT
                                                            : Affinity::ANYWHERE);
            Pair& pair = pairOf(kind);
            measureEach(
                state, [] {}, [&] { return run(pair); }, byLength(0, 3, 10));
        },
        byLength<Extent>({1, 1}, {4, 15}, {10, 50}));
}

}  // namespace

void registerOnnxRuntimePeer() {
    const char* const version = onnxRuntimeVersion();
    if (version == nullptr) {
        registerRow("onnxRuntime/missing", "ONNX Runtime", [](benchmark::State& state) {
            skip(state, "not asked for, tools/bench --peers");
        });
        return;
    }
    for (const char* const network : {"V1Small", "V1Large", "V2"}) {
        for (const Arithmetic arithmetic :
             {Arithmetic::FLOAT32, Arithmetic::UNSIGNED, Arithmetic::SIGNED_FILTERS}) {
            for (const std::uint32_t threads : {1U, 2U}) {
                const Kind kind{network, arithmetic, threads};
                registerRun(kind, "onnxRuntime", std::string("ONNX Runtime ") + version,
                            [](Pair& pair) { return pair.onnx.run(); });
                registerRun(kind, "burst", "burst to a driver process",
                            [](Pair& pair) { return pair.paths.runBurst(); });
            }
        }
    }
}

}  // namespace nnburst::bench
