// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Descriptors that a client sends to a shared driver: files that cannot be closed, files whose
/// server does not answer, and too many of them. None of it may reach other clients.

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>
#include <vector>

#include "device/driver_process.h"
#include "device/rpc/descriptor_kind.h"
#include "nnburst/fence.h"
#include "nnburst/model_builder.h"
#include "support/full_event_fd.h"
#include "support/lingering_socket.h"
#include "support/sanitizers.h"
#include "support/send_descriptors.h"
#include "support/unix_socket.h"

namespace nnburst::test {
namespace {

/// Sends bytes with `count` descriptors of one eventfd. False if the driver has ended the
/// connection.
bool sendEventFds(const UniqueFd& connection, const std::string& bytes, std::size_t count,
                  int flags = 0) {
    const UniqueFd event(::eventfd(0, EFD_CLOEXEC));
    const bool isSent =
        sendDescriptors(connection.get(), bytes, std::vector<int>(count, event.get()), flags);
    EXPECT_TRUE(isSent || errno == EPIPE) << std::strerror(errno);
    return isSent;
}

/// The begin of a message: one segment of 4 KiB follows.
std::string messageHeader() {
    const std::array<std::uint32_t, 2> header{0, 512};
    return {reinterpret_cast<const char*>(header.data()), sizeof(header)};
}

/// A driver in which files named "close-fails" and "stalls" do what hostile_files.cpp says.
class HostileDescriptorTest : public testing::Test {
  protected:
    void SetUp() override {
        if (kHasSanitizer) {
            GTEST_SKIP() << "sanitizers want to be the first library of a process";
        }
        start({});
    }

    void start(const std::vector<std::string>& moreArguments) {
        std::vector<std::string> arguments{
            "--cache-key", directory_.path() / "cache.key",
            "--limit",     fmt::format("client.descriptors={}", kDescriptorsOfClient),
            "--limit",     fmt::format("user.connections={}", kConnectionsOfUser),
            "--no-sandbox"};  // hostile_files.cpp reads links
        arguments.insert(arguments.end(), moreArguments.begin(), moreArguments.end());
        ::setenv("LD_PRELOAD", NNBURST_HOSTILE_FILES_PATH, 1);
        ::setenv("NNBURST_MEMORY_RELEASED", memoryReleased_.c_str(), 1);
        driver_ = std::make_unique<DriverProcess>(arguments);
        ::unsetenv("LD_PRELOAD");
        ::unsetenv("NNBURST_MEMORY_RELEASED");
        victim_ = driver_->connect();
        ASSERT_NE(victim_, nullptr);
        attacker_ = driver_->connect();
        ASSERT_NE(attacker_, nullptr);
    }

    void TearDown() override { release(); }

    static constexpr std::size_t kDescriptorsOfClient = 100;
    static constexpr std::size_t kConnectionsOfUser = 10;
    static constexpr off_t kLargeBytes = 1 << 20;

    /// A file of one page.
    UniqueFd open(const std::string& name) {
        const std::string path = directory_.path() / name;
        UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        EXPECT_EQ(::ftruncate(file.get(), 4096), 0);
        return file;
    }

    /// A memfd of kLargeBytes that are present.
    static SharedRegion makeLargeMemory(int seals) {
        UniqueFd memory(::memfd_create("late-closes", MFD_CLOEXEC | MFD_ALLOW_SEALING));
        EXPECT_EQ(::fallocate(memory.get(), 0, 0, kLargeBytes), 0);
        EXPECT_EQ(::fcntl(memory.get(), F_ADD_SEALS, seals), 0);
        return *Region::receive(std::move(memory), kLargeBytes);
    }

    /// Files with the names in hostile_files.cpp answer from now on.
    void release() {
        std::ofstream{memoryReleased_};
        std::ofstream(directory_.path() / "late-closes.released");
        std::ofstream(directory_.path() / "stalls.released");
        std::ofstream(directory_.path() / "late-writes.released");
    }

