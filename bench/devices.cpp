// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "devices.h"

#include <map>
#include <utility>
#include <vector>

#include "fail.h"
#include "peer.h"

namespace nnburst::bench {
namespace {

std::vector<std::uint32_t> processorsOf(DriverPlace place) {
    switch (place) {
        case DriverPlace::OWN_PROCESSOR:
            return {processorPair()->driver};
        case DriverPlace::CLIENTS_PROCESSOR:
            return {processorPair()->client};
        case DriverPlace::ANYWHERE:
            break;
    }
    return {};
}

SharedDevice startDriver(DriverPlace place, std::uint32_t threads) {
    const PlacedThread unpinned(Place::ANYWHERE);  // inherited by the driver
    return valueOf(spawnDriver({.threads = threads, .processors = processorsOf(place)}));
}

}  // namespace

Device& localDevice(std::uint32_t threads) {
    static std::map<std::uint32_t, SharedDevice> devices;
    SharedDevice& device = devices[threads];
    if (!device) {
        device = valueOf(makeLocalDevice({.threads = threads}));
    }
    return *device;
}

Device& driver(DriverPlace place, std::uint32_t threads) {
    static std::map<std::pair<DriverPlace, std::uint32_t>, SharedDevice> devices;
    SharedDevice& device = devices[{place, threads}];
    if (!device) {
        device = startDriver(place, threads);
    }
    return *device;
}

}  // namespace nnburst::bench
