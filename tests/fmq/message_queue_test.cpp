// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fmq/message_queue.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <deque>
#include <functional>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "nnburst/memory.h"
#include "spin_until.h"

namespace nnburst::fmq {
namespace {

using namespace std::chrono_literals;

template <class T>
using Synchronized = MessageQueue<T, QueueFlavor::SYNCHRONIZED>;
template <class T>
using Unsynchronized = MessageQueue<T, QueueFlavor::UNSYNCHRONIZED>;

constexpr std::uint64_t kNotEmptyOffset = 64;
constexpr std::uint64_t kNotFullOffset = 192;
constexpr std::uint64_t kQueueOffset = 320;

/// A queue with memory of its own and both event words before it.
template <class Queue>
struct QueueInMemory {
    using Ends = Queue;

    explicit QueueInMemory(std::uint64_t capacity) {
        auto region = Region::create(kQueueOffset + Queue::sizeBytes(capacity));
        EXPECT_TRUE(region) << region.error().message;
        auto mapped = Mapping::map(*region);
        EXPECT_TRUE(mapped) << mapped.error().message;
        mapping = std::move(*mapped);
        auto created =
            Queue::create(mapping.bytes(), kQueueOffset, capacity, kNotEmptyOffset, kNotFullOffset);
        EXPECT_TRUE(created) << created.error().message;
        descriptor = *created;
    }

    typename Queue::Writer writer() { return *Queue::Writer::attach(mapping.bytes(), descriptor); }
    typename Queue::Reader reader() { return *Queue::Reader::attach(mapping.bytes(), descriptor); }

    template <class Record>
    Record& at(std::uint64_t offset) {
        return *reinterpret_cast<Record*>(mapping.data() + offset);
    }

