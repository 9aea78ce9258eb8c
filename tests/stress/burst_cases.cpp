// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Bursts that are many, that lie, or whose client never answers.

#include <algorithm>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "attack_models.h"
#include "device/foreign_memory.h"
#include "nnburst/burst.h"
#include "nnburst/device.h"
#include "raw_client.h"
#include "scenario.h"
#include "stress_case.h"

namespace nnburst::stress {

namespace {

using namespace std::chrono_literals;

/// Runs `attack` again and again, with a request for makeAddModel().
Attacker withRawClient(const std::function<void(const DriverUnderAttack&, RawClient&,
                                                rpc::PreparedModel::Client&)>& attack) {
    return repeatedly([attack](const DriverUnderAttack& target) {
        RawClient client(target.socketPath);
        auto prepared = client.prepare(test::makeAddModel());
        attack(target, client, prepared);
    });
}

/// 1,000 bursts, each with a request whose memory the client is asked for and never gives.
void giveNoMemory(const DriverUnderAttack& target, RawClient& client,
                  rpc::PreparedModel::Client& prepared) {
    const test::AddRequest add;
    constexpr std::size_t kBursts = 1000;
    std::vector<std::unique_ptr<RawBurst>> bursts;
    while (bursts.size() < kBursts) {
        bursts.push_back(std::make_unique<RawBurst>(client, prepared));
        bursts.back()->send(add.request);
        target.log.noteDone();
    }
    while (true) {
        client.serveFor(1000);
    }
}

/// Bursts that are dropped while the driver waits for the memory of their first requests.
void dropUnansweredBursts(const DriverUnderAttack& target, RawClient& client,
                          rpc::PreparedModel::Client& prepared) {
    const test::AddRequest add;
    std::vector<std::unique_ptr<RawBurst>> bursts;
    for (int i = 0; i < 16; ++i) {
        bursts.push_back(std::make_unique<RawBurst>(client, prepared));
        bursts.back()->send(add.request);
    }
    client.serveFor(2);  // the requests for memory arrive
    bursts.clear();
    target.log.noteDone();
}

/// Anything in every word of the channel but its sequence numbers, again and again.
void writeGarbage(const DriverUnderAttack& target, RawClient& client,
                  rpc::PreparedModel::Client& prepared) {
    std::mt19937_64 random(std::random_device{}());
    const test::AddRequest add;
    RawBurst burst(client, prepared);
    const std::span<std::byte> memory = burst.channel().memory();
    const auto words = memory.size() / sizeof(std::uint64_t);
    for (int round = 0; round < 2000; ++round) {
        burst.send(add.request);
        for (std::uint64_t i = random() % 4; i > 0; --i) {
            auto& word = *reinterpret_cast<std::atomic<std::uint64_t>*>(
                memory.data() + random() % words * sizeof(std::uint64_t));
            word.store(random() % 2 == 0 ? random() : word.load() ^ (1ULL << (random() % 64)));
        }
        if (round % 100 == 0) {
            client.serveFor(1);
            target.log.noteDone();
        }
    }
}

/// A client that submits as many executions as a burst takes and reads none of the results.
void readNoResults(const DriverUnderAttack& target, RawClient& client,
                   rpc::PreparedModel::Client& prepared) {
    RawBurst burst(client, prepared);
    const test::AddRequest add;
    for (int i = 0; i < 10'000; ++i) {
        burst.send(add.request);
        if (i % 100 == 0) {
            client.serveFor(1);
            target.log.noteDone();
        }
    }
}

/// As many bursts as are given, up to `count`, all of which end with their connection.
void holdBursts(const DriverUnderAttack& target, PreparedModel& prepared, std::size_t count,
                std::uint32_t queueLines) {
    std::vector<std::unique_ptr<Burst>> bursts;
    while (bursts.size() < count) {
        auto burst = prepared.configureExecutionBurst({.queueLines = queueLines});
        target.log.note(burst);
        if (!burst) {
            std::this_thread::sleep_for(10ms);
            continue;
        }
        bursts.push_back(std::move(*burst));
    }
    holdUntilKilled();
}

void holdManyBursts(const DriverUnderAttack& target, PreparedModel& prepared) {
    holdBursts(target, prepared, 9990, 16);
}

/// Bursts with queues as long as they may be.
void holdLargeBursts(const DriverUnderAttack& target, PreparedModel& prepared) {
    holdBursts(target, prepared, std::numeric_limits<std::size_t>::max(), kMaximumQueueLines);
}

/// Bursts that all have a request at a time, again and again: most of them wait for a thread.
void ringManyBursts(const DriverUnderAttack& target, PreparedModel& prepared) {
    constexpr std::size_t kBursts = 2500;
    const test::AddRequest add;
    std::vector<std::unique_ptr<Burst>> bursts;
    while (bursts.size() < kBursts) {
        auto burst = prepared.configureExecutionBurst({.queueLines = kMinimumQueueLines});
        target.log.note(burst);
        if (!burst) {
            break;
        }
        bursts.push_back(std::move(*burst));
    }
    std::vector<Result<Submission>> submissions;
    ExecutionOutcome outcome;
    while (true) {
        for (const auto& burst : bursts) {
            submissions.push_back(burst->submit(add.request, {}));
        }
        for (std::size_t i = 0; i < bursts.size(); ++i) {
            target.log.note(submissions[i] ? bursts[i]->wait(*submissions[i], outcome)
                                           : tl::unexpected<Error>(submissions[i].error()));
        }
        submissions.clear();
    }
}

/// Bursts that come and go as fast as they can.
void openAndCloseBursts(const DriverUnderAttack& target, PreparedModel& prepared) {
    const test::AddRequest add;
    ExecutionOutcome outcome;
    while (true) {
        const auto burst = prepared.configureExecutionBurst({});
        target.log.note(burst);
        if (burst) {
            (void)(*burst)->execute(add.request, {}, outcome);
        }
    }
}

/// 80 bursts with an execution of minutes each: more than the driver has threads for bursts.
void keepServingThreads(const DriverUnderAttack& target, PreparedModel& prepared) {
    std::vector<std::thread> threads;
    constexpr int kBursts = 80;
    for (int i = 0; i < kBursts; ++i) {
        threads.emplace_back([&] {
            const auto burst = prepared.configureExecutionBurst({});
            target.log.note(burst);
            const Request request = makeRequest(kHugeOperationBytes, kHugeOperationBytes);
            ExecutionOutcome outcome;
            while (burst) {
                target.log.note((*burst)->execute(request, {}, outcome));
            }
        });
    }
    holdUntilKilled();
}

/// Bursts that are dropped while their doorbells are kept.
void keepDoorbells(const DriverUnderAttack& target, RawClient& client,
                   rpc::PreparedModel::Client& prepared) {
    std::vector<rpc::File::Client> doorbells;
    while (true) {
        const auto channel = burst::Channel::create(16);
        auto request = prepared.configureExecutionBurstRequest();
        setRegion(request.initChannel(), channel->region()->fd(), channel->region()->sizeBytes());
        request.initDriverWait();
        const auto answer = request.send().wait(client.io().waitScope);
        if (!answer.hasDoorbell()) {
            target.log.note(Result<>(failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                                             answer.getStatus().getMessage().cStr())));
            client.serveFor(10);
            continue;
        }
        doorbells.push_back(answer.getDoorbell());
        target.log.noteDone();
    }
}

}  // namespace

