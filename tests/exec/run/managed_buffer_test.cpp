// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/managed_buffer.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include "memory/drop_pages.h"
#include "support/eventually.h"
#include "support/page_drops.h"

namespace nnburst::exec {
namespace {

/// Of float32 vectors whose size is not known beforehand.
std::shared_ptr<ManagedBuffer> makeBuffer() {
    return std::move(*ManagedBuffer::create(OperandType::TENSOR_FLOAT32, {0}, {}));
}

/// An output of `size` elements: memory for it is reserved.
struct Output {
    Output(ManagedBuffer& itsBuffer, std::uint32_t size) : buffer(itsBuffer), dimensions{size} {
        buffer.discardContents();
        storage = std::move(*buffer.reserve(dimensions, size * sizeof(float)));
    }
    void finish() {
        buffer.finishWrite(storage, dimensions, std::uint64_t{dimensions[0]} * sizeof(float));
    }

    ManagedBuffer& buffer;
    std::array<std::uint32_t, 1> dimensions;
    ManagedBuffer::Storage storage;
};

bool holdsSomething(const ManagedBuffer& buffer) {
    ManagedBuffer::Contents contents;
    const Result<> result = buffer.read({}, contents);
    EXPECT_TRUE(result || result.error().status == ErrorStatus::GENERAL_FAILURE);
    return result.has_value();
}

TEST(ManagedBuffer, holdsWhatAnExecutionHasFinished) {
    const auto buffer = makeBuffer();
    Output output(*buffer, 4);
    output.storage->data()[0] = std::byte{7};
    EXPECT_FALSE(holdsSomething(*buffer));
    output.finish();
    ManagedBuffer::Contents contents;
    ASSERT_TRUE(buffer->read({}, contents));
    EXPECT_EQ(contents.dimensions, Dimensions{4});
    EXPECT_EQ(contents.sizeBytes, 16U);
    EXPECT_EQ(contents.storage->data()[0], std::byte{7});
}

TEST(ManagedBuffer, losesWhatIsWrittenWhileAnotherExecutionEnlargesIt) {
    const auto buffer = makeBuffer();
    Output small(*buffer, 4);
    Output large(*buffer, 16);
    EXPECT_NE(small.storage, large.storage);
    small.finish();
    EXPECT_FALSE(holdsSomething(*buffer)) << "what was written is not in its memory";
    large.finish();
    ManagedBuffer::Contents contents;
    ASSERT_TRUE(buffer->read({}, contents));
    EXPECT_EQ(contents.dimensions, Dimensions{16});
    EXPECT_EQ(contents.storage, large.storage);
    small.finish();
    ASSERT_TRUE(buffer->read({}, contents));
    EXPECT_EQ(contents.dimensions, Dimensions{16}) << "an execution that ended late";
}

/// Expects that `work` ends while `drop`, on another thread, drops the pages of large memory.
void expectEndsDuringDrop(const std::function<void()>& drop, const std::function<void()>& work) {
    std::optional<test::HeldDrops> held(std::in_place);
    const auto dropped = std::async(std::launch::async, drop);
    EXPECT_TRUE(test::eventually([] { return test::HeldDrops::isOneWaiting(); }));
    const auto worked = std::async(std::launch::async, work);
    EXPECT_EQ(worked.wait_for(test::kWatchdog), std::future_status::ready);
    held.reset();
}

/// Elements whose memory is dropped in more than one piece.
constexpr std::uint32_t kManyElements = 2 * kPagesDroppedAtOnceBytes / sizeof(float);

// The event loop of a driver once waited for seconds while a buffer of gigabytes grew.
TEST(ManagedBuffer, isNotLockedWhileItDropsMemoryThatIsTooSmall) {
    const auto buffer = makeBuffer();
    Output(*buffer, kManyElements).finish();
    expectEndsDuringDrop([&] { const Output larger(*buffer, 2 * kManyElements); },
                         [&] {
                             buffer->announceWrite();
                             EXPECT_TRUE(buffer->checkContents({}, true));
                             buffer->discardContents();
                             buffer->withdrawWrite();
                         });
}

TEST(ManagedBuffers, areNotLockedWhileOneIsDropped) {
    ManagedBuffers buffers;
    auto buffer = makeBuffer();
    Output(*buffer, kManyElements).finish();
    const BufferToken token = buffers.add(std::move(buffer));
    const BufferToken other = buffers.add(makeBuffer());
    expectEndsDuringDrop([&] { buffers.remove(token); },
                         [&] { EXPECT_TRUE(buffers.find(other, 1)); });
}

TEST(ManagedBuffer, hasTheRolesOfItsAllocationInWhateverOrderTheyWereGiven) {
    std::vector<ManagedRole> roles;
    for (const std::uint64_t model : {7U, 2U, 5U}) {
        for (const std::uint32_t index : {3U, 0U, 8U}) {
            roles.push_back({model, ArgumentRole::OUTPUT, index});
            roles.push_back({model, ArgumentRole::INPUT, index + 1});
        }
    }
    const auto buffer = std::move(*ManagedBuffer::create(OperandType::TENSOR_FLOAT32, {0}, roles));
    for (const ManagedRole& role : roles) {
        EXPECT_TRUE(buffer->hasRole(role)) << role.preparedModel << ' ' << role.index;
    }
    EXPECT_FALSE(buffer->hasRole({7, ArgumentRole::INPUT, 3}));
    EXPECT_FALSE(buffer->hasRole({7, ArgumentRole::OUTPUT, 1}));
    EXPECT_FALSE(buffer->hasRole({6, ArgumentRole::OUTPUT, 3}));
    for (std::uint64_t model = 1; model < 9; ++model) {
        EXPECT_EQ(buffer->isFor(model), model == 2 || model == 5 || model == 7) << model;
    }
}

TEST(ManagedBuffer, chargesItsRolesAsLongAsItHasThem) {
    constexpr std::size_t kRoles = 4096;
    Amounts limits;
    limits[Resource::MEMORY] = 1 << 20;
    const SharedAccount account = Account::create("client", limits);
    {
        const auto buffer = std::move(*ManagedBuffer::create(
            OperandType::TENSOR_FLOAT32, {0}, std::vector<ManagedRole>(kRoles), account));
        EXPECT_GE(account->usage(Resource::MEMORY).used, kRoles * sizeof(ManagedRole));
        EXPECT_TRUE(buffer->hasRole({}));
    }
    EXPECT_EQ(account->usage(Resource::MEMORY).used, 0U);
}

TEST(ManagedBuffer, takesMemoryOnlyWhenItGrows) {
    const auto buffer = makeBuffer();
    Output large(*buffer, 16);
    large.finish();
    Output small(*buffer, 4);
    EXPECT_EQ(small.storage, large.storage);
    EXPECT_FALSE(holdsSomething(*buffer)) << "an execution that writes has begun";
    EXPECT_EQ(buffer->capacityBytes(), 64U);
}

}  // namespace
}  // namespace nnburst::exec
