// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Compilations: options, states, preferred memory.

#include <android/NeuralNetworksOEM.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "api.h"
#include "support/temporary_directory.h"

namespace nnburst::nnapi {
namespace {

class NnapiCompilation : public testing::Test {
  protected:
    Model model = newAddition();
    ANeuralNetworksDevice* const device = referenceDevice();
    Compilation compilation = newCompilation(model.get());
    Compilation forDevice = newCompilation(model.get(), {device});
    const std::array<std::uint8_t, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN> token{1, 2, 3};
};

TEST_F(NnapiCompilation, refusesNullWhenItIsCreated) {
    ANeuralNetworksCompilation* created = nullptr;
    EXPECT_EQ(ANeuralNetworksCompilation_create(nullptr, &created), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksCompilation_create(model.get(), nullptr), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(nullptr, &device, 1, &created),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(model.get(), nullptr, 1, &created),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(model.get(), &device, 1, nullptr),
              kUnexpectedNull);
    ANeuralNetworksDevice* const withNull[] = {device, nullptr};
    EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(model.get(), withNull, 2, &created),
              kUnexpectedNull);
    EXPECT_EQ(created, nullptr);
}

TEST_F(NnapiCompilation, needsAFinishedModel) {
    const Model unfinished = newModel();
    ANeuralNetworksCompilation* created = nullptr;
    EXPECT_EQ(ANeuralNetworksCompilation_create(unfinished.get(), &created), kBadState);
    EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(unfinished.get(), &device, 1, &created),
              kBadState);
    EXPECT_EQ(created, nullptr);
}

TEST_F(NnapiCompilation, ofAModelThatIsNotValidIsRefused) {
    const Model invalid = newModel();
    ASSERT_EQ(ANeuralNetworksModel_finish(invalid.get()), kBadData);
    ANeuralNetworksCompilation* created = nullptr;
    const int result = ANeuralNetworksCompilation_create(invalid.get(), &created);
    EXPECT_TRUE(result == kBadData || result == kBadState) << result;
    EXPECT_EQ(created, nullptr);
}

TEST_F(NnapiCompilation, isForDifferentDevicesAndAtLeastOne) {
    ANeuralNetworksCompilation* created = nullptr;
    ANeuralNetworksDevice* const twice[] = {device, device};
    EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(model.get(), &device, 0, &created),
              kBadData);
    EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(model.get(), twice, 2, &created),
              kBadData);
    EXPECT_EQ(created, nullptr);
}

TEST_F(NnapiCompilation, thatIsNullIsFreedWithoutEffect) {
    ANeuralNetworksCompilation_free(nullptr);
}

TEST_F(NnapiCompilation, thatIsNullIsRefusedByEachFunction) {
    EXPECT_EQ(ANeuralNetworksCompilation_setPreference(nullptr, ANEURALNETWORKS_PREFER_LOW_POWER),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksCompilation_setPriority(nullptr, ANEURALNETWORKS_PRIORITY_DEFAULT),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(nullptr, 1000), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksCompilation_setCaching(nullptr, "/tmp", token.data()),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksCompilation_finish(nullptr), kUnexpectedNull);
}

TEST_F(NnapiCompilation, takesEachPreference) {
    for (const std::int32_t preference :
         {ANEURALNETWORKS_PREFER_LOW_POWER, ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER,
          ANEURALNETWORKS_PREFER_SUSTAINED_SPEED}) {
        EXPECT_EQ(ANeuralNetworksCompilation_setPreference(compilation.get(), preference),
                  kNoError);
    }
    EXPECT_EQ(ANeuralNetworksCompilation_setPreference(compilation.get(), 40), kBadData);
    EXPECT_EQ(ANeuralNetworksCompilation_setPreference(compilation.get(), -1), kBadData);
}

TEST_F(NnapiCompilation, takesEachPriority) {
    for (const int priority : {ANEURALNETWORKS_PRIORITY_LOW, ANEURALNETWORKS_PRIORITY_MEDIUM,
                               ANEURALNETWORKS_PRIORITY_HIGH}) {
        EXPECT_EQ(ANeuralNetworksCompilation_setPriority(compilation.get(), priority), kNoError);
    }
    EXPECT_EQ(ANeuralNetworksCompilation_setPriority(compilation.get(), 0), kBadData);
    EXPECT_EQ(ANeuralNetworksCompilation_setPriority(compilation.get(), 95), kBadData);
}

TEST_F(NnapiCompilation, hasATimeoutForOneChosenDeviceAlone) {
    EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(compilation.get(), 1000), kBadData);
    EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(forDevice.get(), 1), kNoError);
    const int result = ANeuralNetworksCompilation_finish(forDevice.get());
    EXPECT_TRUE(isMissedDeadline(result)) << result;
}

TEST_F(NnapiCompilation, mayTakeAsLongAsThereIsTime) {
    EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(forDevice.get(),
                                                    std::numeric_limits<std::uint64_t>::max()),
              kNoError);
    EXPECT_EQ(ANeuralNetworksCompilation_finish(forDevice.get()), kNoError);
}

