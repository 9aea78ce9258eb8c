// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Threads that sleep on an event word of a channel, as those of a hostile client.

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "fmq/event_flag.h"
#include "support/eventually.h"

namespace nnburst::test {

/// Threads that sleep on an event word, as a hostile process may have many. They are woken when
/// this is destroyed.
class SleepingThreads {
  public:
    SleepingThreads(fmq::EventWord& word, std::size_t count) : word_(word), ids_(count) {
        for (std::atomic<pid_t>& id : ids_) {
            threads_.emplace_back([this, &id] { sleep(id); });
        }
    }
    ~SleepingThreads() {
        while (woken_ != threads_.size()) {
            fmq::EventFlag flag(word_);
            (void)flag.announceSleeper();
            flag.wakeSleepers();
            std::this_thread::yield();
        }
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }
    SleepingThreads(const SleepingThreads&) = delete;
    SleepingThreads& operator=(const SleepingThreads&) = delete;

    /// Waits until all of them sleep.
    [[nodiscard]] bool fallAsleep() const {
        return eventually([this] {
            for (const std::atomic<pid_t>& id : ids_) {
                if (id == 0 || !isAsleep(id)) {
                    return false;
                }
            }
            return true;
        });
    }
    [[nodiscard]] std::size_t woken() const noexcept { return woken_; }

  private:
    void sleep(std::atomic<pid_t>& id) {
        fmq::EventFlag flag(word_, std::chrono::hours(1));
        const fmq::EventFlag::Announcement announcement = flag.announceSleeper();
        id = ::gettid();  // from here on it sleeps only there
        (void)flag.sleep(announcement, std::chrono::steady_clock::now() + std::chrono::hours(1));
        ++woken_;
    }
    [[nodiscard]] static bool isAsleep(pid_t thread) {
        std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
        const std::string stat(std::istreambuf_iterator<char>(file), {});
        return stat.find(") S ") != std::string::npos;
    }

    fmq::EventWord& word_;
    std::vector<std::atomic<pid_t>> ids_;
    std::atomic<std::size_t> woken_{0};
    std::vector<std::thread> threads_;
};

}  // namespace nnburst::test
