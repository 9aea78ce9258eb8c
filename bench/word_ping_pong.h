// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One word in one cache line, bounced between two processors: the limit of the machine.

#include <benchmark/benchmark.h>

#include <cstdint>

#include "forked_process.h"
#include "futex_word.h"
#include "measure.h"
#include "processors.h"
#include "shared_object.h"

namespace nnburst::bench {

/// Odd values are questions, even ones answers.
inline void measureWordPingPong(benchmark::State& state) {
    const SharedObject<Word> word;
    const ForkedProcess partner(processorPair()->driver, [&] {
        for (std::uint32_t question = 1;; question += 2) {
            spinUntil(word->value, question);
            word->value.store(question + 1, std::memory_order_release);
        }
    });
    std::uint32_t question = 1;
    measureEach(state, [&] {
        word->value.store(question, std::memory_order_release);
        spinUntil(word->value, question + 1);
        question += 2;
        return true;
    });
}

}  // namespace nnburst::bench
