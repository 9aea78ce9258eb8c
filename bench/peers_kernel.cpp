// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Peers that let the kernel wake the other side: futex, eventfd, Unix socket.

#include <benchmark/benchmark.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>

#include "forked_process.h"
#include "futex_ping_pong.h"
#include "futex_word.h"
#include "measure.h"
#include "nnburst/memory.h"
#include "processors.h"
#include "round_trip.h"
#include "shared_object.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

/// The messages that two eventfds announce.
struct alignas(kLineBytes) MessagePair {
    Message question;
    Message answer;
};

void eventfdPair(benchmark::State& state) {
    const UniqueFd question(::eventfd(0, EFD_CLOEXEC));
    const UniqueFd answer(::eventfd(0, EFD_CLOEXEC));
    if (!question || !answer) {
        state.SkipWithError("eventfd failed");
        return;
    }
    const SharedObject<MessagePair> messages;
    const auto await = [](const UniqueFd& event) {
        eventfd_t count = 0;
        return ::eventfd_read(event.get(), &count) == 0;
    };
    const auto post = [](const UniqueFd& event) { return ::eventfd_write(event.get(), 1) == 0; };
    const ForkedProcess partner(processorPair()->driver, [&] {
        while (await(question)) {
            messages->answer = messages->question;
            if (!post(answer)) {
                return;
            }
        }
    });
    Message message{};
    measureEach(state, [&] {
        messages->question = message;
        if (!post(question) || !await(answer)) {
            return false;
        }
        message = messages->answer;
        return true;
    });
}

void unixSocket(benchmark::State& state) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        state.SkipWithError("socketpair failed");
        return;
    }
    const UniqueFd ours(ends[0]);
    const UniqueFd theirs(ends[1]);
    const auto transfer = [](auto call, int fd, Message& message) {
        return call(fd, message.data(), message.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(message.size());
    };
    const ForkedProcess partner(processorPair()->driver, [&] {
        for (Message message{};
             transfer(::recv, theirs.get(), message) && transfer(::send, theirs.get(), message);) {
        }
    });
    Message message{};
    measureEach(state, [&] {
        return transfer(::send, ours.get(), message) && transfer(::recv, ours.get(), message);
    });
}

}  // namespace

void registerKernelPeers() {
    registerRoundTrip("futex", "raw futex, both sides sleep", [](benchmark::State& state) {
        measureFutexPingPong(state, processorPair()->driver);
    });
    registerRoundTrip("eventfd", "64 bytes in shared memory, announced by eventfd", eventfdPair);
    registerRoundTrip("unixSocket", "64 bytes through a Unix socket", unixSocket);
}

}  // namespace nnburst::bench