    /// A request whose memory is the file `name`.
    AddRequest requestIn(const std::string& name) {
        AddRequest add;
        add.request.pools = {*Region::receive(open(name), 4096)};
        return add;
    }

    PrepareOptions cachedIn(const std::string& name) {
        files_.push_back(open(name));
        files_.push_back(open(name));
        return {.modelCache = {files_[files_.size() - 2].get()},
                .dataCache = {files_.back().get()}};
    }

    /// Executes a request of the attacker in `memory`.
    Result<> executeIn(const SharedRegion& memory, const ExecutionOptions& options = {}) {
        const auto prepared = *prepareModel(*attacker_, makeAddModel());
        AddRequest add;
        add.request.pools = {memory};
        ExecutionOutcome outcome;
        return prepared->executeSynchronously(add.request, options, outcome);
    }

    void expectVictimIsServed() {
        const auto prepared = prepareModel(*victim_, makeAddModel());
        ASSERT_TRUE(prepared) << prepared.error().message;
        AddRequest add;
        ExecutionOutcome outcome;
        const auto executed = (*prepared)->executeSynchronously(add.request, {}, outcome);
        EXPECT_TRUE(executed) << executed.error().message;
    }

    TemporaryDirectory directory_;
    const std::string memoryReleased_ = directory_.path() / "memory.released";
    std::unique_ptr<DriverProcess> driver_;
    SharedDevice victim_;
    SharedDevice attacker_;
    std::vector<UniqueFd> files_;
};

TEST_F(HostileDescriptorTest, memoryThatCannotBeClosedEndsNoDriver) {
    const auto prepared = *prepareModel(*attacker_, makeAddModel());
    AddRequest add = requestIn("close-fails");
    ExecutionOutcome outcome;
    (void)prepared->executeSynchronously(add.request, {}, outcome);
    expectVictimIsServed();
}

TEST_F(HostileDescriptorTest, cacheFilesThatCannotBeClosedEndNoDriver) {
    EXPECT_TRUE(prepareModel(*attacker_, makeAddModel(), cachedIn("close-fails")));
    expectVictimIsServed();
}

TEST_F(HostileDescriptorTest, aFenceThatCannotBeClosedEndsNoDriver) {
    const auto prepared = *prepareModel(*attacker_, makeAddModel());
    AddRequest add;
    const UniqueFd file = open("close-fails");
    const std::array<int, 1> fences{file.get()};
    (void)prepared->executeFenced(add.request, fences, {}, {});
    expectVictimIsServed();
}

TEST_F(HostileDescriptorTest, anEventFdToWhichWritingBlocksDelaysNoOtherClient) {
    const UniqueFd full = makeFullEventFd();
    if (!full) {
        GTEST_SKIP() << "there is no asynchronous I/O";
    }
    const auto prepared = *prepareModel(*attacker_, makeAddModel());
    AddRequest add;
    const std::array<int, 1> fences{full.get()};
    EXPECT_FALSE(prepared->executeFenced(add.request, fences, {}, {}));
    expectVictimIsServed();
}

TEST_F(HostileDescriptorTest, unclaimedDescriptorsAreClosedWithTheirConnection) {
    const std::size_t before = descriptorCount(driver_->pid());
    // The request is refused before its descriptors are looked at.
    const auto prepared = *prepareModel(*attacker_, makeAddModel());
    AddRequest add = requestIn("close-fails");
    ExecutionOptions options;
    options.measure = static_cast<MeasureTiming>(7);
    ExecutionOutcome outcome;
    EXPECT_FALSE(prepared->executeSynchronously(add.request, options, outcome));
    attacker_.reset();
    expectVictimIsServed();
    EXPECT_TRUE(eventually([&] { return descriptorCount(driver_->pid()) <= before + 4; }));
}

TEST_F(HostileDescriptorTest, memoryWhoseServerStallsFailsForItsClientAlone) {
    const auto prepared = *prepareModel(*attacker_, makeAddModel());
    AddRequest add = requestIn("stalls");
    std::thread attack([&] {
        ExecutionOutcome outcome;
        const auto executed = prepared->executeSynchronously(add.request, {}, outcome);
        ASSERT_FALSE(executed);
        EXPECT_EQ(executed.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT)
            << executed.error().message;
    });
    expectVictimIsServed();
    attack.join();
    expectVictimIsServed();
}

TEST_F(HostileDescriptorTest, manyMemoriesWhoseServerStallsFailForTheirClientAlone) {
    const auto prepared = *prepareModel(*attacker_, makeAddModel());
    std::vector<std::thread> attacks;
    for (int i = 0; i < 12; ++i) {
        attacks.emplace_back([&] {
            AddRequest add = requestIn("stalls");
            ExecutionOutcome outcome;
            EXPECT_FALSE(prepared->executeSynchronously(add.request, {}, outcome));
        });
    }
    expectVictimIsServed();
    for (std::thread& attack : attacks) {
        attack.join();
    }
    expectVictimIsServed();
}

TEST_F(HostileDescriptorTest, descriptorsWhoseServerStallsAreChargedUntilTheyAreClosed) {
    const std::size_t before = descriptorCount(driver_->pid());
    const auto prepared = *prepareModel(*attacker_, makeAddModel());
    AddRequest add;
    add.request.pools.clear();
    for (int i = 0; i < 32; ++i) {
        add.request.pools.emplace_back(*Region::receive(open("stalls"), 4096));
    }
    std::size_t most = 0;
    for (int i = 0; i < 6; ++i) {
        ExecutionOutcome outcome;
        EXPECT_FALSE(prepared->executeSynchronously(add.request, {}, outcome));
        most = std::max(most, descriptorCount(driver_->pid()));
    }
    EXPECT_LE(most, before + kDescriptorsOfClient);
    expectVictimIsServed();
    release();
    EXPECT_TRUE(eventually([&] { return descriptorCount(driver_->pid()) <= before + 4; }));
    expectVictimIsServed();
}

TEST_F(HostileDescriptorTest, aModelIsPreparedWithoutCacheFilesWhoseServerStalls) {
    std::thread attack([&] {
        const auto prepared = prepareModel(*attacker_, makeAddModel(), cachedIn("stalls"));
        EXPECT_TRUE(prepared) << prepared.error().message;
    });
    expectVictimIsServed();
    attack.join();
    expectVictimIsServed();
}

TEST_F(HostileDescriptorTest, timeThatWritingTheCacheTakesDoesNotCountTowardsTheDeadline) {
    PrepareOptions options = cachedIn("late-writes");
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    options.deadline = deadline;
    std::thread later([&] {
        std::this_thread::sleep_until(deadline + std::chrono::milliseconds(10));
        release();
    });
    const auto prepared = prepareModel(*attacker_, makeAddModel(), options);
    later.join();
    EXPECT_TRUE(prepared) << prepared.error().message;
}

/// Preparations once had the threads of all control calls of their client.
TEST_F(HostileDescriptorTest, preparationsHoldUpNoOtherCallsOfTheirClient) {
    constexpr int kPreparations = 9;  // more than a client has threads
    const SharedPreparedModel prepared = *prepareModel(*attacker_, makeAddModel());
    const PrepareOptions options = cachedIn("late-writes");
    std::atomic<int> launchedCount{0};
    std::atomic<int> preparedCount{0};
    std::atomic<bool> areDone{false};
    std::thread preparing([&] {
        for (int i = 0; i < kPreparations; ++i) {
            EXPECT_TRUE(attacker_->prepareModel(makeAddModel(), options,
                                                [&](const Result<SharedPreparedModel>& made) {
                                                    EXPECT_TRUE(made) << made.error().message;
                                                    ++preparedCount;
                                                }));
            ++launchedCount;
        }
    });
    std::thread calling([&] {
        ASSERT_TRUE(eventually([&] { return launchedCount == kPreparations; }));
        AddRequest add;
        const auto buffer = attacker_->allocate({}, std::array{prepared},
                                                std::array{BufferRole{.frequency = 1.0F}}, {});
        ASSERT_TRUE(buffer) << buffer.error().message;
        const SharedRegion memory = *Region::create(4 * sizeof(float));
        EXPECT_TRUE(buffer->buffer->copyFrom(memory, {}));
        EXPECT_TRUE(buffer->buffer->copyTo(memory));
        EXPECT_TRUE(attacker_->getSupportedOperations(makeAddModel()));
        const UniqueFd fence = std::move(*makeFence());
        signalFence(fence.get());
        const std::vector<int> manyFences(5, fence.get());
        EXPECT_TRUE(prepared->executeFenced(add.request, manyFences, {}, {}));
        add.request.inputs[0].hasNoValue = true;  // which a job checks
        EXPECT_FALSE(prepared->execute(add.request, {}, [](const auto&, const auto&) {}));
        areDone = true;
    });
    EXPECT_TRUE(eventually([&] { return areDone.load(); }));
    EXPECT_EQ(preparedCount, 0);
    release();
    calling.join();
    preparing.join();
    EXPECT_TRUE(eventually([&] { return preparedCount == kPreparations; }));
}

/// It once waited for a thread without its deadline, until the client gave it up.
TEST_F(HostileDescriptorTest, aPreparationFromACacheEndsAtItsDeadlineThoughNoThreadIsFree) {
    constexpr int kPreparations = 9;  // more than a client has threads
    std::atomic<int> preparedCount{0};
    const PrepareOptions held = cachedIn("late-writes");
    for (int i = 0; i < kPreparations; ++i) {
        EXPECT_TRUE(attacker_->prepareModel(
            makeAddModel(), held,
            [&](const Result<SharedPreparedModel>& /*made*/) { ++preparedCount; }));
    }
    PrepareOptions options = cachedIn("from-cache");
    options.priority = Priority::LOW;  // not more urgent than those that run
    options.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
    const auto late = prepareModelFromCache(*attacker_, options);
    EXPECT_EQ(preparedCount, 0);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);
    EXPECT_NE(late.error().message.find("waited for a thread"), std::string::npos)
        << late.error().message;
    release();
    EXPECT_TRUE(eventually([&] { return preparedCount == kPreparations; }));
}

TEST_F(HostileDescriptorTest, aModelIsNotPreparedFromCacheFilesWhoseServerStalls) {
    const auto prepared = prepareModelFromCache(*attacker_, cachedIn("stalls"));
    ASSERT_FALSE(prepared);
    EXPECT_NE(prepared.error().message.find("has not answered"), std::string::npos)
        << prepared.error().message;
    expectVictimIsServed();
}

TEST_F(HostileDescriptorTest, aFenceWhoseServerStallsFailsForItsClientAlone) {
    const auto prepared = *prepareModel(*attacker_, makeAddModel());
    AddRequest add;
    const UniqueFd file = open("stalls");
    const std::array<int, 1> fences{file.get()};
    EXPECT_FALSE(prepared->executeFenced(add.request, fences, {}, {}));
    expectVictimIsServed();
}

TEST_F(HostileDescriptorTest, filesWhoseServerStallsDoNotHoldUpTheEndOfTheirConnection) {
    const auto prepared = *prepareModel(*attacker_, makeAddModel());
    AddRequest add = requestIn("stalls");
    ExecutionOptions options;
    options.measure = static_cast<MeasureTiming>(7);
    ExecutionOutcome outcome;
    EXPECT_FALSE(prepared->executeSynchronously(add.request, options, outcome));
    attacker_.reset();
    expectVictimIsServed();
}

TEST_F(HostileDescriptorTest, memoryThatIsClosedLateDelaysNoOtherClient) {
    const auto prepared = *prepareModel(*attacker_, makeAddModel());
    ExecutionOutcome outcome;
    AddRequest add = requestIn("late-closes");
    EXPECT_TRUE(prepared->executeSynchronously(add.request, {}, outcome));
    expectVictimIsServed();
}

TEST_F(HostileDescriptorTest, largeMemoryThatIsFreedLateDelaysNoOtherClient) {
    EXPECT_TRUE(executeIn(makeLargeMemory(F_SEAL_SHRINK | F_SEAL_GROW)));
    expectVictimIsServed();
}

TEST_F(HostileDescriptorTest, largeMemoryThatIsRefusedDelaysNoOtherClient) {
    const SharedRegion memory = makeLargeMemory(0);
    EXPECT_EQ(::ftruncate(memory->fd(), kLargeBytes / 2), 0);
    EXPECT_FALSE(executeIn(memory));
    expectVictimIsServed();
}

// A client once had a driver keep all descriptors that it might have, of memory that was refused
// because of a limit and waited to be closed.
TEST_F(HostileDescriptorTest, largeMemoryThatIsRefusedIsChargedUntilItIsClosed) {
    constexpr std::size_t kDescriptors = 600;  // room for all that a read may bring
    victim_ = nullptr;
    attacker_ = nullptr;
    start({"--limit", fmt::format("client.address-space={}", kLargeBytes - 1), "--limit",
           fmt::format("client.descriptors={}", kDescriptors)});
    const std::size_t before = descriptorCount(driver_->pid());
    const auto prepared = *prepareModel(*attacker_, makeAddModel());
    AddRequest add;
    add.request.pools.assign(127, makeLargeMemory(F_SEAL_SHRINK | F_SEAL_GROW));
    std::size_t most = 0;
    for (int i = 0; i < 6; ++i) {
        ExecutionOutcome outcome;
        EXPECT_FALSE(prepared->executeSynchronously(add.request, {}, outcome));
        most = std::max(most, descriptorCount(driver_->pid()));
    }
    EXPECT_LE(most, before + kDescriptors);
    expectVictimIsServed();
}

TEST_F(HostileDescriptorTest, unclaimedLargeMemoryDelaysNoOtherClient) {
    EXPECT_FALSE(executeIn(makeLargeMemory(F_SEAL_SHRINK | F_SEAL_GROW),
                           {.measure = static_cast<MeasureTiming>(7)}));
    attacker_.reset();
    expectVictimIsServed();
}

TEST_F(HostileDescriptorTest, buffersThatAreFreedLateDelayNoOtherClient) {
    ModelBuilder builder;  // of a size that is open, so that only the buffer is large
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {0});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {0});
    builder.addOperation(OperationType::RELU, {in}, {out});
    const auto prepared = *prepareModel(*attacker_, *builder.build({in}, {out}));
    const std::array<BufferRole, 1> roles{{{.modelIndex = 0, .ioIndex = 0, .frequency = 1.0F}}};
    auto buffer = attacker_->allocate({.dimensions = {2 << 20}}, std::array{prepared}, roles, {});
    ASSERT_TRUE(buffer) << buffer.error().message;
    *buffer = {};
    expectVictimIsServed();
}

