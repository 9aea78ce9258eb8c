// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The peer process of a ping-pong, and the processors of the two processes.

#include <sched.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>

namespace nnburst::bench {

/// The two processors of a pair: the measuring process runs on one, its peer or driver on the
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

/// `sizeBytes` of zeroed memory that this process and the peers that it forks share.
[[nodiscard]] void* mapShared(std::size_t sizeBytes);
void unmapShared(void* memory, std::size_t sizeBytes);

/// A T in shared memory, which the destructor unmaps.
template <class T>
class SharedObject {
  public:
    SharedObject() : object_(::new (mapShared(sizeof(T))) T{}) {}
    SharedObject(const SharedObject&) = delete;
    SharedObject& operator=(const SharedObject&) = delete;
    ~SharedObject() { unmapShared(object_, sizeof(T)); }

    T* operator->() const noexcept { return object_; }

  private:
    T* object_;
};

/// A forked process that runs `body` on `processor`. The destructor ends it.
class Peer {
  public:
    Peer(std::uint32_t processor, const std::function<void()>& body);
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    ~Peer();

    /// Whether `body` has returned, or the process has ended otherwise.
    [[nodiscard]] bool hasEnded();
    /// Waits until `body` has returned.
    void awaitEnd();

  private:
    pid_t pid_;  ///< -1 if the process has ended
};

}  // namespace nnburst::bench
