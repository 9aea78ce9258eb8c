// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which operations a device supports: all that it can run, less what its HAL version does not have
/// and its variant leaves out.

#include <vector>

#include "account/growing_charge.h"
#include "nnburst/device.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::device {

/// One entry for each operation of the main subgraph of a well-formed model (validateModel). IF and
/// WHILE are supported only with all operations that they refer to; of a relaxed model that
/// `version` does not know no operation is. INVALID_ARGUMENT if an operation has operands that the
/// HAL forbids, or if the model has something else that `version` does not know: extensions, or
/// operands that no operation uses. `memory` as for exec::ModelCheck.
[[nodiscard]] Result<std::vector<bool>> supportedOperations(const Model& model, HalVersion version,
                                                            DriverVariant variant,
                                                            GrowingCharge& memory);

/// Whether a well-formed model can be prepared. INVALID_ARGUMENT if an operation has operands that
/// the HAL forbids, or that this version or variant does not support; GENERAL_FAILURE for an
/// operation that no variant supports. The error names it.
[[nodiscard]] Result<> checkSupported(const Model& model, HalVersion version, DriverVariant variant,
                                      GrowingCharge& memory);

}  // namespace nnburst::device
