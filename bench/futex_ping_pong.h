// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Two processes that wake each other: the lower bound of a round trip between sleeping threads.

#include <benchmark/benchmark.h>

#include <cstdint>

#include "forked_process.h"
#include "futex_word.h"
#include "measure.h"
#include "shared_object.h"

namespace nnburst::bench {

/// Two words. Each side always sleeps until the other side changes its word.
struct FutexPair {
    Word question;
    Word answer;
};

/// Measures round trips to a partner on `processor`.
inline void measureFutexPingPong(benchmark::State& state, std::uint32_t processor) {
    const SharedObject<FutexPair> pair;
    const ForkedProcess partner(processor, [&] {
        for (std::uint32_t round = 1;; ++round) {
            futexAwait(pair->question, round);
            futexPost(pair->answer, round);
        }
    });
    std::uint32_t round = 0;
    measureEach(state, [&] {
        ++round;
        futexPost(pair->question, round);
        futexAwait(pair->answer, round);
        return true;
    });
}

}  // namespace nnburst::bench
