// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Whether this program was built with a sanitizer, in which some measurements make no sense.

namespace nnburst::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NNBURST_TEST_HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NNBURST_TEST_HAS_SANITIZER 1
#endif
#endif

#ifdef NNBURST_TEST_HAS_SANITIZER
inline constexpr bool kHasSanitizer = true;
#else
inline constexpr bool kHasSanitizer = false;
#endif

}  // namespace nnburst::test
