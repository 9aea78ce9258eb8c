// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What does a round trip to another process cost, and how near is a burst to what the machine can
/// do? The limit is one word in one cache line, bounced between two processors that do nothing
/// else. All pairs run on the same two processors.

#include <benchmark/benchmark.h>
#include <linux/futex.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "fail.h"
#include "fmq/message_queue.h"
#include "measure.h"
#include "model_paths.h"
#include "nnburst/memory.h"
#include "nnburst/model_builder.h"
#include "peer.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

constexpr std::size_t kLineBytes = 64;

struct alignas(2 * kLineBytes) Word {
    std::atomic<std::uint32_t> value;
};

/// Turns without a pause instruction: the limit is what the machine can do.
template <class Atomic, class Value>
void spinUntil(const Atomic& atomic, Value value) noexcept {
    while (atomic.load(std::memory_order_acquire) != value) {
    }
}

/// One word in one line: odd values are questions, even ones answers.
void cacheLineWord(benchmark::State& state) {
    const SharedObject<Word> word;
    const Peer peer(processorPair()->driver, [&] {
        for (std::uint32_t question = 1;; question += 2) {
            spinUntil(word->value, question);
            word->value.store(question + 1, std::memory_order_release);
        }
    });
    std::uint32_t question = 1;
    measureEach(state, [&] {
        word->value.store(question, std::memory_order_release);
        spinUntil(word->value, question + 1);
        question += 2;
        return true;
    });
}

/// A message of a whole line each way: 56 bytes and the sequence number that announces them.
struct alignas(2 * kLineBytes) Mailbox {
    std::array<std::uint64_t, 7> payload;
    std::atomic<std::uint64_t> sequence;
};

struct MailboxPair {
    Mailbox question;
    Mailbox answer;
};

void put(Mailbox& mailbox, const std::array<std::uint64_t, 7>& payload, std::uint64_t sequence) {
    mailbox.payload = payload;
    mailbox.sequence.store(sequence, std::memory_order_release);
}

std::array<std::uint64_t, 7> take(const Mailbox& mailbox, std::uint64_t sequence) {
    spinUntil(mailbox.sequence, sequence);
    return mailbox.payload;
}

void cacheLineMailbox(benchmark::State& state) {
    const SharedObject<MailboxPair> pair;
    const Peer peer(processorPair()->driver, [&] {
        for (std::uint64_t sequence = 1;; ++sequence) {
            put(pair->answer, take(pair->question, sequence), sequence);
        }
    });
    std::array<std::uint64_t, 7> payload{};
    std::uint64_t sequence = 0;
    measureEach(state, [&] {
        ++sequence;
        payload[0] = sequence;
        put(pair->question, payload, sequence);
        return take(pair->answer, sequence)[0] == sequence;
    });
}

/// Two of nnburst's queues, with the same 56 bytes; both sides spin.
struct QueueMessage {
    std::array<std::uint64_t, 7> payload;
};
using Queue = fmq::MessageQueue<QueueMessage, fmq::QueueFlavor::SYNCHRONIZED>;

/// A region with both queues and the words on which their readers would sleep.
class QueuePair {
  public:
    QueuePair() : memory_(valueOf(Mapping::map(valueOf(Region::create(kRegionBytes))))) {
        question_ =
            valueOf(Queue::create(memory_.bytes(), kQuestionOffset, kCapacity, kLineBytes, 0));
        answer_ = valueOf(
            Queue::create(memory_.bytes(), kAnswerOffset, kCapacity, kAnswerEventOffset, 0));
    }

    [[nodiscard]] Queue::Writer writer(const fmq::QueueDescriptor& queue) const {
        return valueOf(Queue::Writer::attach(memory_.bytes(), queue));
    }
    [[nodiscard]] Queue::Reader reader(const fmq::QueueDescriptor& queue) const {
        return valueOf(Queue::Reader::attach(memory_.bytes(), queue));
    }
    [[nodiscard]] const fmq::QueueDescriptor& question() const noexcept { return question_; }
    [[nodiscard]] const fmq::QueueDescriptor& answer() const noexcept { return answer_; }

  private:
    static constexpr std::uint64_t kCapacity = 16;
    static constexpr std::uint64_t kAnswerEventOffset = 4 * kLineBytes;
    static constexpr std::uint64_t kQuestionOffset = 8 * kLineBytes;
    static constexpr std::uint64_t kAnswerOffset = kQuestionOffset + 4096;
    static constexpr std::uint64_t kRegionBytes = kAnswerOffset + 4096;
    static_assert(Queue::sizeBytes(kCapacity) <= 4096);

    Mapping memory_;
    fmq::QueueDescriptor question_{};
    fmq::QueueDescriptor answer_{};
};

