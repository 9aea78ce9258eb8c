// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "metrics_text.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "nnburst/unique_fd.h"

namespace nnburst::top {

namespace {

constexpr timeval kTimeout{.tv_sec = 10, .tv_usec = 0};
/// The answer of a driver with a thousand clients takes less.
constexpr std::size_t kMaximumAnswerBytes = std::size_t{16} << 20;

tl::unexpected<Error> failed(const std::string& address, const std::string& why) {
    return failure(ErrorStatus::DEVICE_UNAVAILABLE,
                   fmt::format("cannot read the metrics of the driver at '{}': {}", address, why));
}

std::optional<std::uint16_t> portOf(const std::string& address) {
    std::uint16_t port = 0;
    const char* const end = address.data() + address.size();
    const auto [last, error] = std::from_chars(address.data(), end, port);
    return error == std::errc() && last == end && port != 0 ? std::optional(port) : std::nullopt;
}

Result<UniqueFd> connectTo(const std::string& address) {
    const auto port = portOf(address);
    UniqueFd socket(::socket(port ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    int connected = -1;
    if (port) {
        sockaddr_in peer{};
        peer.sin_family = AF_INET;
        peer.sin_port = htons(*port);
        peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        connected = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&peer), sizeof(peer));
    } else {
        sockaddr_un peer{};
        peer.sun_family = AF_UNIX;
        if (address.size() >= sizeof(peer.sun_path)) {
            return failed(address, "its path is too long for a socket");
        }
        address.copy(peer.sun_path, sizeof(peer.sun_path) - 1);
        connected = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&peer), sizeof(peer));
    }
    if (connected != 0) {
        return failed(address, std::strerror(errno));
    }
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kTimeout, sizeof(kTimeout));
    return socket;
}

/// name="value" pairs, separated by commas.
std::map<std::string, std::string> parseLabels(std::string_view text) {
    std::map<std::string, std::string> labels;
    while (!text.empty()) {
        const std::size_t equals = text.find("=\"");
        const std::size_t end =
            equals == std::string_view::npos ? equals : text.find('"', equals + 2);
        if (end == std::string_view::npos) {
            break;
        }
        labels.emplace(text.substr(0, equals), text.substr(equals + 2, end - equals - 2));
        text.remove_prefix(std::min(text.size(), end + 2));  // with the comma
    }
    return labels;
}

/// The body of an HTTP answer, which must be the metrics of a driver, and whole.
Result<std::string> bodyOf(std::string_view answer, const std::string& address) {
    constexpr std::string_view kEndOfHead = "\r\n\r\n";
    constexpr std::string_view kLength = "\r\nContent-Length: ";  // as drivers write it
    const std::size_t end = answer.find(kEndOfHead);
    if (!answer.starts_with("HTTP/1.") || end == std::string_view::npos) {
        return failed(address, "it gives no HTTP answer");
    }
    const std::string_view head = answer.substr(0, end);
    const std::string_view body = answer.substr(end + kEndOfHead.size());
    const std::string_view status = head.substr(0, head.find("\r\n"));
    if (status.find(" 200 ") == std::string_view::npos) {
        return failed(address, fmt::format("it answers '{}'", status));
    }
    const std::size_t field = head.find(kLength);
    const bool isOfDriver =
        body.starts_with("nnburst_clients ") || body.find("\nnnburst_clients ") != body.npos;
    if (field == std::string_view::npos || !isOfDriver) {
        return failed(address, "its answer has no metrics of a driver");
    }
    std::size_t bytes = 0;
    std::from_chars(head.data() + field + kLength.size(), head.data() + head.size(), bytes);
    if (body.size() != bytes) {
        return failed(address,
                      fmt::format("its answer has {} bytes instead of {}", body.size(), bytes));
    }
    return std::string(body);
}

}  // namespace

Result<std::string> fetch(const std::string& address) {
    NNBURST_TRY_ASSIGN(const UniqueFd socket, connectTo(address));
    constexpr std::string_view kRequest = "GET /metrics HTTP/1.0\r\n\r\n";
    if (::send(socket.get(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(kRequest.size())) {
        return failed(address, std::strerror(errno));
    }
    std::string answer;
    std::array<char, 16384> buffer{};
    ssize_t count = 0;
    while (answer.size() < kMaximumAnswerBytes &&
           (count = ::recv(socket.get(), buffer.data(), buffer.size(), 0)) > 0) {
        answer.append(buffer.data(), static_cast<std::size_t>(count));
    }
    if (count < 0) {
        return failed(address, std::strerror(errno));
    }
    return bodyOf(answer, address);
}

std::vector<Sample> parse(std::string_view text) {
    std::vector<Sample> samples;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, length);
        text.remove_prefix(std::min(text.size(), length + 1));
        const std::size_t space = line.rfind(' ');
        if (line.empty() || line.front() == '#' || space == std::string_view::npos) {
            continue;
        }
        Sample sample;
        const std::string_view value = line.substr(space + 1);
        if (std::from_chars(value.data(), value.data() + value.size(), sample.value).ec !=
            std::errc()) {
            continue;
        }
        line = line.substr(0, space);
        const std::size_t brace = line.find('{');
        sample.name = line.substr(0, brace);
        if (brace != std::string_view::npos && line.back() == '}') {
            sample.labels = parseLabels(line.substr(brace + 1, line.size() - brace - 2));
        }
        samples.push_back(std::move(sample));
    }
    return samples;
}

}  // namespace nnburst::top