StressCases burstCases() {
    return {
        attacking("memory_never_comes", "1,000 bursts whose client never gives their memory",
                  withRawClient(giveNoMemory)),
        attacking("dropped_unanswered", "bursts that are dropped while their memory is awaited",
                  withRawClient(dropUnansweredBursts)),
        attacking("garbage_in_channels", "anything in any word of a channel",
                  withRawClient(writeGarbage), 2),
        attacking("slow_readers", "bursts whose results are never read",
                  withRawClient(readNoResults), 2),
        attacking("many_bursts", "9,990 bursts, all gone at once",
                  withPreparedModel(test::makeAddModel(), holdManyBursts)),
        attacking("rung_bursts", "2,500 bursts that all have requests again and again",
                  withPreparedModel(test::makeAddModel(), ringManyBursts)),
        attacking("endless_bursts", "80 bursts with an execution of minutes each",
                  withPreparedModel(makeHugeOperation(1.0F), keepServingThreads)),
        attacking("held_doorbells", "bursts that are dropped while their doorbells are kept",
                  withRawClient(keepDoorbells), 2),
        attacking("large_bursts", "thousands of bursts with queues as long as they may be",
                  withPreparedModel(test::makeAddModel(), holdLargeBursts)),
        attacking("bursts_come_and_go", "bursts that are set up and dropped without a pause",
                  withPreparedModel(test::makeAddModel(), openAndCloseBursts), 2),
    };
}

}  // namespace nnburst::stress