TEST_F(HostileDescriptorTest, cacheFilesThatAreClosedLateDelayNoOtherClient) {
    PrepareOptions options = cachedIn("late-closes");
    const UniqueFd directory(::open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    options.dataCache = {directory.get()};  // so that no file is used
    EXPECT_TRUE(prepareModel(*attacker_, makeAddModel(), options));
    expectVictimIsServed();
}

TEST_F(HostileDescriptorTest, descriptorsThatTheKernelDropsLateDelayNoOtherClient) {
    const UniqueFd connection = connectedUnixSocket(driver_->socketPath());
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(sendEventFds(connection, std::string(1, '\0'), 200));
        expectVictimIsServed();
    }
}

TEST_F(HostileDescriptorTest, descriptorsInsideOfAMessageDelayNoOtherClient) {
    const UniqueFd connection = connectedUnixSocket(driver_->socketPath());
    EXPECT_EQ(::send(connection.get(), messageHeader().data(), 8, MSG_NOSIGNAL), 8);
    expectVictimIsServed();
    for (const std::size_t count : {1, 200}) {
        EXPECT_TRUE(sendEventFds(connection, std::string(100, '\0'), count));
        expectVictimIsServed();
    }
}

TEST_F(HostileDescriptorTest, descriptorsOfRefusedClientsDelayNoOtherClient) {
    std::vector<UniqueFd> served;
    while (served.size() < kConnectionsOfUser) {
        served.push_back(connectedUnixSocket(driver_->socketPath()));
    }
    const std::size_t before = descriptorCount(driver_->pid());
    std::vector<UniqueFd> refused;
    // As many as the driver accepts and its listening socket queues (64): none blocks in connect.
    for (int i = 0; i < 80; ++i) {
        refused.push_back(connectedUnixSocket(driver_->socketPath()));
        // Few, since what all tests have under way is limited. Some are refused before.
        (void)sendEventFds(refused.back(), std::string(1, '\0'), 20);
    }
    expectVictimIsServed();
    // 20 clients are told that they are refused and have not been read from. Beside these 20 wait
    // to be closed, and the others to be accepted.
    EXPECT_LE(descriptorCount(driver_->pid()), before + 3 * (kConnectionsOfUser + 20) + 20);
    release();
    served.clear();
    refused.clear();
    EXPECT_TRUE(eventually([&] { return nnburst::connect(driver_->socketPath()).has_value(); }));
}

