// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What users of the example extension need to know: its name and its numbers.

#include <cstdint>

namespace example {

/// Complex numbers, as spectra of sound are made of.
inline constexpr const char* kExtensionName = "org.nnburst.example.complex";

/// TENSOR_COMPLEX64: pairs of float32, real part first.
inline constexpr std::uint16_t kTensorComplex64 = 1;

/// MAGNITUDE: input 0 is a TENSOR_COMPLEX64, output 0 a TENSOR_FLOAT32 of the same dimensions.
inline constexpr std::uint16_t kMagnitude = 1;

}  // namespace example
