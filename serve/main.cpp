// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// nnburst-serve: models by the Open Inference Protocol, in front of a driver.

#include <fmt/core.h>
#include <pthread.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>
#include <variant>

#include "grpc_server.h"
#include "metrics.h"
#include "nnburst/supervised_device.h"
#include "options.h"
#include "rest_server.h"
#include "server_state.h"

namespace nnburst::serve {
namespace {

/// The device of the models, and the same as a supervised one if it is.
struct Devices {
    SharedDevice device;
    SharedSupervisedDevice supervised;
};

Outcome<Devices> openDevices(const Options& options) {
    const DriverOptions driver{.threads = options.threads};
    if (options.device == "local") {
        NNBURST_SERVE_TRY_ASSIGN(SharedDevice device, makeLocalDevice(driver));
        return Devices{std::move(device), nullptr};
    }
    SupervisionOptions supervision;
    supervision.waitAtMost = options.driverWait;
    supervision.start = [driver, name = options.device] {
        return name == "spawn" ? spawnDriver(driver) : connect(name);
    };
    NNBURST_SERVE_TRY_ASSIGN(SharedSupervisedDevice device, superviseDriver(supervision));
    return Devices{device, device};
}

/// Clients take descriptors: connections, shared memory.
void allowManyDescriptors() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/// SIGTERM and SIGINT, which all threads of this process leave to waitForEnd.
sigset_t endSignals() {
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGTERM);
    ::sigaddset(&signals, SIGINT);
    return signals;
}

void waitForEnd() {
    const sigset_t signals = endSignals();
    int signal = 0;
    ::sigwait(&signals, &signal);
}

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
    NNBURST_SERVE_TRY_ASSIGN(const Devices devices, openDevices(options));
    ServerState state(devices.device,
                      {.folder = options.repository,
                       .instances = options.instances,
                       .maximumWaiting = options.maximumWaiting,
                       .clientsMayLoad = options.isExplicit},
                      options.allowsSharedMemory, options.maximumRequestBytes);
    NNBURST_SERVE_TRY(loadModels(state.repository, options));
    printModels(state.repository);
    const RestService restService(state,
                                  [&] { return metricsText(state, devices.supervised.get()); });
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
    waitForEnd();
    state.drain(options.drainTime);
    if (grpc != nullptr) {
        grpc->setHealth(false);
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
    const sigset_t signals = endSignals();
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
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
