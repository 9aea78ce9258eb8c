// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Changes that make a preparation invalid, those of the HAL's own test (VTS 1.3, validateModel).

#include <functional>
#include <string>
#include <vector>

#include "nnburst/device.h"

namespace nnburst::conformance {

/// The arguments of IDevice::prepareModel.
struct Preparation {
    Model model;
    PrepareOptions options;
};

/// One change after which a preparation is invalid.
struct InvalidChange {
    std::string name;  ///< "operand 3: scale -1"
    std::function<void(Preparation&)> apply;
    bool isOfModel = true;  ///< otherwise of an option, which getSupportedOperations does not have
};

/// The changes of `model` that VTS makes, one at a time, in its main subgraph; without those that
/// VTS leaves out because operations exist that stay valid. None if `model` breaks a rule of
/// structure.
///
/// Two oddities of VTS are kept. An operand whose type becomes TENSOR_QUANT8_ASYMM_SIGNED or
/// SUBGRAPH keeps dimensions, scale and zero point. Where an operand is removed, the indexes of the
/// operands behind it stay as they were.
[[nodiscard]] std::vector<InvalidChange> invalidChanges(const Model& model);

}  // namespace nnburst::conformance
