// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Valid models with one thing broken are refused, and the device goes on serving.

#include <gtest/gtest.h>

#include <future>
#include <map>

#include "device/devices.h"
#include "support/model_mutations.h"
#include "support/mutation_subjects.h"

namespace nnburst::test {
namespace {

/// The statuses with which a device refuses an invalid model, from each call that checks it.
struct Verdict {
    ErrorStatus supported = ErrorStatus::NONE;  ///< getSupportedOperations
    ErrorStatus launched = ErrorStatus::NONE;   ///< prepareModel
    ErrorStatus prepared = ErrorStatus::NONE;   ///< its callback
    std::string message;

    bool operator==(const Verdict& other) const {
        return supported == other.supported && launched == other.launched &&
               prepared == other.prepared;
    }
};

void PrintTo(const Verdict& verdict, std::ostream* out) {
    *out << toString(verdict.supported) << ", " << toString(verdict.launched) << ", "
         << toString(verdict.prepared) << ": " << verdict.message;
}

template <class T>
ErrorStatus statusOf(const Result<T>& result) {
    return result ? ErrorStatus::NONE : result.error().status;
}

class ModelMutationTest : public Devices,
                          public testing::WithParamInterface<std::tuple<Kind, const char*>> {
  protected:
    void SetUp() override { open(std::get<Kind>(GetParam())); }

    [[nodiscard]] const Subject& valid() const {
        return subject(std::get<const char*>(GetParam()));
    }

    Verdict verdict(const Model& model, const PrepareOptions& options = {}) {
        Verdict verdict{.supported = statusOf(device->getSupportedOperations(model))};
        std::promise<Result<SharedPreparedModel>> promise;  // a second callback would throw
        verdict.launched = statusOf(device->prepareModel(
            model, options,
            [&](Result<SharedPreparedModel> prepared) { promise.set_value(std::move(prepared)); }));
        const Result<SharedPreparedModel> prepared = promise.get_future().get();
        verdict.prepared = statusOf(prepared);
        verdict.message = prepared ? "" : prepared.error().message;
        return verdict;
    }

    /// The outputs of the subject, computed from its inputs.
    std::vector<std::byte> outputsOf(const Model& model) {
        const SharedPreparedModel prepared = prepare(model);
        if (!prepared) {
            return {};
        }
        SubjectRequest request(valid());
        ExecutionOutcome outcome;
        const Result<> result = prepared->executeSynchronously(request.request(), {}, outcome);
        EXPECT_TRUE(result) << result.error().message;
        return request.outputs();
    }

    void expectRefusals(const Mutations<Model>& mutations) {
        const std::vector<std::byte> before = outputsOf(valid().model);
        ASSERT_FALSE(mutations.empty());
        for (const Mutation<Model>& mutation : mutations) {
            const Verdict found = verdict(mutated(valid().model, mutation));
            const char* const reason = reasonToStayValid(valid().name, mutation.name);
            const ErrorStatus status = reason == nullptr ? mutation.status : ErrorStatus::NONE;
            EXPECT_EQ(found, (Verdict{status, status, status, reason == nullptr ? "" : reason}))
                << mutation.name;
        }
        EXPECT_EQ(outputsOf(valid().model), before);
    }
};

TEST_P(ModelMutationTest, typesOfOperandsAreRefused) {
    expectRefusals(operandTypeMutations(valid().model));
}

TEST_P(ModelMutationTest, sourcesOfOperandsAreRefused) {
    expectRefusals(operandSourceMutations(valid().model));
}

TEST_P(ModelMutationTest, operationsAreRefused) {
    expectRefusals(operationMutations(valid().model));
}

TEST_P(ModelMutationTest, structuresAreRefused) {
    expectRefusals(structureMutations(valid().model));
}

INSTANTIATE_TEST_SUITE_P(
    Device, ModelMutationTest,
    testing::Combine(testing::Values(Kind::LOCAL, Kind::SPAWN),
                     testing::Values("floatNet", "floatNetByReference", "quantizedNet", "signedNet",
                                     "perChannelNet", "lstm", "controlFlow", "dynamicNet")),
    [](const auto& instance) {
        return std::string(name(std::get<Kind>(instance.param))) + "_" +
               std::get<const char*>(instance.param);
    });

}  // namespace
}  // namespace nnburst::test
