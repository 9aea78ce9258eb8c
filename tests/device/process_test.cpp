// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Failures of the other process: drivers that die, hang or are stopped, clients that vanish, and
/// peers that send garbage.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "device/driver_process.h"
#include "device/rpc/unix_socket.h"
#include "nnburst/builtin_models.h"
#include "support/sanitizers.h"
#include "support/send_descriptors.h"
#include "support/unix_socket.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

class DriverProcessTest : public testing::Test {
  protected:
    /// A driver that a test has left frozen is killed after some time of grace.
    DriverProcessTest() {
        EXPECT_TRUE(eventually([] { return spawnedDrivers().empty(); }));
    }
};

SharedPreparedModel prepareAdd(const SharedDevice& device) {
    auto prepared = prepareModel(*device, makeAddModel());
    EXPECT_TRUE(prepared) << prepared.error().message;
    return prepared ? *prepared : nullptr;
}

/// Executes until something fails; gives the first error.
Error streamUntilError(Burst& burst, const Request& request) {
    ExecutionOutcome outcome;
    while (true) {
        if (const Result<> result = burst.execute(request, {}, outcome); !result) {
            return result.error();
        }
    }
}

std::set<std::string> entriesOf(const char* directory) {
    std::set<std::string> entries;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
        entries.insert(entry.path().filename());
    }
    return entries;
}

/// The threads of a process, and how often each has gone to sleep.
std::map<std::string, std::uint64_t> threadsOf(pid_t pid) {
    std::map<std::string, std::uint64_t> sleeps;
    for (const std::string& thread : entriesOf(fmt::format("/proc/{}/task", pid).c_str())) {
        std::ifstream status(fmt::format("/proc/{}/task/{}/status", pid, thread));
        for (std::string key; status >> key;) {
            if (key == "voluntary_ctxt_switches:") {
                status >> sleeps[thread];
            }
        }
    }
    return sleeps;
}

TEST_F(DriverProcessTest, thatIsKilledFailsTheWaitingExecutionAndAllLaterCalls) {
    const std::set<std::string> sharedMemoryBefore = entriesOf("/dev/shm");
    const SharedDevice device = *spawnDriver();
    const SharedPreparedModel prepared = prepareAdd(device);
    const auto burst = std::move(*prepared->configureExecutionBurst({}));
    AddRequest add;
    ExecutionOutcome outcome;
    ASSERT_TRUE(burst->execute(add.request, {}, outcome));

    const std::vector<pid_t> drivers = spawnedDrivers();
    ASSERT_EQ(drivers.size(), 1U);
    std::thread killer([&] {
        std::this_thread::sleep_for(30ms);
        ::kill(drivers[0], SIGKILL);
    });
    const Error error = streamUntilError(*burst, add.request);
    killer.join();
    EXPECT_EQ(error.status, ErrorStatus::DEVICE_UNAVAILABLE) << error.message;

    const auto expectGone = [](const auto& result) {
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE) << result.error().message;
    };
    expectGone(burst->execute(add.request, {}, outcome));
    expectGone(prepared->executeSynchronously(add.request, {}, outcome));
    expectGone(prepared->configureExecutionBurst({}));
    expectGone(device->getCapabilities());
    expectGone(prepareModel(*device, makeAddModel()));
    EXPECT_EQ(device->getStatus(), DeviceStatus::OFFLINE);
    EXPECT_TRUE(eventually([] { return spawnedDrivers().empty(); })) << "the child is reaped";
    EXPECT_EQ(entriesOf("/dev/shm"), sharedMemoryBefore);
}

TEST_F(DriverProcessTest, thatIsKilledFailsAnExecutionThatSleeps) {
    const SharedDevice device = *spawnDriver();
    const auto model = *makeMobileNetV1({.width = 1.0F, .resolution = 224});
    const SharedPreparedModel prepared = *prepareModel(*device, model);
    const auto burst =
        std::move(*prepared->configureExecutionBurst({.clientWait = {.spinWindow = 0ns}}));
    MemoryPool pool = *MemoryPool::create(1 << 20);
    const auto input = *pool.allocate(224 * 224 * 3 * 4);
    const auto output = *pool.allocate(1001 * 4);
    Request request;
    request.inputs = {{.location = {0, input.offset(), input.length()}}};
    request.outputs = {{.location = {0, output.offset(), output.length()}}};
    request.pools = {pool.region()};
    const std::vector<pid_t> drivers = spawnedDrivers();
    ASSERT_EQ(drivers.size(), 1U);
    std::thread killer([&] {
        std::this_thread::sleep_for(50ms);
        ::kill(drivers[0], SIGKILL);
    });
    const Error error = streamUntilError(*burst, request);
    killer.join();
    EXPECT_EQ(error.status, ErrorStatus::DEVICE_UNAVAILABLE) << error.message;
}

