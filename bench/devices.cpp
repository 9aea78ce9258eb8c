// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "devices.h"

#include <map>
#include <utility>
#include <vector>

#include "fail.h"
#include "processors.h"

namespace nnburst::bench {
namespace {

std::vector<std::uint32_t> processorsOf(DriverPlacement placement) {
    switch (placement) {
        case DriverPlacement::OWN_PROCESSOR:
            return {processorPair()->driver};
        case DriverPlacement::CLIENTS_PROCESSOR:
            return {processorPair()->client};
        case DriverPlacement::ANYWHERE:
            break;
    }
    return {};
}

SharedDevice startDriver(DriverPlacement placement, std::uint32_t threads) {
    const ScopedAffinity unpinned(Affinity::ANYWHERE);  // the driver inherits it
    return valueOf(spawnDriver({.threads = threads, .processors = processorsOf(placement)}));
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

Device& driver(DriverPlacement placement, std::uint32_t threads) {
    static std::map<std::pair<DriverPlacement, std::uint32_t>, SharedDevice> devices;
    SharedDevice& device = devices[{placement, threads}];
    if (!device) {
        device = startDriver(placement, threads);
    }
    return *device;
}

}  // namespace nnburst::bench
