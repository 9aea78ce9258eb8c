// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Shares the tasks of one run among kernel threads, and ends it early when its time is over.

#include <pthreadpool.h>

#include <atomic>
#include <cstddef>

#include "exec/operation/time_limit.h"

namespace nnburst::exec::dot8 {

/// Whether the time of a run is over, for one thread that works for it. The thread that runs the
/// step reads the clock and sets a flag for the others.
class Pace {
  public:
    /// `limit` is null on threads that do not read the clock themselves.
    Pace(TimeLimit* limit, std::atomic<bool>& isOver) noexcept : limit_(limit), isOver_(isOver) {}

    /// To be called after every `multiplications`, at most some millions.
    [[nodiscard]] bool isOverAfter(std::size_t multiplications) noexcept;

  private:
    TimeLimit* limit_;
    std::atomic<bool>& isOver_;
};

/// Does the task with this index. `thread`, less than the number of threads, names memory that no
/// other task uses meanwhile.
using Task = void (*)(const void* work, std::size_t index, std::size_t thread, Pace& pace);

/// Does tasks 0 to count - 1 on the threads of the pool, which may be null, each thread taking the
/// next one. Returns when all are done, or early when `limit` is over. Allocates nothing.
void runTasks(pthreadpool_t threads, std::size_t count, Task task, const void* work,
              TimeLimit& limit);

/// 1 without a pool.
[[nodiscard]] std::size_t threadCount(pthreadpool_t threads) noexcept;

}  // namespace nnburst::exec::dot8