TEST_F(DriverProcessTest, thatIsFrozenIsTakenForGone) {
    static_assert(kHangTimeout == 3s);  // SECURITY.md
    const SharedDevice device = *spawnDriver();
    const SharedPreparedModel prepared = prepareAdd(device);
    const auto burst =
        std::move(*prepared->configureExecutionBurst(BurstOptions{.deadlineGrace = 20ms}));
    AddRequest add;
    ExecutionOutcome outcome;
    ASSERT_TRUE(burst->execute(add.request, {}, outcome));
    const std::vector<pid_t> drivers = spawnedDrivers();
    ASSERT_EQ(drivers.size(), 1U);
    ASSERT_EQ(::kill(drivers[0], SIGSTOP), 0);
    ASSERT_TRUE(eventually([&] { return isStopped(drivers[0]); }));

    const Result<> missed = burst->execute(
        add.request, {.deadline = TimePoint(std::chrono::steady_clock::now() + 20ms)}, outcome);
    ASSERT_FALSE(missed);
    EXPECT_EQ(missed.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    AddRequest other;
    const Result<> result = burst->execute(other.request, {}, outcome);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    const Result<> call = prepared->executeSynchronously(add.request, {}, outcome);
    ASSERT_FALSE(call);
    EXPECT_EQ(call.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
}

TEST_F(DriverProcessTest, endsWhenTheLastObjectThatNeedsItIsDropped) {
    SharedDevice device = *spawnDriver();
    SharedPreparedModel prepared = prepareAdd(device);
    auto burst = std::move(*prepared->configureExecutionBurst({}));
    device = nullptr;
    prepared = nullptr;
    AddRequest add;
    ExecutionOutcome outcome;
    EXPECT_TRUE(burst->execute(add.request, {}, outcome)) << "the burst keeps what it needs";
    EXPECT_EQ(spawnedDrivers().size(), 1U);
    burst = nullptr;
    EXPECT_TRUE(eventually([] { return spawnedDrivers().empty(); }));
}

TEST_F(DriverProcessTest, endsWithItsParentThoughThatIsKilled) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t parent = ::fork();
    ASSERT_GE(parent, 0);
    if (parent == 0) {
        const auto device = spawnDriver();
        const std::vector<pid_t> drivers = spawnedDrivers();
        const pid_t driver = device && drivers.size() == 1 ? drivers[0] : -1;
        (void)!::write(ends[1], &driver, sizeof(driver));
        ::pause();
        ::_exit(1);
    }
    pid_t driver = -1;
    ASSERT_EQ(::read(ends[0], &driver, sizeof(driver)), static_cast<ssize_t>(sizeof(driver)));
    ASSERT_GT(driver, 0);
    ::kill(parent, SIGKILL);
    ASSERT_EQ(::waitpid(parent, nullptr, 0), parent);
    // Its new parent may not reap it: a zombie has ended too.
    EXPECT_TRUE(eventually([&] {
        std::ifstream status("/proc/" + std::to_string(driver) + "/stat");
        std::string line;
        std::getline(status, line);
        return line.empty() || line.find(") Z ") != std::string::npos;
    }));
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST_F(DriverProcessTest, freesWhatAClientHeldWhenThatIsKilled) {
    DriverProcess driver;
    const auto quiet = [&] {
        return std::pair(descriptorCount(driver.pid()), sharedMappingCount(driver.pid()));
    };
    // The connection that the constructor made for a moment is gone first.
    ASSERT_TRUE(eventually([&] { return quiet().second == 0; }));
    std::this_thread::sleep_for(100ms);
    const auto before = quiet();

    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t client = ::fork();
    ASSERT_GE(client, 0);
    if (client == 0) {
        const SharedDevice device = driver.connect();
        std::vector<SharedPreparedModel> models;
        std::vector<std::unique_ptr<Burst>> bursts;
        std::vector<AddRequest> requests(5);
        for (AddRequest& add : requests) {
            models.push_back(prepareAdd(device));
            bursts.push_back(std::move(*models.back()->configureExecutionBurst({})));
            ExecutionOutcome outcome;
            if (!bursts.back()->execute(add.request, {}, outcome)) {
                ::_exit(1);
            }
        }
        (void)!::write(ends[1], "x", 1);
        (void)streamUntilError(*bursts.back(), requests.back().request);
        ::_exit(1);
    }
    char ready = 0;
    ASSERT_EQ(::read(ends[0], &ready, 1), 1);
    const auto during = quiet();
    EXPECT_GT(during.first, before.first);
    EXPECT_GE(during.second, 10U) << "five channels and five pools";
    ::kill(client, SIGKILL);
    ASSERT_EQ(::waitpid(client, nullptr, 0), client);
    EXPECT_TRUE(eventually([&] { return quiet() == before; }))
        << quiet().first << " descriptors and " << quiet().second << " mappings are left of "
        << during.first << " and " << during.second << "; before " << before.first << " and "
        << before.second;
    ::close(ends[0]);
    ::close(ends[1]);
    EXPECT_EQ(driver.connect()->getStatus(), DeviceStatus::AVAILABLE) << "and goes on serving";
}

TEST_F(DriverProcessTest, freesWhatAClientDropsWhileThatLives) {
    DriverProcess driver;
    const SharedDevice device = driver.connect();
    ASSERT_EQ(device->getStatus(), DeviceStatus::AVAILABLE);
    ASSERT_TRUE(eventually([&] { return sharedMappingCount(driver.pid()) == 0; }));
    for (int i = 0; i < 20; ++i) {
        const SharedPreparedModel prepared = prepareAdd(device);
        const auto burst = std::move(*prepared->configureExecutionBurst({}));
        AddRequest add;
        ExecutionOutcome outcome;
        ASSERT_TRUE(burst->execute(add.request, {}, outcome));
    }
    EXPECT_TRUE(eventually([&] { return sharedMappingCount(driver.pid()) == 0; }))
        << sharedMappingCount(driver.pid());
}

TEST_F(DriverProcessTest, givesIdleBurstsNoThreadsAndNeverWakesUpForThem) {
    constexpr int kBursts = 300;
    DriverProcess driver({"--idle-time", "0"});
    const SharedPreparedModel prepared = prepareAdd(driver.connect());
    const auto first = std::move(*prepared->configureExecutionBurst({}));
    AddRequest add;
    ExecutionOutcome outcome;
    ASSERT_TRUE(first->execute(add.request, {}, outcome));
    const std::size_t threadsOfOne = threadsOf(driver.pid()).size();

    std::vector<std::unique_ptr<Burst>> bursts;
    for (int i = 0; i < kBursts; ++i) {
        auto burst = prepared->configureExecutionBurst({});
        ASSERT_TRUE(burst) << burst.error().message;
        bursts.push_back(std::move(*burst));
        ASSERT_TRUE(bursts.back()->execute(add.request, {}, outcome));
    }
    EXPECT_TRUE(eventually([&] { return threadsOf(driver.pid()).size() <= threadsOfOne; }))
        << threadsOf(driver.pid()).size() << " threads of " << threadsOfOne << " for one burst";
    if (!kHasSanitizer) {  // some have a thread that wakes up
        EXPECT_TRUE(eventually([&] {
            const std::map<std::string, std::uint64_t> before = threadsOf(driver.pid());
            std::this_thread::sleep_for(1s);
            return threadsOf(driver.pid()) == before;
        })) << "threads wake up although no message is sent";
    }

    for (const auto& burst : bursts) {
        add.out()[1] = 0;
        const Result<> result = burst->execute(add.request, {}, outcome);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(add.out()[1], 11.0F);
    }
}

/// Threads of a process that serve bursts, by the number of processors on which they may run.
std::map<int, int> servingThreads(pid_t pid) {
    std::map<int, int> counts;
    for (const auto& task :
         std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid))) {
        std::string name;
        std::ifstream(task.path() / "comm") >> name;
        cpu_set_t processors;
        if (name == "nnburst-burst" && ::sched_getaffinity(std::stoi(task.path().filename()),
                                                           sizeof(processors), &processors) == 0) {
            ++counts[CPU_COUNT(&processors)];
        }
    }
    return counts;
}

