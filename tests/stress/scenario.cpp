// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "scenario.h"

#include <fmt/format.h>
#include <kj/exception.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <thread>

namespace nnburst::stress {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

/// Of every driver, so that an attack that succeeds ends the driver and not the machine. Stacks of
/// threads count, 8 MiB each.
constexpr std::uint64_t kDriverMemoryBytes = std::uint64_t{20} << 30;
/// Of the duration of a case, how much the good client is alone.
constexpr double kShareAlone = 0.3;
/// Of the time beside the attack, how much passes after the attackers have been killed.
constexpr double kShareAfterwards = 0.2;

/// Of all cases of the process that has chosen it, and of its children.
std::string& isolationOfDrivers() {
    static std::string isolation = "none";
    return isolation;
}

void judge(const Service& service, bool isServed, const char* when, CaseResult& result) {
    if (service.failures > 0) {
        result.fail(Outcome::FAILURE, fmt::format("{}: {} failures of the good client, first: {}",
                                                  when, service.failures, service.firstFailure));
    }
    if (!isServed) {
        result.fail(Outcome::HANG,
                    fmt::format("{}: {} frames and {} connections of the good client in {} s", when,
                                service.executions, service.controlCalls, kHangBound.count()));
    }
}

/// In memory that children share.
CaseLog* shareLog() {
    void* const memory =
        ::mmap(nullptr, sizeof(CaseLog), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return new (memory) CaseLog;
}

void unshareLog(CaseLog* log) {
    ::munmap(log, sizeof(CaseLog));
}

}  // namespace

void CaseLog::refuse(const Error& error) {
    if (refused_.fetch_add(1, std::memory_order_relaxed) == 0) {
        (void)error.message.copy(firstRefusal_.data(), firstRefusal_.size() - 1);
    }
}

std::string CaseLog::text() const {
    const std::uint64_t refused = refused_;
    return fmt::format(
        "{} calls done{}", done_.load(),
        refused == 0 ? "" : fmt::format(", {} refused: {}", refused, firstRefusal_.data()));
}

void CaseLog::fail(const std::string& what) {
    if (failed_.fetch_add(1, std::memory_order_relaxed) == 0) {
        (void)what.copy(firstFailure_.data(), firstFailure_.size() - 1);
    }
}

std::string CaseLog::firstFailure() const {
    const std::uint64_t failed = failed_;
    return failed == 0 ? "" : fmt::format("{} failures, first: {}", failed, firstFailure_.data());
}

std::string endOf(pid_t child) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid != child) {
        return {};
    }
    return fmt::format("{} {}", info.si_code == CLD_EXITED ? "exit status" : "signal",
                       info.si_status);
}

void isolateDrivers(const std::string& isolation) {
    isolationOfDrivers() = isolation;
}

std::unique_ptr<test::DriverProcess> startDriver(const Attack& attack) {
    std::vector<std::string> arguments = attack.driverArguments;
    if (std::ranges::count(arguments, "--isolate") == 0) {
        arguments.insert(arguments.end(), {"--isolate", isolationOfDrivers()});
    }
    if (!attack.preload.empty()) {
        ::setenv("LD_PRELOAD", attack.preload.c_str(), 1);
        arguments.emplace_back("--no-sandbox");  // hostile_files.cpp reads links
    }
    if (std::ranges::count(arguments, "--memory-limit") == 0) {
        arguments.insert(arguments.end(), {"--memory-limit", std::to_string(kDriverMemoryBytes)});
    }
    rlimit before{};
    (void)::getrlimit(RLIMIT_NOFILE, &before);
    if (attack.driverDescriptors > 0) {
        const rlimit few{.rlim_cur = attack.driverDescriptors,
                         .rlim_max = attack.driverDescriptors};
        (void)::setrlimit(RLIMIT_NOFILE, &few);
    }
    auto driver = std::make_unique<test::DriverProcess>(arguments);
    (void)::setrlimit(RLIMIT_NOFILE, &before);
    ::unsetenv("LD_PRELOAD");
    std::filesystem::permissions(
        std::filesystem::path(driver->socketPath()).parent_path(),
        std::filesystem::perms::group_exec | std::filesystem::perms::others_exec,
        std::filesystem::perm_options::add);
    return driver;
}

Usage settle(pid_t driver, const Usage& before) {
    const auto deadline = Clock::now() + kHangBound / 2;
    Usage after = usageOf(driver);
    while (!excess(before, after).empty() && Clock::now() < deadline) {
        std::this_thread::sleep_for(20ms);
        after = usageOf(driver);
    }
    return after;
}

