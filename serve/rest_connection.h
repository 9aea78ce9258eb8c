// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A connection of REST, as cpp-httplib reads and writes it. It decides what a client may cost
/// before cpp-httplib is asked: the length of a head, the bytes of a request, the time in which
/// they come and in which the answer is taken.

#include <httplib.h>
#include <openssl/ssl.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "memory_budget.h"
#include "nnburst/unique_fd.h"
#include "rest_head.h"

namespace nnburst::serve {

class RestConnection final : public httplib::Stream {
  public:
    using Clock = std::chrono::steady_clock;

    /// An idle connection is closed after this time, so that it does not hold a thread.
    static constexpr std::chrono::seconds kIdleTime{2};

    /// `socket` does not block. `tls` may be null: no TLS. `maximumBytes` of bodies; a body takes
    /// memory from `budget`, which outlives the connection.
    RestConnection(UniqueFd socket, SSL_CTX* tls, std::size_t maximumBytes, MemoryBudget& budget);
    RestConnection(const RestConnection&) = delete;
    RestConnection& operator=(const RestConnection&) = delete;
    ~RestConnection() override = default;

    /// TLS's handshake; true without TLS.
    [[nodiscard]] bool accept();
    /// Waits for the next request and reads its head. False if the connection is to be closed:
    /// there is no request, or it was refused.
    [[nodiscard]] bool readHead();
    /// The whole request was read, and the answer is being made.
    void finishRequest() noexcept;
    /// What follows on the connection is the next request. Else the connection must be closed: what
    /// follows may be the rest of this request's body. So it is after chunks, whose ends
    /// cpp-httplib does not check.
    [[nodiscard]] bool isRequestRead() const noexcept { return isRequestRead_; }
    /// The body was not read further because all clients together have too many.
    [[nodiscard]] bool isOverBudget() const noexcept { return isOverBudget_; }
    /// The client has closed the connection, or its half of it.
    [[nodiscard]] bool hasClientGone() const noexcept;
    /// The memory of the request and its response.
    [[nodiscard]] MemoryCharge& memory() noexcept { return memory_; }
    /// Ends the connection so that the client gets the answer, also to a request that was not read.
    void close();

    /// Ends all waits for the client, now and later. Thread-safe.
    void abort() const noexcept { (void)::shutdown(socket_.get(), SHUT_RDWR); }
    /// Bytes per second since the wait for the client began; nothing if it does not wait for the
    /// client, or not for `age` yet. Thread-safe.
    [[nodiscard]] std::optional<double> rate(Clock::duration age) const noexcept;

    bool is_readable() const override { return true; }
    bool is_writable() const override { return true; }
    ssize_t read(char* bytes, std::size_t size) override;
    ssize_t write(const char* bytes, std::size_t size) override;
    void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
    void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
    socket_t socket() const override { return socket_.get(); }

  private:
    struct FreeTls {
        void operator()(SSL* tls) const noexcept { SSL_free(tls); }
    };

    /// Begins to count the bytes and the time of a transfer; without bytes it may take `patience`.
    void beginTransfer(Clock::duration patience) noexcept;
    /// Calls `attempt`, of recv(2) or its like, until it transfers bytes. -1 if it cannot in time.
    template <class Attempt>
    ssize_t transfer(short events, const Attempt& attempt);
    /// What poll(2) is to wait for after an attempt that gave `result`; 0: the connection is lost.
    [[nodiscard]] short eventsAfter(ssize_t result, short events) const noexcept;
    [[nodiscard]] Clock::duration timeLeft() const noexcept;
    [[nodiscard]] bool waitFor(short events) const noexcept;
    /// Receives some bytes of the request.
    [[nodiscard]] bool fill();
    /// Answers with an error, as cpp-httplib does not know of the request. Gives false.
    bool refuseHead(int status, std::string_view message);

    const UniqueFd socket_;
    const bool needsTls_;
    const std::unique_ptr<SSL, FreeTls> tls_;
    const std::size_t maximumBytes_;
    MemoryCharge memory_;
    RestHead head_;
    std::size_t headRead_ = 0;    ///< bytes of head_.text that cpp-httplib has read
    std::string buffer_;          ///< received
    std::size_t bufferRead_ = 0;  ///< bytes of buffer_ that were read
    std::size_t requestBytes_ = 0;
    Clock::duration patience_{};
    bool isRequestRead_ = true;
    bool isOverBudget_ = false;
    std::atomic<Clock::rep> transferStart_ = 0;  ///< 0: no transfer
    std::atomic<std::uint64_t> transferBytes_ = 0;
};

}  // namespace nnburst::serve
