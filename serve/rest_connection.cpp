// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "rest_connection.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "rest_messages.h"

namespace nnburst::serve {
namespace {

/// So long a client may take for a head, a body or an answer, and longer by its bytes at the
/// minimum rate.
constexpr std::chrono::seconds kTransferTime{10};
constexpr double kMinimumRate = 64.0 * 1024;  // bytes per second
constexpr std::size_t kMaximumHeadBytes = std::size_t{16} << 10U;
constexpr std::size_t kReadBytes = std::size_t{16} << 10U;
constexpr std::size_t kWriteBytes = std::size_t{1} << 20U;
constexpr std::string_view kHeadEnd = "\r\n\r\n";

SSL* makeTls(SSL_CTX* context, int socket) {
    SSL* tls = context != nullptr ? SSL_new(context) : nullptr;
    if (tls != nullptr) {
        SSL_set_mode(tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
        SSL_set_fd(tls, socket);
    }
    return tls;
}

}  // namespace

RestConnection::RestConnection(UniqueFd socket, SSL_CTX* tls, std::size_t maximumBytes,
                               MemoryBudget& budget)
    : socket_(std::move(socket)),
      needsTls_(tls != nullptr),
      tls_(makeTls(tls, socket_.get())),
      maximumBytes_(maximumBytes),
      memory_(budget) {}

bool RestConnection::accept() {
    beginTransfer(kTransferTime);
    if (!needsTls_) {
        return true;
    }
    return tls_ != nullptr && transfer(POLLIN, [this] { return SSL_accept(tls_.get()); }) > 0;
}

bool RestConnection::readHead() {
    memory_.clear();
    head_ = {};
    headRead_ = 0;
    requestBytes_ = 0;
    buffer_.erase(0, std::exchange(bufferRead_, 0));
    beginTransfer(kIdleTime);
    if (buffer_.empty() && !fill()) {
        return false;
    }
    isRequestRead_ = false;
    beginTransfer(kTransferTime);
    std::size_t end = buffer_.find(kHeadEnd);
    while (end == std::string::npos && buffer_.size() < kMaximumHeadBytes) {
        const std::size_t searched = buffer_.size() - std::min(buffer_.size(), kHeadEnd.size());
        if (!fill()) {
            return false;
        }
        end = buffer_.find(kHeadEnd, searched);
    }
    if (end >= kMaximumHeadBytes) {
        constexpr int kFieldsTooLarge = 431;
        return refuseHead(kFieldsTooLarge, "request: its head must have at most 16 KiB");
    }
    bufferRead_ = end + kHeadEnd.size();
    Outcome<RestHead> head = checkHead(std::string_view(buffer_).substr(0, bufferRead_));
    if (!head) {
        return refuseHead(httpStatus(head.error().code), head.error().message);
    }
    head_ = std::move(*head);
    if (head_.hasBody) {
        beginTransfer(kTransferTime);
    } else {
        finishRequest();
    }
    return true;
}

void RestConnection::finishRequest() noexcept {
    isRequestRead_ = !head_.isChunked;
    transferStart_ = 0;
}

bool RestConnection::hasClientGone() const noexcept {
    pollfd polled{.fd = socket_.get(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&polled, 1, 0) > 0;
}

bool RestConnection::refuseHead(int status, std::string_view message) {
    const std::string body = toText({{"error", message}});
    const std::string text = fmt::format(
        "HTTP/1.1 {} \r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
        "Connection: close\r\n\r\n{}",
        status, body.size(), body);
    beginTransfer(kTransferTime);
    for (std::size_t sent = 0; sent < text.size();) {
        const ssize_t more = write(text.data() + sent, text.size() - sent);
        if (more < 0) {
            break;
        }
        sent += static_cast<std::size_t>(more);
    }
    return false;
}

void RestConnection::close() {
    if (tls_ != nullptr && SSL_is_init_finished(tls_.get()) == 1) {
        ERR_clear_error();
        (void)SSL_shutdown(tls_.get());
    }
    if (isRequestRead_) {
        return;
    }
    // Closing a socket with bytes that were not read may delete the answer on its way.
    (void)::shutdown(socket_.get(), SHUT_WR);
    const Clock::time_point end = Clock::now() + kIdleTime;
    beginTransfer(kIdleTime);
    std::array<char, kReadBytes> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    while (Clock::now() < end && waitFor(POLLIN) &&
           ::recv(socket_.get(), bytes.data(), bytes.size(), 0) > 0) {
    }
}

std::optional<double> RestConnection::rate(Clock::duration age) const noexcept {
    const Clock::time_point start{Clock::duration(transferStart_.load())};
    const Clock::duration time = Clock::now() - start;
    if (start == Clock::time_point() || time < age) {
        return std::nullopt;
    }
    return static_cast<double>(transferBytes_.load()) / std::chrono::duration<double>(time).count();
}

ssize_t RestConnection::read(char* bytes, std::size_t size) {
    const auto take = [&](const std::string& source, std::size_t& position) {
        const std::size_t count = std::min(size, source.size() - position);
        std::memcpy(bytes, source.data() + position, count);
        position += count;
        return static_cast<ssize_t>(count);
    };
    if (headRead_ < head_.text.size()) {
        return take(head_.text, headRead_);
    }
    if (bufferRead_ == buffer_.size()) {
        buffer_.clear();
        bufferRead_ = 0;
        if (!head_.hasBody || !fill()) {
            return -1;
        }
    }
    return take(buffer_, bufferRead_);
}

ssize_t RestConnection::write(const char* bytes, std::size_t size) {
    if (transferStart_.load() == 0) {
        beginTransfer(kTransferTime);
    }
    size = std::min(size, kWriteBytes);
    return transfer(POLLOUT, [&] {
        return tls_ != nullptr ? SSL_write(tls_.get(), bytes, static_cast<int>(size))
                               : ::send(socket_.get(), bytes, size, MSG_NOSIGNAL);
    });
}

bool RestConnection::fill() {
    const std::size_t before = buffer_.size();
    buffer_.resize(before + kReadBytes);
    const ssize_t count = transfer(POLLIN, [&] {
        return tls_ != nullptr
                   ? SSL_read(tls_.get(), buffer_.data() + before, static_cast<int>(kReadBytes))
                   : ::recv(socket_.get(), buffer_.data() + before, kReadBytes, 0);
    });
    const std::size_t received = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    buffer_.resize(before + received);
    // Sizes of chunks, which cpp-httplib keeps until their lines end, count as bytes of the body.
    requestBytes_ += received;
    if (received == 0 || requestBytes_ > kMaximumHeadBytes + kReadBytes + 2 * maximumBytes_) {
        return false;
    }
    // The text of a body that grows takes up to twice its bytes. Heads are short.
    isOverBudget_ = head_.hasBody && !memory_.add(2 * received);
    return !isOverBudget_;
}

void RestConnection::beginTransfer(Clock::duration patience) noexcept {
    patience_ = patience;
    transferBytes_ = 0;
    transferStart_ = Clock::now().time_since_epoch().count();
}

RestConnection::Clock::duration RestConnection::timeLeft() const noexcept {
    const Clock::time_point start{Clock::duration(transferStart_.load())};
    const std::chrono::duration<double> extra(static_cast<double>(transferBytes_.load()) /
                                              kMinimumRate);
    return start + patience_ + std::chrono::duration_cast<Clock::duration>(extra) - Clock::now();
}

bool RestConnection::waitFor(short events) const noexcept {
    pollfd waited{.fd = socket_.get(), .events = events, .revents = 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(timeLeft()).count();
    return left > 0 && ::poll(&waited, 1, static_cast<int>(left)) > 0;
}

short RestConnection::eventsAfter(ssize_t result, short events) const noexcept {
    if (tls_ == nullptr) {
        const bool isBusy = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        return result < 0 && isBusy ? events : short{0};
    }
    switch (SSL_get_error(tls_.get(), static_cast<int>(result))) {
        case SSL_ERROR_WANT_READ:
            return POLLIN;
        case SSL_ERROR_WANT_WRITE:
            return POLLOUT;
        default:
            return 0;
    }
}

template <class Attempt>
ssize_t RestConnection::transfer(short events, const Attempt& attempt) {
    while (timeLeft() > Clock::duration::zero()) {
        ERR_clear_error();
        const ssize_t result = attempt();
        if (result > 0) {
            transferBytes_ += static_cast<std::uint64_t>(result);
            return result;
        }
        const short wanted = eventsAfter(result, events);
        if (wanted == 0 || !waitFor(wanted)) {
            break;
        }
    }
    return -1;
}

}  // namespace nnburst::serve