void finish(test::DriverProcess& driver, const Usage& before, CaseResult& result) {
    result.before = before;
    result.after = settle(driver.pid(), before);
    if (const std::string end = endOf(driver.pid()); !end.empty()) {
        return result.fail(Outcome::CRASH, "the driver has ended: " + end);
    }
    if (const std::string kept = excess(before, result.after); !kept.empty()) {
        result.fail(Outcome::FAILURE, "the driver has not given back: " + kept);
    }
    driver.signal(SIGTERM);
    const auto deadline = Clock::now() + kHangBound;
    std::string end;
    while ((end = endOf(driver.pid())).empty() && Clock::now() < deadline) {
        std::this_thread::sleep_for(10ms);
    }
    if (end.empty()) {
        result.fail(Outcome::HANG, "the driver does not end when it is asked to");
    } else if (end != "exit status 0") {
        result.fail(Outcome::CRASH, "the driver, asked to end, ended with " + end);
    }
}

namespace {

void endAttackers(const Attack& attack, std::vector<Child>& attackers, CaseResult& result) {
    const auto deadline = Clock::now() + (attack.endsByItself ? kHangBound : 0s);
    for (Child& attacker : attackers) {
        while (!attacker.hasEnded() && Clock::now() < deadline) {
            std::this_thread::sleep_for(2ms);
        }
        if (attack.endsByItself && !attacker.hasEnded()) {
            result.fail(Outcome::HANG, "a client does not end");
        }
        const int status = attacker.kill();
        if (attack.endsByItself && status != 0 && result.outcome != Outcome::HANG) {
            result.fail(Outcome::CRASH, fmt::format("a client ended with status {:#x}", status));
        }
    }
}

}  // namespace

CaseResult run(const Attack& attack, std::chrono::milliseconds duration) {
    CaseResult result;
    if (attack.driverDescriptors > 0 && ::geteuid() != 0) {
        result.fail(Outcome::SKIPPED, "root alone can give a driver few descriptors");
        return result;
    }
    const auto driver = startDriver(attack);
    GoodClient client(driver->socketPath());
    if (!client.begin()) {
        result.fail(Outcome::HANG, "the good client is not served before the attack");
        return result;
    }
    std::this_thread::sleep_for(duration * kShareAlone);
    bool isServed = false;
    result.alone = client.end(isServed);
    judge(result.alone, isServed, "alone", result);
    const Usage before = usageOf(driver->pid());

    const auto besideTime = duration * (1 - kShareAlone);
    const std::unique_ptr<CaseLog, void (*)(CaseLog*)> log(shareLog(), unshareLog);
    const auto attackTime = duration * (1 - kShareAlone) * (1 - kShareAfterwards);
    const DriverUnderAttack target{
        driver->socketPath(), *log,
        Clock::now() + std::chrono::duration_cast<Clock::duration>(attackTime)};
    (void)client.begin();
    std::vector<Child> attackers;
    for (const Attacker& attacker : attack.attackers) {
        attackers.emplace_back([&] { attacker(target); }, Owner::STRANGER);
    }
    {
        UsageWatch watch(driver->pid());
        std::this_thread::sleep_until(target.end);
        endAttackers(attack, attackers, result);
        std::this_thread::sleep_for(besideTime * kShareAfterwards);
        result.beside = client.end(isServed);
        result.largest = watch.largest();
    }
    if (const std::string end = endOf(driver->pid()); !end.empty()) {
        result.fail(Outcome::CRASH, "the driver has ended: " + end);
        return result;
    }
    result.notes = log->text();
    if (const std::string failure = log->firstFailure(); !failure.empty()) {
        result.fail(Outcome::FAILURE, failure);
    }
    if (attack.mayRefuseOthers) {
        (void)client.begin();
        judge(client.end(isServed), isServed, "after the attack", result);
    } else {
        judge(result.beside, isServed, "beside the attack", result);
    }
    if (attack.afterwards) {
        attack.afterwards();
    }
    finish(*driver, before, result);
    return result;
}

Attacker withPreparedModel(
    const Model& model,
    const std::function<void(const DriverUnderAttack&, PreparedModel&)>& attack) {
    return [=](const DriverUnderAttack& target) {
        const auto device = nnburst::connect(target.socketPath);
        if (!device) {
            return;
        }
        if (const auto prepared = prepareModel(**device, model)) {
            attack(target, **prepared);
        }
    };
}

Attacker repeatedly(const Attacker& attack) {
    return [attack](const DriverUnderAttack& target) {
        while (true) {
            KJ_IF_MAYBE (exception, kj::runCatchingExceptions([&] {
                             attack(target);
                             target.log.noteDone();
                         })) {
                target.log.note(Result<>(
                    failure(ErrorStatus::DEVICE_UNAVAILABLE, exception->getDescription().cStr())));
                std::this_thread::sleep_for(10ms);
            }
        }
    };
}

StressCase attacking(const std::string& name, const std::string& description,
                     const Attacker& attacker, std::size_t processes) {
    return {name, description, [=](std::chrono::milliseconds duration) {
                return run({.attackers = std::vector<Attacker>(processes, attacker)}, duration);
            }};
}

}  // namespace nnburst::stress
