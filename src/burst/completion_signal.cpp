// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/completion_signal.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace nnburst::burst {

namespace {

/// What a hostile driver sends beyond this is left for the next time.
constexpr int kMaximumRings = 64;

bool watch(const UniqueFd& epoll, int fd) noexcept {
    epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
    return ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

}  // namespace

Result<int> CompletionSignal::descriptor(int doorbell) {
    if (!exists()) {
        UniqueFd loss(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
        UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
        if (!loss || !epoll || !watch(epoll, loss.get()) || !watch(epoll, doorbell)) {
            return failure(
                ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                std::string("cannot make the completion descriptor: ") + std::strerror(errno));
        }
        doorbell_ = doorbell;
        loss_ = std::move(loss);
        epoll_ = std::move(epoll);
        // sync [loss-visible]: the caller looks for a loss after this, the other thread for the
        // descriptor after the loss
        visibleLoss_.store(loss_.get(), std::memory_order_seq_cst);
    }
    return epoll_.get();
}

void CompletionSignal::takeRings() noexcept {
    for (int i = 0; i < kMaximumRings && ringsToCome_ != 0 && takeRing(); ++i) {
    }
}

void CompletionSignal::takeAllRings() noexcept {
    for (int i = 0; i < kMaximumRings && takeRing(); ++i) {
    }
}

/// False if no ring has come.
bool CompletionSignal::takeRing() noexcept {
    char ring = 0;
    if (::recv(doorbell_, &ring, 1, MSG_DONTWAIT) < 0) {
        return false;
    }
    ringsToCome_ -= ringsToCome_ != 0 ? 1 : 0;
    return true;
}

void CompletionSignal::connectionLost() noexcept {
    // sync [loss-visible]
    if (const int loss = visibleLoss_.load(std::memory_order_seq_cst); loss >= 0) {
        const std::uint64_t one = 1;
        (void)!::write(loss, &one, sizeof(one));
    }
}

}  // namespace nnburst::burst
