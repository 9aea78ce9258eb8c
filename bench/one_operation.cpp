// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What is the overhead of the local device for one operation? The baseline is one call of XNNPACK
/// for the same addition.

#include <benchmark/benchmark.h>
#include <xnnpack.h>

#include <array>
#include <cstddef>
#include <memory>

#include "burst_path.h"
#include "devices.h"
#include "exec/xnnpack/release.h"
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
        using exec::xnnpack::Elements;
        const exec::Shape shape{kAddedFloats};
        std::size_t workspaceBytes = 0;
        const bool isInitialised = xnn_initialize(nullptr) == xnn_status_success;
        const exec::xnnpack::CreatedOperator addition = exec::xnnpack::createBinary(
            OperationType::ADD, Elements{}, Elements{}, Elements{},
            exec::xnnpack::wholeRange(OperandType::TENSOR_FLOAT32), shape, shape, 2);
        operator_.reset(addition.created);
        const std::array operands{reinterpret_cast<std::byte*>(a_.data()),
                                  reinterpret_cast<std::byte*>(b_.data()),
                                  reinterpret_cast<std::byte*>(sum_.data())};
        const exec::xnnpack::SetUp& setUp = addition.setUp;
        if (!isInitialised || addition.status != xnn_status_success ||
            (setUp.reshape &&
             setUp.reshape(addition.created, workspaceBytes, nullptr) != xnn_status_success) ||
            setUp.setUp(addition.created, operands, nullptr, nullptr) != xnn_status_success) {
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
