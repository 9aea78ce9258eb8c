// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Memory that cannot be sealed, for tests.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "nnburst/memory.h"
#include "nnburst/types.h"

namespace nnburst::test {

/// Memory as shm_open(3) gives it: a file that its holders can cut.
class ForeignMemory {
  public:
    explicit ForeignMemory(std::size_t sizeBytes) {
        char name[] = "/dev/shm/nnburst-test-XXXXXX";
        fd_ = UniqueFd(::mkostemp(name, O_CLOEXEC));
        EXPECT_TRUE(fd_);
        EXPECT_EQ(::unlink(name), 0);
        resize(sizeBytes);
        auto received = Region::receive(std::move(*UniqueFd::duplicate(fd_.get())), sizeBytes);
        EXPECT_TRUE(received) << received.error().message;
        region = *received;
    }

    void resize(std::size_t sizeBytes) const {
        EXPECT_EQ(::ftruncate(fd_.get(), static_cast<off_t>(sizeBytes)), 0);
    }
    void write(std::size_t offset, const std::vector<float>& values) const {
        EXPECT_TRUE(region->write(offset, std::as_bytes(std::span(values))));
    }
    [[nodiscard]] std::vector<float> read(std::size_t offset, std::size_t count) const {
        std::vector<float> values(count);
        EXPECT_TRUE(region->read(offset, std::as_writable_bytes(std::span(values))));
        return values;
    }

    SharedRegion region;

  private:
    UniqueFd fd_;
};

/// A request for makeAddModel: four floats at 0 and at 16 of `region`, their sums at 32.
inline Request addRequest(const SharedRegion& region) {
    const auto at = [](std::uint32_t offset) {
        return RequestArgument{.hasNoValue = false,
                               .location = {.poolIndex = 0, .offset = offset, .length = 16}};
    };
    return {.inputs = {at(0), at(16)}, .outputs = {at(32)}, .pools = {region}};
}

}  // namespace nnburst::test
