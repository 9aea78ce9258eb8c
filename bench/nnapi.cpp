// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What does NNAPI's C API add to a burst? A reusable execution by
/// ANeuralNetworksExecution_burstCompute, beside one from C++, on the same driver. Memory from
/// shm_open(3) cannot be sealed, so the runtime copies it: a row of its own.

#include <benchmark/benchmark.h>

#include <optional>
#include <string>

#include "burst_path.h"
#include "fail.h"
#include "listening_driver.h"
#include "measure.h"
#include "nnapi_path.h"
#include "nnburst/builtin_models.h"
#include "processors.h"
#include "row.h"
#include "small_models.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

/// A driver on the processor of all drivers, which the runtime and this program connect to.
class SharedDriver {
  public:
    SharedDriver() {
        pinTo(processorPair()->driver);  // the driver inherits it
        driver_.emplace();
        pinTo(processorPair()->client);
        device_ = driver_->connect();
        configureNnapi(driver_->socket());
    }

    [[nodiscard]] Device& device() const noexcept { return *device_; }

  private:
    std::optional<ListeningDriver> driver_;
    SharedDevice device_;
};

Device& sharedDriver() {
    static const SharedDriver driver;
    return driver.device();
}

/// One model from C++ and through the API.
struct Paths {
    explicit Paths(const Model& model)
        : cpp(model, sharedDriver()),
          sealed(model, NnapiMemoryKind::SEALED),
          copied(model, NnapiMemoryKind::SHM_OPEN) {}

    BurstPath cpp;
    NnapiPath sealed;
    NnapiPath copied;
};

Paths& emptyPaths() {
    static Paths paths(makeSmallestModel());
    return paths;
}

Paths& mobileNetPaths() {
    static Paths paths(valueOf(makeMobileNetV1()));
    return paths;
}

void registerModel(const std::string& group, const std::string& title, Paths& (*paths)()) {
    registerRow(group + "/cpp", title + " from C++, reusable", [paths](benchmark::State& state) {
        Paths& measured = paths();
        measureEach(state, [&] { return measured.cpp.compute(); });
    });
    registerRow(group + "/burstCompute", "the same through NNAPI's C API",
                [paths](benchmark::State& state) {
                    Paths& measured = paths();
                    measureEach(state, [&] { return measured.sealed.compute(); });
                });
    registerRow(group + "/burstComputeCopied", "the same with memory from shm_open",
                [paths](benchmark::State& state) {
                    Paths& measured = paths();
                    measureEach(state, [&] { return measured.copied.compute(); });
                });
}

}  // namespace

void registerNnapi() {
    registerModel("nnapiEmpty", "RESHAPE of one float", emptyPaths);
    registerModel("nnapiMobileNet", "MobileNet 0.25/128 float32", mobileNetPaths);
}

}  // namespace nnburst::bench
