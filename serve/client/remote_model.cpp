// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/remote_model.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "client/burst.h"
#include "client/call.h"
#include "client/connection.h"

namespace nnburst {
namespace remote {
namespace {

/// Waits until `fence` is readable.
Result<> waitForFence(int fence, const OptionalTimePoint& deadline) {
    constexpr int kSliceMs = 100;
    pollfd readable{.fd = fence, .events = POLLIN, .revents = 0};
    while (true) {
        const int count = ::poll(&readable, 1, kSliceMs);
        if (count > 0 && (readable.revents & POLLIN) != 0) {
            return {};
        }
        if (count > 0 || (count < 0 && errno != EINTR)) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           fmt::format("fence {}: cannot be waited for", fence));
        }
        if (deadline && std::chrono::steady_clock::now() >= *deadline) {
            return failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                           fmt::format("fence {}: was not signalled by the deadline", fence));
        }
    }
}

/// Call::run for a thread that no exception may leave.
Result<> runWithoutExceptions(Call& call, ExecutionOutcome& outcome) {
    try {
        return call.run(outcome);
    } catch (const std::bad_alloc&) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       "remote execution: not enough memory");
    } catch (const std::exception& exception) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("remote execution: {}", exception.what()));
    }
}

class ServedModel final : public PreparedModel {
  public:
    explicit ServedModel(SharedServerConnection connection) : connection_(std::move(connection)) {}

    Result<> executeSynchronously(const Request& request, const ExecutionOptions& options,
                                  ExecutionOutcome& outcome) override {
        outcome.outputShapes.clear();
        outcome.timing = {};
        NNBURST_TRY_ASSIGN(const std::unique_ptr<Call> call,
                           Call::make(connection_, request, options));
        return call->run(outcome);
    }

    Result<> execute(const Request& request, const ExecutionOptions& options,
                     ExecutionCallback callback) override {
        if (!callback) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           "execute without a callback: give one, or use executeSynchronously");
        }
        Result<std::unique_ptr<Call>> call = Call::make(connection_, request, options);
        if (!call) {
            callback(tl::unexpected<Error>(call.error()), {});
            return tl::unexpected<Error>(call.error());
        }
        const auto run = [call = std::shared_ptr<Call>(std::move(*call)), callback] {
            ExecutionOutcome outcome;
            const Result<> result = runWithoutExceptions(*call, outcome);
            try {
                callback(result, outcome);
            } catch (...) {  // of the application; no thread of it can catch them
            }
        };
        Result<std::thread> thread = startThread(run);
        if (!thread) {
            callback(tl::unexpected<Error>(thread.error()), {});
            return tl::unexpected<Error>(thread.error());
        }
        thread->detach();
        return {};
    }

    /// Ends before it returns, so that its fence is invalid.
    Result<FencedExecution> executeFenced(const Request& request, std::span<const int> waitFor,
                                          const ExecutionOptions& options,
                                          OptionalTimeoutDuration timeoutAfterFence) override {
        for (const int fence : waitFor) {
            NNBURST_TRY(waitForFence(fence, options.deadline));
        }
        ExecutionOptions limited = options;
        if (timeoutAfterFence) {
            const TimePoint now = std::chrono::steady_clock::now();
            const TimePoint limit = now + std::min(*timeoutAfterFence, TimePoint::max() - now);
            limited.deadline = options.deadline ? std::min(*options.deadline, limit) : limit;
        }
        ExecutionOutcome outcome;
        NNBURST_TRY(executeSynchronously(request, limited, outcome));
        return FencedExecution{
            .fence = {},
            .callback = [timing = outcome.timing](Timing& launched, Timing& fenced) -> Result<> {
                launched = timing;
                fenced = timing;
                return {};
            }};
    }

    Result<std::unique_ptr<Burst>> configureExecutionBurst(const BurstOptions& options) override {
        return makeBurst(connection_, options);
    }

  private:
    const SharedServerConnection connection_;
};

}  // namespace
}  // namespace remote

Result<RemoteModel> openRemoteModel(const std::string& address, const std::string& name,
                                    const RemoteOptions& options) {
    NNBURST_TRY_ASSIGN(remote::SharedServerConnection connection,
                       remote::connect(address, name, options));
    return RemoteModel{.prepared = std::make_shared<remote::ServedModel>(connection),
                       .signature = connection->signature};
}

}  // namespace nnburst
