// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// nnburst-bench-sharing: the cost of 1, 4 and 16 clients of one model when they share a driver,
/// and when each is a process with its own device. Prints the time of each preparation and the
/// memory of all processes beyond that of one without a model.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "fail.h"
#include "listening_driver.h"
#include "nnburst/builtin_models.h"
#include "nnburst/device.h"

namespace nnburst::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array kClientCounts{1, 4, 16};

struct Cost {
    std::vector<double> preparationsMs;  ///< by client, in order
    double memoryMib = 0;
};

/// Memory of `pid` in MiB, of which shared pages count in part (PSS).
double proportionalMib(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/smaps_rollup", pid));
    for (std::string word; file >> word;) {
        if (double kib = 0; word == "Pss:" && file >> kib) {
            return kib / 1024;
        }
    }
    fail(fmt::format("/proc/{}/smaps_rollup has no memory size", pid));
}

double prepareMs(Device& device, const Model& model, SharedPreparedModel& prepared) {
    const Clock::time_point start = Clock::now();
    prepared = valueOf(prepareModel(device, model));
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Clients of one driver, each with its own connection. The memory is in the driver.
Cost shared(const Model& model, int clients) {
    const ListeningDriver driver;
    std::vector<SharedDevice> devices;
    for (int i = 0; i < clients; ++i) {
        devices.push_back(driver.connect());
    }
    const double before = proportionalMib(driver.pid());
    Cost cost;
    std::vector<SharedPreparedModel> models(static_cast<std::size_t>(clients));
    for (std::size_t i = 0; i < models.size(); ++i) {
        cost.preparationsMs.push_back(prepareMs(*devices[i], model, models[i]));
    }
    cost.memoryMib = proportionalMib(driver.pid()) - before;
    return cost;
}

/// The measurements of one process.
struct OwnCost {
    double preparationMs = 0;
    double memoryMib = 0;
};

/// Processes with their own devices, which live until all have prepared the model.
Cost separate(const Model& model, int clients) {
    std::array<int, 2> ours{};
    std::array<int, 2> theirs{};
    if (::pipe2(ours.data(), O_CLOEXEC) != 0 || ::pipe2(theirs.data(), O_CLOEXEC) != 0) {
        fail("cannot make pipes");
    }
    Cost cost;
    for (int i = 0; i < clients; ++i) {
        if (::fork() == 0) {
            ::close(theirs[1]);
            const SharedDevice device = valueOf(makeLocalDevice());
            const double before = proportionalMib(::getpid());
            SharedPreparedModel prepared;
            OwnCost own{.preparationMs = prepareMs(*device, model, prepared)};
            own.memoryMib = proportionalMib(::getpid()) - before;
            char byte = 0;
            const bool isTold = ::write(ours[1], &own, sizeof(own)) == sizeof(own);
            ::_exit(isTold && ::read(theirs[0], &byte, 1) == 0 ? 0 : 1);
        }
        OwnCost own;
        if (::read(ours[0], &own, sizeof(own)) != sizeof(own)) {
            fail("a client process ended without an answer");
        }
        cost.preparationsMs.push_back(own.preparationMs);
        cost.memoryMib += own.memoryMib;
    }
    for (const int fd : {ours[0], ours[1], theirs[0], theirs[1]}) {
        ::close(fd);
    }
    while (::wait(nullptr) > 0) {
    }
    return cost;
}

void print(const char* how, int clients, const Cost& cost) {
    std::vector<double> later(cost.preparationsMs.begin() + 1, cost.preparationsMs.end());
    std::sort(later.begin(), later.end());
    fmt::print("| {} | {} | {:.1f} | {} | {:.1f} |\n", how, clients, cost.preparationsMs[0],
               later.empty() ? "-" : fmt::format("{:.1f}", later[later.size() / 2]),
               cost.memoryMib);
    std::fflush(stdout);
}

}  // namespace
}  // namespace nnburst::bench

int main() {
    using namespace nnburst::bench;
    const nnburst::Model model =
        valueOf(nnburst::makeMobileNetV1({.width = 1.0F, .resolution = 224}));
    fmt::print(
        "MobileNet v1 1.0 224, float32\n\n"
        "| | clients | first preparation, ms | later ones (median), ms | memory, MiB |\n"
        "|---|---:|---:|---:|---:|\n");
    for (const int clients : kClientCounts) {
        print("one driver", clients, shared(model, clients));
        print("a device in each process", clients, separate(model, clients));
    }
}