TEST_F(HostileDescriptorTest, memoryThatWasLostForALimitIsNoMissingDescriptorWhenThereIsRoomAgain) {
    victim_ = nullptr;
    attacker_ = nullptr;
    start({"--limit", "user.descriptors=63"});
    const auto prepared = *prepareModel(*victim_, makeAddModel());
    const std::size_t before = descriptorCount(driver_->pid());
    UniqueFd other = connectedUnixSocket(driver_->socketPath());
    constexpr std::size_t kRoom = 24;  // three connections take five each, a descriptor two
    EXPECT_TRUE(sendEventFds(other, messageHeader(), kRoom));
    ASSERT_TRUE(eventually([&] { return descriptorCount(driver_->pid()) >= before + 2 * kRoom; }));
    std::thread execution([&] {
        AddRequest add;
        ExecutionOutcome outcome;
        const auto executed = prepared->executeSynchronously(add.request, {}, outcome);
        // It may have come late.
        EXPECT_TRUE(executed ||
                    executed.error().status == ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT)
            << executed.error().message;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    other.reset();
    EXPECT_TRUE(eventually([&] { return descriptorCount(driver_->pid()) <= before + kRoom; }));
    release();
    execution.join();
}

TEST_F(HostileDescriptorTest, nothingIsReadFromAClientWhileItsDescriptorsAreDropped) {
    const UniqueFd connection = connectedUnixSocket(driver_->socketPath());
    EXPECT_TRUE(sendEventFds(connection, messageHeader(), 200));
    const std::size_t before = descriptorCount(driver_->pid());
    for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(sendEventFds(connection, std::string(1, '\0'), 10));
        expectVictimIsServed();
    }
    int unread = 0;
    EXPECT_EQ(::ioctl(connection.get(), SIOCOUTQ, &unread), 0);
    EXPECT_GT(unread, 0);
    EXPECT_LE(descriptorCount(driver_->pid()), before + kDescriptorsOfClient);
    release();
    EXPECT_TRUE(eventually(
        [&] { return ::ioctl(connection.get(), SIOCOUTQ, &unread) == 0 && unread == 0; }));
}

TEST_F(HostileDescriptorTest, descriptorsOfUrgentBytesAreCounted) {
    const UniqueFd connection = connectedUnixSocket(driver_->socketPath());
    EXPECT_TRUE(eventually([&] { return ::send(connection.get(), "", 1, MSG_NOSIGNAL) == 1; }));
    expectVictimIsServed();
    const std::size_t before = descriptorCount(driver_->pid());
    EXPECT_TRUE(sendEventFds(connection, std::string(1, '\0'), 20, MSG_OOB));
    EXPECT_TRUE(eventually([&] { return descriptorCount(driver_->pid()) >= before + 20; }));
}

TEST(PeerDescriptor, closesAtOnceOnlyWhereLittleIsFreed) {
    const UniqueFd event(::eventfd(3, EFD_CLOEXEC | EFD_NONBLOCK));
    const UniqueFd memory(::memfd_create("memory", MFD_CLOEXEC));
    for (const int fd : {event.get(), memory.get()}) {
        EXPECT_FALSE(device::mayBlock(fd));
        EXPECT_TRUE(device::closesAtOnce(fd));
    }
    std::uint64_t count = 0;
    EXPECT_EQ(::read(event.get(), &count, sizeof(count)), 8);
    EXPECT_EQ(count, 3U) << "looking does not change it";
    ASSERT_EQ(::fallocate(memory.get(), 0, 0, 1 << 20), 0);
    EXPECT_FALSE(device::mayBlock(memory.get()));
    EXPECT_FALSE(device::closesAtOnce(memory.get()));

    const UniqueFd watches(::inotify_init1(IN_CLOEXEC));
    const UniqueFd polled(::epoll_create1(EPOLL_CLOEXEC));
    const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    for (const int fd : {watches.get(), polled.get(), socket.get(), file.get()}) {
        EXPECT_TRUE(device::mayBlock(fd)) << fd;
        EXPECT_FALSE(device::closesAtOnce(fd)) << fd;
    }
}

/// Sends bytes that are no message, with a lingering socket. Gives the other end of that.
UniqueFd sendLingeringSocket(const UniqueFd& connection) {
    return sendLingering(connection.get(), std::string(64, '\0'));
}

/// A connection to `driver`, as soon as there is room for it: the one by which DriverProcess has
/// waited for the driver counts for its user until its worker has ended.
SharedDevice connectSoon(const DriverProcess& driver) {
    SharedDevice device;
    EXPECT_TRUE(eventually([&] {
        if (const auto connected = nnburst::connect(driver.socketPath())) {
            device = *connected;
        }
        return device != nullptr;
    }));
    return device;
}

/// `bystanders` are connected meanwhile, beside the victim.
void expectLingeringSocketsDelayNoOtherClient(const std::vector<std::string>& arguments,
                                              int bystanders = 0) {
    const DriverProcess driver(arguments);
    const SharedDevice victim = connectSoon(driver);
    ASSERT_NE(victim, nullptr);
    std::vector<SharedDevice> connected;
    for (int i = 0; i < bystanders; ++i) {
        connected.push_back(connectSoon(driver));
    }
    std::vector<UniqueFd> others;
    for (int i = 0; i < 5; ++i) {
        const UniqueFd connection = connectedUnixSocket(driver.socketPath());
        for (int message = 0; message < 3; ++message) {
            others.push_back(sendLingeringSocket(connection));
        }
        const auto prepared = prepareModel(*victim, makeAddModel());
        ASSERT_TRUE(prepared) << prepared.error().message;
    }
    connected.clear();
    EXPECT_TRUE(eventually([&] { return nnburst::connect(driver.socketPath()).has_value(); }));
}

TEST(LingeringSocket, delaysNoOtherClient) {
    expectLingeringSocketsDelayNoOtherClient({});
}

TEST(LingeringSocket, forWhichThereIsNoRoomDelaysNoOtherClient) {
    // That of a connection, and of one model with its memory.
    expectLingeringSocketsDelayNoOtherClient({"--limit", "client.descriptors=5"});
}

TEST(LingeringSocket, ofARefusedClientDelaysNoOtherClient) {
    expectLingeringSocketsDelayNoOtherClient({"--limit", "user.connections=2"}, 1);
}

TEST(LingeringSocket, delaysNoOtherClientWhereClientsHaveProcesses) {
    expectLingeringSocketsDelayNoOtherClient({"--isolate", "client"});
    expectLingeringSocketsDelayNoOtherClient(
        {"--isolate", "client", "--limit", "user.connections=2"}, 1);
}

TEST(ExhaustedDriver, triesAgainAndAgainWhileNoDescriptorIsFree) {
    DriverProcess driver;
    rlimit before{};
    ASSERT_EQ(::prlimit(driver.pid(), RLIMIT_NOFILE, nullptr, &before), 0);
    const rlimit none{.rlim_cur = 1, .rlim_max = before.rlim_max};
    ASSERT_EQ(::prlimit(driver.pid(), RLIMIT_NOFILE, &none, nullptr), 0);
    const UniqueFd client = connectedUnixSocket(driver.socketPath());
    std::this_thread::sleep_for(std::chrono::milliseconds(350));  // three attempts or more
    ASSERT_EQ(::prlimit(driver.pid(), RLIMIT_NOFILE, &before, nullptr), 0);
    EXPECT_TRUE(eventually([&] { return nnburst::connect(driver.socketPath()).has_value(); }));
}

TEST(ExhaustedDriver, saysThatMemoryWasLostForWantOfADescriptor) {
    DriverProcess driver;
    const SharedDevice device = driver.connect();
    const auto prepared = *prepareModel(*device, makeAddModel());
    AddRequest add;
    ExecutionOutcome outcome;
    rlimit before{};
    ASSERT_EQ(::prlimit(driver.pid(), RLIMIT_NOFILE, nullptr, &before), 0);
    const rlimit none{.rlim_cur = 1, .rlim_max = before.rlim_max};
    ASSERT_EQ(::prlimit(driver.pid(), RLIMIT_NOFILE, &none, nullptr), 0);
    const auto refused = prepared->executeSynchronously(add.request, {}, outcome);
    ASSERT_EQ(::prlimit(driver.pid(), RLIMIT_NOFILE, &before, nullptr), 0);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT)
        << refused.error().message;
    const auto executed = prepared->executeSynchronously(add.request, {}, outcome);
    EXPECT_TRUE(executed) << executed.error().message;
}

