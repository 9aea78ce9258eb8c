// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Devices: how many there are, and what they say of themselves.

#include <algorithm>
#include <cstring>
#include <set>

#include <android/NeuralNetworksOEM.h>

#include "api.h"

namespace nnburst::nnapi {
namespace {

TEST(NnapiDevice, countsAtLeastTheDeviceInThisProcess) {
    std::uint32_t count = 0;
    EXPECT_EQ(ANeuralNetworks_getDeviceCount(&count), kNoError);
    EXPECT_GE(count, 1U);
}

TEST(NnapiDevice, refusesToCountIntoNull) {
    EXPECT_EQ(ANeuralNetworks_getDeviceCount(nullptr), kUnexpectedNull);
}

TEST(NnapiDevice, isTheSameObjectEachTime) {
    EXPECT_EQ(allDevices(), allDevices());
    EXPECT_EQ(std::ranges::count(allDevices(), nullptr), 0);
}

TEST(NnapiDevice, beyondTheLastIsBadData) {
    ANeuralNetworksDevice* device = nullptr;
    const auto count = static_cast<std::uint32_t>(allDevices().size());
    EXPECT_EQ(ANeuralNetworks_getDevice(count, &device), kBadData);
    EXPECT_EQ(device, nullptr);
    EXPECT_EQ(ANeuralNetworks_getDevice(0, nullptr), kUnexpectedNull);
}

TEST(NnapiDevice, hasANameOfItsOwn) {
    std::set<std::string> names;
    for (const ANeuralNetworksDevice* device : allDevices()) {
        const char* name = nullptr;
        ASSERT_EQ(ANeuralNetworksDevice_getName(device, &name), kNoError);
        EXPECT_TRUE(names.insert(name).second) << name;
    }
}

TEST(NnapiDevice, inThisProcessIsTheLastAndHasAndroidsName) {
    const char* name = nullptr;
    ASSERT_EQ(ANeuralNetworksDevice_getName(allDevices().back(), &name), kNoError);
    EXPECT_STREQ(name, "nnapi-reference");
}

TEST(NnapiDevice, inThisProcessIsAProcessor) {
    std::int32_t type = -1;
    ASSERT_EQ(ANeuralNetworksDevice_getType(referenceDevice(), &type), kNoError);
    EXPECT_EQ(type, ANEURALNETWORKS_DEVICE_CPU);
}

TEST(NnapiDevice, inThisProcessHasTheLevelOfTheRuntime) {
    std::int64_t level = 0;
    ASSERT_EQ(ANeuralNetworksDevice_getFeatureLevel(referenceDevice(), &level), kNoError);
    EXPECT_EQ(level, ANeuralNetworks_getRuntimeFeatureLevel());
}

TEST(NnapiDevice, tellsItsVersion) {
    const char* version = nullptr;
    ASSERT_EQ(ANeuralNetworksDevice_getVersion(referenceDevice(), &version), kNoError);
    EXPECT_GT(std::strlen(version), 0U);
}

TEST(NnapiDevice, keepsItsStringsForTheLifeOfTheProcess) {
    const char* first = nullptr;
    const char* second = nullptr;
    ASSERT_EQ(ANeuralNetworksDevice_getName(referenceDevice(), &first), kNoError);
    ASSERT_EQ(ANeuralNetworksDevice_getName(referenceDevice(), &second), kNoError);
    EXPECT_EQ(first, second);
}

TEST(NnapiDevice, thatLivesIsNotWaitedFor) {
    for (const ANeuralNetworksDevice* device : allDevices()) {
        EXPECT_EQ(ANeuralNetworksDevice_wait(device), kNoError);
    }
}

TEST(NnapiDevice, thatIsNullIsRefusedByEachFunction) {
    const char* text = nullptr;
    std::int32_t type = 0;
    std::int64_t level = 0;
    bool isSupported = false;
    EXPECT_EQ(ANeuralNetworksDevice_getName(nullptr, &text), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksDevice_getVersion(nullptr, &text), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksDevice_getType(nullptr, &type), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksDevice_getFeatureLevel(nullptr, &level), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksDevice_wait(nullptr), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksDevice_getExtensionSupport(nullptr, "org.example.none", &isSupported),
              kUnexpectedNull);
}

TEST(NnapiDevice, refusesNullForAnAnswer) {
    const ANeuralNetworksDevice* device = referenceDevice();
    bool isSupported = false;
    EXPECT_EQ(ANeuralNetworksDevice_getName(device, nullptr), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksDevice_getVersion(device, nullptr), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksDevice_getType(device, nullptr), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksDevice_getFeatureLevel(device, nullptr), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksDevice_getExtensionSupport(device, "org.example.none", nullptr),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksDevice_getExtensionSupport(device, nullptr, &isSupported),
              kUnexpectedNull);
}

TEST(NnapiDevice, doesNotHaveAnExtensionThatWasNotRegistered) {
    bool isSupported = true;
    EXPECT_EQ(ANeuralNetworksDevice_getExtensionSupport(referenceDevice(), "org.example.none",
                                                        &isSupported),
              kNoError);
    EXPECT_FALSE(isSupported);
}

TEST(NnapiRuntime, hasLevel5) {
    EXPECT_EQ(ANeuralNetworks_getRuntimeFeatureLevel(), ANEURALNETWORKS_FEATURE_LEVEL_5);
}

TEST(NnapiRuntime, limitsLoopsAsTheHalDoes) {
    EXPECT_EQ(ANeuralNetworks_getDefaultLoopTimeout(), 2'000'000'000U);
    EXPECT_EQ(ANeuralNetworks_getMaximumLoopTimeout(), 15'000'000'000U);
}

// ---- ANeuralNetworksModel_getSupportedOperationsForDevices

TEST(NnapiSupportedOperations, areAllOfAnAddition) {
    const Model model = newAddition();
    ANeuralNetworksDevice* const device = referenceDevice();
    bool isSupported = false;
    EXPECT_EQ(ANeuralNetworksModel_getSupportedOperationsForDevices(model.get(), &device, 1,
                                                                    &isSupported),
              kNoError);
    EXPECT_TRUE(isSupported);
}

TEST(NnapiSupportedOperations, refuseNull) {
    const Model model = newAddition();
    ANeuralNetworksDevice* const device = referenceDevice();
    ANeuralNetworksDevice* const withNull[] = {device, nullptr};
    bool isSupported[1] = {};
    EXPECT_EQ(
        ANeuralNetworksModel_getSupportedOperationsForDevices(nullptr, &device, 1, isSupported),
        kUnexpectedNull);
    EXPECT_EQ(
        ANeuralNetworksModel_getSupportedOperationsForDevices(model.get(), nullptr, 1, isSupported),
        kUnexpectedNull);
    EXPECT_EQ(
        ANeuralNetworksModel_getSupportedOperationsForDevices(model.get(), &device, 1, nullptr),
        kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksModel_getSupportedOperationsForDevices(model.get(), withNull, 2,
                                                                    isSupported),
              kUnexpectedNull);
}

TEST(NnapiSupportedOperations, needDifferentDevices) {
    const Model model = newAddition();
    ANeuralNetworksDevice* const device = referenceDevice();
    ANeuralNetworksDevice* const twice[] = {device, device};
    bool isSupported[1] = {};
    EXPECT_EQ(
        ANeuralNetworksModel_getSupportedOperationsForDevices(model.get(), &device, 0, isSupported),
        kBadData);
    EXPECT_EQ(
        ANeuralNetworksModel_getSupportedOperationsForDevices(model.get(), twice, 2, isSupported),
        kBadData);
}

TEST(NnapiSupportedOperations, needAFinishedModel) {
    const Model model = newModel();
    ANeuralNetworksDevice* const device = referenceDevice();
    bool isSupported[1] = {};
    EXPECT_EQ(
        ANeuralNetworksModel_getSupportedOperationsForDevices(model.get(), &device, 1, isSupported),
        kBadState);
}

/// Whether scales fit each other, only devices check. Delegates ask before they compile, and
/// compute themselves what the answer leaves out.
TEST(NnapiSupportedOperations, areNoneOfAModelWithScalesThatDoNotFit) {
    const Model model = newModel();
    const Type input(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, 0.5F);
    const Type output(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, 0.25F);
    const std::uint32_t indexes[] = {0, 1};
    ASSERT_EQ(ANeuralNetworksModel_addOperand(model.get(), input.get()), kNoError);
    ASSERT_EQ(ANeuralNetworksModel_addOperand(model.get(), output.get()), kNoError);
    ASSERT_EQ(ANeuralNetworksModel_addOperation(model.get(), ANEURALNETWORKS_TANH, 1, &indexes[0],
                                                1, &indexes[1]),
              kNoError);
    ASSERT_EQ(
        ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), 1, &indexes[0], 1, &indexes[1]),
        kNoError);
    ASSERT_EQ(ANeuralNetworksModel_finish(model.get()), kNoError);
    ANeuralNetworksDevice* const device = referenceDevice();
    bool isSupported = true;
    EXPECT_EQ(ANeuralNetworksModel_getSupportedOperationsForDevices(model.get(), &device, 1,
                                                                    &isSupported),
              kNoError);
    EXPECT_FALSE(isSupported);
}

/// An operation that no device has, then one that all have.
TEST(NnapiSupportedOperations, comeInTheOrderInWhichOperationsWereAdded) {
    const Model model = newModel();
    const Type floats(ANEURALNETWORKS_TENSOR_FLOAT32, {2});
    const Type oem(ANEURALNETWORKS_TENSOR_OEM_BYTE, {2});
    const std::uint32_t indexes[] = {0, 1, 2, 3};
    for (const Type* type : {&floats, &oem, &floats, &oem}) {
        ASSERT_EQ(ANeuralNetworksModel_addOperand(model.get(), type->get()), kNoError);
    }
    ASSERT_EQ(ANeuralNetworksModel_addOperation(model.get(), ANEURALNETWORKS_OEM_OPERATION, 1,
                                                &indexes[1], 1, &indexes[3]),
              kNoError);
    ASSERT_EQ(ANeuralNetworksModel_addOperation(model.get(), ANEURALNETWORKS_RELU, 1, &indexes[0],
                                                1, &indexes[2]),
              kNoError);
    ASSERT_EQ(
        ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), 2, &indexes[0], 2, &indexes[2]),
        kNoError);
    ASSERT_EQ(ANeuralNetworksModel_finish(model.get()), kNoError);
    ANeuralNetworksDevice* const device = referenceDevice();
    bool isSupported[2] = {};
    EXPECT_EQ(
        ANeuralNetworksModel_getSupportedOperationsForDevices(model.get(), &device, 1, isSupported),
        kNoError);
    EXPECT_FALSE(isSupported[0]);
    EXPECT_TRUE(isSupported[1]);
}

}  // namespace
}  // namespace nnburst::nnapi
