// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Bursts of compiled models in tests, and runs that last as long as a test wants.

#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <memory>
#include <utility>
#include <vector>

#include "exec/run/engine.h"
#include "support/test_request.h"

namespace nnburst::exec {

inline std::shared_ptr<Engine> engineWith(std::uint32_t lanes, Engine::Settings settings = {}) {
    EXPECT_TRUE(makeEngine(true));  // initialises XNNPACK
    settings.laneCount = lanes;
    return std::make_shared<Engine>(std::move(settings));
}

inline std::shared_ptr<CompiledModel> compileOn(const std::shared_ptr<Engine>& engine,
                                                const Model& model) {
    auto compiled = CompiledModel::compile(engine, model);
    EXPECT_TRUE(compiled) << compiled.error().message;
    return compiled ? *compiled : nullptr;
}

/// A burst that is registered with a model, and a request of its own.
class TestBurst {
  public:
    TestBurst(const std::shared_ptr<CompiledModel>& model, std::uint32_t seed)
        : model_(model), number_(model->addBurst()), request_(randomRequest(*model, seed)) {
        EXPECT_TRUE(model->bind(request_.inputs(), request_.outputs(), request_.pools(), bindings));
    }
    ~TestBurst() { model_->removeBurst(); }
    TestBurst(const TestBurst&) = delete;
    TestBurst& operator=(const TestBurst&) = delete;

    Result<> run(const ExecutionOptions& options = {}) {
        return model_->run(bindings, Caller(Priority::MEDIUM, nullptr, number_), options, outcome_);
    }
    [[nodiscard]] std::uint32_t runner() const { return bindings.memo.runner; }
    [[nodiscard]] std::span<std::byte> output() const { return request_.output(0); }
    [[nodiscard]] std::vector<std::byte> takeOutput() {
        std::vector<std::byte> taken(output().begin(), output().end());
        std::fill(output().begin(), output().end(), std::byte{0x55});
        return taken;
    }

    RequestBindings bindings;

  private:
    std::shared_ptr<CompiledModel> model_;
    std::uint32_t number_;
    TestRequest request_;
    ExecutionOutcome outcome_;
};

/// Memory for an output that is not given before `release`: the run that asks for it waits inside.
class HeldMemory final : public OutputMemory {
  public:
    explicit HeldMemory(std::size_t sizeBytes) : bytes_(*AlignedBuffer::allocate(sizeBytes)) {}

    Result<std::byte*> place(std::span<const std::uint32_t>, std::uint64_t) override {
        isAsked_.count_down();
        isReleased_.wait();
        return bytes_.data();
    }
    void awaitAsked() const { isAsked_.wait(); }
    [[nodiscard]] bool isAsked() const { return isAsked_.try_wait(); }
    void release() { isReleased_.count_down(); }
    [[nodiscard]] const std::byte* data() const { return bytes_.data(); }

  private:
    AlignedBuffer bytes_;
    std::latch isAsked_{1};
    std::latch isReleased_{1};
};

}  // namespace nnburst::exec
