// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Drivers that are killed or stopped at random moments. Clients get right results or
/// DEVICE_UNAVAILABLE, and keep nothing of a driver that is gone.

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "checked_work.h"
#include "scenario.h"
#include "stress_case.h"

namespace nnburst::stress {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// What is wrong with the end of a client's work after its driver was lost; empty if nothing is.
std::string checkEnd(const WorkResult& result) {
    if (!result.wrong.empty()) {
        return result.wrong;
    }
    if (!result.isDone && result.error.status != ErrorStatus::DEVICE_UNAVAILABLE) {
        return fmt::format("with a driver that is killed: {}: {}", toString(result.error.status),
                           result.error.message);
    }
    return {};
}

/// Works until an error, which is returned, or until something is wrong.
WorkResult workUntilError(Device& device, const CheckedModel& model, std::mt19937& random) {
    while (true) {
        const auto prepared = prepareModel(device, model.model());
        if (!prepared) {
            return {.error = prepared.error()};
        }
        for (int i = 0; i < 10; ++i) {
            const WorkResult result = executeAndCheck(**prepared, model, random);
            if (!result.isDone) {
                return result;
            }
        }
    }
}

/// Spawns a driver, works on two threads and kills it at a random moment.
void workUntilKilled(const std::vector<CheckedModel>& models, std::mt19937& random,
                     CaseResult& result) {
    const auto device = spawnDriver({}, NNBURST_DRIVER_PATH);
    if (!device) {
        return result.fail(Outcome::FAILURE, "spawn a driver: " + device.error().message);
    }
    std::array<std::string, 2> wrong;
    std::vector<std::thread> workers;
    for (std::string& each : wrong) {
        const auto seed = static_cast<std::uint32_t>(random());
        workers.emplace_back([&, seed] {
            std::mt19937 own(seed);
            each = checkEnd(workUntilError(**device, models[seed % models.size()], own));
        });
    }
    ::usleep(static_cast<useconds_t>(random() % 10'000));
    for (const pid_t driver : test::spawnedDrivers()) {
        ::kill(driver, SIGKILL);
    }
    for (std::thread& worker : workers) {
        worker.join();
    }
    for (const std::string& each : wrong) {
        if (!each.empty()) {
            result.fail(Outcome::FAILURE, each);
        }
    }
}

/// What this process holds when all drivers are gone.
Usage settleWithoutDrivers(const Usage* before) {
    const auto deadline = Clock::now() + kHangBound / 2;
    Usage usage = usageOf(::getpid());
    while (Clock::now() < deadline && (!test::spawnedDrivers().empty() ||
                                       (before != nullptr && !excess(*before, usage).empty()))) {
        std::this_thread::sleep_for(10ms);
        usage = usageOf(::getpid());
    }
    return usage;
}

CaseResult runDriversKilled(std::uint64_t minimumKills, std::chrono::milliseconds duration) {
    CaseResult result;
    const auto end = Clock::now() + duration;
    std::mt19937 random(std::random_device{}());
    std::vector<CheckedModel> models;
    {
        const SharedDevice local = *makeLocalDevice();
        for (std::uint32_t seed = 1; seed <= 4; ++seed) {
            models.emplace_back(*local, seed);
        }
    }
    constexpr int kWarmUpKills = 5;  // caches of the allocator and of the library are full then
    for (int i = 0; i < kWarmUpKills; ++i) {
        workUntilKilled(models, random, result);
    }
    result.before = settleWithoutDrivers(nullptr);
    std::uint64_t kills = 0;
    while ((Clock::now() < end || kills < minimumKills) && result.outcome == Outcome::SUCCESS) {
        workUntilKilled(models, random, result);
        ++kills;
    }
    result.after = settleWithoutDrivers(&result.before);
    if (const std::string kept = excess(result.before, result.after); !kept.empty()) {
        result.fail(Outcome::FAILURE, "the client of drivers that were killed keeps: " + kept);
    }
    if (!test::spawnedDrivers().empty()) {
        result.fail(Outcome::FAILURE, "a driver that was killed is still a process");
    }
    result.notes = fmt::format("{} drivers killed; memory is the client's", kills);
    return result;
}

/// Waits until this process, which inherits the orphans of its children, has none left, and reaps
/// them. Gives the number of those that stay.
std::size_t awaitOrphans() {
    const auto deadline = Clock::now() + kHangBound / 2;
    while (Clock::now() < deadline) {
        const pid_t ended = ::waitpid(-1, nullptr, WNOHANG);
        if (ended < 0) {
            return 0;
        }
        if (ended == 0) {
            std::this_thread::sleep_for(2ms);
        }
    }
    return test::spawnedDrivers().size();
}

/// Applications that have a driver of their own: it ends with them, at whatever step it is.
CaseResult runApplicationsKilled(std::uint64_t minimumKills, std::chrono::milliseconds duration) {
    CaseResult result;
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const auto end = Clock::now() + duration;
    const std::uint64_t filesBefore = sharedMemoryFileCount();
    std::mt19937 random(std::random_device{}());
    result.before = usageOf(::getpid());
    std::uint64_t kills = 0;
    for (; Clock::now() < end || kills < minimumKills; ++kills) {
        const auto seed = static_cast<std::uint32_t>(random());
        Child application([seed] {
            const SharedDevice local = *makeLocalDevice();
            const CheckedModel model(*local, 1 + seed % 4);
            std::mt19937 own(seed);
            while (const auto device = spawnDriver({}, NNBURST_DRIVER_PATH)) {
                (void)workUntilError(**device, model, own);
            }
        });
        ::usleep(static_cast<useconds_t>(random() % 30'000));
        (void)application.kill();
    }
    if (const std::size_t left = awaitOrphans(); left > 0) {
        result.fail(Outcome::FAILURE,
                    fmt::format("{} drivers of applications that were killed live on", left));
    }
    result.after = usageOf(::getpid());
    if (sharedMemoryFileCount() > filesBefore) {
        result.fail(Outcome::FAILURE, "files of shared memory are left");
    }
    result.notes = fmt::format("{} applications killed; memory is that of their parent", kills);
    return result;
}

/// A driver that is stopped has no workers, which would go on.
Attack inOneProcess() {
    return {.driverArguments = {"--isolate", "none"}};
}

/// Stops the driver at random moments for less time than clients wait for a sign of life.
CaseResult runDriverStopped(std::chrono::milliseconds duration) {
    CaseResult result;
    const auto driver = startDriver(inOneProcess());
    GoodClient client(driver->socketPath());
    if (!client.begin()) {
        result.fail(Outcome::HANG, "the good client is not served before the driver is stopped");
        return result;
    }
    const auto end = Clock::now() + duration;
    const Usage before = usageOf(driver->pid());
    std::mt19937 random(std::random_device{}());
    int stops = 0;
    for (; Clock::now() < end; ++stops) {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 10'000));
        driver->signal(SIGSTOP);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 10'000));
        driver->signal(SIGCONT);
    }
    bool isServed = false;
    result.beside = client.end(isServed);
    if (result.beside.failures > 0) {
        result.fail(Outcome::FAILURE, result.beside.firstFailure);
    }
    if (!isServed) {
        result.fail(Outcome::HANG, "the good client is not served");
    }
    result.notes = fmt::format("{} stops", stops);
    finish(*driver, before, result);
    return result;
}

/// A driver that stands still for longer than clients wait is taken for gone, and serves new
/// clients when it goes on.
CaseResult runDriverFrozen(std::chrono::milliseconds /*duration*/) {
    CaseResult result;
    const auto driver = startDriver(inOneProcess());
    const Usage before = usageOf(driver->pid());
    Child client([&] {
        const auto device = nnburst::connect(driver->socketPath());
        const SharedDevice local = *makeLocalDevice();
        const CheckedModel model(*local, 1);
        std::mt19937 random(1);
        const std::string wrong =
            device ? checkEnd(workUntilError(**device, model, random)) : device.error().message;
        ::_exit(wrong.empty() ? 0 : 1);
    });
    std::this_thread::sleep_for(300ms);
    driver->signal(SIGSTOP);
    const auto deadline = Clock::now() + kHangBound;
    while (!client.hasEnded() && Clock::now() < deadline) {
        std::this_thread::sleep_for(10ms);
    }
    const bool hasEnded = client.hasEnded();
    driver->signal(SIGCONT);
    if (!hasEnded) {
        result.fail(Outcome::HANG, "a client of a driver that is stopped does not end");
    } else if (client.kill() != 0) {
        result.fail(Outcome::FAILURE, "a client of a driver that is stopped got a wrong error");
    }
    GoodClient next(driver->socketPath());
    if (!next.begin()) {
        result.fail(Outcome::HANG, "the driver that goes on serves no new client");
    }
    (void)next;
    finish(*driver, before, result);
    return result;
}

}  // namespace

StressCases driverCases(std::uint64_t minimumKills) {
    return {
        {"drivers_killed", "drivers that are killed within 10 ms while two threads use them",
         [=](auto duration) { return runDriversKilled(minimumKills, duration); }},
        {"applications_killed", "applications that are killed within 30 ms, each with its driver",
         [=](auto duration) { return runApplicationsKilled(minimumKills, duration); }},
        {"driver_stopped", "a driver that is stopped for 10 ms again and again", runDriverStopped},
        {"driver_frozen", "a driver that is stopped for longer than clients wait", runDriverFrozen},
    };
}

}  // namespace nnburst::stress
