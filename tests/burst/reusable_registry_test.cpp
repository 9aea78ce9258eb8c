// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/reusable_registry.h"

#include <gtest/gtest.h>

#include "burst/slot_mappings.h"
#include "fakes.h"

namespace nnburst::burst {
namespace {

SharedAccount makeAccount() {
    Amounts limits;
    limits[Resource::MEMORY] = std::uint64_t{1} << 20;
    return Account::create("client", limits);
}

class ReusableRegistryTest : public testing::Test {
  protected:
    /// A request in `slot` under a name, which the session has run.
    DecodedRequest request(const ExecutionName& name, std::uint32_t slot = 0) {
        DecodedRequest decoded;
        decoded.name = name;
        decoded.pools = {
            {.kind = static_cast<std::uint32_t>(FramePool::Kind::SLOT), .value = slot}};
        decoded.inputs = doubling.request.inputs;
        decoded.outputs = doubling.request.outputs;
        FrameMemory memory(slots, decoded.pools);
        EXPECT_TRUE(session.run({decoded.inputs, decoded.outputs}, memory, {}, {}, outcome));
        return decoded;
    }

    DoublingRequest doubling;
    std::shared_ptr<ServingThreadPool> threads = *ServingThreadPool::create();
    SlotMappings slots{
        std::make_shared<FakeDriverControlPlane>(
            [this](std::span<const std::int32_t> asked) -> Result<std::vector<SharedRegion>> {
                return std::vector<SharedRegion>(asked.size(), doubling.pool.region());
            }),
        *threads};
    exec::ExecutionSession session{{.model = std::make_shared<DoublingModel>(),
                                    .buffers = std::make_shared<exec::ManagedBuffers>()}};
    ExecutionOutcome outcome;
    SharedAccount account = makeAccount();
    ReusableRegistry registry;
};

TEST_F(ReusableRegistryTest, findsWhatItRemembers) {
    BoundRequest* remembered = registry.remember(request({.number = 3, .generation = 8}), session);
    ASSERT_NE(remembered, nullptr);
    EXPECT_TRUE(remembered->isBound);
    EXPECT_EQ(registry.find({.number = 3, .generation = 8}), remembered);
    doubling.out()[0] = 0;
    ASSERT_TRUE(session.runBound(remembered->bindings, {}, outcome));
    EXPECT_EQ(doubling.out()[0], 2 * doubling.in()[0]);
}

TEST_F(ReusableRegistryTest, findsNothingUnderOtherNames) {
    ASSERT_NE(registry.remember(request({.number = 3, .generation = 8}), session), nullptr);
    EXPECT_EQ(registry.find({.number = 0, .generation = 8}), nullptr);
    EXPECT_EQ(registry.find({.number = 2, .generation = 0}), nullptr) << "never used";
    EXPECT_EQ(registry.find({.number = 4, .generation = 8}), nullptr);
    EXPECT_EQ(registry.find({.number = UINT32_MAX, .generation = 8}), nullptr);
    EXPECT_EQ(registry.find({.number = 3, .generation = 7}), nullptr) << "an earlier generation";
}

TEST_F(ReusableRegistryTest, remembersNothingWithoutAName) {
    EXPECT_EQ(registry.remember(request({}), session), nullptr);
}

TEST_F(ReusableRegistryTest, givesANumberToTheLastThatHasIt) {
    ASSERT_NE(registry.remember(request({.number = 1, .generation = 1}), session), nullptr);
    ASSERT_NE(registry.remember(request({.number = 1, .generation = 2}), session), nullptr);
    EXPECT_EQ(registry.find({.number = 1, .generation = 1}), nullptr);
    EXPECT_NE(registry.find({.number = 1, .generation = 2}), nullptr);
}

TEST_F(ReusableRegistryTest, keepsNoMemoryOfARequestThatAShorterOneReplaces) {
    BoundRequest bound;
    bound.bind(request({.number = 1, .generation = 1}), session, nullptr);
    ASSERT_TRUE(bound.isBound);
    bound.bindings.memo.runner = 5;
    bound.sentShapes = outcome.outputShapes;
    bound.bind(DecodedRequest(), session, nullptr);
    EXPECT_FALSE(bound.isBound);
    EXPECT_EQ(bound.request.pools.capacity(), 0U);
    EXPECT_EQ(bound.request.inputs.capacity(), 0U);
    EXPECT_EQ(bound.request.outputs.capacity(), 0U);
    EXPECT_EQ(bound.bindings.inputs.capacity(), 0U);
    EXPECT_EQ(bound.bindings.outputs.capacity(), 0U);
    EXPECT_EQ(bound.sentShapes.capacity(), 0U);
    EXPECT_EQ(bound.bindings.memo.runner, 5U);
}

TEST_F(ReusableRegistryTest, neitherKeepsNorChargesARequestWhoseMemoryIsNotMapped) {
    DecodedRequest decoded = request({.number = 1, .generation = 1});
    decoded.pools[0].kind = static_cast<std::uint32_t>(FramePool::Kind::TOKEN);
    FrameMemory memory(slots, decoded.pools);
    EXPECT_FALSE(session.run({decoded.inputs, decoded.outputs}, memory, {}, {}, outcome));
    BoundRequest bound;
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(registry.remember(decoded, session, account), nullptr);
        bound.bind(decoded, session, account);
        EXPECT_FALSE(bound.isBound);
        EXPECT_EQ(bound.request.inputs.capacity(), 0U);
    }
    EXPECT_EQ(account->usage(Resource::MEMORY).highest, 0U);
}

TEST_F(ReusableRegistryTest, keepsNothingOfARequestThatBreaksARule) {
    DecodedRequest decoded = request({.number = 1, .generation = 1});
    decoded.inputs[0].location.offset = 1U << 20;  // outside the pool
    BoundRequest bound;
    bound.bind(decoded, session, account);
    EXPECT_FALSE(bound.isBound);
    EXPECT_EQ(bound.request.inputs.capacity(), 0U);
    EXPECT_EQ(account->usage(Resource::MEMORY).used, 0U);
}

TEST_F(ReusableRegistryTest, unbindsExecutionsWhoseMemoryIsGone) {
    ASSERT_NE(registry.remember(request({.number = 1, .generation = 1}, 0), session), nullptr);
    ASSERT_NE(registry.remember(request({.number = 2, .generation = 2}, 1), session), nullptr);
    slots.requestUnmap(1);
    slots.unmapRequested();
    registry.unbindUnmapped(slots);
    ASSERT_NE(registry.find({.number = 2, .generation = 2}), nullptr) << "still known";
    EXPECT_FALSE(registry.find({.number = 2, .generation = 2})->isBound);
    EXPECT_TRUE(registry.find({.number = 1, .generation = 1})->isBound);
}

}  // namespace
}  // namespace nnburst::burst
