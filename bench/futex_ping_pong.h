// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Two processes that wake each other: the least that a round trip between sleepers costs.

#include <benchmark/benchmark.h>

#include <cstdint>

#include "futex_word.h"
#include "measure.h"
#include "peer.h"

namespace nnburst::bench {

/// Two words on which the other side always sleeps.
struct FutexPair {
    Word question;
    Word answer;
};

/// Measures round trips to a peer on `processor`.
inline void measureFutexPingPong(benchmark::State& state, std::uint32_t processor) {
    const SharedObject<FutexPair> pair;
    const Peer peer(processor, [&] {
        for (std::uint32_t turn = 1;; ++turn) {
            futexAwait(pair->question, turn);
            futexPost(pair->answer, turn);
        }
    });
    std::uint32_t turn = 0;
    measureEach(state, [&] {
        ++turn;
        futexPost(pair->question, turn);
        futexAwait(pair->answer, turn);
        return true;
    });
}

}  // namespace nnburst::bench
