// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What is the cost of a round trip to another process, and how close is a burst to the limit of
/// the machine? The limit is one word in one cache line, bounced between two processors that do
/// nothing else. All pairs run on the same two processors, except the one that shows the effect of
/// pinning.

#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "fail.h"
#include "fmq/message_queue.h"
#include "forked_process.h"
#include "futex_word.h"
#include "measure.h"
#include "model_paths.h"
#include "nnburst/memory.h"
#include "processors.h"
#include "round_trip.h"
#include "shared_object.h"
#include "small_models.h"
#include "suites.h"
#include "word_ping_pong.h"

namespace nnburst::bench {
namespace {

/// A message of a whole cache line each way: 56 bytes and the sequence number that announces them.
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
    const ForkedProcess partner(processorPair()->driver, [&] {
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
    const ForkedProcess partner(processorPair()->driver, [&] {
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

void emptyReusable(benchmark::State& state) {
    ModelPaths& paths = smallestModel();
    measureEach(state, [&] { return paths.runReusable(); });
}

void emptyLocalReusable(benchmark::State& state) {
    ModelPaths& paths = smallestModel();
    measureEach(state, [&] { return paths.runLocalReusable(); });
}

/// Neither side is pinned: both run where the system puts them.
void emptyBurstUnpinned(benchmark::State& state) {
    const ScopedAffinity unpinned(Affinity::ANYWHERE);
    static ModelPaths paths(makeSmallestModel(), DriverPlacement::ANYWHERE);
    measureEach(state, [&] { return paths.runBurst(); });
}

void emptyRpc(benchmark::State& state) {
    ModelPaths& paths = smallestModel();
    measureEach(state, [&] { return paths.runRpc(); });
}

}  // namespace

void registerLatency() {
    registerRoundTrip("cacheLineWord", "one word in one cache line: the limit",
                      measureWordPingPong);
    registerRoundTrip("cacheLineMailbox", "56 bytes in a cache line each way", cacheLineMailbox);
    registerRoundTrip("messageQueue", "56 bytes in a message queue each way", messageQueue);
    registerRoundTrip("burst", "burst, RESHAPE of one float", emptyBurst);
    registerRoundTrip("burstUnpinned", "the same, client and driver not pinned",
                      emptyBurstUnpinned);
    registerRoundTrip("reusable", "burst, the same as a reusable execution", emptyReusable);
    registerRoundTrip("local", "RESHAPE of one float in process, no round trip", emptyLocal);
    registerRoundTrip("localReusable", "the same in process, reusable", emptyLocalReusable);
    registerRoundTrip("rpc", "RPC, RESHAPE of one float", emptyRpc);
}

}  // namespace nnburst::bench