TEST_F(NnapiCompilation, takesATimeoutOf0ForNoLimit) {
    EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(forDevice.get(), 0), kNoError);
    EXPECT_EQ(ANeuralNetworksCompilation_finish(forDevice.get()), kNoError);
}

TEST_F(NnapiCompilation, isCachedUnderATokenInAFolder) {
    EXPECT_EQ(ANeuralNetworksCompilation_setCaching(compilation.get(), nullptr, token.data()),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksCompilation_setCaching(compilation.get(), "/tmp", nullptr),
              kUnexpectedNull);
    const test::TemporaryDirectory folder;
    for (int i = 0; i < 2; ++i) {  // the second time from the cache, if the device has one
        const Compilation cached = newCompilation(model.get());
        EXPECT_EQ(ANeuralNetworksCompilation_setCaching(cached.get(), folder.path().c_str(),
                                                        token.data()),
                  kNoError);
        ASSERT_EQ(ANeuralNetworksCompilation_finish(cached.get()), kNoError);
        const Execution execution = newExecution(cached.get());
        TwoFloats sum{};
        const TwoFloats a{1, 2};
        const TwoFloats b{10, 20};
        setArguments(execution.get(), a, b, sum);
        EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kNoError);
        EXPECT_EQ(sum, kSum);
    }
}

TEST_F(NnapiCompilation, withAFolderThatDoesNotExistIsNotCached) {
    EXPECT_EQ(
        ANeuralNetworksCompilation_setCaching(compilation.get(), "/proc/none/cache", token.data()),
        kNoError);
    EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
}

TEST_F(NnapiCompilation, thatIsFinishedCannotBeChanged) {
    for (ANeuralNetworksCompilation* finished : {compilation.get(), forDevice.get()}) {
        ASSERT_EQ(ANeuralNetworksCompilation_finish(finished), kNoError);
        EXPECT_EQ(ANeuralNetworksCompilation_setPreference(
                      finished, ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER),
                  kBadState);
        EXPECT_EQ(
            ANeuralNetworksCompilation_setPriority(finished, ANEURALNETWORKS_PRIORITY_DEFAULT),
            kBadState);
        EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(finished, 1000), kBadState);
        EXPECT_EQ(ANeuralNetworksCompilation_setCaching(finished, "/tmp", token.data()), kBadState);
        EXPECT_EQ(ANeuralNetworksCompilation_finish(finished), kBadState);
    }
}

TEST_F(NnapiCompilation, thatIsNotFinishedHasNoExecutionsAndBursts) {
    ANeuralNetworksExecution* execution = nullptr;
    ANeuralNetworksBurst* burst = nullptr;
    for (ANeuralNetworksCompilation* unfinished : {compilation.get(), forDevice.get()}) {
        EXPECT_EQ(ANeuralNetworksExecution_create(unfinished, &execution), kBadState);
        EXPECT_EQ(ANeuralNetworksBurst_create(unfinished, &burst), kBadState);
    }
    EXPECT_EQ(execution, nullptr);
    EXPECT_EQ(burst, nullptr);
}

/// A model with an operation that only its maker's devices have.
class NnapiUnsupportedCompilation : public testing::Test {
  protected:
    NnapiUnsupportedCompilation() {
        const Type bytes(ANEURALNETWORKS_TENSOR_OEM_BYTE, {1});
        const std::uint32_t indexes[] = {0, 1};
        EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), bytes.get()), kNoError);
        EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), bytes.get()), kNoError);
        EXPECT_EQ(ANeuralNetworksModel_addOperation(model.get(), ANEURALNETWORKS_OEM_OPERATION, 1,
                                                    indexes, 1, &indexes[1]),
                  kNoError);
        EXPECT_EQ(
            ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), 1, indexes, 1, &indexes[1]),
            kNoError);
        EXPECT_EQ(ANeuralNetworksModel_finish(model.get()), kNoError);
        compilation = newCompilation(model.get(), {referenceDevice()});
    }

    Model model = newModel();
    Compilation compilation;
};

TEST_F(NnapiUnsupportedCompilation, isNotFinished) {
    EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kBadData);
}

TEST_F(NnapiUnsupportedCompilation, hasNoExecutionsAndBursts) {
    static_cast<void>(ANeuralNetworksCompilation_finish(compilation.get()));
    ANeuralNetworksExecution* execution = nullptr;
    ANeuralNetworksBurst* burst = nullptr;
    EXPECT_EQ(ANeuralNetworksExecution_create(compilation.get(), &execution), kBadState);
    EXPECT_EQ(ANeuralNetworksBurst_create(compilation.get(), &burst), kBadState);
}

TEST_F(NnapiUnsupportedCompilation, hasNoRolesOfMemory) {
    static_cast<void>(ANeuralNetworksCompilation_finish(compilation.get()));
    ANeuralNetworksMemoryDesc* created = nullptr;
    ASSERT_EQ(ANeuralNetworksMemoryDesc_create(&created), kNoError);
    const MemoryDesc desc(created);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), compilation.get(), 0, 1),
              kBadData);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_addOutputRole(desc.get(), compilation.get(), 0, 1),
              kBadData);
}

