// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "nnburst/memory.h"

namespace nnburst {
namespace {

constexpr std::uint64_t kSizeBytes = 4096;

bool isOpen(int fd) {
    return ::fcntl(fd, F_GETFD) >= 0;
}

SharedRegion createRegion(std::uint64_t sizeBytes = kSizeBytes) {
    Result<SharedRegion> region = Region::create(sizeBytes);
    EXPECT_TRUE(region) << region.error().message;
    return *region;
}

/// Memory as a peer may make it: of this size, with these seals.
UniqueFd memory(std::uint64_t sizeBytes, int seals) {
    UniqueFd fd(::memfd_create("peer", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    EXPECT_EQ(::ftruncate(fd.get(), static_cast<off_t>(sizeBytes)), 0);
    EXPECT_EQ(::fcntl(fd.get(), F_ADD_SEALS, seals), 0);
    return fd;
}

/// The message with which `receive` refuses.
std::string refusal(UniqueFd fd, std::uint64_t sizeBytes = kSizeBytes) {
    const Result<SharedRegion> region = Region::receive(std::move(fd), sizeBytes);
    if (region) {
        return "accepted";
    }
    EXPECT_EQ(region.error().status, ErrorStatus::INVALID_ARGUMENT);
    return region.error().message;
}

TEST(UniqueFd, closesItsDescriptorOnce) {
    UniqueFd fd = memory(1, 0);
    const int number = fd.get();
    {
        UniqueFd taken = std::move(fd);
        EXPECT_EQ(taken.get(), number);
        EXPECT_TRUE(isOpen(number));
    }
    EXPECT_FALSE(isOpen(number));
    fd = memory(1, 0);
    const int released = fd.release();
    fd.reset();
    EXPECT_TRUE(isOpen(released));
    ::close(released);
}

TEST(UniqueFd, closesWhatItHeldWhenAssignedTo) {
    UniqueFd fd = memory(1, 0);
    const int number = fd.get();
    fd = UniqueFd();
    EXPECT_FALSE(isOpen(number));
}

TEST(UniqueFd, duplicatesToADescriptorThatIsClosedOnExec) {
    const UniqueFd fd = memory(1, 0);
    const Result<UniqueFd> copy = UniqueFd::duplicate(fd.get());
    ASSERT_TRUE(copy);
    EXPECT_NE(copy->get(), fd.get());
    EXPECT_NE(::fcntl(copy->get(), F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_FALSE(UniqueFd::duplicate(-1));
}

TEST(Region, refusesSizesOutOfItsRange) {
    for (const std::uint64_t sizeBytes :
         {std::uint64_t{0}, kMaximumRegionBytes + 1, std::uint64_t{UINT64_MAX}}) {
        const Result<SharedRegion> region = Region::create(sizeBytes);
        ASSERT_FALSE(region) << sizeBytes;
        EXPECT_EQ(region.error().status, ErrorStatus::INVALID_ARGUMENT);
    }
}

TEST(Region, canNeitherShrinkNorGrowNorChangeItsSeals) {
    const SharedRegion region = createRegion();
    for (const off_t size : {off_t{0}, off_t{kSizeBytes - 1}, off_t{kSizeBytes + 1}}) {
        EXPECT_EQ(::ftruncate(region->fd(), size), -1) << size;
        EXPECT_EQ(errno, EPERM);
    }
    EXPECT_EQ(::fcntl(region->fd(), F_ADD_SEALS, F_SEAL_WRITE), -1);
    EXPECT_EQ(errno, EPERM);
}

TEST(Region, hasNoNameAndIsClosedOnExec) {
    const SharedRegion region = createRegion();
    std::string target(256, '\0');
    const std::string link = "/proc/self/fd/" + std::to_string(region->fd());
    const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
    ASSERT_GT(length, 0);
    target.resize(static_cast<std::size_t>(length));
    EXPECT_EQ(target, "/memfd:nnburst (deleted)");
    EXPECT_NE(::fcntl(region->fd(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(Region, closesItsDescriptorWithTheLastHandle) {
    SharedRegion region = createRegion();
    SharedRegion other = region;
    const int fd = region->fd();
    region.reset();
    EXPECT_TRUE(isOpen(fd));
    other.reset();
    EXPECT_FALSE(isOpen(fd));
}

TEST(Region, hasAnIdOfItsOwn) {
    const SharedRegion first = createRegion();
    const SharedRegion second = createRegion();
    const Result<SharedRegion> received =
        Region::receive(std::move(*UniqueFd::duplicate(first->fd())), kSizeBytes);
    ASSERT_TRUE(received);
    EXPECT_NE(first->id(), second->id());
    EXPECT_NE(first->id(), (*received)->id());
}

TEST(Region, isReceivedAsTheSameMemory) {
    const SharedRegion sent = createRegion();
    const Result<SharedRegion> received =
        Region::receive(std::move(*UniqueFd::duplicate(sent->fd())), kSizeBytes);
    ASSERT_TRUE(received) << received.error().message;
    EXPECT_EQ((*received)->sizeBytes(), kSizeBytes);

    const Result<Mapping> ours = Mapping::map(sent);
    const Result<Mapping> theirs = Mapping::map(*received);
    ASSERT_TRUE(ours && theirs);
    ours->data()[17] = std::byte{42};
    EXPECT_EQ(theirs->data()[17], std::byte{42});
}

TEST(Region, isReceivedAsNoMoreThanWasAnnounced) {
    const Result<SharedRegion> received =
        Region::receive(memory(kSizeBytes, F_SEAL_SHRINK), kSizeBytes - 96);
    ASSERT_TRUE(received);
    EXPECT_EQ((*received)->sizeBytes(), kSizeBytes - 96);
}

TEST(ReceivedRegion, refusesNoDescriptor) {
    EXPECT_EQ(refusal(UniqueFd()), "received shared memory has no descriptor");
}

TEST(ReceivedRegion, refusesMemoryThatCanShrink) {
    const char* message =
        "received descriptor is not shared memory sealed against shrinking; create it with "
        "memfd_create and F_SEAL_SHRINK";
    EXPECT_EQ(refusal(memory(kSizeBytes, 0)), message);
    EXPECT_EQ(refusal(memory(kSizeBytes, F_SEAL_GROW | F_SEAL_SEAL)), message);
}

TEST(ReceivedRegion, refusesMemorySmallerThanAnnounced) {
    EXPECT_EQ(refusal(memory(kSizeBytes - 1, F_SEAL_SHRINK)),
              "received shared memory has 4095 bytes, fewer than the 4096 announced");
}

TEST(ReceivedRegion, refusesAnnouncedSizesOutOfRange) {
    EXPECT_EQ(refusal(memory(kSizeBytes, F_SEAL_SHRINK), 0),
              "received shared memory of 0 bytes: must be 1 to 1099511627776");
    EXPECT_EQ(refusal(memory(kSizeBytes, F_SEAL_SHRINK), kMaximumRegionBytes + 1),
              "received shared memory of 1099511627777 bytes: must be 1 to 1099511627776");
}

TEST(ReceivedRegion, refusesDescriptorsThatAreNotMemory) {
    UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    EXPECT_NE(refusal(std::move(file)), "accepted");
    UniqueFd device(::open("/dev/zero", O_RDWR | O_CLOEXEC));
    EXPECT_NE(refusal(std::move(device)), "accepted");
    int sockets[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
    const UniqueFd other(sockets[1]);
    EXPECT_NE(refusal(UniqueFd(sockets[0])), "accepted");
}

TEST(ReceivedRegion, refusesReadOnlyDescriptors) {
    const UniqueFd fd = memory(kSizeBytes, F_SEAL_SHRINK);
    const std::string link = "/proc/self/fd/" + std::to_string(fd.get());
    UniqueFd readOnly(::open(link.c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(readOnly);
    EXPECT_EQ(refusal(std::move(readOnly)),
              "received shared memory is not open for reading and writing");
}

TEST(ReceivedRegion, refusesMemoryThatIsSealedAgainstWriting) {
    for (const int seal : {F_SEAL_WRITE, F_SEAL_FUTURE_WRITE}) {
        EXPECT_EQ(refusal(memory(kSizeBytes, F_SEAL_SHRINK | seal)),
                  "received shared memory is sealed against writing; only writable memory is "
                  "accepted")
            << seal;
    }
}

TEST(ReceivedRegion, closesTheDescriptorsThatItRefuses) {
    UniqueFd fd = memory(kSizeBytes, 0);
    const int number = fd.get();
    EXPECT_NE(refusal(std::move(fd)), "accepted");
    EXPECT_FALSE(isOpen(number));
}

}  // namespace
}  // namespace nnburst
