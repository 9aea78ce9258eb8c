// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What a driver process has to do with the process that started it: signals, the end of the
/// parent, and the options that are about the process itself.

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>

#include "burst/control_plane.h"
#include "device/driver_process.h"
#include "nnburst/fence.h"
#include "nnburst/logging.h"
#include "nnburst/model_builder.h"
#include "support/sanitizers.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

class SpawnedDriverTest : public testing::Test {
  protected:
    SpawnedDriverTest() {
        EXPECT_TRUE(eventually([] { return spawnedDrivers().empty(); }));
    }
};

bool computes(Device& device) {
    const auto prepared = prepareModel(device, makeAddModel());
    if (!prepared) {
        return false;
    }
    const auto burst = (*prepared)->configureExecutionBurst({});
    const AddRequest add;
    ExecutionOutcome outcome;
    return burst && (*burst)->execute(add.request, {}, outcome) && add.out()[3] == 13.0F;
}

/// Has ended, though its parent may not have reaped it.
bool hasEnded(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string stat;
    std::getline(file, stat);
    return stat.empty() || stat.find(") Z ") != std::string::npos;
}

std::string contentsOf(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// An application in a process of its own, which `run` is; what it sends comes out of `receive`.
class Application {
  public:
    explicit Application(const std::function<void(const Application&)>& run) {
        EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0);
        pid_ = ::fork();
        EXPECT_GE(pid_, 0);
        if (pid_ == 0) {
            run(*this);
            ::_exit(0);
        }
    }
    ~Application() {
        kill();
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    Application(const Application&) = delete;
    Application& operator=(const Application&) = delete;

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    void send(pid_t number) const { (void)!::write(ends_[1], &number, sizeof(number)); }
    [[nodiscard]] pid_t receive() const {
        pid_t number = -1;
        EXPECT_EQ(::read(ends_[0], &number, sizeof(number)), ssize_t{sizeof(number)});
        return number;
    }
    void kill() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            EXPECT_EQ(::waitpid(pid_, nullptr, 0), pid_);
            pid_ = -1;
        }
    }

  private:
    std::array<int, 2> ends_{};
    pid_t pid_ = -1;
};

pid_t onlyDriver() {
    const std::vector<pid_t> drivers = spawnedDrivers();
    return drivers.size() == 1 ? drivers[0] : -1;
}

// Cap'n Proto has static objects of its own. If they are made by the first device, after static
// objects of the application, then they are destroyed before those.
TEST_F(SpawnedDriverTest, mayBeUsedByStaticObjectsUntilTheEndOfTheApplication) {
    const auto useAndExit = [] {
        static SharedDevice device;
        static SharedPreparedModel model;
        device = spawnDriver().value_or(nullptr);
        if (device != nullptr) {
            model = prepareModel(*device, makeAddModel()).value_or(nullptr);
        }
        std::exit(model != nullptr ? 0 : 1);
    };
    EXPECT_EXIT(useAndExit(), testing::ExitedWithCode(0), "");
}

TEST_F(SpawnedDriverTest, goesOnWhenTheApplicationIsInterruptedFromTheTerminal) {
    const Application application([](const Application& self) {
        ::setpgid(0, 0);
        ::signal(SIGINT, SIG_IGN);
        ::signal(SIGTERM, SIG_IGN);
        const auto device = spawnDriver();
        if (!device || !computes(**device)) {
            self.send(1);
            return;
        }
        for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
            ::signal(number, SIG_IGN);
            ::kill(0, number);  // as the terminal does: to all of the group
            std::this_thread::sleep_for(100ms);
            if (!computes(**device)) {
                self.send(number + 100);
                return;
            }
        }
        self.send(0);
    });
    EXPECT_EQ(application.receive(), 0);
}

TEST_F(SpawnedDriverTest, livesOnWhenTheThreadThatStartedItHasEnded) {
    SharedDevice device;
    std::thread([&] { device = *spawnDriver(); }).join();
    std::this_thread::sleep_for(50ms);
    EXPECT_TRUE(computes(*device));
}

