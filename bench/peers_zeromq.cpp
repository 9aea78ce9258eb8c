// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// ZeroMQ over ipc://: its request and reply sockets, on a Unix socket.

#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <unistd.h>
#include <zmq.h>

#include <memory>
#include <string>

#include "fail.h"
#include "forked_process.h"
#include "measure.h"
#include "peers_packaged.h"
#include "processors.h"
#include "round_trip.h"

namespace nnburst::bench {
namespace {

/// A socket with a context of its own, because a context does not outlive a fork.
class ZeroMqSocket {
  public:
    explicit ZeroMqSocket(int type)
        : context_(::zmq_ctx_new()), socket_(::zmq_socket(context_.get(), type)) {
        if (!socket_) {
            failWith("zmq_socket");
        }
        const int linger = 0;  // closing drops unsent messages
        ::zmq_setsockopt(socket_.get(), ZMQ_LINGER, &linger, sizeof(linger));
        const int timeoutMs = 5000;
        ::zmq_setsockopt(socket_.get(), ZMQ_RCVTIMEO, &timeoutMs, sizeof(timeoutMs));
    }

    void bind(const std::string& address) {
        if (::zmq_bind(socket_.get(), address.c_str()) != 0) {
            failWith("zmq_bind to " + address);
        }
    }
    void connect(const std::string& address) {
        if (::zmq_connect(socket_.get(), address.c_str()) != 0) {
            failWith("zmq_connect to " + address);
        }
    }

    [[nodiscard]] bool send(const Message& message) {
        return ::zmq_send(socket_.get(), message.data(), message.size(), 0) ==
               static_cast<int>(message.size());
    }
    /// False after five seconds without a message.
    [[nodiscard]] bool receive(Message& message) {
        return ::zmq_recv(socket_.get(), message.data(), message.size(), 0) ==
               static_cast<int>(message.size());
    }

  private:
    struct EndContext {
        void operator()(void* context) const noexcept { ::zmq_ctx_term(context); }
    };
    struct Close {
        void operator()(void* socket) const noexcept { ::zmq_close(socket); }
    };

    [[noreturn]] static void failWith(const std::string& what) {
        fail(what + ": " + ::zmq_strerror(::zmq_errno()));
    }

    std::unique_ptr<void, EndContext> context_;
    std::unique_ptr<void, Close> socket_;
};

void zeroMq(benchmark::State& state) {
    static int round = 0;
    const std::string address = fmt::format("ipc://@nnburst-bench-{}-{}", ::getpid(), round++);
    const ForkedProcess partner(processorPair()->driver, [&] {
        ZeroMqSocket socket(ZMQ_REP);
        socket.bind(address);
        for (Message message{}; socket.receive(message) && socket.send(message);) {
        }
    });
    ZeroMqSocket socket(ZMQ_REQ);
    socket.connect(address);
    Message message{};
    measureEach(state, [&] { return socket.send(message) && socket.receive(message); });
}

}  // namespace

void registerZeroMqPeer() {
    registerRoundTrip("zeroMq", "64 bytes through ZeroMQ, ipc://", zeroMq);
}

}  // namespace nnburst::bench