/// The activation of an ADD is a constant that is none. A chosen device says so at once; where the
/// runtime chooses, programs see it when they execute the model, as on Android.
TEST(NnapiWrongConstant, isSeenInExecutions) {
    const Type floats(ANEURALNETWORKS_TENSOR_FLOAT32, {1});
    const Model model = newModel();
    for (const Type* type : {&floats, &floats, &kInt32, &floats}) {
        ASSERT_EQ(ANeuralNetworksModel_addOperand(model.get(), type->get()), kNoError);
    }
    const float zero = 0;
    const std::int32_t activation = 999;
    ASSERT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 1, &zero, sizeof(zero)), kNoError);
    ASSERT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 2, &activation, sizeof(activation)),
              kNoError);
    const std::uint32_t indexes[] = {0, 1, 2, 3};
    ASSERT_EQ(ANeuralNetworksModel_addOperation(model.get(), ANEURALNETWORKS_ADD, 3, indexes, 1,
                                                &indexes[3]),
              kNoError);
    ASSERT_EQ(
        ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), 1, indexes, 1, &indexes[3]),
        kNoError);
    ASSERT_EQ(ANeuralNetworksModel_finish(model.get()), kNoError);
    const Compilation onDevice = newCompilation(model.get(), {referenceDevice()});
    EXPECT_EQ(ANeuralNetworksCompilation_finish(onDevice.get()), kBadData);
    const Compilation compilation = newCompilation(model.get());
    ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
    for (const Way way : kWays) {
        const Execution execution = newExecution(compilation.get());
        const float input = 0;
        float output = 0;
        ASSERT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, &input, 4),
                  kNoError);
        ASSERT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, &output, 4),
                  kNoError);
        EXPECT_EQ(computeBy(way, execution.get(), compilation.get()), kOpFailed) << toString(way);
    }
}

// ---- Preferred memory

using GetPreferred = int (*)(const ANeuralNetworksCompilation* compilation, std::uint32_t index,
                             std::uint32_t* value);

/// Each function, with the number of arguments of its kind in an addition.
struct Preference {
    const char* name;
    GetPreferred get;
    std::uint32_t count;
};

class NnapiPreferredMemory : public testing::TestWithParam<Preference> {
  protected:
    Model model = newAddition();
    Compilation compilation = newCompilation(model.get());
};

TEST_P(NnapiPreferredMemory, isAPowerOfTwo) {
    ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
    for (std::uint32_t i = 0; i < GetParam().count; ++i) {
        std::uint32_t value = 0;
        EXPECT_EQ(GetParam().get(compilation.get(), i, &value), kNoError);
        EXPECT_TRUE(std::has_single_bit(value)) << value;
    }
}

TEST_P(NnapiPreferredMemory, refusesNull) {
    ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
    std::uint32_t value = 0;
    EXPECT_EQ(GetParam().get(nullptr, 0, &value), kUnexpectedNull);
    EXPECT_EQ(GetParam().get(compilation.get(), 0, nullptr), kUnexpectedNull);
}

TEST_P(NnapiPreferredMemory, isOfAFinishedCompilation) {
    std::uint32_t value = 0;
    EXPECT_EQ(GetParam().get(compilation.get(), 0, &value), kBadState);
}

TEST_P(NnapiPreferredMemory, isOfAnArgumentThatExists) {
    ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
    std::uint32_t value = 0;
    EXPECT_EQ(GetParam().get(compilation.get(), GetParam().count, &value), kBadData);
}

INSTANTIATE_TEST_SUITE_P(
    Nnapi, NnapiPreferredMemory,
    testing::Values(Preference{"alignmentForInput",
                               ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput, 2},
                    Preference{"paddingForInput",
                               ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput, 2},
                    Preference{"alignmentForOutput",
                               ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput, 1},
                    Preference{"paddingForOutput",
                               ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput, 1}),
    [](const auto& instance) { return instance.param.name; });

/// The exit status of a child of fork(2) that calls `body`: 0 if it gives true.
template <class Body>
int statusOfChild(const Body& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        std::_Exit(body() ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
}

// The device in this process has threads, which a child does not have.
TEST(NnapiForkedChild, ofAProcessThatOnlyCountedDevicesCannotUseThem) {
    std::uint32_t count = 0;
    ASSERT_EQ(ANeuralNetworks_getDeviceCount(&count), kNoError);
    EXPECT_EQ(statusOfChild([&] { return ANeuralNetworks_getDeviceCount(&count) == kDeadObject; }),
              0);
}

TEST(NnapiForkedChild, cannotUseTheDevicesOfItsParent) {
    const Model model = newAddition();
    Compilation compilation = newCompilation(model.get());
    ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
    const int status = statusOfChild([&] {
        ANeuralNetworksExecution* execution = nullptr;
        const int result = ANeuralNetworksExecution_create(compilation.get(), &execution);
        compilation.reset();
        return result == kDeadObject && execution == nullptr &&
               ANeuralNetworksExecution_compute(execution) == kDeadObject;
    });
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace nnburst::nnapi
