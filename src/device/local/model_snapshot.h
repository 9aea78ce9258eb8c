// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A model that no other process can change, and the digest of its content.

#include <array>
#include <atomic>
#include <cstdint>

#include "account/account.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::device {

/// SHA-256.
using Digest = std::array<std::uint8_t, 32>;

/// What `model` takes in memory, without its pools.
[[nodiscard]] std::uint64_t memoryBytes(const Model& model) noexcept;

/// A valid model whose constants were copied from memory that other processes can write. So the
/// model that is compiled is the one that was hashed, even if a client changes its memory
/// meanwhile.
struct ModelSnapshot {
    /// Its pools belong to this process and hold only referenced constants.
    Model model;
    /// Equal for models of the same operands, operations and constants, wherever these lie.
    Digest digest{};

    /// The charge for the memory of the constants.
    Charge charge;

    /// INVALID_ARGUMENT if memory of the model cannot be read; RESOURCE_EXHAUSTED_* if it is too
    /// large, or at a limit of `account`, unless that is null. DEVICE_UNAVAILABLE soon after
    /// `isCancelled`, unless that is null, has become true.
    [[nodiscard]] static Result<ModelSnapshot> take(Model model,
                                                    const SharedAccount& account = nullptr,
                                                    const std::atomic<bool>* isCancelled = nullptr);

    /// Memory of the constants where each operand has a copy of its own, also of bytes that several
    /// name.
    [[nodiscard]] std::uint64_t constantBytes() const noexcept;
    /// Memory of everything else: operands, operations and their lists.
    [[nodiscard]] std::uint64_t structureBytes() const noexcept;
};

}  // namespace nnburst::device
