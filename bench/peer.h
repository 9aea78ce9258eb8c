// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The other process of a ping-pong, and where the two processes run.

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

/// The pair that all benchmarks use: the first two processors on which the program may run, found
/// at the first call; nothing if it may run on one only.
[[nodiscard]] std::optional<ProcessorPair> processorPair();

/// Keeps the calling thread, and threads that it creates, on `processor`.
void pinTo(std::uint32_t processor);

enum class Place {
    CLIENT,   ///< on the client's processor
    ANYWHERE  ///< wherever the program might run when it started
};

/// Where the calling thread, and what it creates, runs until this object is destroyed. Then it runs
/// where it did before.
class PlacedThread {
  public:
    explicit PlacedThread(Place place);
    PlacedThread(const PlacedThread&) = delete;
    PlacedThread& operator=(const PlacedThread&) = delete;
    ~PlacedThread();

  private:
    cpu_set_t before_;
};

/// `sizeBytes` of zeroed memory that this process and the peers that it forks share.
[[nodiscard]] void* mapShared(std::size_t sizeBytes);
void unmapShared(void* memory, std::size_t sizeBytes);

/// A T in shared memory, unmapped with its owner.
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

/// A forked process that runs `body` on `processor` until this object is destroyed.
class Peer {
  public:
    Peer(std::uint32_t processor, const std::function<void()>& body);
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    ~Peer();

    /// Whether `body` has ended, or the process with it.
    [[nodiscard]] bool hasEnded();
    /// Waits for the end of `body`.
    void awaitEnd();

  private:
    pid_t pid_;  ///< -1 if the process has ended
};

}  // namespace nnburst::bench