TEST_F(DriverProcessTest, keepsBurstsOffTheProcessorsOfKernelThreadsWhileItServesThem) {
    cpu_set_t usable;
    ASSERT_EQ(::sched_getaffinity(0, sizeof(usable), &usable), 0);
    const int processors = CPU_COUNT(&usable);
    if (processors < 2) {
        GTEST_SKIP() << "there is one processor";
    }
    const DriverProcess driver({"--threads", "2"});
    const SharedDevice device = driver.connect();
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    const AddRequest add;
    ExecutionOutcome outcome;
    const auto burst = std::move(*prepared->configureExecutionBurst({}));
    EXPECT_TRUE(eventually([&] {
        EXPECT_TRUE(burst->execute(add.request, {}, outcome));
        return servingThreads(driver.pid())[processors - 1] == 1;
    }));
}

TEST_F(DriverProcessTest, unmapsMemoryThatABurstFrees) {
    DriverProcess driver;
    const SharedPreparedModel prepared = prepareAdd(driver.connect());
    const auto burst = std::move(*prepared->configureExecutionBurst({}));
    const AddRequest add;
    ExecutionOutcome outcome;
    ASSERT_TRUE(burst->execute(add.request, {}, outcome));
    EXPECT_EQ(sharedMappingCount(driver.pid()), 2U) << "the channel and the pool";
    burst->freeMemory(add.pool.region());
    EXPECT_TRUE(eventually([&] { return sharedMappingCount(driver.pid()) == 1; }));
    EXPECT_TRUE(burst->execute(add.request, {}, outcome));
    EXPECT_EQ(add.out()[1], 11.0F);
    std::this_thread::sleep_for(400ms);  // it is parked now
    burst->freeMemory(add.pool.region());
    EXPECT_TRUE(eventually([&] { return sharedMappingCount(driver.pid()) == 1; }));
}

