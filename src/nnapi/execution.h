// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An execution of the API. It is in preparation, then in computation, then completed; one that is
/// reusable goes from there to computation again. Only one thread can bring it into computation,
/// and until then it is for one thread at a time. Computations in progress keep it alive.

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "nnapi/arguments.h"
#include "nnapi/burst.h"
#include "nnapi/compilation.h"
#include "nnapi/event.h"
#include "nnapi/start_gate.h"
#include "nnapi/status.h"
#include "nnburst/execution.h"

namespace nnburst::nnapi {

class Execution : public std::enable_shared_from_this<Execution> {
  public:
    [[nodiscard]] static Status create(std::shared_ptr<Compilation> compilation,
                                       std::shared_ptr<Execution>& execution);
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;
    ~Execution();

    [[nodiscard]] const Compilation& compilation() const noexcept { return *compilation_; }
    [[nodiscard]] bool isInComputation() const noexcept {
        return state_.load(std::memory_order_acquire) == State::COMPUTATION;
    }

    // ---- In preparation

    /// The arguments, to be set; BAD_STATE unless the execution is in preparation.
    template <class Set>
    [[nodiscard]] Status setArguments(Set&& set) {
        Status status = checkInPreparation();
        return status.isOk() ? set(arguments_) : status;
    }
    [[nodiscard]] Status setMeasured(bool isMeasured);
    [[nodiscard]] Status setTimeout(std::uint64_t durationNs);
    [[nodiscard]] Status setLoopTimeout(std::uint64_t durationNs);
    [[nodiscard]] Status setReusable(bool isReusable);

    // ---- Computation

    [[nodiscard]] Status compute();
    /// In a burst of the same compilation, which this thread has reserved.
    [[nodiscard]] Status computeInBurst(const std::shared_ptr<BurstContext>& burst);
    [[nodiscard]] Status start(std::shared_ptr<Event>& event);
    [[nodiscard]] Status startFenced(std::span<const int> waitFor, std::uint64_t durationNs,
                                     std::shared_ptr<Event>& event);

    // ---- Completed

    [[nodiscard]] Status getDuration(std::int32_t code, std::uint64_t& durationNs) const;
    /// The dimensions of an output. OUTPUT_INSUFFICIENT_SIZE, and the dimensions all the same, if
    /// its memory is too small.
    [[nodiscard]] Status getOutputDimensions(std::int32_t index,
                                             const Dimensions*& dimensions) const;

  private:
    enum class State : std::uint8_t { PREPARATION, COMPUTATION, COMPLETED };

    class StartedComputation;

    /// The request in one burst.
    struct BurstRequest {
        BurstRequest(std::shared_ptr<BurstContext> context,
                     std::unique_ptr<ReusableExecution> reusable);
        BurstRequest(const BurstRequest&) = delete;
        BurstRequest& operator=(const BurstRequest&) = delete;
        /// Another thread may be using the burst.
        ~BurstRequest() { burst->retire(std::move(execution)); }

        const std::shared_ptr<BurstContext> burst;
        ReusableExecutions execution;  ///< exactly one
    };

    explicit Execution(std::shared_ptr<Compilation> compilation);

    [[nodiscard]] Status checkInPreparation() const;
    [[nodiscard]] Status checkForOneDevice() const;
    /// Brings the execution into computation.
    [[nodiscard]] Status begin();
    /// Checks arguments and makes the request, the first time.
    [[nodiscard]] Status makeRequest();
    /// Begins a computation and does `work`. An exception ends the computation.
    template <class Work>
    [[nodiscard]] Status beginAnd(const Work& work);
    /// Checks that inputs have contents, makes the request and stages the inputs.
    [[nodiscard]] Status prepareContents();
    /// The same for a fenced computation, whose dependencies may write the inputs.
    [[nodiscard]] Status prepareFenced(std::span<const int> waitFor, std::uint64_t durationNs);
    [[nodiscard]] ExecutionOptions optionsNow() const noexcept;
    /// Checks the result of the device and copies the outputs; gives the status of the
    /// computation.
    [[nodiscard]] Status takeResult(const Result<>& result);
    /// Ends such a computation.
    [[nodiscard]] Status complete(const Result<>& result);
    /// Waits for the end of a fenced computation and ends it; gives its status.
    [[nodiscard]] Status finishFenced(const FencedExecution& launched) noexcept;
    /// Ends a computation that did not get to the device.
    [[nodiscard]] Status completeRefused(Status status);
    void setCompleted(int code) noexcept;
    /// Ends a computation that an exception has interrupted; gives its status.
    Status abandon() noexcept;
    [[nodiscard]] Result<> executeInBurst(const std::shared_ptr<BurstContext>& burst);
    [[nodiscard]] Result<ReusableExecution*> registerIn(const std::shared_ptr<BurstContext>& burst);

    const std::shared_ptr<Compilation> compilation_;
    Arguments arguments_;
    ExecutionOptions options_;
    std::uint64_t timeoutNs_ = 0;
    bool isReusable_ = false;

    /// Of a fenced computation that has dependencies and arguments in buffers of the program.
    std::unique_ptr<StartGate> startGate_;

    std::atomic<State> state_{State::PREPARATION};
    // Of the last computation; written before the state becomes COMPLETED.
    int completionCode_ = ANEURALNETWORKS_NO_ERROR;
    bool hasFailed_ = false;  ///< a computation, of all that there were
    ExecutionOutcome outcome_;
    std::optional<Timing> fencedTiming_;  ///< from the fences on, if there were any
    std::list<BurstRequest> burstRequests_;
};

}  // namespace nnburst::nnapi

struct ANeuralNetworksExecution final {
    std::shared_ptr<nnburst::nnapi::Execution> execution;
};
