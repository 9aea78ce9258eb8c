// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "log/nonblocking_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <sstream>
#include <string>

namespace nnburst {
namespace {

/// Two ends of a pipe or of a pair of sockets: [0] is read, [1] is written.
class Ends {
  public:
    explicit Ends(bool areSockets) {
        EXPECT_EQ(areSockets ? ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data())
                             : ::pipe2(ends_.data(), O_CLOEXEC),
                  0);
    }
    ~Ends() {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    Ends(const Ends&) = delete;
    Ends& operator=(const Ends&) = delete;

    [[nodiscard]] int written() const { return ends_[1]; }

    /// All that can be read now.
    [[nodiscard]] std::string read() const {
        const int flags = ::fcntl(ends_[0], F_GETFL);
        EXPECT_EQ(::fcntl(ends_[0], F_SETFL, flags | O_NONBLOCK), 0);
        std::string text;
        std::array<char, 65536> buffer{};
        ssize_t count = 0;
        while ((count = ::read(ends_[0], buffer.data(), buffer.size())) > 0) {
            text.append(buffer.data(), static_cast<std::size_t>(count));
        }
        return text;
    }

  private:
    std::array<int, 2> ends_{-1, -1};
};

class NonblockingOutputTest : public testing::TestWithParam<bool> {};

TEST_P(NonblockingOutputTest, writesLinesThatTheReaderHasRoomFor) {
    const Ends ends(GetParam());
    const auto output = NonblockingOutput::create(ends.written());
    ASSERT_NE(output, nullptr);
    output->write("one\n");
    output->write("two\n");
    EXPECT_EQ(ends.read(), "one\ntwo\n");
}

TEST_P(NonblockingOutputTest, dropsLinesForWhichThereIsNoRoomAndSaysHowMany) {
    const Ends ends(GetParam());
    const auto output = NonblockingOutput::create(ends.written());
    ASSERT_NE(output, nullptr);
    const std::string text = std::string(999, 'x') + "\n";
    constexpr std::size_t kLines = 10'000;  // more than any pipe or socket holds
    for (std::size_t i = 0; i < kLines; ++i) {
        output->write(text);
    }
    std::istringstream before(ends.read());
    output->write("after\n");
    std::istringstream after(ends.read());
    std::size_t written = 0;
    std::size_t dropped = 0;
    std::string last;
    for (std::istringstream* lines : {&before, &after}) {
        for (std::string line; std::getline(*lines, line); last = line) {
            // A note is short: there may have been room for one before.
            written += line.starts_with('x') ? 1 : 0;
            dropped += line.ends_with("were dropped: the reader of the log left no room")
                           ? std::stoul(line)
                           : 0;
        }
    }
    EXPECT_GT(written, 0U);
    EXPECT_GT(dropped, 0U);
    EXPECT_EQ(written + dropped, kLines);
    EXPECT_EQ(last, "after");
}

TEST_P(NonblockingOutputTest, cutsALineThatIsTooLong) {
    const Ends ends(GetParam());
    const auto output = NonblockingOutput::create(ends.written());
    ASSERT_NE(output, nullptr);
    output->write(std::string(2 * NonblockingOutput::kLongestLine, 'x') + "\n");
    const std::string text = ends.read();
    EXPECT_EQ(text.size(), NonblockingOutput::kLongestLine);
    EXPECT_EQ(text.back(), '\n');
}

TEST_P(NonblockingOutputTest, leavesTheFlagsOfTheDescriptorAsTheyAre) {
    const Ends ends(GetParam());
    const auto output = NonblockingOutput::create(ends.written());
    output->write("one\n");
    EXPECT_EQ(::fcntl(ends.written(), F_GETFL) & O_NONBLOCK, 0);
}

INSTANTIATE_TEST_SUITE_P(Log, NonblockingOutputTest, testing::Bool(),
                         [](const auto& instance) { return instance.param ? "sockets" : "pipe"; });

TEST(NonblockingOutput, isNotForFiles) {
    const int file = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(NonblockingOutput::create(file), nullptr);
    ::close(file);
}

}  // namespace
}  // namespace nnburst
