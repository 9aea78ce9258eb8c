// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// In the steady state a run of a session takes no system call and no heap allocation, neither in
/// the client nor in the driver, the real kernels behind them.

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "burst/fakes.h"
#include "burst/steady_state.h"
#include "exec/run/engine.h"
#include "nnburst/builtin_models.h"
#include "nnburst/model_builder.h"
#include "nnburst/session.h"
#include "support/unused_methods.h"

namespace nnburst {
namespace {

using burst::Controller;
using burst::FakeClientControlPlane;
using burst::FakeDriverControlPlane;
using burst::Server;

/// A burst to a driver's end in this process.
class TwoEnded final : public Burst {
  public:
    TwoEnded(const std::shared_ptr<exec::CompiledModel>& model, const BurstOptions& options,
             const test::ProcessorsOfBothEnds& processors)
        : controller_(std::move(*Controller::create(options))) {
        const auto driver = std::make_shared<FakeDriverControlPlane>(
            [controller = controller_.get()](
                std::span<const std::int32_t> slots) -> Result<std::vector<SharedRegion>> {
                return burst::asReceived(controller->getMemories(slots));
            });
        processors.onDriversOwn([&] {
            server_ = std::move(*Server::create(
                controller_->channel(),
                {.model = model, .buffers = std::make_shared<exec::ManagedBuffers>()}, driver,
                options.driverWait, threads_));
        });
        controller_->attach(std::make_shared<FakeClientControlPlane>(),
                            {.doorbell = server_->takeDoorbell()});
    }

    Result<> execute(const Request& request, const ExecutionOptions& options,
                     ExecutionOutcome& outcome) override {
        return controller_->execute(request, options, outcome);
    }
    Result<std::unique_ptr<ReusableExecution>> createReusableExecution(
        const Request& request, const ExecutionOptions& options) override {
        return controller_->createReusableExecution(request, options);
    }
    Result<Submission> submit(const Request& request, const ExecutionOptions& options) override {
        return controller_->submit(request, options);
    }
    Result<> wait(Submission submission, ExecutionOutcome& outcome) override {
        return controller_->wait(submission, outcome);
    }
    bool isMemoryInUse() override { return controller_->isMemoryInUse(); }
    Result<> waitForMemory(const OptionalTimePoint& deadline) override {
        return controller_->waitForMemory(deadline);
    }
    void freeMemory(const SharedRegion& region) override { controller_->freeMemory(region); }
    BurstWaitStats waitStats() const override { return controller_->waitStats(); }

  private:
    const std::shared_ptr<burst::ServingThreadPool> threads_ = *burst::ServingThreadPool::create();
    const std::shared_ptr<Controller> controller_;
    std::unique_ptr<Server> server_;
};

/// A prepared model that has bursts and nothing else.
class CompiledHere final : public test::UnusedPreparedModel {
  public:
    CompiledHere(const Model& model, const test::ProcessorsOfBothEnds& processors)
        : engine_(*exec::Engine::create({})),
          model_(*exec::CompiledModel::compile(engine_, model)),
          processors_(processors) {}

    Result<std::unique_ptr<Burst>> configureExecutionBurst(const BurstOptions& options) override {
        return std::make_unique<TwoEnded>(model_, options, processors_);
    }

  private:
    std::shared_ptr<exec::Engine> engine_;
    std::shared_ptr<exec::CompiledModel> model_;
    const test::ProcessorsOfBothEnds& processors_;
};

struct SessionModel {
    const char* name;
    Result<Model> (*make)();
    std::vector<ModelState> states;
    std::map<std::string, Dimensions, std::less<>> inputDimensions;
};

/// RELU of a vector of any length.
Result<Model> makeOpenModel() {
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {0});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {0});
    builder.addOperation(OperationType::RELU, {in}, {out});
    return builder.build({in}, {out});
}

class SessionSteadyState : public testing::TestWithParam<SessionModel> {
  protected:
    void warmUp() {
        const Result<Model> model = GetParam().make();
        ASSERT_TRUE(model) << model.error().message;
        ModelSignature signature = signatureOf(*model);
        signature.states = GetParam().states;
        auto made = Session::create(std::make_shared<CompiledHere>(*model, processors_), signature,
                                    {.inputDimensions = GetParam().inputDimensions});
        ASSERT_TRUE(made) << made.error().message;
        session_.emplace(std::move(*made));
        ASSERT_TRUE(executeSome(20));
        test::waitForSleepOfOthers();  // threads that were started have reached their wait
        ASSERT_TRUE(executeSome(20));
    }

    bool executeSome(int count) {
        const OptionalTimePoint deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
        bool isDone = true;
        for (int i = 0; i < count && isDone; ++i) {
            isDone = i % 2 == 0 ? session_->run(deadline).has_value()
                                : session_->submit().has_value() && session_->wait().has_value();
            isDone = isDone && session_->output<float>(0).has_value();
        }
        return isDone;
    }

  private:
    test::ProcessorsOfBothEnds processors_;
    std::optional<Session> session_;
};

TEST_P(SessionSteadyState, allocatesNothing) {
    test::expectNoAllocation([this] { warmUp(); },
                             [this] { return executeSome(test::kExecutions); });
}

TEST_P(SessionSteadyState, makesNoSystemCall) {
    test::expectNoSystemCallOfBurst([this] { warmUp(); },
                                    [this] { return executeSome(test::kExecutions); });
}

INSTANTIATE_TEST_SUITE_P(
    Session, SessionSteadyState,
    testing::Values(SessionModel{"mobileNet",
                                 [] { return makeMobileNetV1({.width = 0.25F, .resolution = 32}); },
                                 {},
                                 {}},
                    SessionModel{
                        "streamingLstm", [] { return makeStreamingLstm(); }, {{1, 1}, {2, 2}}, {}},
                    SessionModel{"openOutput", makeOpenModel, {}, {{"input0", {16}}}}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace nnburst
