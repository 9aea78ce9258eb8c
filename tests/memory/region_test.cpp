// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "memory/drop_pages.h"
#include "memory/mapped_pages.h"
#include "nnburst/memory.h"
#include "support/eventually.h"

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

TEST(Region, cannotBeMadeWithoutAFreeDescriptor) {
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    const rlimit none{.rlim_cur = 0, .rlim_max = limit.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    const Result<SharedRegion> region = Region::create(kSizeBytes);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    ASSERT_FALSE(region);
    EXPECT_EQ(region.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_NE(region.error().message.find("cannot create shared memory"), std::string::npos);
}

TEST(Region, cannotBeLargerThanTheLimitOnFilesAndDoesNotEndTheProcess) {
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlimit small{.rlim_cur = kSizeBytes, .rlim_max = limit.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const Result<SharedRegion> larger = Region::create(kSizeBytes + 1);
    const Result<SharedRegion> whole = Region::create(kSizeBytes);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    EXPECT_TRUE(whole);
    ASSERT_FALSE(larger);
    EXPECT_EQ(larger.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT);
    EXPECT_NE(larger.error().message.find("ulimit -f"), std::string::npos);
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

TEST(MappedWrite, copiesWhereverThePiecesBeginAndEnd) {
    constexpr std::uint64_t kOffset = 5;  // no begin of a page
    std::vector<std::byte> written(2 * kPagesDroppedAtOnceBytes + 7);
    for (std::size_t i = 0; i < written.size(); ++i) {
        written[i] = static_cast<std::byte>(i % 251);
    }
    const SharedRegion region = createRegion(kOffset + written.size() + 1);
    ASSERT_TRUE(writeMapped(*region, kOffset, written));
    std::vector<std::byte> read(region->sizeBytes());
    ASSERT_TRUE(region->read(0, read));
    EXPECT_EQ(std::vector(read.begin() + kOffset, read.end() - 1), written);
    EXPECT_EQ(read[kOffset - 1], std::byte{0});
    EXPECT_EQ(read.back(), std::byte{0});
    EXPECT_FALSE(writeMapped(*region, kOffset + 2, written));
}

/// RAII: a thread holds the lock of a file. It is within pwrite(2) and waits for the page that it
/// writes, which is not there as long as this exists (userfaultfd(2)).
class HeldFileLock {
  public:
    explicit HeldFileLock(int fd)
        : faults_(static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK))),
          page_(::mmap(nullptr, kSizeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                       0)) {
        uffdio_api api{.api = UFFD_API, .features = 0, .ioctls = 0};
        uffdio_register range{
            .range = {.start = reinterpret_cast<std::uintptr_t>(page_), .len = kSizeBytes},
            .mode = UFFDIO_REGISTER_MODE_MISSING,
            .ioctls = 0};
        if (!faults_ || ::ioctl(faults_.get(), UFFDIO_API, &api) != 0 ||
            ::ioctl(faults_.get(), UFFDIO_REGISTER, &range) != 0) {
            return;
        }
        writer_ = std::thread([fd, page = page_] { EXPECT_EQ(::pwrite(fd, page, 1, 0), 1); });
        pollfd fault{.fd = faults_.get(), .events = POLLIN, .revents = 0};
        constexpr auto kWatchdogMs =
            static_cast<int>(std::chrono::milliseconds(test::kWatchdog).count());
        isHeld_ = ::poll(&fault, 1, kWatchdogMs) == 1;
    }
    ~HeldFileLock() {
        faults_.reset();  // the page comes
        if (writer_.joinable()) {
            writer_.join();
        }
        ::munmap(page_, kSizeBytes);
    }
    HeldFileLock(const HeldFileLock&) = delete;
    HeldFileLock& operator=(const HeldFileLock&) = delete;

    [[nodiscard]] bool isHeld() const noexcept { return isHeld_; }

  private:
    UniqueFd faults_;
    void* page_;
    std::thread writer_;
    bool isHeld_ = false;
};

// Threads of a driver once waited without end for a client that wrote to its own memory.
TEST(MappedWrite, endsWhileAnotherHolderIsWithinAWriteToTheMemory) {
    const SharedRegion region = createRegion();
    std::optional<HeldFileLock> lock(std::in_place, region->fd());
    if (!lock->isHeld()) {
        GTEST_SKIP() << "this process may not provide pages for its system calls (userfaultfd)";
    }
    const std::array<std::byte, 3> bytes{std::byte{1}, std::byte{2}, std::byte{3}};
    auto written = std::async(std::launch::async, [&] { return writeMapped(*region, 17, bytes); });
    EXPECT_EQ(written.wait_for(test::kWatchdog), std::future_status::ready);
    lock.reset();  // also ends a write that waits
    EXPECT_TRUE(written.get());
    std::array<std::byte, 3> read{};
    ASSERT_TRUE(region->read(17, read));
    EXPECT_EQ(read, bytes);
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
    const auto refuses = [](int fd) {
        ASSERT_GE(fd, 0);
        EXPECT_NE(refusal(UniqueFd(fd), 1).find("must be a memfd, shared memory or a regular file"),
                  std::string::npos);
    };
    refuses(::open("/dev/zero", O_RDWR | O_CLOEXEC));
    refuses(::open("/tmp", O_RDONLY | O_CLOEXEC));
    refuses(::eventfd(0, EFD_CLOEXEC));
    int sockets[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
    const UniqueFd other(sockets[1]);
    refuses(sockets[0]);
    int pipes[2];
    ASSERT_EQ(::pipe2(pipes, O_CLOEXEC), 0);
    const UniqueFd writer(pipes[1]);
    refuses(pipes[0]);
}

TEST(ReceivedRegion, refusesDescriptorsThatCannotBeReadAnywhere) {
    const UniqueFd fd = memory(kSizeBytes, 0);
    const std::string link = "/proc/self/fd/" + std::to_string(fd.get());
    for (const int flags : {O_WRONLY, O_RDWR | O_APPEND, O_PATH}) {
        EXPECT_NE(refusal(UniqueFd(::open(link.c_str(), flags | O_CLOEXEC))), "accepted") << flags;
    }
}

TEST(ReceivedRegion, closesTheDescriptorsThatItRefuses) {
    UniqueFd fd = memory(kSizeBytes, 0);
    const int number = fd.get();
    EXPECT_NE(refusal(std::move(fd), kSizeBytes + 1), "accepted");
    EXPECT_FALSE(isOpen(number));
}

/// Memory of every kind that cannot be mapped.
std::vector<UniqueFd> foreignMemory() {
    std::vector<UniqueFd> fds;
    fds.push_back(memory(kSizeBytes, 0));
    fds.push_back(memory(kSizeBytes, F_SEAL_GROW | F_SEAL_SEAL));
    fds.push_back(memory(kSizeBytes, F_SEAL_SHRINK | F_SEAL_WRITE));
    fds.push_back(memory(kSizeBytes, F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE));
    const UniqueFd sealed = memory(kSizeBytes, F_SEAL_SHRINK);
    const std::string link = "/proc/self/fd/" + std::to_string(sealed.get());
    fds.emplace_back(::open(link.c_str(), O_RDONLY | O_CLOEXEC));
    char name[] = "/tmp/nnburst-region-XXXXXX";
    fds.emplace_back(::mkostemp(name, O_CLOEXEC));
    EXPECT_EQ(::unlink(name), 0);
    EXPECT_EQ(::ftruncate(fds.back().get(), kSizeBytes), 0);
    return fds;
}

TEST(ForeignRegion, isNeverMapped) {
    for (UniqueFd& fd : foreignMemory()) {
        const Result<SharedRegion> region = Region::receive(std::move(fd), kSizeBytes);
        ASSERT_TRUE(region) << region.error().message;
        EXPECT_TRUE((*region)->isForeign());
        const Result<Mapping> mapping = Mapping::map(*region);
        ASSERT_FALSE(mapping);
        EXPECT_EQ(mapping.error().status, ErrorStatus::INVALID_ARGUMENT);
    }
}

TEST(ForeignRegion, isMemoryOfHugePages) {
    UniqueFd fd(::memfd_create("huge", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB));
    if (!fd) {
        GTEST_SKIP() << "this system has no memory of huge pages: " << std::strerror(errno);
    }
    ASSERT_EQ(::ftruncate(fd.get(), off_t{1} << 30), 0);  // whole pages, whatever their size
    ASSERT_EQ(::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
    const Result<SharedRegion> region = Region::receive(std::move(fd), kSizeBytes);
    ASSERT_TRUE(region) << region.error().message;
    EXPECT_TRUE((*region)->isForeign());
    EXPECT_FALSE(Mapping::map(*region));
}

TEST(ForeignRegion, isReadAndWrittenByCopy) {
    const SharedRegion region = *Region::receive(memory(kSizeBytes, 0), kSizeBytes);
    const std::array<std::byte, 3> written{std::byte{1}, std::byte{2}, std::byte{3}};
    ASSERT_TRUE(region->write(kSizeBytes - 3, written));
    std::array<std::byte, 4> read{};
    ASSERT_TRUE(region->read(kSizeBytes - 4, read));
    EXPECT_EQ(read[3], std::byte{3});
    EXPECT_EQ(read[0], std::byte{0});
    for (const std::uint64_t offset : {kSizeBytes - 3, kSizeBytes + 1, std::uint64_t{UINT64_MAX}}) {
        const Result<> tooFar = region->read(offset, read);
        ASSERT_FALSE(tooFar) << offset;
        EXPECT_NE(tooFar.error().message.find("cannot read 4 bytes at"), std::string::npos)
            << tooFar.error().message;
        EXPECT_FALSE(region->write(offset, read)) << offset;
    }
}

TEST(MappedWrite, copiesToForeignMemory) {
    const std::array<std::byte, 1> written{std::byte{7}};
    for (const int seals : {0, F_SEAL_GROW}) {
        const SharedRegion region = *Region::receive(memory(kSizeBytes, seals), kSizeBytes);
        ASSERT_TRUE(writeMapped(*region, kSizeBytes - 1, written));
        std::array<std::byte, 1> read{};
        ASSERT_TRUE(region->read(kSizeBytes - 1, read));
        EXPECT_EQ(read, written);
    }
}

TEST(ForeignRegion, thatWasCutGivesAnError) {
    UniqueFd fd = memory(kSizeBytes, 0);
    const UniqueFd holder = std::move(*UniqueFd::duplicate(fd.get()));
    const SharedRegion region = *Region::receive(std::move(fd), kSizeBytes);
    ASSERT_EQ(::ftruncate(holder.get(), 10), 0);
    std::array<std::byte, 16> bytes{};
    const Result<> read = region->read(0, bytes);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_NE(read.error().message.find("was cut to 10"), std::string::npos)
        << read.error().message;
}

}  // namespace
}  // namespace nnburst
