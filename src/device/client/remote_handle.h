// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// References from the application's objects to objects in the driver.

#include <memory>
#include <utility>

#include "device/client/connection.h"

namespace nnburst::device {

/// A capability of the driver that any thread may hold and drop; the driver frees the object behind
/// it when the last one is dropped.
template <class Interface>
class RemoteHandle {
  public:
    /// On the event loop's thread.
    RemoteHandle(std::shared_ptr<Connection> connection, typename Interface::Client client)
        : connection_(std::move(connection)),
          client_(kj::heap<typename Interface::Client>(kj::mv(client))) {}
    RemoteHandle(const RemoteHandle&) = delete;
    RemoteHandle& operator=(const RemoteHandle&) = delete;
    ~RemoteHandle() {
        connection_->post([client = kj::mv(client_)]() mutable { client = nullptr; });
    }

    [[nodiscard]] const std::shared_ptr<Connection>& connection() const noexcept {
        return connection_;
    }
    /// On the event loop's thread.
    [[nodiscard]] typename Interface::Client& client() noexcept { return *client_; }

  private:
    std::shared_ptr<Connection> connection_;
    kj::Own<typename Interface::Client> client_;
};

}  // namespace nnburst::device
