// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/reserved_addresses.h"

#include <sys/mman.h>

#include <fmt/format.h>

#include <algorithm>

namespace nnburst {

Result<ReservedAddresses> ReservedAddresses::reserve(std::uint64_t sizeBytes) {
    const std::uint64_t mappedBytes = std::max<std::uint64_t>(sizeBytes, 1);
    void* const mapped =
        ::mmap(nullptr, mappedBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       fmt::format("cannot reserve {} addresses for operands", sizeBytes));
    }
    ReservedAddresses reserved;
    reserved.data_ = std::unique_ptr<std::byte, Release>(static_cast<std::byte*>(mapped),
                                                         Release{.sizeBytes = mappedBytes});
    return reserved;
}

void ReservedAddresses::Release::operator()(std::byte* data) const noexcept {
    ::munmap(data, sizeBytes);
}

}  // namespace nnburst
