// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "device/client/connection.h"
#include "device/client/remote_device.h"
#include "device/rpc/unix_socket.h"
#include "log/verbose.h"
#include "nnburst/device.h"
#include "system/standard_descriptors.h"

namespace nnburst {

Result<SharedDevice> connect(const std::string& path) {
    system::openStandardDescriptors();
    NNBURST_TRY_ASSIGN(UniqueFd socket, device::connectUnixSocket(path));
    NNBURST_VLOG(MANAGER, "connecting to {}", path);
    NNBURST_TRY_ASSIGN(
        std::shared_ptr<device::Connection> connection,
        device::Connection::open(std::move(socket), fmt::format("driver at '{}'", path), nullptr));
    return std::make_shared<device::RemoteDevice>(std::move(connection));
}

}  // namespace nnburst
