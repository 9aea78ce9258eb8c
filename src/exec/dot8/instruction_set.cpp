// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/dot8/instruction_set.h"

#if defined(NNBURST_HAS_X86_MICROKERNELS)
#include <cpuid.h>
#elif defined(NNBURST_HAS_ARM64_MICROKERNELS)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace nnburst::exec::dot8 {

#if defined(NNBURST_HAS_X86_MICROKERNELS)

namespace {

// __builtin_cpu_supports is false for registers that the operating system does not save.

bool hasAvx512Vnni() noexcept {
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
           __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
           __builtin_cpu_supports("avx512vnni") != 0;
}

/// Not every compiler's __builtin_cpu_supports knows "avxvnni": leaf 7, subleaf 1, bit 4 of EAX.
bool hasAvxVnni() noexcept {
    unsigned int eax = 0;
    unsigned int ebx = 0;
    unsigned int ecx = 0;
    unsigned int edx = 0;
    return __builtin_cpu_supports("avx2") != 0 &&
           __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & 1U << 4) != 0;
}

}  // namespace

const Microkernels* microkernels(InstructionSet set) noexcept {
    switch (set) {
        case InstructionSet::AVX512_VNNI:
            return hasAvx512Vnni() ? &kAvx512Vnni : nullptr;
        case InstructionSet::AVX_VNNI:
            return hasAvxVnni() ? &kAvxVnni : nullptr;
        case InstructionSet::NEON_DOT:
            return nullptr;
    }
    return nullptr;
}

#elif defined(NNBURST_HAS_ARM64_MICROKERNELS)

const Microkernels* microkernels(InstructionSet set) noexcept {
    const bool hasNeonDot = (::getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
    return set == InstructionSet::NEON_DOT && hasNeonDot ? &kNeonDot : nullptr;
}

#else

const Microkernels* microkernels(InstructionSet /*set*/) noexcept {
    return nullptr;
}

#endif

const Microkernels* fastestMicrokernels() noexcept {
    for (const InstructionSet set : kInstructionSets) {
        if (const Microkernels* found = microkernels(set); found != nullptr) {
            return found;
        }
    }
    return nullptr;
}

}  // namespace nnburst::exec::dot8
