// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// nnburst-serve: models by the Open Inference Protocol, in front of a driver.

#include <fmt/core.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>
#include <variant>

#include "grpc_server.h"
#include "metrics.h"
#include "nnburst/supervised_device.h"
#include "options.h"
#include "rest_server.h"
#include "server_state.h"
#include "start_thread.h"
#include "state_changes.h"

namespace nnburst::serve {
namespace {

/// `changes` are notified of changes of the driver's state.
Outcome<DriverDevice> openDevice(const Options& options, std::shared_ptr<StateChanges> changes) {
    const DriverOptions driver{.threads = options.threads};
    if (options.device == "local") {
        NNBURST_SERVE_TRY_ASSIGN(SharedDevice device, makeLocalDevice(driver));
        return DriverDevice{std::move(device), nullptr};
    }
    SupervisionOptions supervision;
    supervision.waitAtMost = options.driverWait;
    supervision.onStateChange = [changes = std::move(changes)](DriverState /*state*/) {
        changes->notify();
    };
    supervision.start = [driver, name = options.device] {
        return name == "spawn" ? spawnDriver(driver) : connect(name);
    };
    NNBURST_SERVE_TRY_ASSIGN(SharedSupervisedDevice device, superviseDriver(supervision));
    return DriverDevice{device, device};
}

/// Clients take descriptors: connections, shared memory.
void allowManyDescriptors() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/// SIGTERM and SIGINT. A thread waits for them: loading models may take long, or wait for a driver
/// that does not answer.
class EndSignals {
  public:
    EndSignals() noexcept {
        ::sigemptyset(&signals_);
        ::sigaddset(&signals_, SIGTERM);
        ::sigaddset(&signals_, SIGINT);
    }
    EndSignals(const EndSignals&) = delete;
    EndSignals& operator=(const EndSignals&) = delete;
    ~EndSignals() {
        if (thread_.joinable()) {
            endsProcess_ = false;
            ::pthread_kill(thread_.native_handle(), SIGTERM);  // ends its wait
            thread_.join();
        }
    }

    /// From now on the signals end the process at once. Must be called before other threads are
    /// started, so that they leave the signals to this one.
    Outcome<> start() {
        ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
        NNBURST_SERVE_TRY_ASSIGN(thread_, startThread([this] { run(); }));
        return {};
    }
    /// From now on the signals end `wait` instead of the process.
    void deferToWait() noexcept { endsProcess_ = false; }
    /// Waits for a signal. Once.
    void wait() { thread_.join(); }

  private:
    void run() const {
        int signal = 0;
        ::sigwait(&signals_, &signal);
        if (endsProcess_.load()) {
            ::_exit(0);
        }
    }

    sigset_t signals_{};
    std::atomic<bool> endsProcess_ = true;
    std::thread thread_;
};

Outcome<> loadModels(Repository& repository, const Options& options) {
    if (!options.isExplicit) {
        return repository.loadAll();
    }
    for (const std::string& name : options.models) {
        NNBURST_SERVE_TRY(repository.load(name));
    }
    return {};
}

void printModels(const Repository& repository) {
    for (const SharedModelVersion& model : repository.all()) {
        fmt::print("model {} version {}\n", model->name, model->version);
    }
}

Outcome<> serve(const Options& options) {
    EndSignals signals;
    NNBURST_SERVE_TRY(signals.start());
    const auto changes = std::make_shared<StateChanges>();
    NNBURST_SERVE_TRY_ASSIGN(DriverDevice device, openDevice(options, changes));
    ServerState state(std::move(device), changes,
                      {.folder = options.repository,
                       .instances = options.instances,
                       .maximumWaiting = options.maximumWaiting,
                       .clientsMayLoad = options.isExplicit},
                      options.allowsSharedMemory, options.maximumRequestBytes);
    NNBURST_SERVE_TRY(loadModels(state.repository, options));
    signals.deferToWait();
    printModels(state.repository);
    const RestService restService(state, [&] { return metricsText(state); });
    std::unique_ptr<GrpcServer> grpc;
    std::unique_ptr<RestServer> rest;
    if (options.grpc) {
        NNBURST_SERVE_TRY_ASSIGN(grpc, GrpcServer::start(state, *options.grpc, options));
        fmt::print("gRPC on {}\n", grpc->address().text());
    }
    if (options.http) {
        NNBURST_SERVE_TRY_ASSIGN(rest, RestServer::start(restService, *options.http, options));
        fmt::print("REST on {}\n", rest->address().text());
    }
    fmt::print("ready\n");
    std::fflush(stdout);
    signals.wait();
    state.drain(options.drainTime);
    if (grpc != nullptr) {
        grpc->shutDown(options.drainTime);
    }
    if (rest != nullptr) {
        rest->shutDown(state.drainEnd.load());
    }
    return {};
}

int run(int argc, char** argv) {
    const auto parsed = parseOptions(argc, argv, std::cout, std::cerr);
    if (const int* status = std::get_if<int>(&parsed)) {
        return *status;
    }
    std::signal(SIGPIPE, SIG_IGN);
    allowManyDescriptors();
    if (const Outcome<> result = serve(std::get<Options>(parsed)); !result) {
        fmt::print(stderr, "nnburst-serve: {}\n", result.error().message);
        return 1;
    }
    return 0;
}

}  // namespace
}  // namespace nnburst::serve

int main(int argc, char** argv) {
    return nnburst::serve::run(argc, argv);
}
