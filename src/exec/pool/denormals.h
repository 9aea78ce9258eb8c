// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How the calling thread treats denormal numbers, on x86-64.

#include <immintrin.h>

namespace nnburst::exec {

/// RAII: if `isWanted`, the calling thread treats denormal numbers as zero, and computes zero
/// instead of them, until this is destroyed.
class ScopedDenormalFlush {
  public:
    explicit ScopedDenormalFlush(bool isWanted) noexcept : before_(_mm_getcsr()) {
        if (isWanted) {
            constexpr unsigned kFlushToZero = 0x8000;
            constexpr unsigned kDenormalsAreZero = 0x40;
            _mm_setcsr(before_ | kFlushToZero | kDenormalsAreZero);
        }
    }
    ScopedDenormalFlush(const ScopedDenormalFlush&) = delete;
    ScopedDenormalFlush& operator=(const ScopedDenormalFlush&) = delete;
    ~ScopedDenormalFlush() { _mm_setcsr(before_); }

  private:
    unsigned before_;
};

}  // namespace nnburst::exec