TEST_F(SpawnedDriverTest, endsWithItsParentThoughAnotherProcessHoldsTheSocket) {
    Application application([](const Application& self) {
        const auto device = spawnDriver();
        const pid_t holder = ::fork();  // has a copy of each descriptor
        if (holder != 0) {
            self.send(device && computes(**device) ? onlyDriver() : -1);
            self.send(holder);
        }
        ::pause();
    });
    const pid_t driver = application.receive();
    const pid_t holder = application.receive();
    ASSERT_GT(driver, 0);
    ASSERT_FALSE(hasEnded(driver));
    application.kill();
    EXPECT_TRUE(eventually([&] { return hasEnded(driver); }));
    ::kill(holder, SIGKILL);
}

TEST_F(SpawnedDriverTest, servesAnApplicationThatHasClosedItsStandardDescriptors) {
    const Application application([](const Application& self) {
        for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
            ::close(descriptor);
        }
        const auto device = spawnDriver();
        setVerboseLogging("unknown");  // writes a warning to standard error
        self.send(device && computes(**device) ? onlyDriver() : -1);
        ::pause();
    });
    const pid_t driver = application.receive();
    ASSERT_GT(driver, 0);
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
        EXPECT_EQ(std::filesystem::read_symlink(fmt::format("/proc/{}/fd/{}", driver, descriptor)),
                  "/dev/null");
    }
}

/// Stops itself while its driver has an execution to finish; then sends 0 if all goes on. If
/// `isPinging`, the driver is stopped before and owes the answer to a ping.
void stopWhileAwaitingTheDriver(const Application& self, bool isPinging) {
    const SharedDevice device = *spawnDriver();
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    const UniqueFd pending = *makeFence();
    const AddRequest add;
    const std::array<int, 1> waitFor{pending.get()};
    const auto execution = prepared->executeFenced(add.request, waitFor, {}, {});
    const pid_t driver = onlyDriver();
    self.send(driver);
    if (isPinging) {
        ::kill(driver, SIGSTOP);
        std::this_thread::sleep_for(burst::kPingInterval + 200ms);
    }
    ::raise(SIGSTOP);
    const bool answers = device->getVersionString().has_value();
    signalFence(pending.get());
    self.send(answers && waitForFence(execution->fence.get()) ? 0 : 1);
}

class StoppedApplicationTest : public SpawnedDriverTest,
                               public testing::WithParamInterface<bool> {};

TEST_P(StoppedApplicationTest, keepsItsDriver) {
    const Application application(
        [](const Application& self) { stopWhileAwaitingTheDriver(self, GetParam()); });
    const pid_t driver = application.receive();
    ASSERT_TRUE(eventually([&] { return isStopped(application.pid()); }));
    ::kill(driver, SIGCONT);
    std::this_thread::sleep_for(kHangTimeout + 1s);
    ::kill(application.pid(), SIGCONT);
    EXPECT_EQ(application.receive(), 0);
}
INSTANTIATE_TEST_SUITE_P(SpawnedDriver, StoppedApplicationTest, testing::Bool(),
                         [](const auto& instance) {
                             return instance.param ? "afterAPing" : "beforeAPing";
                         });

/// Starts a driver that serves `socket`, once the writing end of `gate` is closed.
pid_t startDriverLate(int socket, int gate) {
    const pid_t pid = ::fork();
    if (pid == 0) {
        char ignored = 0;
        (void)!::read(gate, &ignored, 1);
        ::execl(NNBURST_DRIVER_PATH, "nnburst-driver", "--fd", std::to_string(socket).c_str(),
                "--log-level", "off", nullptr);
        ::_exit(127);
    }
    return pid;
}

TEST_F(SpawnedDriverTest, endsIfItsParentHadEndedBeforeItCouldAskForThat) {
    std::array<int, 2> gate{};
    ASSERT_EQ(::pipe2(gate.data(), O_CLOEXEC), 0);
    const Application application([&gate](const Application& self) {
        std::array<int, 2> sockets{};
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()) == 0) {
            ::close(gate[1]);
            self.send(startDriverLate(sockets[0], gate[0]));  // holds the other end, too
        }
    });
    const pid_t driver = application.receive();
    ASSERT_GT(driver, 0);
    std::this_thread::sleep_for(50ms);  // the application has ended and is not reaped yet
    ::close(gate[1]);
    EXPECT_TRUE(eventually([&] { return hasEnded(driver); }));
    ::kill(driver, SIGKILL);
    ::close(gate[0]);
}

