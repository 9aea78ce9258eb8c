// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "nnburst/model_builder.h"

namespace nnburst::test {

namespace {

pid_t start(const std::vector<std::string>& arguments, int standardError) {
    std::vector<std::string> words{NNBURST_DRIVER_PATH};
    words.insert(words.end(), arguments.begin(), arguments.end());
    if (!kHasSandbox) {
        words.emplace_back("--no-sandbox");
    }
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) {
        // However this process ends, its driver ends with it.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (standardError >= 0) {
            ::dup2(standardError, STDERR_FILENO);
        }
        ::execv(NNBURST_DRIVER_PATH, argv.data());
        ::_exit(127);
    }
    EXPECT_GT(pid, 0);
    return pid;
}

int endOf(pid_t pid) {
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

DriverProcess::DriverProcess(std::vector<std::string> moreArguments, Calibration calibration,
                             Log log) {
    if (calibration == Calibration::NONE) {
        moreArguments.insert(moreArguments.begin(), "--no-calibration");
    }
    moreArguments.insert(moreArguments.begin(), {"--socket", socketPath()});
    if (std::ranges::count(moreArguments, "--log-level") == 0) {
        moreArguments.insert(moreArguments.end(),
                             {"--log-level", log == Log::FILE ? "info" : "warning"});
    }
    const UniqueFd file(log == Log::FILE ? ::open(logPath().c_str(),
                                                  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
                                         : -1);
    pid_ = start(moreArguments, file.get());
    EXPECT_TRUE(eventually([this] {
        const auto device = nnburst::connect(socketPath());
        return device || device.error().message.find("refuses") != std::string::npos;
    }));
}

DriverProcess::~DriverProcess() {
    if (pid_ > 0) {
        signal(SIGCONT);
        if (!kHasSandbox) {  // it writes its counts when it ends by itself
            signal(SIGTERM);
            (void)endsSoon();
        }
        signal(SIGKILL);
        (void)endOf(pid_);
    }
}

SharedDevice DriverProcess::connect() const {
    auto device = nnburst::connect(socketPath());
    EXPECT_TRUE(device) << device.error().message;
    return device ? *device : nullptr;
}

std::string DriverProcess::log() const {
    std::ifstream file(logPath());
    return {std::istreambuf_iterator<char>(file), {}};
}

void DriverProcess::signal(int number) const {
    ::kill(pid_, number);
}

bool DriverProcess::endsSoon() const {
    siginfo_t info{};
    return eventually([&] {
        return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
               info.si_pid == pid_;
    });
}

int DriverProcess::waitForEnd() {
    if (!endsSoon()) {
        ADD_FAILURE() << "the driver does not end";
        signal(SIGKILL);
    }
    const int status = endOf(pid_);
    pid_ = -1;
    return status;
}

Ended runDriver(const std::vector<std::string>& arguments) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const UniqueFd reading(ends[0]);
    UniqueFd writing(ends[1]);
    const pid_t pid = start(arguments, writing.get());
    writing.reset();
    Ended ended;
    std::array<char, 4096> buffer{};
    pollfd readable{.fd = reading.get(), .events = POLLIN, .revents = 0};
    const auto watchdogMs = static_cast<int>(std::chrono::milliseconds(kWatchdog).count());
    int readableCount = 0;
    while ((readableCount = ::poll(&readable, 1, watchdogMs)) == 1) {
        const ssize_t count = ::read(reading.get(), buffer.data(), buffer.size());
        if (count <= 0) {
            break;
        }
        ended.text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    if (readableCount == 0) {
        ::kill(pid, SIGKILL);
    }
    ended.status = endOf(pid);
    return ended;
}

std::size_t descriptorCount(pid_t pid) {
    const std::filesystem::directory_iterator descriptors("/proc/" + std::to_string(pid) + "/fd");
    return static_cast<std::size_t>(std::distance(begin(descriptors), end(descriptors)));
}

std::size_t sharedMappingCount(pid_t pid) {
    std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
    std::size_t count = 0;
    for (std::string line; std::getline(maps, line);) {
        count += line.find("memfd:nnburst") != std::string::npos ? 1 : 0;
    }
    return count;
}

std::uint64_t residentBytes(pid_t pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    std::string name;
    std::uint64_t kibibytes = 0;
    while (status >> name) {
        if (name == "RssAnon:") {
            status >> kibibytes;
        }
    }
    return kibibytes * 1024;
}

bool isStopped(pid_t pid) {
    const std::filesystem::directory_iterator tasks("/proc/" + std::to_string(pid) + "/task");
    return std::all_of(begin(tasks), end(tasks), [](const auto& task) {
        std::ifstream file(task.path() / "stat");
        std::string stat;
        std::getline(file, stat);
        return stat.find(") T ") != std::string::npos;
    });
}

std::vector<pid_t> spawnedDrivers() {
    std::vector<pid_t> drivers;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream children(task.path() / "children");
        for (pid_t child = 0; children >> child;) {
            std::ifstream name("/proc/" + std::to_string(child) + "/comm");
            std::string comm;
            std::getline(name, comm);
            if (comm == "nnburst-driver") {
                drivers.push_back(child);
            }
        }
    }
    return drivers;
}

Model makeAddModel(std::uint32_t count) {
    ModelBuilder builder;
    const auto a = builder.addTensor(OperandType::TENSOR_FLOAT32, {count});
    const auto b = builder.addTensor(OperandType::TENSOR_FLOAT32, {count});
    const auto activation = builder.addScalar(std::int32_t{0});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {count});
    builder.addOperation(OperationType::ADD, {a, b, activation}, {out});
    auto model = builder.build({a, b}, {out});
    EXPECT_TRUE(model) << model.error().message;
    return std::move(*model);
}

AddRequest::AddRequest(std::uint32_t count, std::uint32_t outputBytes)
    : pool(*MemoryPool::create(1 << 16)) {
    const std::uint32_t bytes = count * sizeof(float);
    for (const std::uint32_t size : {bytes, bytes, outputBytes == 0 ? bytes : outputBytes}) {
        blocks.push_back(*pool.allocate(size));
    }
    const auto argument = [&](const MemoryPool::Block& block) {
        return RequestArgument{
            .location = {.poolIndex = 0, .offset = block.offset(), .length = block.length()},
            .dimensions = {count}};
    };
    request.inputs = {argument(blocks[0]), argument(blocks[1])};
    request.outputs = {argument(blocks[2])};
    request.pools = {pool.region()};
    for (std::uint32_t i = 0; i < count; ++i) {
        a()[i] = static_cast<float>(i);
        b()[i] = 10.0F;
        if (outputBytes == 0) {
            out()[i] = -1.0F;
        }
    }
}

}  // namespace nnburst::test