void messageQueue(benchmark::State& state) {
    const QueuePair queues;
    const WaitPolicy policy;
    const Peer peer(processorPair()->driver, [&] {
        Queue::Reader questions = queues.reader(queues.question());
        Queue::Writer answers = queues.writer(queues.answer());
        QueueMessage message{};
        while (questions.read({&message, 1}, policy, std::nullopt) &&
               answers.tryWrite({&message, 1})) {
        }
    });
    Queue::Writer questions = queues.writer(queues.question());
    Queue::Reader answers = queues.reader(queues.answer());
    QueueMessage message{};
    measureEach(state, [&] {
        ++message.payload[0];
        return questions.tryWrite({&message, 1}) &&
               answers.read({&message, 1}, policy, std::nullopt);
    });
}

/// Two words on which the other side always sleeps.
struct FutexPair {
    Word question;
    Word answer;
};

void futexPost(Word& word, std::uint32_t value) {
    word.value.store(value, std::memory_order_release);
    ::syscall(SYS_futex, &word.value, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void futexAwait(Word& word, std::uint32_t value) {
    for (std::uint32_t seen; (seen = word.value.load(std::memory_order_acquire)) != value;) {
        ::syscall(SYS_futex, &word.value, FUTEX_WAIT, seen, nullptr, nullptr, 0);
    }
}

void futex(benchmark::State& state) {
    const SharedObject<FutexPair> pair;
    const Peer peer(processorPair()->driver, [&] {
        for (std::uint32_t turn = 1;; ++turn) {
            futexAwait(pair->question, turn);
            futexPost(pair->answer, turn);
        }
    });
    std::uint32_t turn = 0;
    measureEach(state, [&] {
        ++turn;
        futexPost(pair->question, turn);
        futexAwait(pair->answer, turn);
        return true;
    });
}

void unixSocket(benchmark::State& state) {
    using Message = std::array<std::byte, kLineBytes>;
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        state.SkipWithError("socketpair failed");
        return;
    }
    const UniqueFd ours(ends[0]);
    const UniqueFd theirs(ends[1]);
    const auto transfer = [](auto call, int fd, Message& message) {
        return call(fd, message.data(), message.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(message.size());
    };
    const Peer peer(processorPair()->driver, [&] {
        for (Message message{};
             transfer(::recv, theirs.get(), message) && transfer(::send, theirs.get(), message);) {
        }
    });
    Message message{};
    measureEach(state, [&] {
        return transfer(::send, ours.get(), message) && transfer(::recv, ours.get(), message);
    });
}

/// The smallest model: RESHAPE of one float to the same shape.
Model makeSmallestModel() {
    ModelBuilder builder;
    const std::int32_t shape = 1;
    const std::uint32_t input = builder.addTensor(OperandType::TENSOR_FLOAT32, {1});
    const std::uint32_t newShape =
        builder.addConstant(OperandType::TENSOR_INT32, {1}, std::as_bytes(std::span(&shape, 1)));
    const std::uint32_t output = builder.addTensor(OperandType::TENSOR_FLOAT32, {1});
    builder.addOperation(OperationType::RESHAPE, {input, newShape}, {output});
    return valueOf(builder.build({input}, {output}));
}

ModelPaths& smallestModel() {
    static ModelPaths paths(makeSmallestModel());
    return paths;
}

void emptyLocal(benchmark::State& state) {
    ModelPaths& paths = smallestModel();
    measureEach(state, [&] { return paths.runLocal(); });
}

void emptyBurst(benchmark::State& state) {
    ModelPaths& paths = smallestModel();
    measureEach(state, [&] { return paths.runBurst(); });
}

void emptyRpc(benchmark::State& state) {
    ModelPaths& paths = smallestModel();
    measureEach(state, [&] { return paths.runRpc(); });
}

void registerPair(const char* name, const char* label, void (*run)(benchmark::State&)) {
    benchmark::RegisterBenchmark((std::string("roundTrip/") + name).c_str(),
                                 [=](benchmark::State& state) {
                                     state.SetLabel(label);
                                     run(state);
                                 })
        ->UseManualTime();
}

}  // namespace

void registerLatency() {
    registerPair("cacheLineWord", "one word in one cache line: the limit", cacheLineWord);
    registerPair("cacheLineMailbox", "56 bytes in a cache line each way", cacheLineMailbox);
    registerPair("messageQueue", "56 bytes in a message queue each way", messageQueue);
    registerPair("burst", "burst, RESHAPE of one float", emptyBurst);
    registerPair("local", "the same in process, no round trip", emptyLocal);
    registerPair("futex", "raw futex, both sides sleep", futex);
    registerPair("unixSocket", "64 bytes through a Unix socket", unixSocket);
    registerPair("rpc", "RPC, RESHAPE of one float", emptyRpc);
}

}  // namespace nnburst::bench