TEST_F(SpawnedDriverTest, mayBeStartedByAScriptAndEndsWithTheApplicationAllTheSame) {
    const TemporaryDirectory directory;
    const std::string script = directory.path() / "wrapper";
    std::ofstream(script) << "#!/bin/sh\n" NNBURST_DRIVER_PATH " \"$@\" &\necho $! > " << script
                          << ".pid\nwait\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    Application application([&script](const Application& self) {
        const auto device = spawnDriver({}, script);
        const pid_t holder = ::fork();
        if (holder != 0) {
            self.send(device && computes(**device) ? 0 : -1);
            self.send(holder);
        }
        ::pause();
    });
    EXPECT_EQ(application.receive(), 0);
    const pid_t holder = application.receive();
    const pid_t driver = std::stoi(contentsOf(script + ".pid"));
    ASSERT_FALSE(hasEnded(driver));
    application.kill();
    EXPECT_TRUE(eventually([&] { return hasEnded(driver); }));
    ::kill(holder, SIGKILL);
    ::kill(driver, SIGKILL);
}

TEST_F(SpawnedDriverTest, endsByItselfWhenItsLastObjectIsDropped) {
    const TemporaryDirectory directory;
    const std::string script = directory.path() / "wrapper";
    std::ofstream(script) << "#!/bin/sh\n" NNBURST_DRIVER_PATH " \"$@\"\necho $? > " << script
                          << ".status\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    {
        const auto device = spawnDriver({}, script);
        ASSERT_TRUE(device) << device.error().message;
        ASSERT_TRUE(computes(**device));
    }
    EXPECT_TRUE(eventually([&] { return contentsOf(script + ".status") == "0\n"; }))
        << "it was killed: " << contentsOf(script + ".status");
}

TEST_F(SpawnedDriverTest, servesOnWhenTheTerminalHangsUp) {
    DriverProcess driver;
    const SharedDevice device = driver.connect();
    driver.signal(SIGHUP);
    std::this_thread::sleep_for(100ms);
    EXPECT_TRUE(computes(*device));
    EXPECT_TRUE(computes(*driver.connect()));
    driver.signal(SIGTERM);
    EXPECT_EQ(driver.waitForEnd(), 0);
    EXPECT_FALSE(std::filesystem::exists(driver.socketPath())) << "the socket is removed";
}

TEST_F(SpawnedDriverTest, hasTheNameAndTheProcessorsOfItsOptions) {
    const DriverOptions options{.processors = {0}, .processName = "camera-networks"};
    const auto device = spawnDriver(options, NNBURST_DRIVER_PATH);
    ASSERT_TRUE(device) << device.error().message;
    const auto line = [](const char* file) {
        std::string found;
        for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
            std::ifstream children(task.path() / "children");
            for (pid_t child = 0; children >> child;) {
                found += contentsOf(fmt::format("/proc/{}/{}", child, file));
            }
        }
        return found;
    };
    EXPECT_EQ(line("comm"), "camera-networks\n");
    EXPECT_EQ(line("cmdline").substr(0, 16), std::string("camera-networks\0", 16));
    EXPECT_NE(line("status").find("Cpus_allowed_list:\t0\n"), std::string::npos);

    const auto refused = spawnDriver({.processName = "camera-networks-2"}, NNBURST_DRIVER_PATH);
    ASSERT_FALSE(refused) << "17 characters are too many";
}

/// As proc(5) writes them.
std::string processorsOf(const std::string& process) {
    const std::string status = contentsOf("/proc/" + process + "/status");
    const std::size_t begin = status.find("Cpus_allowed_list:");
    return status.substr(begin, status.find('\n', begin) - begin);
}

TEST_F(SpawnedDriverTest, inheritsNeitherTheProcessorNorThePriorityOfTheThreadThatStartsIt) {
    SharedDevice device;
    std::thread([&device] {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<unsigned>(::sched_getcpu()), &one);
        ::sched_setaffinity(0, sizeof(one), &one);
        const sched_param lowest{.sched_priority = 1};
        (void)::sched_setscheduler(0, SCHED_FIFO, &lowest);  // if it is allowed
        device = spawnDriver().value_or(nullptr);
    }).join();
    ASSERT_NE(device, nullptr);
    const std::string driver = std::to_string(onlyDriver());
    EXPECT_EQ(processorsOf(driver), processorsOf("self"));
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + driver + "/task")) {
        EXPECT_NE(::sched_getscheduler(std::stoi(task.path().filename())), SCHED_FIFO) << task;
    }
}

