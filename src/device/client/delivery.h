// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How asynchronous answers of the driver reach the application: once each, whatever happens.

#include <functional>
#include <memory>
#include <utility>

#include "device/client/connection.h"
#include "device/rpc/conversion.h"

namespace nnburst::device {

/// An answer that the application waits for: given once, on the callback thread, at the latest when
/// this is dropped. `T` can be made of an error. Of the event loop's thread, but dropped by any.
template <class T>
class Delivery {
  public:
    /// Takes over a reservation of `connection`.
    Delivery(std::shared_ptr<Connection> connection, std::function<void(T)> callback)
        : connection_(std::move(connection)), callback_(std::move(callback)) {}
    Delivery(const Delivery&) = delete;
    Delivery& operator=(const Delivery&) = delete;
    ~Delivery() {
        give(T{failure(ErrorStatus::DEVICE_UNAVAILABLE,
                       "the driver has dropped the callback without an answer")});
    }

    /// The first answer counts.
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

/// What a launch answers. If that is an error, it is also the delivery's.
template <class Promise, class T>
[[nodiscard]] kj::Promise<Result<>> launched(Promise response,
                                             std::shared_ptr<Delivery<T>> delivery) {
    return response
        .then([](auto&& answer) { return fromMessage(answer.getStatus()); },
              [](kj::Exception&& exception) -> Result<> {
                  return tl::unexpected<Error>(toError(exception));
              })
        .then([delivery](Result<> status) {
            if (!status) {
                delivery->give(T{tl::unexpected<Error>(status.error())});
            }
            return status;
        });
}

}  // namespace nnburst::device
