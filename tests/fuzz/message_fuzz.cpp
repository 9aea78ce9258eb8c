// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Messages of the control plane: a driver in this process gets the opening of a conversation, then
/// anything, and must let go of the client when that has gone. Another client is served meanwhile.
///
///     input: repeated: length (16 bits) | contents of a message of one segment

#include <poll.h>
#include <sys/socket.h>

#include <array>

#include "byte_source.h"
#include "fuzzed_driver.h"
#include "stress/raw_client.h"
#include "stress/raw_messages.h"

namespace nnburst::fuzz {
namespace {

/// The bytes of `input` as messages of one segment each.
std::vector<std::byte> messagesOf(ByteSource input) {
    std::vector<std::byte> bytes = stress::openingMessages();
    const std::size_t opening = bytes.size();
    while (!input.isEmpty() && bytes.size() < opening + (1 << 20)) {
        const auto contents = input.takeBytes(input.take<std::uint16_t>());
        const std::uint32_t words = static_cast<std::uint32_t>((contents.size() + 7) / 8);
        const std::array<std::uint32_t, 2> table{0, words};
        const auto head = std::as_bytes(std::span(table));
        bytes.insert(bytes.end(), head.begin(), head.end());
        bytes.insert(bytes.end(), contents.begin(), contents.end());
        bytes.resize(bytes.size() + (std::size_t{words} * 8 - contents.size()));
    }
    return bytes;
}

/// Sends all, reads whatever comes, and waits until the driver has closed its end.
void converse(const std::string& path, const std::vector<std::byte>& bytes) {
    const UniqueFd socket = stress::connectSocket(path);
    std::array<std::byte, 65536> answers{};
    std::size_t sent = 0;
    while (socket) {
        const bool isWriting = sent < bytes.size();
        pollfd ready{.fd = socket.get(), .events = POLLIN, .revents = 0};
        ready.events = static_cast<short>(POLLIN | (isWriting ? POLLOUT : 0));
        (void)::poll(&ready, 1, -1);  // libFuzzer's time limit finds a driver that hangs
        if ((ready.revents & POLLOUT) != 0 && isWriting) {
            const ssize_t count =
                ::send(socket.get(), bytes.data() + sent, bytes.size() - sent, MSG_DONTWAIT);
            if (count < 0) {
                return;
            }
            sent += static_cast<std::size_t>(count);
            if (sent == bytes.size()) {
                ::shutdown(socket.get(), SHUT_WR);
            }
        }
        if ((ready.revents & (POLLIN | POLLHUP)) != 0 &&
            ::recv(socket.get(), answers.data(), answers.size(), MSG_DONTWAIT) <= 0) {
            return;
        }
    }
}

}  // namespace
}  // namespace nnburst::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace nnburst::fuzz;
    static FuzzedDriver& driver = *new FuzzedDriver;  // its threads never end
    converse(driver.path(), messagesOf({data, size}));
    static unsigned inputs = 0;
    if (++inputs % 16 == 0) {
        driver.expectService();
    }
    return 0;
}
