// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Destructors that leave their work to other threads, in a process without memory.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>

#include "device/rpc/event_loop.h"
#include "device/rpc/peer_descriptors.h"
#include "nnburst/unique_fd.h"
#include "support/exhausted_memory.h"

namespace nnburst::device {
namespace {

TEST(WithoutMemory, aFileOfAPeerIsClosed) {
    EXPECT_EXIT_STATUS(([] {
                           std::array<int, 2> ends{};
                           if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
                               return 1;
                           }
                           std::optional<PeerFile> file(
                               std::in_place, nullptr,
                               ReceivedDescriptor{.charge = {}, .fd = UniqueFd(ends[1])});
                           test::exhaustMemory();
                           file.reset();
                           std::byte nothing{};
                           return ::read(ends[0], &nothing, 1) == 0 ? 0 : 2;
                       }),
                       0);
}

TEST(WithoutMemory, whatAnEventLoopOwnsIsReleased) {
    EXPECT_EXIT_STATUS(([] {
                           EventLoop loop;
                           std::shared_ptr<int> owned = ownedByLoop(loop, 1);
                           test::exhaustMemory();
                           owned.reset();
                           return 0;
                       }),
                       0);
}

}  // namespace
}  // namespace nnburst::device
