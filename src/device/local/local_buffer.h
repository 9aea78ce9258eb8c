// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Memory domains (HAL 1.3 IDevice::allocate, IBuffer) of the device itself.

#include <cstddef>
#include <memory>
#include <span>

#include "device/local/local_prepared_model.h"
#include "exec/run/managed_buffer.h"
#include "nnburst/device.h"

namespace nnburst::device {

/// A buffer of the device, named by a token until this is destroyed. Executions that use the buffer
/// then keep its memory.
class LocalBuffer final : public Buffer {
  public:
    /// Gives `buffer` a token among `buffers`.
    LocalBuffer(std::shared_ptr<exec::ManagedBuffers> buffers,
                std::shared_ptr<exec::ManagedBuffer> buffer);
    ~LocalBuffer() override;
    LocalBuffer(const LocalBuffer&) = delete;
    LocalBuffer& operator=(const LocalBuffer&) = delete;

    [[nodiscard]] Result<> copyTo(const SharedRegion& destination) override;
    [[nodiscard]] Result<> copyFrom(const SharedRegion& source,
                                    const Dimensions& dimensions) override;

    /// Called if a copyFrom failed before it reached this object: the buffer loses its contents.
    void discardContents() { buffer_->discardContents(); }

    [[nodiscard]] BufferToken token() const noexcept { return token_; }

  private:
    const std::shared_ptr<exec::ManagedBuffers> buffers_;
    const std::shared_ptr<exec::ManagedBuffer> buffer_;
    const BufferToken token_;
};

/// Limit on the roles of one buffer, and on the prepared models that they name: more than any use
/// of a buffer has.
inline constexpr std::size_t kMaximumRoles = 4096;

/// IDevice::allocate. Checks the description and the roles, whose operands must have one type and
/// compatible dimensions, and makes the buffer. INVALID_ARGUMENT names the role and the rule;
/// GENERAL_FAILURE if there is no memory; RESOURCE_EXHAUSTED_* at a limit of `account`, unless that
/// is null. The models belong to the device that owns `buffers`.
[[nodiscard]] Result<std::shared_ptr<LocalBuffer>> allocateBuffer(
    const std::shared_ptr<exec::ManagedBuffers>& buffers, const BufferDesc& desc,
    std::span<const std::shared_ptr<LocalPreparedModel>> preparedModels,
    std::span<const BufferRole> inputRoles, std::span<const BufferRole> outputRoles,
    const SharedAccount& account = nullptr);

}  // namespace nnburst::device
