// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "peers_packaged.h"

#include <benchmark/benchmark.h>

#include <string>

#include "round_trip.h"
#include "skip.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

/// A peer that was not built, because `packages` were missing.
[[maybe_unused]] void registerMissing(const char* name, const char* label,
                                      const std::string& packages) {
#ifdef NNBURST_BENCH_SANITIZED
    const std::string reason =
        "not part of builds with a sanitizer, which cannot check " + packages;
#else
    const std::string reason = "not installed, apt install " + packages;
#endif
    registerRoundTrip(name, label, [=](benchmark::State& state) { skip(state, reason); });
}

}  // namespace

void registerPackagedPeers() {
#ifdef NNBURST_BENCH_ICEORYX
    registerIceoryxPeer();
#else
    registerMissing("iceoryx", "iceoryx", "libiceoryx-posh-dev libacl1-dev");
#endif
#ifdef NNBURST_BENCH_ZEROMQ
    registerZeroMqPeer();
#else
    registerMissing("zeroMq", "ZeroMQ", "libzmq3-dev");
#endif
#ifdef NNBURST_BENCH_GRPC
    registerGrpcPeer();
#else
    registerMissing("grpc", "gRPC", "libgrpc++-dev libprotobuf-dev protobuf-compiler-grpc");
#endif
}

}  // namespace nnburst::bench
