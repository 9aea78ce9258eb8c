// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The settings that drivers request from the system: granted, refused, and invalid. As root the
// tests see granted and refused requests, as another user only refused ones.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "device/driver_process.h"
#include "nnburst/cpu_latency_request.h"
#include "support/sanitizers.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

void expectRefused(const DriverOptions& options, const std::string& part) {
    const auto device = makeLocalDevice(options);
    ASSERT_FALSE(device) << "expected: " << part;
    EXPECT_EQ(device.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_NE(device.error().message.find(part), std::string::npos) << device.error().message;
}

bool computes(const SharedDevice& device) {
    const auto prepared = prepareModel(*device, makeAddModel());
    if (!prepared) {
        return false;
    }
    const auto burst = (*prepared)->configureExecutionBurst({});
    const AddRequest add;
    ExecutionOutcome outcome;
    return burst && (*burst)->execute(add.request, {}, outcome) && add.out()[3] == 13.0F;
}

std::string contentsOf(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::ostringstream contents;
    contents << file.rdbuf();
    return contents.str();
}

constexpr const char* kIdleFile = "/dev/cpu_dma_latency";

/// Requests for shallow idle states that this process holds.
std::size_t latencyRequestCount() {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code error;
        count += std::filesystem::read_symlink(entry.path(), error) == kIdleFile ? 1U : 0U;
    }
    return count;
}

/// A driver that is the only one that this process has started.
Result<SharedDevice> spawnAlone(const DriverOptions& options) {
    EXPECT_TRUE(eventually([] { return spawnedDrivers().empty(); }));
    return spawnDriver(options, NNBURST_DRIVER_PATH);
}

/// Drops the capabilities and limits that the requests of a driver need. This cannot be undone.
void dropPrivileges() {
    for (const int capability : {CAP_SYS_NICE, CAP_IPC_LOCK, CAP_SYS_RESOURCE}) {
        ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);  // fails without capabilities
    }
    const rlimit noPriority{.rlim_cur = 0, .rlim_max = 0};
    ::setrlimit(RLIMIT_RTPRIO, &noPriority);
    const rlimit someMemory{.rlim_cur = 65536, .rlim_max = 65536};
    ::setrlimit(RLIMIT_MEMLOCK, &someMemory);
}