TEST_F(DriverProcessTest, stopsCleanlyOnSigterm) {
    for (const int number : {SIGTERM, SIGINT}) {
        DriverProcess driver;
        const SharedPreparedModel prepared = prepareAdd(driver.connect());
        const auto burst = std::move(*prepared->configureExecutionBurst({}));
        const AddRequest add;
        ExecutionOutcome outcome;
        ASSERT_TRUE(burst->execute(add.request, {}, outcome));
        driver.signal(number);
        EXPECT_EQ(driver.waitForEnd(), 0);
        EXPECT_FALSE(std::filesystem::exists(driver.socketPath())) << "the socket is removed";
        const Result<> result = burst->execute(add.request, {}, outcome);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    }
}

TEST_F(DriverProcessTest, survivesNonsenseOnItsSocket) {
    DriverProcess driver;
    const SharedPreparedModel prepared = prepareAdd(driver.connect());
    const auto burst = std::move(*prepared->configureExecutionBurst({}));
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (int i = 0; i < 200; ++i) {
        const UniqueFd socket = connectedUnixSocket(driver.socketPath());
        std::vector<std::uint8_t> bytes(random() % 4096);
        for (std::uint8_t& byte : bytes) {
            byte = static_cast<std::uint8_t>(random() % (i % 2 == 0 ? 256 : 3));
        }
        (void)::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    AddRequest add;
    ExecutionOutcome outcome;
    // Connections of the same user that have not ended yet may use all that the user may have.
    EXPECT_TRUE(eventually([&] { return burst->execute(add.request, {}, outcome).has_value(); }));
    EXPECT_EQ(driver.connect()->getStatus(), DeviceStatus::AVAILABLE);
}

/// Connects, sends half of a message with the connection's own socket, and ends.
pid_t startClientThatSendsItsSocket(const std::string& path) {
    const pid_t client = ::fork();
    if (client != 0) {
        return client;
    }
    const UniqueFd connection = connectedUnixSocket(path);
    const std::array<std::uint32_t, 2> header{0, 512};  // one segment of 4 KiB
    const std::array<int, 1> itself{connection.get()};
    const std::string bytes(reinterpret_cast<const char*>(header.data()), sizeof(header));
    ::_exit(sendDescriptors(connection.get(), bytes, itself) ? 0 : 1);
}

TEST_F(DriverProcessTest, endsTheConnectionOfADeadClientThatHasSentItTheSocket) {
    const DriverProcess driver;
    const auto before = descriptorCount(driver.pid());  // perhaps with a connection of `driver`
    for (int i = 0; i < 5; ++i) {
        int status = -1;
        const pid_t client = startClientThatSendsItsSocket(driver.socketPath());
        ASSERT_EQ(::waitpid(client, &status, 0), client);
        ASSERT_EQ(status, 0);
    }
    EXPECT_EQ(driver.connect()->getStatus(), DeviceStatus::AVAILABLE);
    EXPECT_TRUE(eventually([&] { return descriptorCount(driver.pid()) <= before; }))
        << descriptorCount(driver.pid()) << " descriptors, " << before << " before";
}

/// A socket that listens with as many connections waiting as it has room for.
struct FullSocket {
    explicit FullSocket(const std::string& path) : listener(boundUnixSocket(path)) {
        EXPECT_EQ(::listen(listener.get(), 0), 0);
        const sockaddr_un address = unixAddress(path);
        int status = 0;
        while (status == 0) {
            waiting.emplace_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
            status = ::connect(waiting.back().get(), reinterpret_cast<const sockaddr*>(&address),
                               sizeof(address));
        }
        EXPECT_EQ(errno, EAGAIN);
    }

    UniqueFd listener;
    std::vector<UniqueFd> waiting;
};

TEST_F(DriverProcessTest, isWaitedForThoughSignalsComeWhileItHasNoRoomForTheConnection) {
    const TemporaryDirectory directory;
    const std::string path = directory.path() / "full.sock";
    const FullSocket full(path);
    struct sigaction before {};
    struct sigaction restarting {};
    restarting.sa_handler = [](int) {};
    restarting.sa_flags = SA_RESTART;
    ASSERT_EQ(::sigaction(SIGUSR1, &restarting, &before), 0);
    std::thread driver([&, client = ::pthread_self()] {
        for (int i = 0; i < 20; ++i) {
            std::this_thread::sleep_for(5ms);
            ::pthread_kill(client, SIGUSR1);
        }
        const UniqueFd accepted(::accept4(full.listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
        EXPECT_TRUE(accepted);
    });
    const auto connected = device::connectUnixSocket(path);
    EXPECT_TRUE(connected) << connected.error().message;
    driver.join();
    ::sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(DriverProcessTest, refusesASocketWhereAnotherDriverLives) {
    DriverProcess driver;
    const Ended second = runDriver({"--socket", driver.socketPath()});
    EXPECT_EQ(second.status, 1);
    EXPECT_NE(second.text.find(driver.socketPath()), std::string::npos) << second.text;
    EXPECT_NE(second.text.find("another driver"), std::string::npos) << second.text;
    EXPECT_EQ(driver.connect()->getStatus(), DeviceStatus::AVAILABLE);
}

TEST_F(DriverProcessTest, replacesTheSocketOfADeadOneButNoOtherFile) {
    const TemporaryDirectory directory;
    const std::string path = directory.path() / "stale.sock";
    boundUnixSocket(path).reset();
    const pid_t child = ::fork();
    if (child == 0) {
        ::execl(NNBURST_DRIVER_PATH, "nnburst-driver", "--socket", path.c_str(), "--log-level",
                "off", nullptr);
        ::_exit(127);
    }
    EXPECT_TRUE(eventually([&] { return connect(path).has_value(); }));
    ::kill(child, SIGTERM);
    ::waitpid(child, nullptr, 0);

    std::ofstream(directory.path() / "file") << "precious";
    const Ended refused = runDriver({"--socket", directory.path() / "file"});
    EXPECT_EQ(refused.status, 1);
    EXPECT_NE(refused.text.find("no socket"), std::string::npos) << refused.text;
    EXPECT_TRUE(std::filesystem::exists(directory.path() / "file"));
}

TEST_F(DriverProcessTest, saysWhatIsWrongWithItsArguments) {
    EXPECT_EQ(runDriver({}).status, 1);
    EXPECT_NE(runDriver({}).text.find("--socket"), std::string::npos);
    EXPECT_EQ(runDriver({"--threads", "0", "--socket", "x"}).status, 2);
    EXPECT_EQ(runDriver({"--log-level", "loud"}).status, 2);
    EXPECT_EQ(runDriver({"--nonsense"}).status, 2);
    const Ended processor = runDriver({"--socket", "/tmp/unused", "--processors", "9999"});
    EXPECT_EQ(processor.status, 1);
    EXPECT_NE(processor.text.find("9999"), std::string::npos) << processor.text;
    const Ended directory = runDriver({"--socket", "/nonexistent/x.sock"});
    EXPECT_EQ(directory.status, 1);
    EXPECT_NE(directory.text.find("/nonexistent/x.sock"), std::string::npos) << directory.text;
}

TEST_F(DriverProcessTest, namesTheChoicesOfAnOption) {
    const Ended version = runDriver({"--hal", "1.4"});
    EXPECT_EQ(version.status, 2);
    EXPECT_NE(version.text.find("1.4 not in {1.0,1.1,1.2,1.3}"), std::string::npos) << version.text;
    const Ended range = runDriver({"--processors", "0-1"});
    EXPECT_EQ(range.status, 2);
    EXPECT_NE(range.text.find("'0-1': must be numbers with commas"), std::string::npos)
        << range.text;
}

TEST_F(DriverProcessTest, doesNotServeOnAPartOfItsProcessors) {
    const std::string first = std::to_string(::sched_getcpu());
    const Ended ended = runDriver({"--socket", "/nowhere/socket", "--processors", first + ",1023"});
    EXPECT_EQ(ended.status, 1);
    EXPECT_NE(ended.text.find("cannot run on processor 1023"), std::string::npos) << ended.text;
}

TEST_F(DriverProcessTest, doesNotServeWithLessMemoryThanItNeedsItself) {
    const Ended ended = runDriver({"--socket", "/nowhere/socket", "--memory-limit", "1K"});
    EXPECT_EQ(ended.status, 1);
    EXPECT_NE(ended.text.find("memory limit of 1024 bytes: must be at least 33554432"),
              std::string::npos)
        << ended.text;
}

TEST_F(DriverProcessTest, doesNotServeWithoutTheFilesThatItsArgumentsName) {
    const TemporaryDirectory directory;
    std::ofstream(directory.path() / "key") << "short";
    ::chmod((directory.path() / "key").c_str(), 0600);
    for (const std::string option : {"--cache-key", "--capabilities", "--extension"}) {
        for (const std::string isolation : {"none", "client"}) {
            const Ended ended =
                runDriver({"--socket", directory.path() / "driver.sock", "--isolate", isolation,
                           option, directory.path() / "key" / "missing"});
            EXPECT_EQ(ended.status, 1) << option << ", isolation " << isolation;
            EXPECT_NE(ended.text.find("missing"), std::string::npos) << ended.text;
        }
    }
    const Ended ended = runDriver(
        {"--socket", directory.path() / "driver.sock", "--cache-key", directory.path() / "key"});
    EXPECT_EQ(ended.status, 1);
    EXPECT_NE(ended.text.find("5 bytes: must have 32"), std::string::npos) << ended.text;
}

TEST_F(DriverProcessTest, thatCannotServeIsReportedInWordsForPeople) {
    const auto device = spawnDriver({.processors = {9999}});
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_NE(device.error().message.find("its standard error says why"), std::string::npos)
        << device.error().message;
    EXPECT_EQ(device.error().message.find("::"), std::string::npos) << device.error().message;
}

TEST_F(DriverProcessTest, takesAListeningSocketFromSystemd) {
    const TemporaryDirectory directory;
    const std::string path = directory.path() / "activated.sock";
    const UniqueFd listening = boundUnixSocket(path);
    ASSERT_EQ(::listen(listening.get(), 8), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const UniqueFd inherited(::dup(listening.get()));  // another number, without close-on-exec
        ::dup2(inherited.get(), 3);
        ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
        ::setenv("LISTEN_FDS", "1", 1);
        ::execl(NNBURST_DRIVER_PATH, "nnburst-driver", "--log-level", "off", nullptr);
        ::_exit(127);
    }
    {
        const auto device = connect(path);
        ASSERT_TRUE(device) << device.error().message;
        EXPECT_TRUE(prepareModel(**device, makeAddModel()));
    }
    ::kill(child, SIGTERM);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_TRUE(std::filesystem::exists(path)) << "the socket is systemd's";
}

TEST_F(DriverProcessTest, thatIsNotThereIsNamedInTheError) {
    const auto nowhere = connect("/nonexistent/driver.sock");
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_NE(nowhere.error().message.find("/nonexistent/driver.sock"), std::string::npos);
    const auto program = spawnDriver({}, "/nonexistent/nnburst-driver");
    ASSERT_FALSE(program);
    EXPECT_NE(program.error().message.find("/nonexistent/nnburst-driver"), std::string::npos);
    const auto wrong = spawnDriver({}, "/bin/true");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().status, ErrorStatus::DEVICE_UNAVAILABLE) << wrong.error().message;
}

}  // namespace
}  // namespace nnburst::test
