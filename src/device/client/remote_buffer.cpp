// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/client/remote_buffer.h"

#include <utility>

#include "device/rpc/conversion.h"
#include "device/rpc/descriptors.h"
#include "device/rpc/message_lists.h"
#include "model/invalid.h"
#include "nnburst/validation.h"

namespace nnburst::device {

RemoteBuffer::RemoteBuffer(std::shared_ptr<Connection> connection, rpc::Buffer::Client client)
    : buffer_(std::make_shared<RemoteHandle<rpc::Buffer>>(std::move(connection), kj::mv(client))) {}

Result<> RemoteBuffer::copyTo(const SharedRegion& destination) {
    return buffer_->connection()->call<void>([&] {
        auto call = buffer_->client().copyToRequest();
        toMessage(destination, call.initDestination());
        return call.send().then([](auto&& response) { return fromMessage(response.getStatus()); });
    });
}

Result<> RemoteBuffer::copyFrom(const SharedRegion& source, const Dimensions& dimensions) {
    if (dimensions.size() > kMaximumDimensions) {
        // After a failed copy the buffer has no contents: the driver must be told.
        NNBURST_TRY(buffer_->connection()->call<void>([&] {
            return buffer_->client().discardContentsRequest().send().then(
                [](auto&&) { return Result<>(); });
        }));
        return invalid("copyFrom with {} dimensions: must be at most {}", dimensions.size(),
                       kMaximumDimensions);
    }
    return buffer_->connection()->call<void>([&] {
        auto call = buffer_->client().copyFromRequest();
        toMessage(source, call.initSource());
        numbersToMessage(dimensions, call.initDimensions(static_cast<unsigned>(dimensions.size())));
        return call.send().then([](auto&& response) { return fromMessage(response.getStatus()); });
    });
}

}  // namespace nnburst::device
