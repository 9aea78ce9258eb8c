// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What is the overhead of the local device for one operation? The baseline is one call of XNNPACK
/// for the same addition.

#include <benchmark/benchmark.h>
#include <xnnpack.h>

#include <array>
#include <cstddef>
#include <limits>
#include <memory>

#include "burst_path.h"
#include "devices.h"
#include "fail.h"
#include "measure.h"
#include "row.h"
#include "small_models.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

/// The addition as a program would write it that needs only this.
class DirectAddition {
  public:
    DirectAddition() {
        constexpr std::array<std::size_t, 1> kShape{kAddedFloats};
        xnn_operator_t created = nullptr;
        const bool isMade = xnn_initialize(nullptr) == xnn_status_success &&
                            xnn_create_add_nd_f32(-std::numeric_limits<float>::infinity(),
                                                  std::numeric_limits<float>::infinity(), 0,
                                                  &created) == xnn_status_success;
        operator_.reset(created);
        if (!isMade || xnn_setup_add_nd_f32(created, kShape.size(), kShape.data(), kShape.size(),
                                            kShape.data(), a_.data(), b_.data(), sum_.data(),
                                            nullptr) != xnn_status_success) {
            fail("XNNPACK cannot make an addition");
        }
    }

    [[nodiscard]] bool run() noexcept {
        return xnn_run_operator(operator_.get(), nullptr) == xnn_status_success;
    }

  private:
    /// XNNPACK reads past the end of its inputs.
    using Floats = std::array<float, std::size_t{2} * kAddedFloats>;
    struct Deleter {
        void operator()(xnn_operator_t op) const noexcept { xnn_delete_operator(op); }
    };

    Floats a_{};
    Floats b_{};
    Floats sum_{};
    std::unique_ptr<xnn_operator, Deleter> operator_;
};

}  // namespace

void registerOneOperation() {
    registerRow("oneOperation/direct", "ADD of 64 floats, direct call of XNNPACK",
                [](benchmark::State& state) {
                    DirectAddition addition;
                    measureEach(state, [&] { return addition.run(); });
                });
    registerRow("oneOperation/local", "ADD of 64 floats, local device, reusable execution",
                [](benchmark::State& state) {
                    static BurstPath path(makeAddition(), localDevice());
                    measureEach(state, [] { return path.compute(); });
                });
    registerRow("oneOperation/burst", "ADD of 64 floats, burst, reusable execution",
                [](benchmark::State& state) {
                    static BurstPath path(makeAddition(), driver(DriverPlacement::OWN_PROCESSOR));
                    measureEach(state, [] { return path.compute(); });
                });
}

}  // namespace nnburst::bench
