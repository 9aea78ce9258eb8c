// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <charconv>
#include <string_view>

namespace nnburst::serve {

bool Address::isLocal() const {
    constexpr std::uint32_t kLoopbackNet = 127;
    if (isUnix() || host == "localhost") {
        return true;
    }
    in_addr ipv4{};
    if (::inet_pton(AF_INET, host.c_str(), &ipv4) == 1) {
        return ntohl(ipv4.s_addr) >> 24U == kLoopbackNet;
    }
    in6_addr ipv6{};
    return ::inet_pton(AF_INET6, host.c_str(), &ipv6) == 1 && IN6_IS_ADDR_LOOPBACK(&ipv6);
}

std::string Address::text() const {
    if (isUnix()) {
        return "unix:" + path;
    }
    return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                               : fmt::format("[{}]:{}", host, port);
}

Outcome<Address> parseAddress(const std::string& text) {
    constexpr std::string_view kUnix = "unix:";
    if (text.starts_with(kUnix) && text.size() > kUnix.size()) {
        return Address{.path = text.substr(kUnix.size())};
    }
    const std::size_t colon = text.rfind(':');
    Address address;
    if (colon != std::string::npos) {
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, address.port);
        address.host = text.substr(0, colon);
        if (address.host.size() > 2 && address.host.front() == '[' && address.host.back() == ']') {
            address.host = address.host.substr(1, address.host.size() - 2);
        } else if (address.host.find(':') != std::string::npos) {
            address.host.clear();  // an IPv6 address without brackets
        }
        if (error == std::errc() && stop == end && colon + 1 < text.size() &&
            !address.host.empty()) {
            return address;
        }
    }
    return refuse(Code::INVALID_ARGUMENT,
                  "address '{}': must be HOST:PORT, [IPV6]:PORT or unix:PATH", text);
}

}  // namespace nnburst::serve
