// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// A client that reads no answers, beside the driver's end of its connection.

#include <capnp/rpc.capnp.h>
#include <capnp/serialize.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/driver/client_connection.h"
#include "device/rpc/rpc_limits.h"
#include "stress/raw_messages.h"

namespace nnburst::device {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::size_t kAnswerBytes = kMiB;
constexpr std::uint64_t kMessageLimit = 8 * kMiB;
constexpr std::uint32_t kCalls = 40;

/// Answers all calls to `open` at once, each with a long text.
class LongAnswers final : public rpc::Driver::Server {
  public:
    explicit LongAnswers(EventLoop& loop) : loop_(loop) {}

  protected:
    kj::Promise<void> open(OpenContext context) override {
        return loop_.timer().afterDelay(1 * kj::SECONDS).then([context]() mutable {
            context.getResults().initStatus().setMessage(std::string(kAnswerBytes, 'x'));
        });
    }
    kj::Promise<void> ping(PingContext /*context*/) override { return kj::READY_NOW; }

  private:
    EventLoop& loop_;
};

/// The driver's end of a connection, and the client's socket.
class DriverEnd {
  public:
    DriverEnd() {
        int ends[2] = {-1, -1};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
        client_ = UniqueFd(ends[0]);
        auto stream = loop_.io().lowLevelProvider->wrapUnixSocketFd(kj::AutoCloseFd(ends[1]));
        auto peer = PeerDescriptors::create(loop_, *stream, account_);
        EXPECT_TRUE(peer) << peer.error().message;
        connection_ = std::make_unique<ClientConnection>(
            *peer, kj::mv(stream), kj::heap<LongAnswers>(loop_), readerOptions());
    }

    void runFor(kj::Duration time) { loop_.run(loop_.timer().afterDelay(time)); }

    void send(const std::vector<std::byte>& bytes) {
        EXPECT_EQ(::send(client_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    }

    [[nodiscard]] std::uint64_t chargedBytes() const {
        return account_->usage(Resource::MESSAGES).used;
    }

    [[nodiscard]] int client() const noexcept { return client_.get(); }

  private:
    static Amounts limits() {
        Amounts limits;
        for (std::size_t resource = 0; resource < kResourceCount; ++resource) {
            limits[static_cast<Resource>(resource)] = 1000;
        }
        limits[Resource::MESSAGES] = kMessageLimit;
        limits[Resource::MEMORY] = kMessageLimit;
        return limits;
    }

    EventLoop loop_;
    const SharedAccount account_ = Account::create("client", limits());
    UniqueFd client_;
    std::unique_ptr<ClientConnection> connection_;
};

/// The answers in `bytes`: how many have results, and how many an exception for want of room.
std::pair<std::size_t, std::size_t> countAnswers(std::vector<std::byte> bytes) {
    std::vector<capnp::word> words(bytes.size() / sizeof(capnp::word));
    std::memcpy(words.data(), bytes.data(), words.size() * sizeof(capnp::word));
    kj::ArrayPtr<const capnp::word> rest(words.data(), words.size());
    std::pair<std::size_t, std::size_t> count;
    while (rest.size() > 0) {
        capnp::FlatArrayMessageReader message(rest);
        const auto root = message.getRoot<capnp::rpc::Message>();
        EXPECT_TRUE(root.isReturn());
        count.first += root.getReturn().isResults() ? 1 : 0;
        count.second +=
            root.getReturn().isException() && root.getReturn().getException().getType() ==
                                                  capnp::rpc::Exception::Type::OVERLOADED
                ? 1
                : 0;
        rest = kj::arrayPtr(message.getEnd(), rest.end());
    }
    return count;
}

TEST(UnreadAnswers, areChargedUntilTheyAreWritten) {
    DriverEnd driver;
    driver.send(stress::openingMessages());
    driver.runFor(10 * kj::MILLISECONDS);
    for (std::uint32_t call = 0; call < kCalls; ++call) {
        driver.send(stress::openingCall(2 + call));
    }
    driver.runFor(2 * kj::SECONDS);
    EXPECT_LE(driver.chargedBytes(), kMessageLimit);
    EXPECT_GT(driver.chargedBytes(), kMessageLimit / 2);

    std::vector<std::byte> answers;
    std::vector<std::byte> chunk(kMiB);
    for (int quiet = 0; quiet < 500;) {
        const ssize_t read = ::recv(driver.client(), chunk.data(), chunk.size(), 0);
        if (read > 0) {
            answers.insert(answers.end(), chunk.begin(), chunk.begin() + read);
            quiet = 0;
        } else {
            driver.runFor(2 * kj::MILLISECONDS);
            ++quiet;
        }
    }
    const auto [results, refused] = countAnswers(std::move(answers));
    EXPECT_EQ(results + refused, 2 + kCalls);  // also those of the opening
    EXPECT_GT(refused, 0U);
    EXPECT_GT(results, 4U);
    EXPECT_LT(driver.chargedBytes(), kMiB);
}

}  // namespace
}  // namespace nnburst::device
