// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/managed_buffer.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace nnburst::exec {
namespace {

/// Of float32 vectors whose size is not known beforehand.
std::shared_ptr<ManagedBuffer> makeBuffer() {
    return std::move(*ManagedBuffer::create(
        Operand{.type = OperandType::TENSOR_FLOAT32, .dimensions = {0}}, {}));
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