    Mapping mapping;
    QueueDescriptor descriptor{};
};

struct Line {
    std::array<std::uint64_t, 7> words;
    bool operator==(const Line&) const = default;
};

TEST(MessageQueue, packsAnElementOf56BytesAndItsSequenceIntoOneCacheLine) {
    EXPECT_EQ(Synchronized<Line>::kCellBytes, 64U);
    EXPECT_EQ(Synchronized<std::uint8_t>::kCellBytes, 16U);
    EXPECT_EQ((Synchronized<std::array<std::uint64_t, 8>>::kCellBytes), 128U);
    EXPECT_EQ((Synchronized<std::array<std::uint64_t, 24>>::kCellBytes), 256U);
}

TEST(MessageQueue, givesElementsInOrderAcrossManyTurnsOfTheRing) {
    QueueInMemory<Synchronized<Line>> queue(8);
    auto writer = queue.writer();
    auto reader = queue.reader();
    for (std::uint64_t i = 0; i < 100; ++i) {
        const Line line{{i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6}};
        ASSERT_TRUE(writer.tryWrite({&line, 1}));
        Line read{};
        ASSERT_TRUE(reader.tryRead({&read, 1}));
        EXPECT_EQ(read, line);
    }
}

TEST(MessageQueue, carriesElementsWhoseSizeIsNoMultipleOfAWord) {
    struct Odd {
        std::array<std::uint8_t, 11> bytes;
    };
    QueueInMemory<Synchronized<Odd>> queue(2);
    auto writer = queue.writer();
    auto reader = queue.reader();
    Odd odd{};
    std::iota(odd.bytes.begin(), odd.bytes.end(), std::uint8_t{1});
    ASSERT_TRUE(writer.tryWrite({&odd, 1}));
    Odd read{};
    ASSERT_TRUE(reader.tryRead({&read, 1}));
    EXPECT_EQ(read.bytes, odd.bytes);
}

TEST(MessageQueue, refusesToWriteIntoAFullQueueAndLosesNothing) {
    QueueInMemory<Synchronized<int>> queue(4);
    auto writer = queue.writer();
    auto reader = queue.reader();
    const std::vector<int> first{1, 2, 3};
    const std::vector<int> second{4, 5};
    ASSERT_TRUE(writer.tryWrite(first));
    EXPECT_EQ(writer.availableToWrite(), 1U);
    EXPECT_FALSE(writer.tryWrite(second));
    std::vector<int> read(3);
    ASSERT_TRUE(reader.tryRead(read));
    EXPECT_EQ(read, first);
    EXPECT_TRUE(writer.tryWrite(second));
    EXPECT_EQ(reader.availableToRead(), 2U);
}

TEST(MessageQueue, refusesWriteOfMoreThanItsCapacity) {
    QueueInMemory<Synchronized<int>> synchronized(4);
    QueueInMemory<Unsynchronized<int>> unsynchronized(4);
    const std::vector<int> five(5);
    const TimePoint deadline = std::chrono::steady_clock::now() + 20s;
    EXPECT_FALSE(synchronized.writer().tryWrite(five));
    EXPECT_FALSE(synchronized.writer().write(five, {}, deadline));
    EXPECT_FALSE(unsynchronized.writer().tryWrite(five));
    std::vector<int> read(5);
    EXPECT_FALSE(synchronized.reader().read(read, {}, deadline));
    EXPECT_EQ(unsynchronized.reader().read(read, {}, deadline), ReadStatus::EMPTY);
    EXPECT_LT(std::chrono::steady_clock::now(), deadline) << "it waited for what cannot be";
}

TEST(MessageQueue, readsAllOfTheElementsOrNone) {
    QueueInMemory<Synchronized<int>> queue(4);
    auto writer = queue.writer();
    auto reader = queue.reader();
    ASSERT_TRUE(writer.tryWrite(std::vector<int>{1, 2}));
    std::vector<int> three(3, -1);
    EXPECT_FALSE(reader.tryRead(three));
    EXPECT_EQ(three, std::vector<int>(3, -1));
    ASSERT_TRUE(writer.tryWrite(std::vector<int>{3}));
    EXPECT_TRUE(reader.tryRead(three));
    EXPECT_EQ(three, (std::vector<int>{1, 2, 3}));
}

TEST(MessageQueue, showsNothingOfAWriteInPlaceBeforeItIsCommitted) {
    QueueInMemory<Synchronized<int>> queue(4);
    auto writer = queue.writer();
    auto reader = queue.reader();
    ASSERT_TRUE(writer.beginWrite(2));
    writer.set(0, 10);
    writer.set(1, 11);
    EXPECT_FALSE(reader.hasElement());
    EXPECT_EQ(reader.availableToRead(), 0U);
    writer.commitWrite(2);
    EXPECT_TRUE(reader.hasElement());
    std::vector<int> read(2);
    ASSERT_TRUE(reader.tryRead(read));
    EXPECT_EQ(read, (std::vector<int>{10, 11}));
}

TEST(MessageQueue, showsNoElementToReadersBeforeAWriteInPlaceIsCommitted) {
    QueueInMemory<Unsynchronized<int>> queue(4);
    auto writer = queue.writer();
    auto reader = queue.reader();
    ASSERT_TRUE(writer.beginWrite(1));
    EXPECT_FALSE(reader.hasElement());
    std::vector<int> one(1);
    EXPECT_EQ(reader.tryRead(one), ReadStatus::EMPTY);
    writer.set(0, 10);
    writer.commitWrite(1);
    EXPECT_TRUE(reader.hasElement());
}

TEST(MessageQueue, peeksWithoutConsuming) {
    QueueInMemory<Synchronized<int>> queue(4);
    auto writer = queue.writer();
    auto reader = queue.reader();
    ASSERT_TRUE(writer.tryWrite(std::vector<int>{7, 8}));
    int value = 0;
    EXPECT_TRUE(reader.peek(1, value));
    EXPECT_EQ(value, 8);
    EXPECT_FALSE(reader.peek(2, value));
    EXPECT_FALSE(reader.peek(4, value));
    EXPECT_EQ(reader.availableToRead(), 2U);
    reader.consume(1);
    EXPECT_TRUE(reader.peek(0, value));
    EXPECT_EQ(value, 8);
}

TEST(MessageQueue, behavesLikeADequeUnderRandomOperations) {
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    QueueInMemory<Synchronized<std::uint32_t>> queue(16);
    auto writer = queue.writer();
    auto reader = queue.reader();
    std::deque<std::uint32_t> model;
    for (int step = 0; step < 20'000; ++step) {
        std::vector<std::uint32_t> values(random() % 18);
        if (random() % 2 == 0) {
            std::generate(values.begin(), values.end(), std::ref(random));
            const bool fits = model.size() + values.size() <= 16;
            if (values.empty()) {
                continue;
            }
            ASSERT_EQ(writer.tryWrite(values), fits);
            if (fits) {
                model.insert(model.end(), values.begin(), values.end());
            }
        } else {
            const bool enough = values.size() <= model.size();
            ASSERT_EQ(reader.tryRead(values), enough);
            if (enough) {
                const auto end = model.begin() + static_cast<std::ptrdiff_t>(values.size());
                ASSERT_TRUE(std::equal(model.begin(), end, values.begin()));
                model.erase(model.begin(), end);
            }
        }
        ASSERT_EQ(reader.availableToRead(), model.size());
        ASSERT_EQ(writer.availableToWrite(), 16 - model.size());
    }
}

/// One thread writes a message when the other has read the one before, which looks all the time.
template <class Queue, class Read>
void expectWholeMessages(Read hasRead) {
    constexpr std::uint32_t kTurns = 5'000;
    QueueInMemory<Queue> queue(64);
    auto writer = queue.writer();
    auto reader = queue.reader();
    std::atomic<std::uint32_t> turn{0};
    std::thread other([&] {
        const std::vector<Line> message(16);
        for (std::uint32_t i = 1; i <= kTurns; ++i) {
            spinUntil([&] { return turn.load(std::memory_order_acquire) == i; });
            EXPECT_TRUE(writer.tryWrite(message));
        }
    });
    std::uint32_t parts = 0;
    for (std::uint32_t i = 1; i <= kTurns; ++i) {
        turn.store(i, std::memory_order_release);
        spinUntil([&] { return reader.hasElement(); });
        std::vector<Line> message(16);
        while (!hasRead(reader, message)) {
            ++parts;
        }
    }
    other.join();
    EXPECT_EQ(parts, 0U) << "looks that saw the first element and not all";
}

TEST(MessageQueue, showsAllElementsOfAMessageWithItsFirst) {
    expectWholeMessages<Synchronized<Line>>(
        [](auto& reader, std::vector<Line>& message) { return reader.tryRead(message); });
    expectWholeMessages<Unsynchronized<Line>>([](auto& reader, std::vector<Line>& message) {
        return reader.tryRead(message) == ReadStatus::READ;
    });
}

TEST(MessageQueue, withoutEventWordsTouchesNone) {
    auto mapping =
        std::move(*Mapping::map(*Region::create(kQueueOffset + Synchronized<int>::sizeBytes(4))));
    const auto descriptor = *Synchronized<int>::create(mapping.bytes(), kQueueOffset, 4, 0, 0);
    auto writer = *Synchronized<int>::Writer::attach(mapping.bytes(), descriptor);
    auto reader = *Synchronized<int>::Reader::attach(mapping.bytes(), descriptor);
    auto& memory = *reinterpret_cast<EventWord*>(mapping.data());
    memory.word = UINT32_MAX;
    std::vector<int> one(1);
    EXPECT_TRUE(writer.tryWrite(one));
    EXPECT_TRUE(reader.tryRead(one));
    EXPECT_EQ(memory.word, UINT32_MAX);
    EXPECT_EQ(memory.wakeCount, 0U);
}

/// Whether `act` wakes a sleeper that has announced itself on the event word at `offset`.
template <class Queue, class Act>
bool wakesSleeper(QueueInMemory<Queue>& queue, std::uint64_t offset, Act act) {
    EventWord& word = queue.template at<EventWord>(offset);
    EventFlag flag(word, 1h);
    const EventFlag::Announcement announced = flag.announceSleeper();
    const std::uint32_t before = word.wakeCount;
    act();
    return word.word == 0 && word.wakeCount == before + 1 &&
           flag.sleep(announced, std::chrono::steady_clock::now() + 20s);
}

TEST(MessageQueue, wakesASleepingReaderWhenItIsWrittenTo) {
    QueueInMemory<Synchronized<int>> synchronized(4);
    auto writer = synchronized.writer();
    EXPECT_TRUE(wakesSleeper(synchronized, kNotEmptyOffset,
                             [&] { EXPECT_TRUE(writer.tryWrite(std::vector<int>{1})); }));
    EXPECT_TRUE(wakesSleeper(synchronized, kNotEmptyOffset, [&] {
        ASSERT_TRUE(writer.beginWrite(1));
        writer.set(0, 2);
        writer.commitWrite(1);
    }));
    QueueInMemory<Unsynchronized<int>> unsynchronized(4);
    auto broadcaster = unsynchronized.writer();
    EXPECT_TRUE(wakesSleeper(unsynchronized, kNotEmptyOffset,
                             [&] { EXPECT_TRUE(broadcaster.tryWrite(std::vector<int>{1})); }));
}

TEST(MessageQueue, wakesASleepingWriterWhenItIsReadFrom) {
    QueueInMemory<Synchronized<int>> queue(2);
    auto writer = queue.writer();
    auto reader = queue.reader();
    ASSERT_TRUE(writer.tryWrite(std::vector<int>{1, 2}));
    std::vector<int> one(1);
    EXPECT_TRUE(wakesSleeper(queue, kNotFullOffset, [&] { EXPECT_TRUE(reader.tryRead(one)); }));
    EXPECT_TRUE(wakesSleeper(queue, kNotFullOffset, [&] { reader.consume(1); }));
}

TEST(MessageQueue, ringsForAParkedReader) {
    QueueInMemory<Synchronized<int>> synchronized(4);
    QueueInMemory<Unsynchronized<int>> unsynchronized(4);
    auto writer = synchronized.writer();
    auto broadcaster = unsynchronized.writer();
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends), 0);
    writer.setDoorbell(ends[0]);
    broadcaster.setDoorbell(ends[0]);
    char ring = 0;
    EventFlag(synchronized.at<EventWord>(kNotEmptyOffset)).announceParked();
    EXPECT_TRUE(writer.tryWrite(std::vector<int>{1}));
    EXPECT_EQ(::recv(ends[1], &ring, 1, 0), 1);
    EventFlag(unsynchronized.at<EventWord>(kNotEmptyOffset)).announceParked();
    EXPECT_TRUE(broadcaster.tryWrite(std::vector<int>{1}));
    EXPECT_EQ(::recv(ends[1], &ring, 1, 0), 1);
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST(MessageQueue, giveAWaitingReaderWhatIsWrittenLater) {
    QueueInMemory<Synchronized<int>> queue(4);
    auto writer = queue.writer();
    auto reader = queue.reader();
    std::thread late([&] {
        std::this_thread::sleep_for(20ms);
        EXPECT_TRUE(writer.tryWrite(std::vector<int>{5}));
    });
    std::vector<int> read(1);
    EXPECT_TRUE(reader.read(read, {.spinWindow = 0ns}, std::nullopt));
    EXPECT_EQ(read[0], 5);
    late.join();
}

TEST(MessageQueue, letsAWaitingWriterInWhenThereIsRoom) {
    QueueInMemory<Synchronized<int>> queue(2);
    auto writer = queue.writer();
    auto reader = queue.reader();
    ASSERT_TRUE(writer.tryWrite(std::vector<int>{1, 2}));
    std::thread late([&] {
        std::this_thread::sleep_for(20ms);
        std::vector<int> read(2);
        EXPECT_TRUE(reader.tryRead(read));
    });
    EXPECT_TRUE(writer.write(std::vector<int>{3, 4}, {.spinWindow = 0ns}, std::nullopt));
    late.join();
}

TEST(MessageQueue, endsAWaitAtItsDeadline) {
    QueueInMemory<Synchronized<int>> queue(2);
    auto writer = queue.writer();
    auto reader = queue.reader();
    std::vector<int> one(1);
    EXPECT_FALSE(reader.read(one, {}, std::chrono::steady_clock::now() + 5ms));
    ASSERT_TRUE(writer.tryWrite(std::vector<int>{1, 2}));
    EXPECT_FALSE(writer.write(one, {}, std::chrono::steady_clock::now() + 5ms));
}

TEST(MessageQueue, tellsASlowReaderThatItWasOverrun) {
    QueueInMemory<Unsynchronized<int>> queue(4);
    auto writer = queue.writer();
    auto reader = queue.reader();
    std::vector<int> one(1);
    EXPECT_EQ(reader.tryRead(one), ReadStatus::EMPTY);
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(writer.tryWrite({&i, 1}));
    }
    EXPECT_EQ(reader.tryRead(one), ReadStatus::OVERRUN);
    EXPECT_EQ(reader.tryRead(one), ReadStatus::EMPTY);
    const int next = 5;
    ASSERT_TRUE(writer.tryWrite({&next, 1}));
    EXPECT_EQ(reader.tryRead(one), ReadStatus::READ);
    EXPECT_EQ(one[0], 5);
}

