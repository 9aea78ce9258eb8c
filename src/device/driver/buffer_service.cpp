// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/buffer_service.h"

#include <cstdint>
#include <utility>

#include "account/account.h"
#include "device/driver/run_on_job_thread.h"
#include "device/rpc/conversion.h"
#include "device/rpc/descriptors.h"
#include "device/rpc/kj_conversions.h"
#include "device/rpc/message_lists.h"
#include "log/assert.h"
#include "model/buffer_status.h"
#include "nnburst/validation.h"

namespace nnburst::device {

namespace {

class BufferService final : public rpc::Buffer::Server {
  public:
    BufferService(SharedClientContext client, std::shared_ptr<LocalBuffer> buffer) noexcept
        : client_(std::move(client)), buffer_(std::move(buffer)) {
        NNBURST_ASSERT(buffer_ != nullptr, "a buffer's service without a buffer");
    }

  protected:
    kj::Promise<void> copyTo(CopyToContext context) override {
        return withRegion(context.getParams().getDestination(),
                          [buffer = buffer_](const SharedRegion& destination) {
                              return buffer->copyTo(destination);
                          })
            .then([context](Result<>&& status) mutable {
                toMessage(toBufferStatus(std::move(status)), context.getResults().initStatus());
            });
    }

    kj::Promise<void> copyFrom(CopyFromContext context) override {
        const auto dimensions = context.getParams().getDimensions();
        if (const Result<> allowed =
                checkCount(dimensions.size(), kMaximumDimensions, "dimensions of a buffer");
            !allowed) {
            buffer_->discardContents();
            toMessage(allowed, context.getResults().initStatus());
            return kj::READY_NOW;
        }
        return withRegion(
                   context.getParams().getSource(),
                   [buffer = buffer_, sizes = numbersFromMessage<std::uint32_t>(dimensions)](
                       const SharedRegion& source) { return buffer->copyFrom(source, sizes); })
            .then([context, buffer = buffer_](Result<>&& status) mutable {
                if (!status) {  // perhaps before it came to the buffer
                    buffer->discardContents();
                }
                toMessage(toBufferStatus(std::move(status)), context.getResults().initStatus());
            });
    }

    kj::Promise<void> discardContents(DiscardContentsContext /*context*/) override {
        buffer_->discardContents();
        return kj::READY_NOW;
    }

  private:
    /// Receives memory and gives it to `copy` on a job thread. Accesses to a file may wait without
    /// end for a client that is within a write to it: such a thread counts as blocked.
    kj::Promise<Result<>> withRegion(rpc::MemoryRegion::Reader reader,
                                     std::function<Result<>(const SharedRegion&)> copy) {
        return receiveRegion(reader, client_->peer)
            .then([this, copy = std::move(copy)](
                      Result<SharedRegion>&& region) mutable -> kj::Promise<Result<>> {
                if (!region) {
                    return failureOf<void>(region);
                }
                return runOnJobThread<void>(
                    *client_, JobKind::CONTROL, {},
                    [copy = std::move(copy), received = std::move(*region),
                     account = client_->peer->account()]() -> Result<> {
                        const bool isFile = received != nullptr && received->isForeign();
                        const std::uint64_t threads = isFile ? 1 : 0;
                        NNBURST_TRY_ASSIGN(const Charge blocked,
                                           chargeTo(account, Resource::BLOCKED_THREADS, threads));
                        return copy(received);
                    });
            });
    }

    const SharedClientContext client_;
    const std::shared_ptr<LocalBuffer> buffer_;
};

}  // namespace

rpc::Buffer::Client serveBuffer(SharedClientContext client, std::shared_ptr<LocalBuffer> buffer) {
    auto dropped = droppedOnJobThread(client->scheduler, std::move(buffer));
    return kj::heap<BufferService>(std::move(client), std::move(dropped));
}

}  // namespace nnburst::device
