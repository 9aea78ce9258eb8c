// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Valid requests with one thing broken are refused by every way to execute, and the device goes on
/// serving.

#include <gtest/gtest.h>

#include <array>

#include "device/devices.h"
#include "support/mutation.h"
#include "support/mutation_subjects.h"

namespace nnburst::test {
namespace {

/// Adds what can be broken in one argument.
class ArgumentMutations {
  public:
    using Change = std::function<void(RequestArgument&)>;

    ArgumentMutations(const Request& request, Mutations<Request>& mutations)
        : request_(request), mutations_(mutations) {}

    void addInput(std::size_t index, const Operand& operand) {
        arguments_ = &Request::inputs;
        name_ = fmt::format("input {}", index);
        index_ = index;
        addPlaces();
        add("no value", [](RequestArgument& a) { a = {.hasNoValue = true}; });
        add("no value but a location", [](RequestArgument& a) { a.hasNoValue = true; });
        add("length + 1", [](RequestArgument& a) { ++a.location.length; });
        add("length - 1", [](RequestArgument& a) { --a.location.length; });
        addDimensions(operand);
    }

    void addOutput(std::size_t index, const Operand& operand) {
        arguments_ = &Request::outputs;
        name_ = fmt::format("output {}", index);
        index_ = index;
        addPlaces();
        add(
            "length - 1", [](RequestArgument& a) { --a.location.length; },
            ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
        addDimensions(operand);
    }

  private:
    void add(const std::string& what, Change change,
             ErrorStatus status = ErrorStatus::INVALID_ARGUMENT) {
        mutations_.push_back(
            {.name = name_ + ": " + what,
             .apply = [arguments = arguments_, index = index_, change = std::move(change)](
                          Request& request) { change((request.*arguments)[index]); },
             .status = status});
    }

    void addPlaces() {
        const auto pools = static_cast<std::uint32_t>(request_.pools.size());
        for (const std::uint32_t pool : {pools, pools + 1, UINT32_MAX}) {
            add(fmt::format("pool {}", pool),
                [pool](RequestArgument& a) { a.location.poolIndex = pool; });
        }
        const RequestArgument& argument = (request_.*arguments_)[index_];
        const auto end = static_cast<std::uint32_t>(
            std::get<SharedRegion>(request_.pools[argument.location.poolIndex])->sizeBytes());
        for (const std::uint32_t offset : {end - argument.location.length + 64, end, UINT32_MAX,
                                           UINT32_MAX - argument.location.length + 1}) {
            add(fmt::format("offset {}", offset),
                [offset](RequestArgument& a) { a.location.offset = offset; });
        }
        for (const std::uint32_t length : {0U, UINT32_MAX, UINT32_MAX - 63}) {
            add(fmt::format("length {}", length),
                [length](RequestArgument& a) { a.location.length = length; });
        }
        add("a thousand dimensions", [](RequestArgument& a) { a.dimensions.assign(1000, 1); });
        add("dimensions whose product overflows",
            [](RequestArgument& a) { a.dimensions.assign(4, UINT32_MAX); });
    }

    /// Dimensions that the model knows must not change.
    void addDimensions(const Operand& operand) {
        for (std::size_t axis = 0; axis < operand.dimensions.size(); ++axis) {
            if (operand.dimensions[axis] == 0) {
                continue;
            }
            add(fmt::format("dimension {} larger", axis),
                [dimensions = operand.dimensions, axis](RequestArgument& a) {
                    a.dimensions = dimensions;
                    ++a.dimensions[axis];
                });
        }
        if (!operand.dimensions.empty()) {
            add("one dimension more", [dimensions = operand.dimensions](RequestArgument& a) {
                a.dimensions = dimensions;
                a.dimensions.push_back(1);
            });
        }
    }

    const Request& request_;
    Mutations<Request>& mutations_;
    std::vector<RequestArgument> Request::*arguments_ = nullptr;
    std::string name_;
    std::size_t index_ = 0;
};

Mutations<Request> requestMutations(const Model& model, const Request& request) {
    Mutations<Request> mutations{
        {.name = "no inputs", .apply = [](Request& r) { r.inputs.clear(); }},
        {.name = "no outputs", .apply = [](Request& r) { r.outputs.clear(); }},
        {.name = "one input more", .apply = [](Request& r) { r.inputs.push_back(r.inputs[0]); }},
        {.name = "one output more", .apply = [](Request& r) { r.outputs.push_back(r.outputs[0]); }},
        {.name = "no pools", .apply = [](Request& r) { r.pools.clear(); }},
    };
    for (std::size_t pool = 0; pool < request.pools.size(); ++pool) {
        mutations.push_back({.name = fmt::format("pool {} is null", pool),
                             .apply = [pool](Request& r) { r.pools[pool] = SharedRegion(); }});
        mutations.push_back(
            {.name = fmt::format("pool {} is an unknown buffer", pool),
             .apply = [pool](Request& r) { r.pools[pool] = BufferToken{0x7FFFFFFF}; }});
        mutations.push_back({.name = fmt::format("pool {} is too small", pool),
                             .apply = [pool](Request& r) { r.pools[pool] = *Region::create(1); }});
    }
    ArgumentMutations arguments(request, mutations);
    for (std::size_t i = 0; i < request.inputs.size(); ++i) {
        arguments.addInput(i, model.main.operands[model.main.inputIndexes[i]]);
    }
    for (std::size_t i = 0; i < request.outputs.size(); ++i) {
        arguments.addOutput(i, model.main.operands[model.main.outputIndexes[i]]);
    }
    return mutations;
}

class RequestMutationTest : public ExecutionTest {};

TEST_P(RequestMutationTest, isRefusedAndTheDeviceGoesOnServing) {
    for (const Subject& valid : subjects()) {
        use(valid.model);
        SubjectRequest request(valid);
        ASSERT_TRUE(execute(request.request())) << valid.name;
        const std::vector<std::byte> expected = request.outputs();
        for (const Mutation<Request>& mutation : requestMutations(valid.model, request.request())) {
            const Result<> result = execute(mutated(request.request(), mutation));
            ASSERT_FALSE(result) << valid.name << ", " << mutation.name;
            EXPECT_EQ(result.error().status, mutation.status)
                << valid.name << ", " << mutation.name << ": " << result.error().message;
        }
        request.reset();
        const Result<> again = execute(request.request());
        ASSERT_TRUE(again) << valid.name << ": " << again.error().message;
        EXPECT_EQ(request.outputs(), expected) << valid.name;
    }
}

NNBURST_INSTANTIATE_FOR_ALL_EXECUTIONS(RequestMutationTest);

}  // namespace
}  // namespace nnburst::test
