// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Calls a callback of the application exactly once, even if the driver dies.

#include <functional>
#include <memory>
#include <utility>

#include "device/client/connection.h"
#include "device/rpc/conversion.h"

namespace nnburst::device {

/// A callback that has not been called yet. It is called once, on the callback thread: with the
/// first answer, or with DEVICE_UNAVAILABLE if this object is destroyed without one. `T` is
/// constructible from an error. `give` is called on the event loop's thread; any thread may destroy
/// this object.
template <class T>
class PendingCallback {
  public:
    /// Takes over one reservation of `connection` (Connection::reserveCallback).
    PendingCallback(std::shared_ptr<Connection> connection, std::function<void(T)> callback)
        : connection_(std::move(connection)), callback_(std::move(callback)) {}
    PendingCallback(const PendingCallback&) = delete;
    PendingCallback& operator=(const PendingCallback&) = delete;
    ~PendingCallback() {
        give(T{failure(ErrorStatus::DEVICE_UNAVAILABLE,
                       "the callback has no answer: the connection to the driver was lost, or the "
                       "driver has released the callback without calling it")});
    }

    /// The connection; null after the first answer. On the event loop's thread.
    [[nodiscard]] const std::shared_ptr<Connection>& connection() const noexcept {
        return connection_;
    }

    /// Schedules the callback with `answer`. Later answers are ignored.
    void give(T answer) {
        if (connection_) {
            Connection::deliver(
                std::exchange(connection_, nullptr),
                [callback = std::move(callback_), answer = std::move(answer)]() mutable {
                    callback(std::move(answer));
                });
        }
    }

  private:
    std::shared_ptr<Connection> connection_;
    std::function<void(T)> callback_;
};

/// Returns the status that the driver answers to a launch; `late` if it has not answered by
/// `giveUpAt`. The callback gets the driver's status, too, if that is an error, but not `late`. On
/// the event loop's thread.
template <class Promise, class T>
[[nodiscard]] kj::Promise<Result<>> reportLaunch(Connection& connection, Promise response,
                                                 std::shared_ptr<PendingCallback<T>> pending,
                                                 const OptionalTimePoint& giveUpAt, Error late) {
    const auto status = std::make_shared<Result<>>();
    auto answer = response
                      .then([](auto&& message) { return fromMessage(message.getStatus()); },
                            [](kj::Exception&& exception) -> Result<> {
                                return tl::unexpected<Error>(toError(exception));
                            })
                      .then([pending, status](Result<>&& launched) {
                          if (!launched) {
                              pending->give(T{tl::unexpected<Error>(launched.error())});
                          }
                          *status = std::move(launched);
                      });
    return connection.waitUntil(giveUpAt, kj::mv(answer))
        .then([status, late = std::move(late)](bool hasAnswer) -> Result<> {
            return hasAnswer ? *status : tl::unexpected<Error>(late);
        });
}

}  // namespace nnburst::device
