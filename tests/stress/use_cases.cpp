// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Heavy use of a driver by honest clients, in the shapes of Android's MLTS stress tests: parallel
/// preparations and executions, many models and processes, clients that are killed, and drivers
/// that have little.

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <random>
#include <thread>
#include <vector>

#include "checked_work.h"
#include "scenario.h"
#include "stress_case.h"

namespace nnburst::stress {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Whether a driver may refuse work for want of anything, which is no failure.
enum class Refusals : std::uint8_t { ARE_FAILURES, ARE_ALLOWED };

void record(const DriverUnderAttack& target, const WorkResult& result, Refusals refusals) {
    if (result.isDone) {
        return target.log.noteDone();
    }
    if (!result.wrong.empty()) {
        return target.log.fail(result.wrong);
    }
    const bool isExhausted = result.error.status == ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT ||
                             result.error.status == ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT ||
                             result.error.status == ErrorStatus::DEVICE_UNAVAILABLE;
    if (refusals == Refusals::ARE_ALLOWED && isExhausted) {
        target.log.note(Result<>(tl::unexpected<Error>(result.error)));
    } else {
        target.log.fail(fmt::format("{}: {}", toString(result.error.status), result.error.message));
    }
}

/// Prepares and executes random models on `device` until the end.
void prepareAndExecute(const DriverUnderAttack& target, Device& device, Device& local,
                       std::uint32_t seed, Refusals refusals) {
    std::mt19937 random(seed);
    while (Clock::now() < target.end) {
        const CheckedModel model(local, static_cast<std::uint32_t>(random() % 100'000));
        const auto prepared = prepareModel(device, model.model());
        if (!prepared) {
            record(target, {.error = prepared.error()}, refusals);
            std::this_thread::sleep_for(1ms);
            continue;
        }
        for (int i = 0; i < 3 && Clock::now() < target.end; ++i) {
            record(target, executeAndCheck(**prepared, model, random), refusals);
        }
    }
}

/// A process with `threads` threads that share a connection, each with models of its own.
Attacker workingProcess(std::uint32_t threads, std::uint32_t seed,
                        Refusals refusals = Refusals::ARE_FAILURES) {
    return [=](const DriverUnderAttack& target) {
        Result<SharedDevice> device = nnburst::connect(target.socketPath);
        while (!device && refusals == Refusals::ARE_ALLOWED && Clock::now() < target.end) {
            target.log.note(device);
            std::this_thread::sleep_for(10ms);
            device = nnburst::connect(target.socketPath);
        }
        if (!device) {
            return record(target, {.error = device.error()}, refusals);
        }
        const SharedDevice local = *makeLocalDevice();
        std::vector<std::thread> workers;
        for (std::uint32_t i = 0; i < threads; ++i) {
            workers.emplace_back(
                [&, i] { prepareAndExecute(target, **device, *local, seed * 1000 + i, refusals); });
        }
        for (std::thread& worker : workers) {
            worker.join();
        }
    };
}

/// Executes few models, prepared once, on all threads.
void executeInParallel(const DriverUnderAttack& target) {
    const auto device = nnburst::connect(target.socketPath);
    if (!device) {
        return record(target, {.error = device.error()}, Refusals::ARE_FAILURES);
    }
    const SharedDevice local = *makeLocalDevice();
    constexpr std::uint32_t kModels = 4;
    std::vector<CheckedModel> models;
    std::vector<SharedPreparedModel> prepared;
    for (std::uint32_t seed = 1; seed <= kModels; ++seed) {
        models.emplace_back(*local, seed);
        const auto made = prepareModel(**device, models.back().model());
        if (!made) {
            return record(target, {.error = made.error()}, Refusals::ARE_FAILURES);
        }
        prepared.push_back(*made);
    }
    std::vector<std::thread> workers;
    for (std::uint32_t i = 0; i < 8; ++i) {
        workers.emplace_back([&, i] {
            std::mt19937 random(i);
            while (Clock::now() < target.end) {
                const std::size_t which = random() % kModels;
                record(target, executeAndCheck(*prepared[which], models[which], random),
                       Refusals::ARE_FAILURES);
            }
        });
    }
    for (std::thread& worker : workers) {
        worker.join();
    }
}

/// Holds 200 models at a time and executes any of them.
void holdManyModels(const DriverUnderAttack& target) {
    const auto device = nnburst::connect(target.socketPath);
    if (!device) {
        return record(target, {.error = device.error()}, Refusals::ARE_FAILURES);
    }
    const SharedDevice local = *makeLocalDevice();
    constexpr std::size_t kModels = 200;
    struct Held {
        CheckedModel model;
        SharedPreparedModel prepared;
    };
    std::vector<Held> held;
    std::mt19937 random(1);
    for (std::uint32_t seed = 1; Clock::now() < target.end; ++seed) {
        if (held.size() < kModels) {
            CheckedModel model(*local, seed);
            auto prepared = prepareModel(**device, model.model());
            if (!prepared) {
                record(target, {.error = prepared.error()}, Refusals::ARE_FAILURES);
                continue;
            }
            held.push_back({std::move(model), *prepared});
        }
        const Held& any = held[random() % held.size()];
        record(target, executeAndCheck(*any.prepared, any.model, random), Refusals::ARE_FAILURES);
    }
}

/// 600 random models, one after the other, each once.
void runRandomModels(const DriverUnderAttack& target) {
    const auto device = nnburst::connect(target.socketPath);
    if (!device) {
        return record(target, {.error = device.error()}, Refusals::ARE_FAILURES);
    }
    const SharedDevice local = *makeLocalDevice();
    const std::uint32_t first = std::random_device{}() % 1'000'000;
    std::mt19937 random(first);
    for (std::uint32_t i = 0; i < 600; ++i) {
        const CheckedModel model(*local, first + i);
        const auto prepared = prepareModel(**device, model.model());
        record(target,
               prepared ? executeAndCheck(**prepared, model, random)
                        : WorkResult{.error = prepared.error()},
               Refusals::ARE_FAILURES);
    }
}

/// Processes of three threads, 80 % of which are killed at random moments.
void killEarly(const DriverUnderAttack& target) {
    std::mt19937 random(std::random_device{}());
    for (std::uint32_t seed = 1; Clock::now() < target.end; ++seed) {
        DriverUnderAttack part = target;
        part.end = std::min(target.end, Clock::now() + 100ms);
        std::vector<Child> children;
        for (std::uint32_t i = 0; i < 5; ++i) {
            children.emplace_back([&, i] { workingProcess(3, seed * 5 + i)(part); });
        }
        for (std::size_t i = 0; i < 4; ++i) {
            ::usleep(static_cast<useconds_t>(random() % 20'000));
            (void)children[i].kill();
        }
        while (!children[4].hasEnded()) {
            ::usleep(1000);
        }
    }
}

/// Clients that are killed at random moments of whatever they do; counts the kills.
Attacker killClients(std::uint64_t minimumKills) {
    return [minimumKills](const DriverUnderAttack& target) {
        std::mt19937 random(std::random_device{}());
        // A client works until it is killed.
        const DriverUnderAttack endless{target.socketPath, target.log,
                                        Clock::now() + std::chrono::hours(1)};
        for (std::uint32_t seed = 1; Clock::now() < target.end || seed <= minimumKills; ++seed) {
            Child client([&] { workingProcess(2, seed, Refusals::ARE_ALLOWED)(endless); });
            ::usleep(static_cast<useconds_t>(random() % 15'000));
            (void)client.kill();
            target.log.noteDone();
        }
    };
}

CaseResult runClientsKilled(std::uint64_t minimumKills, const std::vector<std::string>& arguments,
                            std::chrono::milliseconds duration) {
    const std::uint64_t filesBefore = sharedMemoryFileCount();
    CaseResult result = run({.driverArguments = arguments,
                             .attackers = {killClients(minimumKills)},
                             .endsByItself = true},
                            duration);
    if (const std::uint64_t files = sharedMemoryFileCount(); files > filesBefore) {
        result.fail(Outcome::FAILURE, fmt::format("{} files of shared memory are left", files));
    }
    return result;
}

/// Clients that are stopped at random moments, for ever.
void stopClients(const DriverUnderAttack& target) {
    std::mt19937 random(std::random_device{}());
    std::vector<Child> stopped;
    constexpr std::size_t kMost = 40;
    for (std::uint32_t seed = 1; Clock::now() < target.end; ++seed) {
        if (stopped.size() == kMost) {
            (void)stopped.front().kill();
            stopped.erase(stopped.begin());
        }
        stopped.emplace_back([&] { workingProcess(2, seed, Refusals::ARE_ALLOWED)(target); });
        ::usleep(static_cast<useconds_t>(random() % 30'000));
        stopped.back().signal(SIGSTOP);
        target.log.noteDone();
    }
}

StressCase working(const std::string& name, const std::string& description,
                   const std::vector<Attacker>& clients) {
    return {name, description, [clients](std::chrono::milliseconds duration) {
                return run({.attackers = clients, .endsByItself = true}, duration);
            }};
}

std::vector<Attacker> processes(std::uint32_t count, std::uint32_t threads,
                                Refusals refusals = Refusals::ARE_FAILURES) {
    std::vector<Attacker> clients;
    for (std::uint32_t i = 0; i < count; ++i) {
        clients.push_back(workingProcess(threads, i + 1, refusals));
    }
    return clients;
}

StressCase withLimits(const std::string& name, const std::string& description,
                      const std::vector<std::string>& arguments, std::uint64_t descriptors) {
    return {name, description, [=](std::chrono::milliseconds duration) {
                return run({.driverArguments = arguments,
                            .driverDescriptors = descriptors,
                            .attackers = processes(4, 6, Refusals::ARE_ALLOWED),
                            .endsByItself = true,
                            .mayRefuseOthers = true},
                           duration);
            }};
}

}  // namespace

StressCases useCases(std::uint64_t minimumKills) {
    return {
        working("parallel_preparation", "a client of eight threads with models of their own",
                processes(1, 8)),
        working("parallel_execution", "a client of eight threads with four models together",
                {executeInParallel}),
        working("two_hundred_models", "two clients with 200 models each",
                {holdManyModels, holdManyModels}),
        working("six_by_ten", "six clients of ten threads", processes(6, 10)),
        working("random_models", "600 random models", {runRandomModels}),
        working("killed_early", "clients of which 80 % are killed", {killEarly}),
        {"clients_killed", "clients that are killed within 15 ms",
         [=](auto duration) { return runClientsKilled(minimumKills, {}, duration); }},
        {"isolated_clients_killed", "the same, each client with a worker process",
         [=](auto duration) {
             return runClientsKilled(minimumKills, {"--isolate", "client"}, duration);
         }},
        working("clients_stopped", "clients that are stopped at any step", {stopClients}),
        withLimits("low_descriptors", "four clients of six threads; the driver has 64 descriptors",
                   {}, 64),
        withLimits("low_memory",
                   "four clients of six threads; the driver has 160 MiB, stacks included",
                   {"--memory-limit", std::to_string(160 << 20)}, 0),
    };
}

}  // namespace nnburst::stress
