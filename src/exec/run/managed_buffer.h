// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Driver-managed memory (HAL 1.3 IBuffer) as executions use it: its type and dimensions, the
/// arguments of prepared models that it may be used for, and whether it has contents.

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "account/account.h"
#include "memory/aligned_buffer.h"
#include "model/request_check.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "nnburst/types.h"
#include "system/mutex.h"

namespace nnburst::exec {

/// An argument of a prepared model that a buffer may be used for. Two prepared models of the same
/// content differ here, as in the HAL: a client's buffer is useless to another client.
struct ManagedRole {
    std::uint64_t preparedModel = 0;  ///< unique in this process
    ArgumentRole role = ArgumentRole::INPUT;
    std::uint32_t index = 0;

    auto operator<=>(const ManagedRole&) const = default;
};

/// Thread-safe. Executions that use it at the same time see each other's bytes, as with shared
/// memory; addresses stay valid for executions that have them.
class ManagedBuffer {
  public:
    /// Bytes whose address stays the same as long as they live.
    using Storage = std::shared_ptr<const AlignedBuffer>;

    /// What a buffer holds.
    struct Contents {
        Storage storage;
        Dimensions dimensions;  ///< all known
        std::uint64_t sizeBytes = 0;
    };

    /// A buffer for `roles`, for values of this type and these dimensions, as far as they are
    /// known. Memory is allocated at once if all dimensions are known, else when contents arrive;
    /// it is charged to `account`, as the roles are, unless that is null. GENERAL_FAILURE if there
    /// is not enough memory or the type has no size; RESOURCE_EXHAUSTED_* at a limit of the
    /// account.
    [[nodiscard]] static Result<std::shared_ptr<ManagedBuffer>> create(
        OperandType type, Dimensions dimensions, std::vector<ManagedRole> roles,
        SharedAccount account = nullptr);

    /// IBuffer::copyTo. GENERAL_FAILURE while it has no contents; INVALID_ARGUMENT unless
    /// `destination` has exactly the size of the contents.
    [[nodiscard]] Result<> copyTo(const SharedRegion& destination) const;

    /// IBuffer::copyFrom. INVALID_ARGUMENT if the dimensions are not all known from the buffer or
    /// from `dimensions`, do not agree, or do not have the size of `source`; RESOURCE_EXHAUSTED_*
    /// at a limit of the account. After any error the buffer has no contents.
    [[nodiscard]] Result<> copyFrom(const SharedRegion& source, const Dimensions& dimensions);

    /// INVALID_ARGUMENT if the buffer was not allocated for `role`, or if `dimensions` of a
    /// request, which may be empty, contradict the buffer's.
    [[nodiscard]] Result<> checkUse(const ManagedRole& role, const Dimensions& dimensions) const;
    /// Whether the buffer was allocated for `role`.
    [[nodiscard]] bool hasRole(const ManagedRole& role) const noexcept;
    /// Whether the buffer was allocated for any argument of this prepared model.
    [[nodiscard]] bool isFor(std::uint64_t preparedModel) const noexcept;

    /// Gives an execution the contents, in `contents`, whose memory is reused. GENERAL_FAILURE
    /// while there are none; INVALID_ARGUMENT if `dimensions` of the request differ from theirs, or
    /// if they are a tensor without elements.
    [[nodiscard]] Result<> read(const Dimensions& dimensions, Contents& contents) const;
    /// The checks of `read` alone. With `orPending` an announced write is enough instead of
    /// contents.
    [[nodiscard]] Result<> checkContents(const Dimensions& dimensions, bool orPending) const;

    /// Counts launched executions that will write to the buffer: announceWrite at the launch,
    /// withdrawWrite at the end. Always in pairs.
    void announceWrite();
    void withdrawWrite();

    /// Discards the contents: when an execution that writes to the buffer begins, or when a copy to
    /// it has failed.
    void discardContents();
    /// Memory for an output with these dimensions. GENERAL_FAILURE if the buffer is for others.
    [[nodiscard]] Result<Storage> reserve(std::span<const std::uint32_t> dimensions,
                                          std::uint64_t sizeBytes);
    /// After a successful execution: makes `storage` the contents of the buffer.
    void finishWrite(const Storage& storage, std::span<const std::uint32_t> dimensions,
                     std::uint64_t sizeBytes);

    /// The size of its memory, in bytes.
    [[nodiscard]] std::uint64_t capacityBytes() const;

  private:
    ManagedBuffer(OperandType type, Dimensions dimensions, std::vector<ManagedRole> roles,
                  SharedAccount account, Charge charge) noexcept;

    /// Memory of at least `sizeBytes`. `former` gets memory that was too small, to be dropped after
    /// the mutex is unlocked: gigabytes take a second.
    [[nodiscard]] Result<Storage> reserveLocked(std::uint64_t sizeBytes, Storage& former)
        NNBURST_REQUIRES(mutex_);
    [[nodiscard]] Result<> checkContentsLocked(const Dimensions& dimensions) const
        NNBURST_REQUIRES(mutex_);

    const Charge charge_;  // for this object and its roles
    const OperandType type_;
    const Dimensions knownDimensions_;
    const std::vector<ManagedRole> roles_;  // sorted
    const SharedAccount account_;

    mutable system::Mutex mutex_;
    Storage storage_ NNBURST_GUARDED_BY(mutex_);  // replaced when more is needed
    std::uint64_t capacityBytes_ NNBURST_GUARDED_BY(mutex_) = 0;
    bool isInitialized_ NNBURST_GUARDED_BY(mutex_) = false;
    Dimensions dimensions_ NNBURST_GUARDED_BY(mutex_);          // of the contents
    std::uint64_t sizeBytes_ NNBURST_GUARDED_BY(mutex_) = 0;    // of the contents
    std::size_t pendingWrites_ NNBURST_GUARDED_BY(mutex_) = 0;  // announced and not withdrawn
};

/// The buffers of a device by their tokens. Thread-safe.
class ManagedBuffers {
  public:
    /// Names `buffer` until `remove`. Tokens are not used again until all others were.
    [[nodiscard]] BufferToken add(std::shared_ptr<ManagedBuffer> buffer);
    void remove(BufferToken token);
    /// The buffer for a request of this prepared model. Null if the buffer was allocated for other
    /// prepared models alone: it may be another client's, whose memory the request must not keep.
    /// INVALID_ARGUMENT for a token that names nothing.
    [[nodiscard]] Result<std::shared_ptr<ManagedBuffer>> find(BufferToken token,
                                                              std::uint64_t preparedModel) const;

  private:
    mutable system::Mutex mutex_;
    std::unordered_map<std::uint32_t, std::shared_ptr<ManagedBuffer>> buffers_
        NNBURST_GUARDED_BY(mutex_);
    std::uint32_t lastToken_ NNBURST_GUARDED_BY(mutex_) = 0;
};

}  // namespace nnburst::exec
