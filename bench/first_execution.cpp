// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What does the first execution of a model cost, and one after a rest? Nothing is warm then but
/// what preparing the model and setting up the burst have warmed. The same in this process says
/// what the machine alone makes of it.

#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "devices.h"
#include "fail.h"
#include "length.h"
#include "measure.h"
#include "nnburst/builtin_models.h"
#include "row.h"
#include "suites.h"
#include "support/pooled_request.h"

namespace nnburst::bench {
namespace {

/// A few: the first calls map memory that later ones use again.
constexpr int kWarmUpBursts = 3;

/// A prepared model, a burst of it, and memory that the driver has not seen.
class FreshBurst {
  public:
    FreshBurst(Device& device, const Model& model)
        : prepared_(valueOf(prepareModel(device, model))),
          burst_(valueOf(prepared_->configureExecutionBurst({}))),
          request_(valueOf(tools::PooledRequest::create(model))) {
        for (std::byte& value : request_.input(0)) {
            value = std::byte{1};  // what an application does before it executes
        }
    }

    [[nodiscard]] bool execute() {
        return burst_->execute(request_.request(), {}, outcome_).has_value();
    }

  private:
    SharedPreparedModel prepared_;
    std::unique_ptr<Burst> burst_;
    tools::PooledRequest request_;
    ExecutionOutcome outcome_;
};

/// The same network with weights that no other benchmark has. They take turns, because a driver
/// that still has a model of the same weights would share it.
const Model& model(std::size_t turn = 0) {
    static const std::array networks{valueOf(makeMobileNetV1({.seed = 101})),
                                     valueOf(makeMobileNetV1({.seed = 102})),
                                     valueOf(makeMobileNetV1({.seed = 103}))};
    return networks[turn % networks.size()];
}

void measureLater(benchmark::State& state, Device& device) {
    FreshBurst burst(device, model());
    measureEach(state, [&] { return burst.execute(); });
}

void measureFirst(benchmark::State& state, Device& device) {
    std::unique_ptr<FreshBurst> burst;
    std::size_t turn = 0;
    measureEach(
        state,
        [&] {
            burst.reset();  // what the driver has to do for that is over before the next executes
            burst = std::make_unique<FreshBurst>(device, model(++turn));
        },
        [&] { return burst->execute(); }, kWarmUpBursts);
}

void measureAfterRest(benchmark::State& state, Device& device) {
    FreshBurst burst(device, model());
    const std::chrono::milliseconds rest(byLength(300, 3000, 3000));
    measureEach(
        state, [&] { std::this_thread::sleep_for(rest); }, [&] { return burst.execute(); }, 1);
}

}  // namespace

void registerFirstExecution() {
    struct Place {
        const char* suffix;
        const char* label;
        Device& (*device)();
    };
    constexpr std::array<Place, 2> kPlaces{{
        {"", "through a burst, ",
         []() -> Device& { return driver(DriverPlacement::OWN_PROCESSOR); }},
        {"InProcess", "in process, ", []() -> Device& { return localDevice(); }},
    }};
    for (const Place& place : kPlaces) {
        const auto add = [&place](const char* name, const char* label, auto* measure,
                                  const std::optional<Extent>& extent = std::nullopt) {
            registerRow(
                std::string("firstExecution/") + name + place.suffix,
                std::string("MobileNet 0.25/128 ") + place.label + label,
                [measure, device = place.device](benchmark::State& state) {
                    measure(state, device());
                },
                extent);
        };
        add("later", "executions in a row", measureLater);
        add("first", "the first of model and burst", measureFirst,
            byLength<Extent>({1, 3}, {8, 25}, {20, 25}));
        add("afterRest", "one after 3 s of rest", measureAfterRest,
            byLength<Extent>({1, 1}, {2, 3}, {3, 5}));
    }
}

}  // namespace nnburst::bench
