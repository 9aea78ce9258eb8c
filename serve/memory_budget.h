// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A limit on the memory that the requests of all clients, and the responses to them, take
/// together. Thread-safe.

#include <atomic>
#include <cstddef>

namespace nnburst::serve {

class MemoryBudget {
  public:
    explicit MemoryBudget(std::size_t bytes) noexcept : size_(bytes), free_(bytes) {}

    /// The limit, whatever is free.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// False, and nothing is taken, if fewer bytes are free.
    [[nodiscard]] bool take(std::size_t bytes) noexcept {
        std::size_t free = free_.load();
        while (bytes <= free) {
            if (free_.compare_exchange_weak(free, free - bytes)) {
                return true;
            }
        }
        return false;
    }
    void giveBack(std::size_t bytes) noexcept { free_ += bytes; }

  private:
    const std::size_t size_;
    std::atomic<std::size_t> free_;
};

/// What one request and its response have taken from the budget; its owner gives it back. Used by
/// one thread.
class MemoryCharge {
  public:
    explicit MemoryCharge(MemoryBudget& budget) noexcept : budget_(budget) {}
    MemoryCharge(const MemoryCharge&) = delete;
    MemoryCharge& operator=(const MemoryCharge&) = delete;
    ~MemoryCharge() { clear(); }

    /// False, and nothing is taken, if the budget has less.
    [[nodiscard]] bool add(std::size_t bytes) noexcept {
        const bool isTaken = budget_.take(bytes);
        bytes_ += isTaken ? bytes : 0;
        return isTaken;
    }
    /// False if `bytes` more would be above the budget even if nobody else had taken any.
    [[nodiscard]] bool couldAdd(std::size_t bytes) const noexcept {
        return bytes <= budget_.size() - bytes_;
    }
    void clear() noexcept {
        budget_.giveBack(bytes_);
        bytes_ = 0;
    }

  private:
    MemoryBudget& budget_;
    std::size_t bytes_ = 0;
};

}  // namespace nnburst::serve
