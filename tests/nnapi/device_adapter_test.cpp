// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Networks through the C API give the results of a device of this process: with each way to
/// execute, on the devices that the runtime chooses and on a chosen one.

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <random>
#include <string>
#include <tuple>

#include "nnburst/builtin_models.h"
#include "nnburst/fence.h"
#include "support/nnapi_device.h"
#include "support/nnapi_linked_functions.h"
#include "support/pooled_request.h"

namespace nnburst::nnapi {
namespace {

struct Network {
    const char* name;
    Result<Model> (*make)();
};

/// How executions reach a prepared model.
enum class Via : std::uint8_t { SYNC, ASYNC, BURST, REUSABLE, FENCED };

const char* toString(Via via) noexcept {
    switch (via) {
        case Via::SYNC:
            return "compute";
        case Via::ASYNC:
            return "startCompute";
        case Via::BURST:
            return "burstCompute";
        case Via::REUSABLE:
            return "burstComputeAgain";
        case Via::FENCED:
            return "startComputeWithDependencies";
    }
    return "";
}

Result<> execute(PreparedModel& prepared, Via via, const Request& request,
                 ExecutionOutcome& outcome) {
    switch (via) {
        case Via::SYNC:
            return prepared.executeSynchronously(request, {}, outcome);
        case Via::ASYNC: {
            std::promise<Result<>> ended;
            static_cast<void>(prepared.execute(
                request, {}, [&](const Result<>& status, const ExecutionOutcome& given) {
                    outcome = given;
                    ended.set_value(status);
                }));
            return ended.get_future().get();
        }
        case Via::BURST: {
            NNBURST_TRY_ASSIGN(const auto burst, prepared.configureExecutionBurst({}));
            NNBURST_TRY(burst->execute(request, {}, outcome));
            return burst->execute(request, {}, outcome);
        }
        case Via::REUSABLE: {
            NNBURST_TRY_ASSIGN(const auto burst, prepared.configureExecutionBurst({}));
            NNBURST_TRY_ASSIGN(const auto reusable, burst->createReusableExecution(request, {}));
            NNBURST_TRY(reusable->compute({}, outcome));
            return reusable->compute({}, outcome);
        }
        case Via::FENCED: {
            NNBURST_TRY_ASSIGN(const UniqueFd fence, makeFence());
            const int waitFor = fence.get();
            NNBURST_TRY_ASSIGN(const FencedExecution execution,
                               prepared.executeFenced(request, {&waitFor, 1}, {}, std::nullopt));
            signalFence(fence.get());
            Timing launched;
            Timing fenced;
            return execution.callback(launched, fenced);
        }
    }
    return {};
}

void fillWithNoise(const tools::PooledRequest& request, const Model& model) {
    std::mt19937 random(17);
    std::uniform_real_distribution<float> reals(-1, 1);
    std::uniform_int_distribution<int> bytes(0, 255);
    for (std::size_t i = 0; i < model.main.inputIndexes.size(); ++i) {
        const std::span<std::byte> input = request.input(i);
        const bool isFloat =
            model.main.operands[model.main.inputIndexes[i]].type == OperandType::TENSOR_FLOAT32;
        if (isFloat) {
            auto* const values = reinterpret_cast<float*>(input.data());
            std::generate_n(values, input.size() / sizeof(float), [&] { return reals(random); });
        } else {
            std::ranges::generate(input, [&] { return static_cast<std::byte>(bytes(random)); });
        }
    }
}

using Case = std::tuple<Network, const char*, Via>;

class NnapiNetwork : public testing::TestWithParam<Case> {};

TEST_P(NnapiNetwork, givesTheResultsOfALocalDevice) {
    const auto& [network, deviceName, via] = GetParam();
    const auto model = network.make();
    ASSERT_TRUE(model) << model.error().message;
    const auto request = tools::PooledRequest::create(*model);
    ASSERT_TRUE(request) << request.error().message;
    fillWithNoise(*request, *model);

    const auto local = makeLocalDevice();
    ASSERT_TRUE(local) << local.error().message;
    const auto expectedModel = prepareModel(**local, *model);
    ASSERT_TRUE(expectedModel) << expectedModel.error().message;
    ExecutionOutcome outcome;
    ASSERT_TRUE((*expectedModel)->executeSynchronously(request->request(), {}, outcome));
    std::vector<std::vector<std::byte>> expected;
    for (std::size_t i = 0; i < model->main.outputIndexes.size(); ++i) {
        const auto output = request->output(i);
        expected.emplace_back(output.begin(), output.end());
        std::ranges::fill(output, std::byte{0xA5});
    }

    const auto device = tools::makeNnapiDevice(tools::linkedNnapi(), deviceName);
    ASSERT_TRUE(device) << device.error().message;
    const auto prepared = prepareModel(**device, *model);
    ASSERT_TRUE(prepared) << prepared.error().message;
    const Result<> status = execute(**prepared, via, request->request(), outcome);
    ASSERT_TRUE(status) << status.error().message;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_TRUE(std::ranges::equal(request->output(i), expected[i])) << "output " << i;
    }
}

std::string nameOf(const testing::TestParamInfo<Case>& instance) {
    const auto& [network, deviceName, via] = instance.param;
    return std::string(network.name) + "_" + (*deviceName == '\0' ? "chosen" : "named") + "_" +
           toString(via);
}

INSTANTIATE_TEST_SUITE_P(
    Nnapi, NnapiNetwork,
    testing::Combine(
        testing::Values(Network{"mobileNetFloat",
                                [] { return makeMobileNetV1({.width = 0.25F, .resolution = 32}); }},
                        Network{"mobileNetQuant8",
                                [] {
                                    return makeMobileNetV1({.width = 0.25F,
                                                            .resolution = 32,
                                                            .precision = BuiltinPrecision::QUANT8});
                                }},
                        Network{"streamingLstm", [] { return makeStreamingLstm(); }}),
        testing::Values("", "nnapi-reference"),
        testing::Values(Via::SYNC, Via::ASYNC, Via::BURST, Via::REUSABLE, Via::FENCED)),
    nameOf);

TEST(NnapiDeviceAdapter, knowsItsDevicesByName) {
    const auto device = tools::makeNnapiDevice(tools::linkedNnapi(), "none");
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_NE(device.error().message.find("nnapi-reference"), std::string::npos);
}

TEST(NnapiDeviceAdapter, refusesAModelThatIsNotValid) {
    const auto device = tools::makeNnapiDevice(tools::linkedNnapi());
    ASSERT_TRUE(device) << device.error().message;
    const auto prepared = prepareModel(**device, Model{});
    ASSERT_FALSE(prepared);
    EXPECT_EQ(prepared.error().status, ErrorStatus::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace nnburst::nnapi
