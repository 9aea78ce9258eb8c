// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A buffer that a driver process manages, called over a connection.

#include <memory>

#include "device/client/remote_handle.h"
#include "nnburst/device.h"

namespace nnburst::device {

class RemoteBuffer final : public Buffer {
  public:
    /// On the event loop's thread.
    RemoteBuffer(std::shared_ptr<Connection> connection, rpc::Buffer::Client client);

    [[nodiscard]] Result<> copyTo(const SharedRegion& destination) override;
    [[nodiscard]] Result<> copyFrom(const SharedRegion& source,
                                    const Dimensions& dimensions) override;

  private:
    const std::shared_ptr<RemoteHandle<rpc::Buffer>> buffer_;
};

}  // namespace nnburst::device
