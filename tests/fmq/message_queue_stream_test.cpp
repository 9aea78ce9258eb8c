// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Long streams of messages of random sizes: the same body between two threads (which a thread
/// sanitizer can follow) and between two processes. NNBURST_QUEUE_MESSAGES sets the number of
/// messages.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "fmq/message_queue.h"
#include "nnburst/memory.h"

namespace nnburst::fmq {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kCapacity = 256;
constexpr std::size_t kLargestMessage = 16;
constexpr std::uint64_t kReadersOffset = 0;
constexpr std::uint64_t kEventOffset = 64;
constexpr std::uint64_t kQueueOffset = 192;
/// Spins briefly, so that waits both spin and sleep.
constexpr WaitPolicy kPolicy{.spinWindow = 20us};

struct Element {
    std::uint64_t index;                  ///< in the stream
    std::uint64_t following;              ///< elements of the same message after this one
    std::array<std::uint64_t, 5> copies;  ///< of both, mixed: a torn element shows
};

Element elementOf(std::uint64_t index, std::uint64_t following) {
    Element element{.index = index, .following = following, .copies = {}};
    for (std::uint64_t i = 0; i < element.copies.size(); ++i) {
        element.copies[i] = (index + following + i) * 0x9E3779B97F4A7C15;
    }
    return element;
}

bool isWhole(const Element& element) {
    return element.copies == elementOf(element.index, element.following).copies;
}

std::uint64_t messageCount(std::uint64_t otherwise) {
    const char* given = std::getenv("NNBURST_QUEUE_MESSAGES");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : otherwise;
}

template <QueueFlavor Flavor>
struct Stream {
    using Queue = MessageQueue<Element, Flavor>;

    Stream() {
        mapping =
            std::move(*Mapping::map(*Region::create(kQueueOffset + Queue::sizeBytes(kCapacity))));
        descriptor = *Queue::create(mapping.bytes(), kQueueOffset, kCapacity, kEventOffset,
                                    Flavor == QueueFlavor::SYNCHRONIZED ? kEventOffset : 0);
    }

    /// How many readers have read an element, of an unsynchronized stream.
    [[nodiscard]] std::atomic<std::uint32_t>& readers() const {
        return *reinterpret_cast<std::atomic<std::uint32_t>*>(mapping.bytes().data() +
                                                              kReadersOffset);
    }

    /// Writes `messages` messages of 1 to kLargestMessage elements, more if fewer than `wanted`
    /// readers have read any by then (those that do not run miss all), then one element with index
    /// UINT64_MAX.
    void write(std::uint64_t messages, std::uint32_t wanted = 0) {
        const auto latest = std::chrono::steady_clock::now() + 60s;
        auto writer = *Queue::Writer::attach(mapping.bytes(), descriptor);
        std::mt19937 random(1);
        std::uint64_t index = 0;
        std::vector<Element> message;
        for (std::uint64_t i = 0;
             i < messages || (readers() < wanted && std::chrono::steady_clock::now() < latest);
             ++i) {
            message.resize(1 + random() % kLargestMessage);
            for (std::size_t element = 0; element < message.size(); ++element) {
                message[element] = elementOf(index++, message.size() - 1 - element);
            }
            put(writer, message);
            if (testing::Test::HasFatalFailure()) {
                return;
            }
        }
        const std::vector<Element> end(1, elementOf(UINT64_MAX, 0));
        put(writer, end);
    }

    void put(typename Queue::Writer& writer, std::span<const Element> message) {
        if constexpr (Flavor == QueueFlavor::SYNCHRONIZED) {
            // One in 16 messages goes without waiting if it can.
            if (message.size() != 1 || !writer.tryWrite(message)) {
                ASSERT_TRUE(writer.write(message, kPolicy, std::chrono::steady_clock::now() + 20s))
                    << "the reader has stopped reading";
            }
        } else {
            ASSERT_TRUE(writer.tryWrite(message));
        }
    }

