// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What does a run of a session cost from Python, beside a reusable execution from C++? The Python
/// process measures itself; its driver runs on the processor of the other drivers.

#include <benchmark/benchmark.h>
#include <stdio.h>  // popen is POSIX

#include <memory>
#include <string>
#include <vector>

#include "fail.h"
#include "host_watch.h"
#include "measure.h"
#include "model_paths.h"
#include "nnburst/builtin_models.h"
#include "processors.h"
#include "row.h"
#include "skip.h"
#include "small_models.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

/// Starting Python takes longer than the calls.
constexpr Extent kEmptyExtent{.rounds = 5, .calls = 5000};
constexpr Extent kMobileNetExtent{.rounds = 5, .calls = 400};

void fromCpp(benchmark::State& state, ModelPaths& paths) {
    measureEach(state, [&] { return paths.runReusable(); });
}

/// `model` is a name of python_sessions.py.
void fromPython(benchmark::State& state, const char* model) {
#ifdef NNBURST_BENCH_PYTHON
    HostWatch host;
    const std::string command = std::string(NNBURST_BENCH_PYTHON) + ' ' + model + ' ' +
                                std::to_string(state.max_iterations) + ' ' +
                                std::to_string(processorPair()->driver);
    const std::unique_ptr<FILE, int (*)(FILE*)> output(::popen(command.c_str(), "r"), ::pclose);
    std::vector<double> samples;
    for ([[maybe_unused]] auto iteration : state) {
        double duration = 0;
        if (output == nullptr || ::fscanf(output.get(), "%lf", &duration) != 1) {
            state.SkipWithError("Python has not given as many durations as runs");
            return;
        }
        samples.push_back(duration);
        state.SetIterationTime(duration * 1e-9);
    }
    if (!samples.empty()) {
        setRound(state, samples, host.finish());
    }
#else
    (void)model;
    skip(state, "the Python package is not built (NNBURST_BUILD_PYTHON)");
#endif
}

}  // namespace

void registerPython() {
    registerRow(
        "pythonEmpty/cpp", "RESHAPE of one float from C++, reusable",
        [](benchmark::State& state) {
            static ModelPaths paths(makeSmallestModel());
            fromCpp(state, paths);
        },
        kEmptyExtent);
    registerRow(
        "pythonEmpty/python", "the same from Python",
        [](benchmark::State& state) { fromPython(state, "empty"); }, kEmptyExtent);
    registerRow(
        "pythonMobileNet/cpp", "MobileNet 0.25/128 float32 from C++, reusable",
        [](benchmark::State& state) {
            static ModelPaths paths(valueOf(makeMobileNetV1()));
            fromCpp(state, paths);
        },
        kMobileNetExtent);
    registerRow(
        "pythonMobileNet/python", "the same from Python",
        [](benchmark::State& state) { fromPython(state, "mobilenet"); }, kMobileNetExtent);
}

}  // namespace nnburst::bench