TEST(MessageQueue, hasElementsToReadForAReaderThatWasOverrun) {
    QueueInMemory<Unsynchronized<int>> queue(4);
    auto writer = queue.writer();
    auto reader = queue.reader();
    ASSERT_TRUE(writer.tryWrite(std::vector<int>{0, 1, 2, 3}));
    ASSERT_TRUE(writer.tryWrite(std::vector<int>{4}));
    EXPECT_TRUE(reader.hasElement());
    EXPECT_EQ(reader.availableToRead(), 4U) << "nothing would make a program read that polls this";
    std::vector<int> one(1);
    EXPECT_EQ(reader.tryRead(one), ReadStatus::OVERRUN);
    EXPECT_EQ(reader.availableToRead(), 0U);
}

/// Whether an end is refused because the queue was `used`, for instance "written to".
template <class End>
void expectRefusedAsUsed(const Result<End>& end, const std::string& used) {
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_NE(end.error().message.find("was " + used + " before"), std::string::npos)
        << end.error().message;
}

TEST(MessageQueue, refusesASecondWriterAfterTheFirstHasWritten) {
    QueueInMemory<Synchronized<int>> synchronized(4);
    QueueInMemory<Unsynchronized<int>> unsynchronized(4);
    const auto attachWriter = [](auto& queue) {
        using Queue = std::remove_reference_t<decltype(queue)>;
        return Queue::Ends::Writer::attach(queue.mapping.bytes(), queue.descriptor);
    };
    ASSERT_TRUE(attachWriter(synchronized));
    ASSERT_TRUE(attachWriter(unsynchronized));
    ASSERT_TRUE(synchronized.writer().tryWrite(std::vector<int>{1}));
    ASSERT_TRUE(unsynchronized.writer().tryWrite(std::vector<int>{1}));
    expectRefusedAsUsed(attachWriter(synchronized), "written to");
    expectRefusedAsUsed(attachWriter(unsynchronized), "written to");
}

