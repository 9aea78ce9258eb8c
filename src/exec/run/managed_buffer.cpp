// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/managed_buffer.h"

#include <algorithm>
#include <utility>

#include "log/assert.h"
#include "memory/mapped_pages.h"
#include "model/invalid.h"
#include "model/operand_info.h"
#include "nnburst/validation.h"

namespace nnburst::exec {

namespace {

/// Whether a buffer of this type and these known dimensions may be used with `dimensions`.
bool agree(OperandType type, const Dimensions& known,
           std::span<const std::uint32_t> dimensions) noexcept {
    return isTensor(type) ? mayBeEqual(known, dimensions) : dimensions.empty();
}

const char* roleName(ArgumentRole role) noexcept {
    return role == ArgumentRole::INPUT ? "input" : "output";
}

std::vector<ManagedRole> sorted(std::vector<ManagedRole> roles) noexcept {
    std::sort(roles.begin(), roles.end());
    return roles;
}

}  // namespace

ManagedBuffer::ManagedBuffer(OperandType type, Dimensions dimensions,
                             std::vector<ManagedRole> roles, SharedAccount account,
                             Charge charge) noexcept
    : charge_(std::move(charge)),
      type_(type),
      knownDimensions_(std::move(dimensions)),
      roles_(sorted(std::move(roles))),
      account_(std::move(account)) {}

Result<std::shared_ptr<ManagedBuffer>> ManagedBuffer::create(OperandType type,
                                                             Dimensions dimensions,
                                                             std::vector<ManagedRole> roles,
                                                             SharedAccount account) {
    if (elementBytes(type) == 0) {
        return failure(
            ErrorStatus::GENERAL_FAILURE,
            fmt::format("cannot allocate a buffer for {}: its size is not known", toString(type)));
    }
    NNBURST_TRY_ASSIGN(Charge charge,
                       chargeTo(account, Resource::MEMORY,
                                sizeof(ManagedBuffer) + roles.capacity() * sizeof(ManagedRole)));
    std::shared_ptr<ManagedBuffer> buffer(new ManagedBuffer(
        type, std::move(dimensions), std::move(roles), std::move(account), std::move(charge)));
    const Dimensions& known = buffer->knownDimensions_;
    if (isFullySpecified(type, known)) {
        const std::optional<std::uint64_t> sizeBytes = operandBytes(type, known);
        if (!sizeBytes) {
            return failure(ErrorStatus::GENERAL_FAILURE,
                           fmt::format("cannot allocate a buffer with dimensions {}: it would be "
                                       "too large",
                                       dimensionsText(known)));
        }
        Storage former;
        const system::MutexLock lock(buffer->mutex_);
        NNBURST_TRY(buffer->reserveLocked(*sizeBytes, former));
    }
    return buffer;
}

Result<ManagedBuffer::Storage> ManagedBuffer::reserveLocked(std::uint64_t sizeBytes,
                                                            Storage& former) {
    if (!storage_ || sizeBytes > capacityBytes_) {
        NNBURST_TRY_ASSIGN(Charge charge, chargeTo(account_, Resource::MEMORY, sizeBytes));
        auto memory = AlignedBuffer::allocate(sizeBytes);
        if (!memory) {
            return failure(
                ErrorStatus::GENERAL_FAILURE,
                fmt::format("no memory for {} bytes of a driver-managed buffer", sizeBytes));
        }
        auto enlarged = std::make_shared<const AlignedBuffer>(std::move(*memory));
        former = std::exchange(storage_, chargedFor(std::move(enlarged), std::move(charge)));
        capacityBytes_ = sizeBytes;
        isInitialized_ = false;
    }
    return storage_;
}

Result<> ManagedBuffer::copyTo(const SharedRegion& destination) const {
    if (!destination) {
        return invalid("cannot copy a driver-managed buffer: no memory given");
    }
    Storage storage;
    std::uint64_t sizeBytes = 0;
    {
        const system::MutexLock lock(mutex_);
        if (!isInitialized_) {
            return failure(ErrorStatus::GENERAL_FAILURE,
                           "cannot copy a driver-managed buffer that holds nothing: copy to it, or "
                           "execute with it as an output, first");
        }
        NNBURST_ASSERT(storage_ != nullptr && sizeBytes_ <= capacityBytes_,
                       "contents of {} bytes in memory of {}", sizeBytes_, capacityBytes_);
        storage = storage_;
        sizeBytes = sizeBytes_;
    }
    if (destination->sizeBytes() != sizeBytes) {
        return invalid(
            "cannot copy a driver-managed buffer of {} bytes to memory of {}: the sizes "
            "must be the same",
            sizeBytes, destination->sizeBytes());
    }
    return writeMapped(*destination, 0, {storage->data(), sizeBytes});
}

Result<> ManagedBuffer::copyFrom(const SharedRegion& source, const Dimensions& dimensions) {
    discardContents();
    if (!source) {
        return invalid("cannot copy to a driver-managed buffer: no memory given");
    }
    if (!dimensions.empty() && !agree(type_, knownDimensions_, dimensions)) {
        return invalid(
            "cannot copy to a driver-managed buffer: dimensions {} do not agree with its {}",
            dimensionsText(dimensions), dimensionsText(knownDimensions_));
    }
    const Dimensions& known = dimensions.empty() ? knownDimensions_ : dimensions;
    if (!isFullySpecified(type_, known) || known.size() > kMaximumDimensions) {
        return invalid("cannot copy to a driver-managed buffer: dimensions {} must all be known",
                       dimensionsText(known));
    }
    const std::optional<std::uint64_t> sizeBytes = operandBytes(type_, known);
    if (!sizeBytes || *sizeBytes != source->sizeBytes()) {
        return invalid(
            "cannot copy {} bytes to a driver-managed buffer with dimensions {}: the "
            "sizes must be the same",
            source->sizeBytes(), dimensionsText(known));
    }
    Storage storage;
    {
        Storage former;
        const system::MutexLock lock(mutex_);
        isInitialized_ = false;  // another write may have ended since
        NNBURST_TRY_ASSIGN(storage, reserveLocked(*sizeBytes, former));
    }
    NNBURST_TRY(source->read(0, {storage->data(), *sizeBytes}));
    finishWrite(storage, known, *sizeBytes);
    return {};
}

Result<> ManagedBuffer::checkUse(const ManagedRole& role, const Dimensions& dimensions) const {
    if (!hasRole(role)) {
        return invalid(
            "the driver-managed buffer was not allocated for {} {} of this prepared model",
            roleName(role.role), role.index);
    }
    if (!dimensions.empty() && !agree(type_, knownDimensions_, dimensions)) {
        return invalid("{} {}: dimensions {} do not agree with {} of its driver-managed buffer",
                       roleName(role.role), role.index, dimensionsText(dimensions),
                       dimensionsText(knownDimensions_));
    }
    return {};
}

bool ManagedBuffer::hasRole(const ManagedRole& role) const noexcept {
    return std::ranges::binary_search(roles_, role);
}

bool ManagedBuffer::isFor(std::uint64_t preparedModel) const noexcept {
    return std::ranges::binary_search(roles_, preparedModel, {}, &ManagedRole::preparedModel);
}

Result<> ManagedBuffer::read(const Dimensions& dimensions, Contents& contents) const {
    contents.storage = nullptr;  // without the mutex: it may be the last owner
    const system::MutexLock lock(mutex_);
    NNBURST_TRY(checkContentsLocked(dimensions));
    NNBURST_ASSERT(storage_ != nullptr && sizeBytes_ <= capacityBytes_,
                   "contents of {} bytes in memory of {}", sizeBytes_, capacityBytes_);
    contents.storage = storage_;
    contents.dimensions.assign(dimensions_.begin(), dimensions_.end());
    contents.sizeBytes = sizeBytes_;
    return {};
}

Result<> ManagedBuffer::checkContents(const Dimensions& dimensions, bool orPending) const {
    const system::MutexLock lock(mutex_);
    if (orPending && pendingWrites_ != 0) {
        return {};
    }
    return checkContentsLocked(dimensions);
}

Result<> ManagedBuffer::checkContentsLocked(const Dimensions& dimensions) const {
    if (!isInitialized_) {
        return failure(
            ErrorStatus::GENERAL_FAILURE,
            "the driver-managed buffer of an input holds nothing: copy to it, or execute "
            "with it as an output, first");
    }
    if (!dimensions.empty() && !agree(type_, dimensions_, dimensions)) {
        return invalid(
            "dimensions {} of an input do not agree with {} of the contents of its "
            "driver-managed buffer",
            dimensionsText(dimensions), dimensionsText(dimensions_));
    }
    if (sizeBytes_ == 0) {
        return invalid(
            "the driver-managed buffer of an input holds a tensor without elements, "
            "of dimensions {}",
            dimensionsText(dimensions_));
    }
    return {};
}

void ManagedBuffer::announceWrite() {
    const system::MutexLock lock(mutex_);
    ++pendingWrites_;
}

void ManagedBuffer::withdrawWrite() {
    const system::MutexLock lock(mutex_);
    NNBURST_ASSERT(pendingWrites_ != 0, "a write is withdrawn that was not announced");
    --pendingWrites_;
}

void ManagedBuffer::discardContents() {
    const system::MutexLock lock(mutex_);
    isInitialized_ = false;
}

Result<ManagedBuffer::Storage> ManagedBuffer::reserve(std::span<const std::uint32_t> dimensions,
                                                      std::uint64_t sizeBytes) {
    if (!agree(type_, knownDimensions_, dimensions)) {
        return failure(
            ErrorStatus::GENERAL_FAILURE,
            fmt::format("an output has dimensions {}, its driver-managed buffer is for {}",
                        dimensionsText(dimensions), dimensionsText(knownDimensions_)));
    }
    Storage former;
    const system::MutexLock lock(mutex_);
    return reserveLocked(sizeBytes, former);
}

void ManagedBuffer::finishWrite(const Storage& storage, std::span<const std::uint32_t> dimensions,
                                std::uint64_t sizeBytes) {
    const system::MutexLock lock(mutex_);
    if (storage != storage_) {
        return;  // another write has enlarged the buffer; what was written is gone
    }
    NNBURST_ASSERT(sizeBytes <= capacityBytes_, "{} bytes were written to memory of {}", sizeBytes,
                   capacityBytes_);
    dimensions_.assign(dimensions.begin(), dimensions.end());
    sizeBytes_ = sizeBytes;
    isInitialized_ = true;
}

std::uint64_t ManagedBuffer::capacityBytes() const {
    const system::MutexLock lock(mutex_);
    return capacityBytes_;
}

BufferToken ManagedBuffers::add(std::shared_ptr<ManagedBuffer> buffer) {
    const system::MutexLock lock(mutex_);
    do {
        ++lastToken_;
    } while (lastToken_ == 0 || buffers_.contains(lastToken_));
    NNBURST_ASSERT(buffer != nullptr, "token {} for no buffer", lastToken_);
    buffers_.emplace(lastToken_, std::move(buffer));
    return BufferToken{lastToken_};
}

void ManagedBuffers::remove(BufferToken token) {
    std::shared_ptr<ManagedBuffer> removed;  // dropped without the mutex
    const system::MutexLock lock(mutex_);
    if (const auto found = buffers_.find(static_cast<std::uint32_t>(token));
        found != buffers_.end()) {
        removed = std::move(found->second);
        buffers_.erase(found);
    }
}

Result<std::shared_ptr<ManagedBuffer>> ManagedBuffers::find(BufferToken token,
                                                            std::uint64_t preparedModel) const {
    const system::MutexLock lock(mutex_);
    const auto found = buffers_.find(static_cast<std::uint32_t>(token));
    if (found == buffers_.end()) {
        return invalid("the request names driver-managed buffer {}, which does not exist",
                       static_cast<std::uint32_t>(token));
    }
    return found->second->isFor(preparedModel) ? found->second : nullptr;
}

}  // namespace nnburst::exec
