// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// iceoryx: publishers and subscribers in shared memory, both sides poll. Its daemon, RouDi, runs
/// in a process of its own for the whole run, as does the partner, which sleeps between
/// measurements.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <iceoryx_hoofs/log/logmanager.hpp>
#include <iceoryx_hoofs/posix_wrapper/posix_access_rights.hpp>
#include <iceoryx_posh/internal/roudi/roudi.hpp>
#include <iceoryx_posh/popo/publisher.hpp>
#include <iceoryx_posh/popo/subscriber.hpp>
#include <iceoryx_posh/roudi/iceoryx_roudi_components.hpp>
#include <iceoryx_posh/runtime/posh_runtime.hpp>
#include <iostream>
#include <string>
#include <thread>

#include "forked_process.h"
#include "futex_word.h"
#include "measure.h"
#include "peers_packaged.h"
#include "processors.h"
#include "round_trip.h"
#include "shared_object.h"
#include "skip.h"

namespace nnburst::bench {
namespace {

constexpr std::chrono::seconds kStartTimeout{5};

/// Tests `condition` every millisecond. False if it is not true within kStartTimeout.
template <class Condition>
bool await(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + kStartTimeout;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

void logErrorsOnly() {
    iox::log::LogManager::GetLogManager().SetDefaultLogLevel(
        iox::log::LogLevel::kError, iox::log::LogLevelOutput::kHideLogLevel);
}

/// Memory for messages; a few of each kind suffice for one message at a time.
iox::RouDiConfig_t smallestConfig() {
    iox::mepoo::MePooConfig pools;
    pools.addMemPool({128, 64});
    const auto group = iox::posix::PosixGroup::getGroupOfCurrentProcess().getName();
    iox::RouDiConfig_t config;
    config.m_sharedMemorySegments.push_back({group, group, pools});
    return config;
}

/// The daemon. The destructor ends it.
class RouDi {
  public:
    ~RouDi() {
        if (!process_.hasEnded()) {
            futexPost(state_->isStopped, 1);  // RouDi removes its files
            process_.awaitEnd();
        }
    }

    [[nodiscard]] bool awaitStart() {
        return await([&] { return state_->isStarted.value == 1 || process_.hasEnded(); }) &&
               !process_.hasEnded();
    }

  private:
    struct State {
        Word isStarted;
        Word isStopped;
    };

    void run() {
        using Daemon = iox::roudi::RouDi;
        logErrorsOnly();
        std::cout.setstate(std::ios::failbit);  // RouDi prints tables there
        std::clog.setstate(std::ios::failbit);
        iox::roudi::IceOryxRouDiComponents components(smallestConfig());
        // Monitoring would take a sleeping partner for dead.
        Daemon daemon(components.rouDiMemoryManager, components.portManager,
                      Daemon::RoudiStartupParameters(iox::roudi::MonitoringMode::OFF,
                                                     /*killProcesses=*/false));
        state_->isStarted.value = 1;
        futexAwait(state_->isStopped, 1);
    }

    SharedObject<State> state_;
    ForkedProcess process_{processorPair()->driver, [this] { run(); }};
};

/// One side: its publisher and its subscriber.
class Side {
  public:
    Side(const char* sent, const char* received)
        : publisher_(
              {"nnburst", "bench", iox::capro::IdString_t(iox::cxx::TruncateToCapacity, sent)}),
          subscriber_({"nnburst", "bench",
                       iox::capro::IdString_t(iox::cxx::TruncateToCapacity, received)}) {}

    [[nodiscard]] bool isConnected() const {
        return publisher_.hasSubscribers() &&
               subscriber_.getSubscriptionState() == iox::SubscribeState::SUBSCRIBED;
    }

    [[nodiscard]] bool send(const Message& message) {
        bool isSent = false;
        publisher_.loan().and_then([&](auto& sample) {
            *sample = message;
            sample.publish();
            isSent = true;
        });
        return isSent;
    }

    /// False if there is no message.
    [[nodiscard]] bool tryReceive(Message& message) {
        bool isReceived = false;
        subscriber_.take().and_then([&](const auto& sample) {
            message = *sample;
            isReceived = true;
        });
        return isReceived;
    }

  private:
    iox::popo::Publisher<Message> publisher_;
    iox::popo::Subscriber<Message> subscriber_;
};

/// Makes this process a client of RouDi until its end; sides can be made then.
struct RouDiClient {
    explicit RouDiClient(const std::string& role) {
        logErrorsOnly();
        const std::string name = "nnburst-bench-" + role + "-" + std::to_string(::getpid());
        iox::runtime::PoshRuntime::initRuntime(
            iox::RuntimeName_t(iox::cxx::TruncateToCapacity, name.c_str()));
    }
};

/// Sends messages back while the switch is on.
void echo(StartSwitch& start) {
    const RouDiClient rouDi("partner");
    Side side("answer", "question");
    while (start.awaitOn()) {
        Message message{};
        while (start.isOn()) {
            if (side.tryReceive(message)) {
                (void)side.send(message);
            }
        }
    }
}

class Client {
  public:
    ~Client() {
        start_->end();
        partner_.awaitEnd();  // the partner leaves RouDi, which removes its files
    }

    [[nodiscard]] bool awaitPartner() {
        return await([&] { return side_.isConnected(); });
    }

    void measure(benchmark::State& state) {
        Message message{};
        start_->turnOn();
        measureEach(state, [&] {
            if (!side_.send(message)) {
                return false;
            }
            while (!side_.tryReceive(message)) {
            }
            return true;
        });
        start_->turnOff();
    }

  private:
    SharedObject<StartSwitch> start_;
    ForkedProcess partner_{processorPair()->driver, [this] { echo(*start_.operator->()); }};
    const RouDiClient rouDi_{"client"};  // after the fork: the partner is a client of its own
    Side side_{"question", "answer"};
};

void publishSubscribe(benchmark::State& state) {
    static RouDi rouDi;  // before the client, so that it ends after the client
    if (!rouDi.awaitStart()) {
        skip(state, "RouDi did not start; it takes 66 MB of /dev/shm, and there may be no other");
        return;
    }
    static Client client;
    if (!client.awaitPartner()) {
        skip(state, "its partner did not connect within 5 s");
        return;
    }
    client.measure(state);
}

}  // namespace

void registerIceoryxPeer() {
    registerRoundTrip("iceoryx", "64 bytes published by iceoryx, both poll", publishSubscribe);
}

}  // namespace nnburst::bench
