// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The instruction sets of the micro-kernels, and which of them this processor has.

#include <array>
#include <cstdint>

#include "exec/dot8/microkernel.h"

namespace nnburst::exec::dot8 {

enum class InstructionSet : std::uint8_t { AVX512_VNNI, AVX_VNNI, NEON_DOT };

/// All, of one architecture the fastest first.
inline constexpr std::array kInstructionSets{InstructionSet::AVX512_VNNI, InstructionSet::AVX_VNNI,
                                             InstructionSet::NEON_DOT};

/// The micro-kernels of `set`; null unless the processor and the operating system support it.
[[nodiscard]] const Microkernels* microkernels(InstructionSet set) noexcept;

/// Those of the fastest set that is supported; null if none is.
[[nodiscard]] const Microkernels* fastestMicrokernels() noexcept;

}  // namespace nnburst::exec::dot8
