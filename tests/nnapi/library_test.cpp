// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// libneuralnetworks.so as programs load it that were written for NNAPI: by its name, or as a
/// support library.

#include <android/NeuralNetworksSupportLibraryImpl.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "support/nnapi_functions.h"

namespace nnburst::nnapi {
namespace {

/// What TFLite's delegate and its benchmark ask for, required and optional.
constexpr std::array kTfliteNames{
    "ANeuralNetworksMemory_createFromFd",
    "ANeuralNetworksMemory_free",
    "ANeuralNetworksModel_create",
    "ANeuralNetworksModel_free",
    "ANeuralNetworksModel_finish",
    "ANeuralNetworksModel_addOperand",
    "ANeuralNetworksModel_setOperandValue",
    "ANeuralNetworksModel_setOperandSymmPerChannelQuantParams",
    "ANeuralNetworksModel_setOperandValueFromMemory",
    "ANeuralNetworksModel_addOperation",
    "ANeuralNetworksModel_identifyInputsAndOutputs",
    "ANeuralNetworksModel_relaxComputationFloat32toFloat16",
    "ANeuralNetworksModel_getExtensionOperandType",
    "ANeuralNetworksModel_getExtensionOperationType",
    "ANeuralNetworksModel_setOperandExtensionData",
    "ANeuralNetworksModel_getSupportedOperationsForDevices",
    "ANeuralNetworksCompilation_create",
    "ANeuralNetworksCompilation_free",
    "ANeuralNetworksCompilation_setPreference",
    "ANeuralNetworksCompilation_finish",
    "ANeuralNetworksCompilation_createForDevices",
    "ANeuralNetworksCompilation_setCaching",
    "ANeuralNetworksCompilation_setTimeout",
    "ANeuralNetworksCompilation_setPriority",
    "ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput",
    "ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput",
    "ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput",
    "ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput",
    "ANeuralNetworksExecution_create",
    "ANeuralNetworksExecution_free",
    "ANeuralNetworksExecution_setInput",
    "ANeuralNetworksExecution_setInputFromMemory",
    "ANeuralNetworksExecution_setOutput",
    "ANeuralNetworksExecution_setOutputFromMemory",
    "ANeuralNetworksExecution_startCompute",
    "ANeuralNetworksExecution_compute",
    "ANeuralNetworksExecution_setTimeout",
    "ANeuralNetworksExecution_setLoopTimeout",
    "ANeuralNetworksExecution_getOutputOperandRank",
    "ANeuralNetworksExecution_getOutputOperandDimensions",
    "ANeuralNetworksExecution_burstCompute",
    "ANeuralNetworksExecution_setMeasureTiming",
    "ANeuralNetworksExecution_getDuration",
    "ANeuralNetworksExecution_startComputeWithDependencies",
    "ANeuralNetworksExecution_enableInputAndOutputPadding",
    "ANeuralNetworksExecution_setReusable",
    "ANeuralNetworksEvent_wait",
    "ANeuralNetworksEvent_free",
    "ANeuralNetworksEvent_createFromSyncFenceFd",
    "ANeuralNetworksEvent_getSyncFenceFd",
    "ANeuralNetworks_getDeviceCount",
    "ANeuralNetworks_getDevice",
    "ANeuralNetworksDevice_getName",
    "ANeuralNetworksDevice_getVersion",
    "ANeuralNetworksDevice_getFeatureLevel",
    "ANeuralNetworksDevice_getType",
    "ANeuralNetworksDevice_getExtensionSupport",
    "ANeuralNetworksBurst_create",
    "ANeuralNetworksBurst_free",
    "ANeuralNetworksMemory_createFromAHardwareBuffer",
    "ANeuralNetworksMemory_createFromDesc",
    "ANeuralNetworksMemory_copy",
    "ANeuralNetworksMemoryDesc_create",
    "ANeuralNetworksMemoryDesc_free",
    "ANeuralNetworksMemoryDesc_addInputRole",
    "ANeuralNetworksMemoryDesc_addOutputRole",
    "ANeuralNetworksMemoryDesc_setDimensions",
    "ANeuralNetworksMemoryDesc_finish",
    "ANeuralNetworks_getDefaultLoopTimeout",
    "ANeuralNetworks_getMaximumLoopTimeout",
    "ANeuralNetworks_getRuntimeFeatureLevel",
    "ANeuralNetworks_getSLDriverImpl",
};

/// The library, loaded for as long as the process lives.
void* library() {
    static void* const handle = ::dlopen(NNBURST_NEURAL_NETWORKS, RTLD_LAZY | RTLD_LOCAL);
    return handle;
}

TEST(NnapiLibrary, isLoadedByItsPath) {
    ASSERT_NE(library(), nullptr) << ::dlerror();
}

TEST(NnapiLibrary, hasEachFunctionThatTfliteAsksFor) {
    ASSERT_NE(library(), nullptr);
    for (const char* name : kTfliteNames) {
        EXPECT_NE(::dlsym(library(), name), nullptr) << name;
    }
}

TEST(NnapiLibrary, hasFunctionsUnderAndroidsSymbolVersion) {
    ASSERT_NE(library(), nullptr);
    EXPECT_NE(::dlvsym(library(), "ANeuralNetworksModel_create", "LIBNEURALNETWORKS"), nullptr);
}

TEST(NnapiLibrary, hasNoSymbolsOfNnburst) {
    ASSERT_NE(library(), nullptr);
    EXPECT_EQ(::dlsym(library(), "nnburstExtension"), nullptr);
}

// Its devices have threads, which must not lose their code.
TEST(NnapiLibrary, staysLoadedWhenItIsClosed) {
    EXPECT_EXIT(
        {
            void* const handle = library();
            const bool isClosed = ::dlclose(handle) == 0;
            void* const left = ::dlopen(NNBURST_NEURAL_NETWORKS, RTLD_LAZY | RTLD_NOLOAD);
            std::_Exit(isClosed && left != nullptr ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

TEST(NnapiLibrary, isATableForTools) {
    const auto functions = tools::loadNnapi(NNBURST_NEURAL_NETWORKS);
    ASSERT_TRUE(functions) << functions.error().message;
    EXPECT_EQ(functions->ANeuralNetworks_getRuntimeFeatureLevel(), ANEURALNETWORKS_FEATURE_LEVEL_5);
}

TEST(NnapiLibrary, thatDoesNotExistIsNamedInTheError) {
    const auto functions = tools::loadNnapi("libnone-of-that-name.so");
    ASSERT_FALSE(functions);
    EXPECT_EQ(functions.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_NE(functions.error().message.find("libnone-of-that-name.so"), std::string::npos);
}

TEST(NnapiLibrary, thatIsAnotherOneIsRefused) {
    const auto functions = tools::loadNnapi("libm.so.6");
    ASSERT_FALSE(functions);
    EXPECT_EQ(functions.error().status, ErrorStatus::GENERAL_FAILURE);
    EXPECT_NE(functions.error().message.find("ANeuralNetworks_getDeviceCount"), std::string::npos);
}

class NnapiSupportLibrary : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_NE(library(), nullptr);
        const auto get = reinterpret_cast<decltype(&ANeuralNetworks_getSLDriverImpl)>(
            ::dlsym(library(), "ANeuralNetworks_getSLDriverImpl"));
        ASSERT_NE(get, nullptr);
        ASSERT_NE(get(), nullptr);
        ASSERT_EQ(get()->implFeatureLevel, ANEURALNETWORKS_FEATURE_LEVEL_5);
        api = reinterpret_cast<const NnApiSLDriverImplFL5*>(get());
    }

    const NnApiSLDriverImplFL5* api = nullptr;
};

/// All members up to the diagnostics.
TEST_F(NnapiSupportLibrary, hasEachFunction) {
    const auto* const members = reinterpret_cast<void* const*>(&api->ANeuralNetworksBurst_create);
    const std::size_t count =
        (offsetof(NnApiSLDriverImplFL5, SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId) -
         offsetof(NnApiSLDriverImplFL5, ANeuralNetworksBurst_create)) /
        sizeof(void*);
    for (std::size_t i = 0; i < count; ++i) {
        EXPECT_NE(members[i], nullptr) << "member " << i;
    }
    EXPECT_NE(api->SL_ANeuralNetworksDiagnostic_registerCallbacks, nullptr);
}

TEST_F(NnapiSupportLibrary, hasTheFunctionsOfTheLibrary) {
#define NNBURST_COMPARE(Name) \
    EXPECT_EQ(reinterpret_cast<void*>(api->Name), ::dlsym(library(), #Name)) << #Name
    NNBURST_COMPARE(ANeuralNetworksBurst_create);
    NNBURST_COMPARE(ANeuralNetworksModel_create);
    NNBURST_COMPARE(ANeuralNetworksCompilation_createForDevices);
    NNBURST_COMPARE(ANeuralNetworksExecution_burstCompute);
    NNBURST_COMPARE(ANeuralNetworksExecution_setReusable);
    NNBURST_COMPARE(ANeuralNetworksMemoryDesc_finish);
    NNBURST_COMPARE(ANeuralNetworks_getRuntimeFeatureLevel);
#undef NNBURST_COMPARE
}

class NnapiSupportLibraryDevice : public NnapiSupportLibrary {
  protected:
    void SetUp() override {
        NnapiSupportLibrary::SetUp();
        ASSERT_EQ(api->ANeuralNetworks_getDevice(0, &device), ANEURALNETWORKS_NO_ERROR);
    }

    ANeuralNetworksDevice* device = nullptr;
};

TEST_F(NnapiSupportLibraryDevice, tellsItsCacheFiles) {
    std::uint32_t models = 99;
    std::uint32_t data = 99;
    EXPECT_EQ(api->SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(device, &models, &data),
              ANEURALNETWORKS_NO_ERROR);
    EXPECT_LE(models, 32U);
    EXPECT_LE(data, 32U);
    EXPECT_EQ(api->SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(nullptr, &models, &data),
              ANEURALNETWORKS_UNEXPECTED_NULL);
}

TEST_F(NnapiSupportLibraryDevice, tellsItsPerformance) {
    for (const std::int32_t kind : {SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_SCALAR,
                                    SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_TENSOR,
                                    SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_IF,
                                    SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_WHILE}) {
        SL_ANeuralNetworksPerformanceInfo info{};
        EXPECT_EQ(api->SL_ANeuralNetworksDevice_getPerformanceInfo(device, kind, &info),
                  ANEURALNETWORKS_NO_ERROR);
        EXPECT_GT(info.execTime, 0);
    }
    SL_ANeuralNetworksPerformanceInfo info{};
    EXPECT_EQ(api->SL_ANeuralNetworksDevice_getPerformanceInfo(device, 4, &info),
              ANEURALNETWORKS_BAD_DATA);
}

TEST_F(NnapiSupportLibraryDevice, tellsThePerformanceOfEachOperandType) {
    std::vector<std::int32_t> types;
    EXPECT_EQ(api->SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(
                  device, &types,
                  [](SL_ANeuralNetworksOperandPerformanceInfo info, void* context) {
                      static_cast<std::vector<std::int32_t>*>(context)->push_back(info.operandType);
                      EXPECT_GT(info.performanceInfo.execTime, 0) << info.operandType;
                      EXPECT_GT(info.performanceInfo.powerUsage, 0) << info.operandType;
                  }),
              ANEURALNETWORKS_NO_ERROR);
    std::vector<std::int32_t> expected(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED + 1);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(types, expected);
    EXPECT_EQ(api->SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(
                  device, nullptr, [](SL_ANeuralNetworksOperandPerformanceInfo, void*) {}),
              ANEURALNETWORKS_UNEXPECTED_NULL);
}

TEST_F(NnapiSupportLibraryDevice, hasNoExtensionsThatWereNotRegistered) {
    std::uint32_t count = 99;
    EXPECT_EQ(api->SL_ANeuralNetworksDevice_getVendorExtensionCount(device, &count),
              ANEURALNETWORKS_NO_ERROR);
    ASSERT_EQ(count, 1U);  // that of this library
    const char* name = nullptr;
    EXPECT_EQ(api->SL_ANeuralNetworksDevice_getVendorExtensionName(device, 0, &name),
              ANEURALNETWORKS_NO_ERROR);
    EXPECT_STREQ(name, "org.nnburst.tflite");
    EXPECT_EQ(api->SL_ANeuralNetworksDevice_getVendorExtensionName(device, count, &name),
              ANEURALNETWORKS_BAD_DATA);
}

}  // namespace
}  // namespace nnburst::nnapi
