// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Memory of the API: a part of a region of shared memory. Memory of a description
/// (memory_description.h) is for certain inputs and outputs alone, has dimensions, and has contents
/// only after something wrote them; all of that does not hold of memory of a descriptor.
/// Executions and models share it with the program's handle. Thread-safe.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "nnapi/memory_roles.h"
#include "nnapi/status.h"
#include "nnburst/memory.h"
#include "nnburst/types.h"

namespace nnburst::nnapi {

class Memory {
  public:
    /// Of `size` bytes of `fd` from `offset` on, for uses that `protect` allows.
    [[nodiscard]] static Status fromDescriptor(std::size_t size, int protect, int fd,
                                               std::size_t offset, std::shared_ptr<Memory>& memory);
    /// New memory, without contents.
    [[nodiscard]] static Status forRoles(MemoryRoles roles, std::shared_ptr<Memory>& memory);

    [[nodiscard]] const SharedRegion& region() const noexcept { return region_; }
    /// Where the memory begins in its region, in bytes.
    [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
    [[nodiscard]] std::uint64_t sizeBytes() const noexcept { return sizeBytes_; }
    /// It was made of a description.
    [[nodiscard]] bool hasRoles() const noexcept { return roles_.has_value(); }

    /// Checks that `length` bytes from `offset` on can be the constant of a model.
    [[nodiscard]] Status checkConstant(std::size_t offset, std::size_t length) const;
    /// Checks that `length` bytes from `offset` on can be that argument of an execution, with the
    /// dimensions in `type`, if it is not null.
    [[nodiscard]] Status checkArgument(const MemoryRole& role,
                                       const ANeuralNetworksOperandType* type, std::size_t offset,
                                       std::size_t length) const;

    /// Checks, when an execution begins, that the memory has contents of these dimensions, or that
    /// another execution writes it: the program puts the two in order.
    [[nodiscard]] Status checkContents(const Dimensions& dimensions) const;
    /// Says that an execution that has been started writes the memory, until endExpectation.
    /// Several may.
    void expectContents();
    void endExpectation() noexcept;
    /// Says that an execution has written contents of these dimensions. False, and the memory has
    /// no contents, if it has other dimensions.
    [[nodiscard]] bool setContents(const Dimensions& dimensions);
    /// Says that the memory has no contents: what should have written them failed.
    void clearContents();

    /// Copies all of `source`. `destination` has no contents after an error.
    [[nodiscard]] static Status copy(const Memory& source, Memory& destination);

  private:
    Memory(SharedRegion region, std::uint64_t offset, std::uint64_t sizeBytes, int protect);

    /// What memory of a description has in it.
    struct Contents {
        bool isThere = false;
        std::size_t pendingWrites = 0;  ///< executions that expectContents has announced
        Dimensions dimensions;
    };

    [[nodiscard]] Status checkRange(std::size_t offset, std::size_t length) const;
    [[nodiscard]] Contents contents() const;
    [[nodiscard]] static Status copyBytes(const Memory& source, const Memory& destination);

    SharedRegion region_;
    std::uint64_t offset_;
    std::uint64_t sizeBytes_;
    int protect_;
    std::optional<MemoryRoles> roles_;

    mutable std::mutex mutex_;
    Contents contents_;  ///< guarded by mutex_
};

}  // namespace nnburst::nnapi

struct ANeuralNetworksMemory final {
    std::shared_ptr<nnburst::nnapi::Memory> memory;
};