/// A socket pair over which `count` descriptors, at most 253, are on their way.
std::array<UniqueFd, 2> makeSocketPairWithDescriptors(std::size_t count) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    EXPECT_TRUE(sendDescriptors(ends[0], std::string(1, '\0'), std::vector<int>(count, ends[0])));
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

TEST(ExhaustedDriver, logsThatItCannotSendADescriptor) {
    if (kHasSanitizer) {
        GTEST_SKIP() << "without a sandbox the driver has the capabilities of its user";
    }
    DriverProcess driver({}, DriverProcess::Calibration::NONE, DriverProcess::Log::FILE);
    const SharedDevice device = driver.connect();
    const auto prepared = *prepareModel(*device, makeAddModel());
    // A process without capabilities sends no more while its user has more than its limit of open
    // descriptors on their way (unix(7), ETOOMANYREFS).
    const auto onTheirWay = makeSocketPairWithDescriptors(253);
    const rlimit few{.rlim_cur = 200, .rlim_max = 200};
    ASSERT_EQ(::prlimit(driver.pid(), RLIMIT_NOFILE, &few, nullptr), 0);
    const auto burst = prepared->configureExecutionBurst({});
    ASSERT_FALSE(burst);
    EXPECT_EQ(burst.error().status, ErrorStatus::DEVICE_UNAVAILABLE) << burst.error().message;
    EXPECT_TRUE(eventually([&] {
        return driver.log().find("cannot send to client ") != std::string::npos;
    })) << driver.log();
    EXPECT_NE(driver.log().find("Too many references"), std::string::npos) << driver.log();
}

TEST(ExhaustedDriver, acceptsClientsAgainWhenDescriptorsAreFree) {
    DriverProcess driver;
    // Counted once: the connection by which the driver was found may just be closing. So the first
    // of those below may be refused.
    const std::size_t limit = descriptorCount(driver.pid()) + 4;
    const rlimit few{.rlim_cur = limit, .rlim_max = limit};
    ASSERT_EQ(::prlimit(driver.pid(), RLIMIT_NOFILE, &few, nullptr), 0);
    {
        std::vector<UniqueFd> clients;
        EXPECT_TRUE(eventually([&] {
            clients.push_back(connectedUnixSocket(driver.socketPath()));
            return descriptorCount(driver.pid()) + 1 >= limit;
        }));
    }
    EXPECT_TRUE(eventually([&] { return nnburst::connect(driver.socketPath()).has_value(); }));
}

}  // namespace
}  // namespace nnburst::test