/// out = (a + a) + a, by way of a temporary of `megabytes`.
Model makeModelWithTemporary(std::uint32_t megabytes) {
    ModelBuilder builder;
    const std::uint32_t count = megabytes << 18;
    const auto a = builder.addTensor(OperandType::TENSOR_FLOAT32, {1});
    const auto large = builder.addTensor(OperandType::TENSOR_FLOAT32, {count});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {1});
    const std::array<std::int32_t, 1> multiples{static_cast<std::int32_t>(count)};
    builder.addOperation(OperationType::TILE,
                         {a, builder.addConstant(OperandType::TENSOR_INT32, {1},
                                                 std::as_bytes(std::span(multiples)))},
                         {large});
    const std::array<std::int32_t, 1> axes{0};
    builder.addOperation(
        OperationType::REDUCE_MAX,
        {large, builder.addConstant(OperandType::TENSOR_INT32, {1}, std::as_bytes(std::span(axes))),
         builder.addScalar(true)},
        {out});
    return *builder.build({a}, {out});
}

TEST_F(SpawnedDriverTest, refusesWhatNeedsMoreMemoryThanItsLimit) {
    if (kHasSanitizer) {
        GTEST_SKIP() << "sanitizers need more memory themselves";
    }
    const auto device =
        spawnDriver({.memoryLimitBytes = std::uint64_t{512} << 20}, NNBURST_DRIVER_PATH);
    ASSERT_TRUE(device) << device.error().message;
    EXPECT_TRUE(prepareModel(**device, makeModelWithTemporary(16)));
    const auto refused = prepareModel(**device, makeModelWithTemporary(1024));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT)
        << refused.error().message;
    EXPECT_TRUE(computes(**device)) << "and goes on serving";
    EXPECT_TRUE(prepareModel(**spawnDriver(), makeModelWithTemporary(1024))) << "without a limit";
}

TEST_F(SpawnedDriverTest, takesALimitOfTheMemoryForConcurrentExecutions) {
    for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1} << 20}) {
        const auto device = spawnDriver({.concurrencyMemoryBytes = bytes}, NNBURST_DRIVER_PATH);
        ASSERT_TRUE(device) << device.error().message;
        EXPECT_TRUE(computes(**device));
    }
}

TEST_F(SpawnedDriverTest, thatCannotBeStartedIsNamedWithWhoGaveItsName) {
    const auto given = spawnDriver({}, "/nonexistent/nnburst-driver");
    ASSERT_FALSE(given);
    EXPECT_EQ(given.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_EQ(given.error().message,
              "cannot start the driver /nonexistent/nnburst-driver: No such file or directory "
              "(given to spawnDriver)");

    ::setenv("NNBURST_DRIVER", "/nonexistent/other", 1);
    const auto fromEnvironment = spawnDriver();
    ::unsetenv("NNBURST_DRIVER");
    ASSERT_FALSE(fromEnvironment);
    EXPECT_EQ(fromEnvironment.error().message,
              "cannot start the driver /nonexistent/other: No such file or directory (given by the "
              "environment variable NNBURST_DRIVER)");
}

TEST_F(SpawnedDriverTest, thatIsNowhereIsNamedWithEachPlaceAndTheVariable) {
    // A program elsewhere, with no driver beside it.
    const TemporaryDirectory directory;
    const std::string program = directory.path() / "application";
    std::filesystem::copy("/proc/self/exe", program);
    const pid_t child = ::fork();
    if (child == 0) {
        ::setenv("PATH", "/nonexistent/bin:/nonexistent/sbin", 1);
        ::unsetenv("NNBURST_DRIVER");
        ::execl(program.c_str(), program.c_str(), "--gtest_also_run_disabled_tests",
                "--gtest_filter=*DISABLED_printsWhyThereIsNoDriver",
                ("--gtest_output=xml:" + program + ".xml").c_str(), nullptr);
        ::_exit(127);
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const std::string text = contentsOf(program + ".xml");
    for (const std::string& part :
         {program.substr(0, program.rfind('/')) + "/nnburst-driver",
          std::string("/nonexistent/bin:/nonexistent/sbin"), std::string("NNBURST_DRIVER")}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    }
}

/// Run by the test above in another process.
TEST(SpawnedDriver, DISABLED_printsWhyThereIsNoDriver) {
    const auto device = spawnDriver();
    RecordProperty("error", device ? "none" : device.error().message);
}

}  // namespace
}  // namespace nnburst::test
