// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Peers of Boost: the queue that sleeps and the queue that does not wait at all.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/ipc/message_queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstddef>
#include <string>

#include "fail.h"
#include "forked_process.h"
#include "measure.h"
#include "processors.h"
#include "round_trip.h"
#include "shared_object.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

namespace interprocess = boost::interprocess;

constexpr std::size_t kCapacity = 16;

/// A queue that this process and those that it forks share. Its name is removed at once.
class NamelessQueue {
  public:
    explicit NamelessQueue(const char* role)
        : name_("nnburst-bench-" + std::to_string(::getpid()) + "-" + role),
          queue_(interprocess::create_only, name_.c_str(), kCapacity, sizeof(Message)) {
        interprocess::message_queue::remove(name_.c_str());
    }

    void send(const Message& message) { queue_.send(message.data(), message.size(), 0); }

    [[nodiscard]] bool receive(Message& message) {
        interprocess::message_queue::size_type size = 0;
        unsigned priority = 0;
        queue_.receive(message.data(), message.size(), size, priority);
        return size == message.size();
    }

  private:
    std::string name_;
    interprocess::message_queue queue_;
};

void messageQueue(benchmark::State& state) {
    try {
        NamelessQueue questions("questions");
        NamelessQueue answers("answers");
        const ForkedProcess partner(processorPair()->driver, [&] {
            for (Message message{}; questions.receive(message);) {
                answers.send(message);
            }
        });
        Message message{};
        measureEach(state, [&] {
            questions.send(message);
            return answers.receive(message);
        });
    } catch (const interprocess::interprocess_exception& error) {
        state.SkipWithError(error.what());
    }
}

using LockfreeQueue = boost::lockfree::spsc_queue<Message, boost::lockfree::capacity<kCapacity>>;

struct LockfreePair {
    LockfreeQueue questions;
    LockfreeQueue answers;
};

void spinPop(LockfreeQueue& queue, Message& message) {
    while (!queue.pop(message)) {
    }
}

void lockfreeQueue(benchmark::State& state) {
    const SharedObject<LockfreePair> pair;
    const ForkedProcess partner(processorPair()->driver, [&] {
        for (Message message{};;) {
            spinPop(pair->questions, message);
            pair->answers.push(message);
        }
    });
    Message message{};
    measureEach(state, [&] {
        if (!pair->questions.push(message)) {
            return false;
        }
        spinPop(pair->answers, message);
        return true;
    });
}

}  // namespace

void registerBoostPeers() {
    registerRoundTrip("boostLockfree", "64 bytes in Boost.Lockfree spsc_queues, both spin",
                      lockfreeQueue);
    registerRoundTrip("boostMessageQueue", "64 bytes through Boost.Interprocess message_queues",
                      messageQueue);
}

}  // namespace nnburst::bench