/// Starts a driver without privileges, executes on it, and returns its log.
std::string logWithoutPrivileges(const std::vector<std::string>& arguments) {
    const TemporaryDirectory directory;
    const std::string socket = directory.path() / "driver.sock";
    std::vector<std::string> words{"nnburst-driver", "--socket", socket, "--log-level", "warning"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const pid_t driver = ::fork();
    if (driver == 0) {
        dropPrivileges();
        ::dup2(ends[1], STDERR_FILENO);
        ::execv(NNBURST_DRIVER_PATH, argv.data());
        ::_exit(127);
    }
    ::close(ends[1]);
    EXPECT_TRUE(eventually([&] { return connect(socket).has_value(); }));
    if (const auto device = connect(socket)) {
        EXPECT_TRUE(computes(*device));
    }
    ::kill(driver, SIGTERM);
    std::string text;
    std::array<char, 4096> buffer{};
    ssize_t count = 0;
    while ((count = ::read(ends[0], buffer.data(), buffer.size())) > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(driver, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << text;
    return text;
}

void expectWarned(const std::string& log, const std::string& option, const std::string& part) {
    const std::size_t found = log.find(option + " (");
    ASSERT_NE(found, std::string::npos) << option << " in: " << log;
    const std::string line = log.substr(found, log.find('\n', found) - found);
    EXPECT_NE(line.find("cannot be applied"), std::string::npos) << line;
    EXPECT_NE(line.find(part), std::string::npos) << line;
}

/// Of a thread of any process. Zero where Linux has none for threads.
std::chrono::nanoseconds timeSliceOf(pid_t thread) {
    std::array<std::uint64_t, 6> attributes{};  // sched_attr
    constexpr std::size_t kRuntime = 3;
    (void)::syscall(SYS_sched_getattr, thread, attributes.data(), sizeof(attributes), 0);
    return std::chrono::nanoseconds(attributes[kRuntime]);
}

TEST(TimeSlices, ofAllThreadsOfADriverAreShort) {
    if (timeSliceOf(::getpid()) == 0ns) {
        GTEST_SKIP() << "this Linux has no time slices of threads (since 6.12)";
    }
    const DriverProcess driver;
    const SharedDevice device = driver.connect();
    ASSERT_TRUE(computes(device));  // there is an event loop, a job thread and one for bursts
    const auto threads =
        std::filesystem::directory_iterator("/proc/" + std::to_string(driver.pid()) + "/task");
    for (const auto& thread : threads) {
        const pid_t id = std::stoi(thread.path().filename());
        EXPECT_TRUE(eventually([id] { return timeSliceOf(id) == 100us; }))
            << contentsOf(thread.path() / "comm");
    }
}

/// Whether this process, and those that it starts, may lower a nice value of 0 to -10.
bool maySetNice() {
    const bool may = ::setpriority(PRIO_PROCESS, 0, -10) == 0;
    return may && ::setpriority(PRIO_PROCESS, 0, 0) == 0;
}

/// The threads of `process`, as "name: nice value".
std::vector<std::string> nicesOf(pid_t process) {
    std::vector<std::string> nices;
    for (const auto& thread :
         std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
        std::string name = contentsOf(thread.path() / "comm");
        name = name.substr(0, name.find('\n'));
        const pid_t id = std::stoi(thread.path().filename());
        const int nice = ::getpriority(PRIO_PROCESS, static_cast<id_t>(id));
        nices.push_back((id == process ? "event loop: " : name + ": ") + std::to_string(nice));
    }
    return nices;
}

TEST(Priorities, ofADriverAreThatOfItsEventLoopAndTheUsualOne) {
    if (::getpriority(PRIO_PROCESS, 0) != 0 || !maySetNice()) {
        GTEST_SKIP() << "this user may not lower nice values, or has another than 0";
    }
    const DriverProcess driver;
    const SharedDevice device = driver.connect();
    ASSERT_TRUE(computes(device));  // there is an event loop, a job thread and one for bursts
    const auto areAsTheyShouldBe = [](const std::vector<std::string>& nices) {
        return nices.size() >= 3 && std::ranges::all_of(nices, [](const std::string& nice) {
                   return nice.starts_with("event loop") ? nice.ends_with(": -10")
                                                         : nice.ends_with(": 0");
               });
    };
    // Threads that have just started have the priority of the thread that has started them.
    EXPECT_TRUE(eventually([&] { return areAsTheyShouldBe(nicesOf(driver.pid())); }))
        << testing::PrintToString(nicesOf(driver.pid()));
}

TEST(SystemTuning, aDriverThatIsRefusedWarnsAndGoesOn) {
    const std::string log =
        logWithoutPrivileges({"--realtime", "20", "--lock-memory", "--huge-pages", "--shallow-idle",
                              "10", "--threads", "2"});
    expectWarned(log, "--realtime", "RLIMIT_RTPRIO");
    if (!kHasSanitizer) {  // sanitizers grant it, and do nothing
        expectWarned(log, "--lock-memory", "RLIMIT_MEMLOCK is 65536 bytes");
    }
    if (::access(kIdleFile, W_OK) != 0) {
        expectWarned(log, "--shallow-idle", kIdleFile);
    } else {
        EXPECT_EQ(log.find("--shallow-idle"), std::string::npos) << log;
    }
    constexpr const char* kHugePages = "/sys/kernel/mm/transparent_hugepage/enabled";
    const std::string states = contentsOf(kHugePages);
    if (states.empty() || states.find("[never]") != std::string::npos) {
        expectWarned(log, "--huge-pages", kHugePages);
    } else {
        EXPECT_EQ(log.find("--huge-pages"), std::string::npos) << log;
    }
}

TEST(SystemTuning, aDriverThatAsksForNothingWarnsOfNothing) {
    EXPECT_EQ(logWithoutPrivileges({}), "");
}

TEST(SystemTuning, burstsAreServedWithTheRealtimePriorityThatIsGranted) {
    sched_param parameters{.sched_priority = 7};
    if (::sched_setscheduler(0, SCHED_FIFO, &parameters) != 0) {
        GTEST_SKIP() << "this user gets no real-time priority";
    }
    parameters.sched_priority = 0;
    ASSERT_EQ(::sched_setscheduler(0, SCHED_OTHER, &parameters), 0);
    const auto device = spawnAlone({.threads = 2, .realtimePriority = 7});
    ASSERT_TRUE(device);
    const SharedPreparedModel prepared = *prepareModel(**device, makeAddModel());
    const auto burst = std::move(*prepared->configureExecutionBurst({}));
    const AddRequest add;
    ExecutionOutcome outcome;
    ASSERT_TRUE(burst->execute(add.request, {}, outcome));
    ASSERT_EQ(spawnedDrivers().size(), 1U);
    const std::filesystem::path tasks = "/proc/" + std::to_string(spawnedDrivers()[0]) + "/task";
    std::map<std::string, int> servingThreads;
    for (const auto& task : std::filesystem::directory_iterator(tasks)) {
        const std::string name = contentsOf(task.path() / "comm");
        const bool isServing = name == "nnburst-burst\n" || name == "nnburst-kernel\n";
        servingThreads[name] += isServing ? 1 : 0;
        const pid_t thread = std::stoi(task.path().filename());
        EXPECT_EQ(::sched_getscheduler(thread) & ~SCHED_RESET_ON_FORK,
                  isServing ? SCHED_FIFO : SCHED_OTHER)
            << name;
        ASSERT_EQ(::sched_getparam(thread, &parameters), 0);
        EXPECT_EQ(parameters.sched_priority, isServing ? 7 : 0) << name;
    }
    EXPECT_GE(servingThreads["nnburst-burst\n"], 1);
    EXPECT_EQ(servingThreads["nnburst-kernel\n"], 1);
}

TEST(SystemTuning, memoryIsLockedWhereThatIsGranted) {
    if (kHasSanitizer) {
        GTEST_SKIP() << "sanitizers lock no memory";
    }
    const rlimit none{};
    rlimit before{};
    ::getrlimit(RLIMIT_MEMLOCK, &before);
    const rlimit lowered{.rlim_cur = 0, .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_MEMLOCK, &lowered), 0);
    const bool isPrivileged = ::mlock(&none, sizeof(none)) == 0;
    ASSERT_EQ(::setrlimit(RLIMIT_MEMLOCK, &before), 0);
    if (!isPrivileged && before.rlim_max != RLIM_INFINITY) {
        GTEST_SKIP() << "this user may not lock all memory";
    }
    const DriverProcess driver({"--lock-memory"});
    EXPECT_TRUE(computes(driver.connect()));
    const std::string status = contentsOf("/proc/" + std::to_string(driver.pid()) + "/status");
    const std::size_t locked = status.find("VmLck:");
    ASSERT_NE(locked, std::string::npos);
    EXPECT_GT(std::stol(status.substr(locked + 6)), 0) << status;
}

TEST(SystemTuning, spawnDriverPassesThemOn) {
    DriverOptions options;
    options.threads = 0;
    options.realtimePriority = 3;
    options.lockMemory = true;
    options.useHugePages = true;
    options.cpuLatencyLimit = 25us;
    const auto device = spawnAlone(options);
    ASSERT_TRUE(device) << device.error().message;
    ASSERT_EQ(spawnedDrivers().size(), 1U);
    const std::string words =
        contentsOf("/proc/" + std::to_string(spawnedDrivers()[0]) + "/cmdline");
    for (const std::string& part :
         {std::string("--threads\0auto", 14), std::string("--realtime\0003", 12),
          std::string("--lock-memory"), std::string("--huge-pages"),
          std::string("--shallow-idle\00025", 17)}) {
        EXPECT_NE(words.find(part + '\0'), std::string::npos) << part;
    }
    EXPECT_TRUE(computes(*device));
}

TEST(SystemTuning, aDriverRefusesWhatNoSystemCouldGrant) {
    for (const std::vector<std::string>& nonsense : {std::vector<std::string>{"--realtime", "0"},
                                                     {"--realtime", "100"},
                                                     {"--realtime", "high"},
                                                     {"--shallow-idle", "-1"},
                                                     {"--shallow-idle", "deep"},
                                                     {"--threads", "some"}}) {
        std::vector<std::string> arguments{"--socket", "/tmp/unused"};
        arguments.insert(arguments.end(), nonsense.begin(), nonsense.end());
        const Ended ended = runDriver(arguments);
        EXPECT_EQ(ended.status, 2) << nonsense[1];
        EXPECT_NE(ended.text.find(nonsense[0]), std::string::npos) << ended.text;
    }
}

TEST(SystemTuning, aLocalDeviceRefusesWhatIsTheApplications) {
    expectRefused({.realtimePriority = 5}, "priority");
    expectRefused({.lockMemory = true}, "mlockall");
    expectRefused({.cpuLatencyLimit = -1us}, "-1 us");
}

TEST(SystemTuning, aLocalDeviceHoldsItsOwnWhileItLives) {
    const bool isGranted = ::access(kIdleFile, W_OK) == 0;
    {
        const auto device = makeLocalDevice({.useHugePages = true, .cpuLatencyLimit = 50us});
        ASSERT_TRUE(device) << device.error().message;
        EXPECT_TRUE(computes(*device));
        EXPECT_EQ(latencyRequestCount(), isGranted ? 1U : 0U);
    }
    EXPECT_EQ(latencyRequestCount(), 0U);
}

TEST(CpuLatencyRequest, isHeldUntilItIsDestroyed) {
    if (::access(kIdleFile, W_OK) != 0) {
        GTEST_SKIP() << "this user may not write " << kIdleFile;
    }
    {
        const auto idle = CpuLatencyRequest::request(100us);
        ASSERT_TRUE(idle) << idle.error().message;
        EXPECT_EQ(latencyRequestCount(), 1U);
        std::int32_t shortest = INT32_MAX;  // of all requests
        std::ifstream(kIdleFile, std::ios::binary)
            .read(reinterpret_cast<char*>(&shortest), sizeof(shortest));
        EXPECT_LE(shortest, 100);
    }
    EXPECT_EQ(latencyRequestCount(), 0U);
}

TEST(CpuLatencyRequest, saysWhyNot) {
    const auto negative = CpuLatencyRequest::request(-2us);
    ASSERT_FALSE(negative);
    EXPECT_EQ(negative.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_NE(negative.error().message.find("-2 us"), std::string::npos);
    if (::access(kIdleFile, W_OK) != 0) {
        const auto refused = CpuLatencyRequest::request(100us);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().status, ErrorStatus::GENERAL_FAILURE);
        EXPECT_NE(refused.error().message.find(kIdleFile), std::string::npos)
            << refused.error().message;
    }
}

}  // namespace
}  // namespace nnburst::test
