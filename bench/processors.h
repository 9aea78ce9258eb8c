// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The processors of the measuring process and of its partner.

#include <sched.h>

#include <cstdint>
#include <optional>

namespace nnburst::bench {

/// The two processors of a pair: the measuring process runs on one, its partner or driver on the
/// other.
struct ProcessorPair {
    std::uint32_t client;
    std::uint32_t driver;
};

/// The pair that all benchmarks use: the first two processors that the program may run on, found at
/// the first call; nullopt if it may run on only one.
[[nodiscard]] std::optional<ProcessorPair> processorPair();

/// Pins the calling thread, and threads that it creates, to `processor`.
void pinTo(std::uint32_t processor);

enum class Affinity {
    CLIENT,   ///< on the client's processor
    ANYWHERE  ///< on all processors that the program started with
};

/// RAII: sets the processors of the calling thread, and of threads that it creates, until this is
/// destroyed.
class ScopedAffinity {
  public:
    explicit ScopedAffinity(Affinity affinity);
    ScopedAffinity(const ScopedAffinity&) = delete;
    ScopedAffinity& operator=(const ScopedAffinity&) = delete;
    ~ScopedAffinity();

  private:
    cpu_set_t before_;
};

}  // namespace nnburst::bench
