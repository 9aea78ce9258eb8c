// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/latency_sample.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <new>
#include <system_error>
#include <thread>

#include "exec/run/compiled_model.h"
#include "exec/run/trial_request.h"
#include "fmq/wait.h"
#include "model/invalid.h"
#include "model/operand_info.h"
#include "system/affinity.h"

namespace nnburst::exec {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

/// Long enough for the kernel threads to fall asleep: those of exec/pool spin for 0.1 ms, those of
/// pthreadpool's own pool for 10 to 13 ms.
constexpr nanoseconds kRest = 20ms;
/// Duration of one comparison of fast models; slow ones take longer.
constexpr nanoseconds kBudget = 800ms;
/// Duration of the back-to-back executions in one round, if the model is fast.
constexpr nanoseconds kRoundBudget = 4ms;
/// Rounds that are measured even if the time budget is exceeded.
constexpr std::size_t kMinimumRounds = 4;
constexpr std::size_t kMaximumRounds = 20;
/// Executions before the measurement. The first is slow; the shortest gives the schedule.
constexpr std::size_t kFirstAsks = 5;
/// A model is slow if one execution takes longer: it is measured in one round.
constexpr nanoseconds kSlow = kBudget / kMinimumRounds;
/// An execution that takes longer ends early, and counts as one of this length.
constexpr nanoseconds kLongestRun = kBudget;

/// Clients sleep while they wait in this measurement, so that both sides are measured alike. A real
/// client can spin where the kernels leave a processor free, and then has the result about this
/// much earlier.
constexpr nanoseconds kSpinningSaves = 50us;
/// Models with a shorter latency gain nothing from more threads.
constexpr nanoseconds kFastest = 2 * kSpinningSaves;

/// A counter that one side of a trial increments and the other side waits for, as for frames in a
/// queue of a burst.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): each word has a cache line of its own
class Signal {
  public:
    void give() noexcept {
        // sync [trial-run]
        count_.fetch_add(1, std::memory_order_release);
        flag_.wakeAnnounced();
    }
    [[nodiscard]] std::uint32_t count() const noexcept {
        // sync [trial-run]
        return count_.load(std::memory_order_acquire);
    }
    [[nodiscard]] fmq::EventFlag flag() const noexcept { return flag_; }

  private:
    fmq::EventWord word_{};
    fmq::EventFlag flag_{word_};
    alignas(fmq::kCacheLineSize) std::atomic<std::uint32_t> count_{0};
};

/// Runs a model on a thread of its own, as a burst does.
class Trial {
  public:
    static Result<std::unique_ptr<Trial>> start(CompiledModel& model) {
        auto trial = std::unique_ptr<Trial>(new Trial(model));
        NNBURST_TRY(trial->request_.make(model));
        try {
            trial->thread_ = std::thread([address = trial.get()] { address->serve(); });
        } catch (const std::system_error& error) {
            return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT, error.what());
        }
        return trial;
    }

    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;
    ~Trial() {
        if (thread_.joinable()) {
            isEnding_ = true;
            asked_.give();
            thread_.join();
        }
    }

    /// Executes the model once and waits for the result, for about kLongestRun at most.
    nanoseconds ask() {
        const Clock::time_point start = Clock::now();
        const std::uint32_t before = answered_.count();
        asked_.give();
        (void)client_.wait({}, nullptr, [&]() noexcept { return answered_.count() != before; });
        return Clock::now() - start;
    }

    void askOften(std::size_t count, std::vector<nanoseconds>& times) {
        for (std::size_t i = 0; i < count && !hasFailed_; ++i) {
            times.push_back(ask());
        }
    }

    /// Duration of the shortest of up to kFirstAsks executions; stops after a slow one that is not
    /// the first.
    nanoseconds askFirst() {
        nanoseconds shortest = nanoseconds::max();
        nanoseconds last{};
        for (std::size_t i = 0; i < kFirstAsks && (i < 2 || last <= kSlow) && !hasFailed_; ++i) {
            last = ask();
            shortest = std::min(shortest, last);
        }
        return shortest;
    }

    [[nodiscard]] bool hasFailed() const noexcept { return hasFailed_; }

  private:
    explicit Trial(CompiledModel& model) noexcept : model_(model) {}

    void serve() {
        const system::ScopedCpuExclusion away(model_.kernelThreadProcessors());
        fmq::Waiter waiter(asked_.flag(), answered_.flag(), WaitPolicy(), serverWaits_);
        fmq::WaitForecast forecast;
        ExecutionOutcome outcome;
        for (std::uint32_t turn = 0;; ++turn) {
            (void)waiter.wait({}, &forecast, [&]() noexcept { return asked_.count() != turn; });
            if (isEnding_) {
                return;
            }
            hasFailed_ = !tryRun(outcome) || hasFailed_;
            answered_.give();
        }
    }

