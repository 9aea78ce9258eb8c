// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/reference/operations.h"

#include <array>

#include "exec/operation/operation_check.h"
#include "exec/reference/definitions.h"
#include "exec/reference/extension_operation.h"
#include "model/extension_registry.h"

namespace nnburst::exec {

namespace {

/// All definitions, at the index that is the operation's code in the HAL.
constexpr auto kDefinitions = [] {
    std::array<const OperationDefinition*, kOperationTypeEnd> table{};
#define NNBURST_DEFINE(NAME, CODE, Name) \
    table[static_cast<std::size_t>(OperationType::NAME)] = &k##Name;
    NNBURST_OPERATIONS(NNBURST_DEFINE)
#undef NNBURST_DEFINE
    return table;
}();

}  // namespace

const OperationDefinition* findOperation(OperationType type) noexcept {
    if (const ExtensionOperation* extension = findExtensionOperation(type); extension != nullptr) {
        return extension->isShrinking() ? &kShrinkingExtensionOperation : &kExtensionOperation;
    }
    const auto code = static_cast<std::size_t>(type);  // negative codes become large
    return code < kDefinitions.size() ? kDefinitions[code] : nullptr;
}

bool hasKnownArguments(const OperationView& operation) noexcept {
    const std::uint64_t valueInputs = findOperation(operation.type)->valueInputs;
    for (std::size_t i = 0; i < operation.inputs.size() && i < 64; ++i) {
        const OperandView& input = operation.inputs[i];
        if ((valueInputs >> i & 1U) != 0 && !input.isOmitted && input.data == nullptr) {
            return false;
        }
    }
    return hasKnownInputShapes(operation);
}

}  // namespace nnburst::exec