    Mapping mapping;
    QueueDescriptor descriptor{};
};

/// Reads a whole synchronized stream, sometimes by message, sometimes in portions of random sizes
/// that know nothing of messages; gives what was wrong, if anything.
std::string readAll(Stream<QueueFlavor::SYNCHRONIZED>& stream) {
    using Queue = MessageQueue<Element, QueueFlavor::SYNCHRONIZED>;
    auto reader = *Queue::Reader::attach(stream.mapping.bytes(), stream.descriptor);
    std::mt19937 random(2);
    std::uint64_t expected = 0;
    bool isAtStartOfMessage = true;
    std::vector<Element> portion;
    while (true) {
        Element first{};
        const bool byMessage = isAtStartOfMessage && random() % 2 == 0 && reader.peek(0, first);
        portion.resize(
            byMessage ? first.following + 1
                      : std::clamp<std::uint64_t>(reader.availableToRead(), 1, 1 + random() % 32));
        if (byMessage && !reader.tryRead(portion)) {
            return "a message of which only the first element can be seen, after " +
                   std::to_string(expected);
        }
        if (!byMessage && !reader.read(portion, kPolicy, std::chrono::steady_clock::now() + 20s)) {
            return "no element after " + std::to_string(expected);
        }
        for (const Element& element : portion) {
            if (!isWhole(element)) {
                return "torn element after " + std::to_string(expected);
            }
            if (element.index == UINT64_MAX) {
                return "";
            }
            if (element.index != expected++) {
                return "element " + std::to_string(element.index) + " instead of " +
                       std::to_string(expected - 1);
            }
            isAtStartOfMessage = element.following == 0;
        }
    }
}

/// Reads an unsynchronized stream: elements are whole and contiguous between overruns, which are
/// told.
std::string readAll(Stream<QueueFlavor::UNSYNCHRONIZED>& stream) {
    using Queue = MessageQueue<Element, QueueFlavor::UNSYNCHRONIZED>;
    auto reader = *Queue::Reader::attach(stream.mapping.bytes(), stream.descriptor);
    std::uint64_t read = 0;
    std::uint64_t expected = 0;
    bool isJoining = true;
    std::vector<Element> portion(1);
    while (true) {
        switch (reader.read(portion, kPolicy,
                            std::chrono::steady_clock::now() + (read > 0 ? 1s : 20s))) {
            case ReadStatus::OVERRUN:
                isJoining = true;
                continue;
            case ReadStatus::EMPTY:
                // The end may have been lost in an overrun.
                return read > 0 ? "" : "nothing was read";
            case ReadStatus::READ:
                break;
        }
        if (!isWhole(portion[0])) {
            return "torn element after " + std::to_string(expected);
        }
        if (portion[0].index == UINT64_MAX) {
            return "";
        }
        if (!isJoining && portion[0].index != expected) {
            return "element " + std::to_string(portion[0].index) + " instead of " +
                   std::to_string(expected) + " without an overrun";
        }
        if (isJoining && portion[0].index < expected) {
            return "element " + std::to_string(portion[0].index) + " after " +
                   std::to_string(expected);
        }
        isJoining = false;
        expected = portion[0].index + 1;
        if (read++ == 0) {
            ++stream.readers();
        }
    }
}

TEST(MessageQueueStream, losesAndTearsNothingBetweenThreads) {
    Stream<QueueFlavor::SYNCHRONIZED> stream;
    std::string wrong;
    std::thread reader([&] { wrong = readAll(stream); });
    stream.write(messageCount(300'000));
    reader.join();
    EXPECT_EQ(wrong, "");
}

TEST(MessageQueueStream, tearsNothingAndTellsOfOverrunsBetweenThreads) {
    Stream<QueueFlavor::UNSYNCHRONIZED> stream;
    std::array<std::string, 2> wrong;
    std::thread first([&] { wrong[0] = readAll(stream); });
    std::thread second([&] { wrong[1] = readAll(stream); });
    stream.write(messageCount(300'000), 2);
    first.join();
    second.join();
    EXPECT_EQ(wrong[0], "");
    EXPECT_EQ(wrong[1], "");
}

#if !defined(__SANITIZE_THREAD__)  // it does not follow forked children

/// Runs `body` in a child process; its exit status is 0 if `body` gives an empty string.
template <class Body>
pid_t inChild(Body body) {
    const pid_t child = ::fork();
    if (child == 0) {
        const std::string wrong = body();
        if (!wrong.empty()) {
            std::fprintf(stderr, "reader: %s\n", wrong.c_str());
        }
        ::_exit(wrong.empty() ? 0 : 1);
    }
    return child;
}

int exitStatus(pid_t child) {
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(MessageQueueStream, losesAndTearsNothingBetweenProcesses) {
    Stream<QueueFlavor::SYNCHRONIZED> stream;
    const pid_t reader = inChild([&] { return readAll(stream); });
    stream.write(messageCount(10'000'000));
    EXPECT_EQ(exitStatus(reader), 0);
}

TEST(MessageQueueStream, tearsNothingAndTellsOfOverrunsBetweenProcesses) {
    Stream<QueueFlavor::UNSYNCHRONIZED> stream;
    const pid_t first = inChild([&] { return readAll(stream); });
    const pid_t second = inChild([&] { return readAll(stream); });
    stream.write(messageCount(10'000'000), 2);
    EXPECT_EQ(exitStatus(first), 0);
    EXPECT_EQ(exitStatus(second), 0);
}

#endif

}  // namespace
}  // namespace nnburst::fmq