TEST(MessageQueue, refusesASecondReaderAfterTheFirstHasRead) {
    using Queue = Synchronized<int>;
    QueueInMemory<Queue> queue(4);
    auto writer = queue.writer();
    ASSERT_TRUE(writer.tryWrite(std::vector<int>{1, 2}));
    auto reader = queue.reader();
    std::vector<int> one(1);
    ASSERT_TRUE(reader.tryRead(one));
    expectRefusedAsUsed(Queue::Reader::attach(queue.mapping.bytes(), queue.descriptor),
                        "read from");
}

TEST(MessageQueue, givesEveryReaderOfAnUnsynchronizedQueueEveryElement) {
    QueueInMemory<Unsynchronized<int>> queue(8);
    auto writer = queue.writer();
    auto first = queue.reader();
    auto second = queue.reader();
    ASSERT_TRUE(writer.tryWrite(std::vector<int>{1, 2, 3}));
    auto late = queue.reader();
    std::vector<int> read(3);
    EXPECT_EQ(first.tryRead(read), ReadStatus::READ);
    EXPECT_EQ(read, (std::vector<int>{1, 2, 3}));
    read.assign(3, 0);
    EXPECT_EQ(second.tryRead(read), ReadStatus::READ);
    EXPECT_EQ(read, (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(late.tryRead(read), ReadStatus::EMPTY);
}

TEST(MessageQueue, doesNotGiveAnElementThatIsBeingWritten) {
    QueueInMemory<Unsynchronized<int>> queue(2);
    auto writer = queue.writer();
    auto reader = queue.reader();
    ASSERT_TRUE(writer.tryWrite(std::vector<int>{1, 2}));
    ASSERT_TRUE(writer.beginWrite(1));  // goes over the element that the reader is at
    std::vector<int> one(1);
    EXPECT_EQ(reader.tryRead(one), ReadStatus::OVERRUN);
}

// ---- Peers that lie

TEST(MessageQueueAgainstALyingPeer, readPositionBeyondWhatWasWritten) {
    QueueInMemory<Synchronized<int>> queue(4);
    auto writer = queue.writer();
    ASSERT_TRUE(writer.tryWrite(std::vector<int>{1, 2, 3, 4}));
    auto& claimed = queue.at<QueuePosition>(kQueueOffset + kReadPositionOffset).value;
    for (const std::uint64_t lie : {std::uint64_t{5}, std::uint64_t{1000}, UINT64_MAX}) {
        claimed = lie;
        EXPECT_FALSE(writer.tryWrite(std::vector<int>{5})) << lie;
        EXPECT_EQ(writer.availableToWrite(), 0U) << lie;
    }
    claimed = 4;
    EXPECT_EQ(writer.availableToWrite(), 4U) << "what can be true is believed";
}

TEST(MessageQueueAgainstALyingPeer, readPositionThatGoesBack) {
    QueueInMemory<Synchronized<int>> queue(2);
    auto writer = queue.writer();
    auto reader = queue.reader();
    std::vector<int> two(2);
    ASSERT_TRUE(writer.tryWrite(two));
    ASSERT_TRUE(reader.tryRead(two));
    ASSERT_TRUE(writer.tryWrite(two));
    queue.at<QueuePosition>(kQueueOffset + kReadPositionOffset).value = 1;
    EXPECT_FALSE(writer.tryWrite(two));
    EXPECT_EQ(writer.availableToWrite(), 0U);
}

TEST(MessageQueueAgainstALyingPeer, sequenceOfAnotherTurn) {
    QueueInMemory<Synchronized<int>> queue(2);
    auto reader = queue.reader();
    for (const std::uint64_t sequence : {std::uint64_t{2}, std::uint64_t{3}, UINT64_MAX}) {
        queue.at<std::atomic<std::uint64_t>>(kQueueOffset + kCellsOffset) = sequence;
        std::vector<int> one(1);
        EXPECT_FALSE(reader.tryRead(one)) << sequence;
        EXPECT_EQ(reader.availableToRead(), 0U) << sequence;
    }
}

TEST(MessageQueueAgainstALyingPeer, writePositionOfAnUnsynchronizedQueue) {
    QueueInMemory<Unsynchronized<int>> queue(2);
    queue.at<QueuePosition>(kQueueOffset + kWritePositionOffset).value = UINT64_MAX - 1;
    auto reader = queue.reader();
    std::vector<int> one(1);
    EXPECT_NE(reader.tryRead(one), ReadStatus::READ);
}

/// Each takes a good descriptor or header and breaks one thing of it.
struct Lie {
    const char* name;
    std::function<void(QueueDescriptor&, QueueHeader&)> tell;
    const char* message;
};

class QueueDescriptorLies : public testing::TestWithParam<Lie> {};

TEST_P(QueueDescriptorLies, areRefusedByBothEnds) {
    QueueInMemory<Synchronized<Line>> queue(4);
    QueueDescriptor descriptor = queue.descriptor;
    GetParam().tell(descriptor, queue.at<QueueHeader>(kQueueOffset));
    const auto writer = Synchronized<Line>::Writer::attach(queue.mapping.bytes(), descriptor);
    ASSERT_FALSE(writer);
    EXPECT_EQ(writer.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_NE(writer.error().message.find(GetParam().message), std::string::npos)
        << writer.error().message;
    EXPECT_FALSE(Synchronized<Line>::Reader::attach(queue.mapping.bytes(), descriptor));
}

INSTANTIATE_TEST_SUITE_P(
    MessageQueue, QueueDescriptorLies,
    testing::Values(
        Lie{"descriptorVersion", [](auto& d, auto&) { d.version = 1; }, "version 1"},
        Lie{"headerVersion", [](auto&, auto& h) { h.version = 7; }, "version 7"},
        Lie{"flavor", [](auto& d, auto&) { d.flavor = 2; }, "flavour 2"},
        Lie{"elementBytes", [](auto& d, auto&) { d.elementBytes = 8; }, "elements of 8 bytes"},
        Lie{"zeroCapacity", [](auto& d, auto&) { d.capacity = 0; }, "capacity of 0"},
        Lie{"oddCapacity", [](auto& d, auto&) { d.capacity = 3; }, "capacity of 3"},
        Lie{"hugeCapacity", [](auto& d, auto&) { d.capacity = std::uint64_t{1} << 60; },
            "capacity of 1152921504606846976"},
        Lie{"capacityBeyondTheMemory", [](auto& d, auto&) { d.capacity = 8; }, "inside the memory"},
        Lie{"otherCapacity", [](auto& d, auto&) { d.capacity = 2; }, "does not match"},
        Lie{"offsetBeyondTheMemory", [](auto& d, auto&) { d.offset = 1 << 20; },
            "inside the memory"},
        Lie{"offsetThatOverflows", [](auto& d, auto&) { d.offset = UINT64_MAX - 63; },
            "inside the memory"},
        Lie{"unalignedOffset", [](auto& d, auto&) { d.offset -= 8; }, "multiple of 64"},
        Lie{"eventBeyondTheMemory", [](auto& d, auto&) { d.notEmptyOffset = 1 << 20; },
            "not-empty event word"},
        Lie{"eventAtTheEndOfTheMemory",
            [](auto& d, auto&) {
                d.notEmptyOffset = kQueueOffset + Synchronized<Line>::sizeBytes(4);
            },
            "not-empty event word"},
        Lie{"unalignedEvent", [](auto& d, auto&) { d.notFullOffset = 65; }, "not-full event word"},
        Lie{"magic", [](auto&, auto& h) { h.magic = 0; }, "does not match"},
        Lie{"headerFlavor", [](auto&, auto& h) { h.flavor = 2; }, "does not match"},
        Lie{"headerElementBytes", [](auto&, auto& h) { h.elementBytes = 8; }, "does not match"},
        Lie{"headerCellBytes", [](auto&, auto& h) { h.cellBytes = 8; }, "does not match"}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace nnburst::fmq
