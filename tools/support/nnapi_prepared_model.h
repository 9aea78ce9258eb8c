// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Prepared models over compilations of NNAPI's C API.

#include "nnburst/device.h"
#include "nnburst/prepared_model.h"
#include "nnburst/result.h"
#include "support/nnapi_model.h"

namespace nnburst::tools {

/// Compiles `model` for `device`, or, if it is null, for the devices that the runtime chooses.
[[nodiscard]] Result<SharedPreparedModel> makeNnapiPreparedModel(const NnapiFunctions& functions,
                                                                 ANeuralNetworksDevice* device,
                                                                 const Model& model,
                                                                 const PrepareOptions& options);

}  // namespace nnburst::tools
