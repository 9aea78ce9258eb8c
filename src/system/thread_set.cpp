// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/thread_set.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "system/thread.h"

namespace nnburst::system {

Result<> ThreadSet::start(const std::string& name, std::function<void()> body) {
    // Before the thread starts: it must have its place, and neither its end nor takeAll may need
    // memory. endSelf joins those that ended earlier, so that ended_ has one at most.
    running_.reserve(running_.size() + ended_.size() + 1);
    ended_.reserve(1);
    NNBURST_TRY_ASSIGN(std::thread thread, startThread(name, std::move(body)));
    running_.push_back(std::move(thread));
    return {};
}

void ThreadSet::endSelf() noexcept {
    joinEnded();  // here, too, as no other thread may be started for lack of memory
    const auto self = std::find_if(running_.begin(), running_.end(), [](const std::thread& thread) {
        return thread.get_id() == std::this_thread::get_id();
    });
    if (self != running_.end()) {
        ended_.push_back(std::move(*self));
        running_.erase(self);
    }
}

void ThreadSet::joinEnded() noexcept {
    for (std::thread& thread : ended_) {
        thread.join();
    }
    ended_.clear();
}

std::vector<std::thread> ThreadSet::takeAll() noexcept {
    std::vector<std::thread> all = std::exchange(running_, {});
    std::move(ended_.begin(), ended_.end(), std::back_inserter(all));
    ended_.clear();
    return all;
}

}  // namespace nnburst::system
