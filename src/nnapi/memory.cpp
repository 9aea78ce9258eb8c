// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnapi/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "nnapi/operand_type.h"
#include "nnburst/unique_fd.h"

namespace nnburst::nnapi {

namespace {

/// Offsets and lengths in the HAL have 32 bits.
constexpr std::uint64_t kMaximumOffset = std::numeric_limits<std::uint32_t>::max();

/// Bytes that a copy between memories moves at a time.
constexpr std::size_t kCopyBytes = std::size_t{1} << 20;

}  // namespace

Memory::Memory(SharedRegion region, std::uint64_t offset, std::uint64_t sizeBytes, int protect)
    : region_(std::move(region)), offset_(offset), sizeBytes_(sizeBytes), protect_(protect) {}

Status Memory::fromDescriptor(std::size_t size, int protect, int fd, std::size_t offset,
                              std::shared_ptr<Memory>& memory) {
    if (size == 0 || fd < 0) {
        return badData("size {}, descriptor {}: must be greater than 0, and a descriptor", size,
                       fd);
    }
    if (offset > kMaximumRegionBytes || size > kMaximumRegionBytes - offset) {
        return badData("size {}, offset {}: must be at most {} together", size, offset,
                       kMaximumRegionBytes);
    }
    auto duplicate = UniqueFd::duplicate(fd);
    if (!duplicate) {
        return refused(ANEURALNETWORKS_UNMAPPABLE, "{}", duplicate.error().message);
    }
    auto region = Region::receive(*std::move(duplicate), offset + size);
    if (!region) {
        return refused(ANEURALNETWORKS_UNMAPPABLE, "{}", region.error().message);
    }
    memory.reset(new Memory(*std::move(region), offset, size, protect));
    return {};
}

Status Memory::forRoles(MemoryRoles roles, std::shared_ptr<Memory>& memory) {
    const auto bytes = valueBytes(roles.operand.type, roles.dimensions);
    if (!bytes || *bytes == 0) {
        return refused(ANEURALNETWORKS_OP_FAILED,
                       "memory whose size is not known: the description must give all dimensions");
    }
    auto region = Region::create(*bytes);
    if (!region) {
        return refused(toResultCode(region.error().status), "{}", region.error().message);
    }
    memory.reset(new Memory(*std::move(region), 0, *bytes, PROT_READ | PROT_WRITE));
    memory->contents_.dimensions = roles.dimensions;
    memory->roles_ = std::move(roles);
    return {};
}

Status Memory::checkRange(std::size_t offset, std::size_t length) const {
    if (offset > sizeBytes_ || length > sizeBytes_ - offset) {
        return badData("offset {} + length {} exceeds the memory ({} bytes)", offset, length,
                       sizeBytes_);
    }
    if (offset == 0 && length == 0) {
        return badData("length 0: must be given for memory of a descriptor");
    }
    if (offset_ + offset + length > kMaximumOffset) {
        return badData("offset {} + {}, length {}: must be at most {} together", offset_, offset,
                       length, kMaximumOffset);
    }
    return {};
}

Status Memory::checkConstant(std::size_t offset, std::size_t length) const {
    if (roles_) {
        return badData("memory of a description cannot be the constant of a model");
    }
    return checkRange(offset, length);
}

Status Memory::checkArgument(const MemoryRole& role, const ANeuralNetworksOperandType* type,
                             std::size_t offset, std::size_t length) const {
    if ((protect_ & (role.isOutput ? PROT_WRITE : PROT_READ)) == 0) {
        return badData("memory with protection {}: must be one for {}", protect_,
                       role.isOutput ? "writing" : "reading");
    }
    if (!roles_) {
        return checkRange(offset, length);
    }
    if (roles_->roles.count(role) == 0) {
        return badData("{} {}: the memory's description does not name this use",
                       role.isOutput ? "output" : "input", role.index);
    }
    if (offset != 0 || length != 0) {
        return badData("offset {}, length {}: must be 0 for memory of a description", offset,
                       length);
    }
    if (type != nullptr && !combineDimensions(dimensionsOf(*type), roles_->dimensions)) {
        return badData("the dimensions contradict those of the memory");
    }
    return {};
}

Memory::Contents Memory::contents() const {
    const std::lock_guard lock(mutex_);
    return contents_;
}

Status Memory::checkContents(const Dimensions& dimensions) const {
    if (!roles_) {
        return {};
    }
    const Contents contents = this->contents();
    if (contents.pendingWrites > 0) {
        return {};
    }
    if (!contents.isThere) {
        return refused(ANEURALNETWORKS_OP_FAILED, "an input's memory has no contents");
    }
    if (contents.dimensions != dimensions) {
        return refused(ANEURALNETWORKS_OP_FAILED,
                       "the contents of an input's memory have other dimensions than the input");
    }
    return {};
}

void Memory::expectContents() {
    const std::lock_guard lock(mutex_);
    ++contents_.pendingWrites;
}

void Memory::endExpectation() noexcept {
    const std::lock_guard lock(mutex_);
    --contents_.pendingWrites;
}

bool Memory::setContents(const Dimensions& dimensions) {
    if (!roles_) {
        return true;
    }
    auto combined = combineDimensions(dimensions, roles_->dimensions);
    const std::lock_guard lock(mutex_);
    contents_.isThere = combined.has_value();
    contents_.dimensions = combined ? *std::move(combined) : roles_->dimensions;
    return contents_.isThere;
}

void Memory::clearContents() {
    const std::lock_guard lock(mutex_);
    contents_.isThere = false;
}

Status Memory::copyBytes(const Memory& source, const Memory& destination) {
    std::vector<std::byte> bytes(std::min<std::uint64_t>(source.sizeBytes_, kCopyBytes));
    for (std::uint64_t done = 0; done < source.sizeBytes_; done += bytes.size()) {
        const std::span<std::byte> part(
            bytes.data(), std::min<std::uint64_t>(bytes.size(), source.sizeBytes_ - done));
        Result<> result = source.region_->read(source.offset_ + done, part);
        if (result) {
            result = destination.region_->write(destination.offset_ + done, part);
        }
        if (!result) {
            return refused(ANEURALNETWORKS_UNMAPPABLE, "{}", result.error().message);
        }
    }
    return {};
}

Status Memory::copy(const Memory& source, Memory& destination) {
    if (&source == &destination) {
        return {};
    }
    destination.clearContents();
    const Contents contents = source.contents();
    if (source.roles_ && !contents.isThere) {
        return badData("the source has no contents");
    }
    if (source.sizeBytes_ != destination.sizeBytes_) {
        return badData("source of {} bytes, destination of {}: must be the same", source.sizeBytes_,
                       destination.sizeBytes_);
    }
    if (source.roles_ && destination.roles_) {
        const Operand& from = source.roles_->operand;
        const Operand& to = destination.roles_->operand;
        if (from.type != to.type || from.scale != to.scale || from.zeroPoint != to.zeroPoint ||
            from.extraParams != to.extraParams) {
            return badData("source and destination have different operand types");
        }
        if (!combineDimensions(contents.dimensions, destination.roles_->dimensions)) {
            return badData("source and destination have different dimensions");
        }
    }
    NNBURST_NNAPI_TRY(copyBytes(source, destination));
    // Found to fit above.
    (void)destination.setContents(source.roles_ ? contents.dimensions : Dimensions());
    return {};
}

}  // namespace nnburst::nnapi

using nnburst::nnapi::answer;
using nnburst::nnapi::Memory;
using nnburst::nnapi::refused;
using nnburst::nnapi::refuseNull;
using nnburst::nnapi::Status;

int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset,
                                       ANeuralNetworksMemory** memory) {
    if (memory == nullptr) {
        return refuseNull(__func__);
    }
    *memory = nullptr;
    return answer(__func__, [&]() -> Status {
        auto created = std::make_unique<ANeuralNetworksMemory>();
        Status status = Memory::fromDescriptor(size, protect, fd, offset, created->memory);
        if (status.isOk()) {
            *memory = created.release();
        }
        return status;
    });
}

int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer* ahwb,
                                                    ANeuralNetworksMemory** memory) {
    if (memory != nullptr) {
        *memory = nullptr;
    }
    if (ahwb == nullptr || memory == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, []() -> Status {
        return refused(ANEURALNETWORKS_UNMAPPABLE, "hardware buffers are not supported");
    });
}

int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory* src, const ANeuralNetworksMemory* dst) {
    if (src == nullptr || dst == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] { return Memory::copy(*src->memory, *dst->memory); });
}

void ANeuralNetworksMemory_free(ANeuralNetworksMemory* memory) {
    delete memory;
}