    bool tryRun(ExecutionOutcome& outcome) noexcept {
        try {
            const Result<> end = model_.run(request_.bindings(), Priority::MEDIUM,
                                            {.deadline = Clock::now() + kLongestRun}, outcome);
            return end || isMissedDeadline(end.error().status);
        } catch (const std::bad_alloc&) {
            return false;
        }
    }

    CompiledModel& model_;
    TrialRequest request_;
    // Written by one thread at a time: the signals hand them over.
    bool isEnding_ = false;
    bool hasFailed_ = false;
    Signal asked_;
    Signal answered_;
    fmq::SharedWaitStats serverWaits_{};
    fmq::SharedWaitStats clientWaits_{};
    fmq::Waiter client_{answered_.flag(), asked_.flag(), {.mode = WaitMode::BLOCK}, clientWaits_};
    std::thread thread_;
};

/// Measured durations of one trial.
struct Samples {
    std::vector<nanoseconds> hot;
    std::vector<nanoseconds> idle;

    /// The latencies, each reduced by `saved`.
    LatencySample times(nanoseconds saved) {
        return {.median = quantile(hot, 0.5) - saved,
                .high = quantile(hot, 0.99) - saved,
                .idleMedian = quantile(idle, 0.5) - saved,
                .idleHigh = quantile(idle, 0.9) - saved};
    }
};

/// How many executions are measured.
struct Schedule {
    std::size_t rounds;
    std::size_t asksPerRound;  ///< back to back, after one execution that follows a rest
};

/// The schedule for a model whose execution takes `once`.
Schedule scheduleFor(nanoseconds once) noexcept {
    using Count = nanoseconds::rep;
    const Count asks = std::clamp<Count>(kRoundBudget / once, 2, 10);
    const nanoseconds round = 2 * (kRest + (asks + 1) * once);
    const Count fewest = once > kSlow ? 1 : Count{kMinimumRounds};
    const Count rounds = std::clamp<Count>(kBudget / round, fewest, Count{kMaximumRounds});
    return {.rounds = static_cast<std::size_t>(rounds),
            .asksPerRound = static_cast<std::size_t>(asks)};
}

/// One round of one trial. False if a run has failed.
bool measureRound(Trial& trial, std::size_t asks, Samples& samples) {
    std::this_thread::sleep_for(kRest);
    samples.idle.push_back(trial.ask());
    trial.askOften(asks, samples.hot);
    return !trial.hasFailed();
}

/// The same rule as for the client of a burst (AnswerWait::attach, burst/answer_wait.h).
bool canClientSpin(const CompiledModel& model) noexcept {
    return model.kernelThreads() == 1 ||
           model.kernelThreads() < std::thread::hardware_concurrency();
}

}  // namespace

nanoseconds quantile(std::span<nanoseconds> times, double fraction) noexcept {
    std::sort(times.begin(), times.end());
    const auto rank =
        static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(times.size())));
    return times[std::max<std::size_t>(rank, 1) - 1];
}

std::optional<LatencyComparison> compareLatencies(CompiledModel& more, CompiledModel& fewer) {
    const auto manyOrError = Trial::start(more);
    const auto fewOrError = Trial::start(fewer);
    if (!manyOrError || !fewOrError) {
        return std::nullopt;
    }
    Trial& many = **manyOrError;
    Trial& few = **fewOrError;
    const nanoseconds once = few.askFirst();
    if (few.hasFailed() || once < kFastest) {
        return std::nullopt;
    }
    (void)many.ask();
    if (many.hasFailed()) {
        return std::nullopt;
    }
    const Schedule schedule = scheduleFor(once);
    Samples manySamples;
    Samples fewSamples;
    const Clock::time_point end = Clock::now() + 2 * kBudget;
    for (std::size_t i = 0; i < schedule.rounds && (i < kMinimumRounds || Clock::now() < end);
         ++i) {
        // Alternately, so that other load of the machine affects both.
        if (!measureRound(few, schedule.asksPerRound, fewSamples) ||
            !measureRound(many, schedule.asksPerRound, manySamples)) {
            return std::nullopt;
        }
    }
    const bool spins = canClientSpin(fewer) && !canClientSpin(more);
    return LatencyComparison{.more = manySamples.times(0ns),
                             .fewer = fewSamples.times(spins ? kSpinningSaves : 0ns)};
}

}  // namespace nnburst::exec
