// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/aligned_arguments.h"

#include <utility>

#include "memory/drop_pages.h"

namespace nnburst::exec {

Result<> AlignedArguments::copy(const RequestBindings& given) {
    bindings_.inputs = given.inputs;
    bindings_.outputs = given.outputs;
    NNBURST_TRY(copyUnaligned(bindings_.inputs));
    return copyUnaligned(bindings_.outputs);
}

/// Outputs are copied too: what a run leaves untouched stays as it was.
Result<> AlignedArguments::copyUnaligned(std::vector<ArgumentBinding>& arguments) {
    for (ArgumentBinding& argument : arguments) {
        if (argument.isUnaligned) {
            NNBURST_TRY_ASSIGN(Charge charge,
                               chargeTo(account_, Resource::MEMORY, argument.lengthBytes));
            NNBURST_TRY_ASSIGN(
                AlignedBuffer copy,
                AlignedBuffer::allocate(argument.lengthBytes, kPagesDroppedAtOnceBytes));
            NNBURST_TRY(copying_.copy(copy.data(), argument.data, argument.lengthBytes));
            argument.data = copy.data();
            copies_.push_back({.charge = std::move(charge), .buffer = std::move(copy)});
        }
    }
    return {};
}

Result<> AlignedArguments::copyOutputsBack(const RequestBindings& given) {
    for (std::size_t output = 0; output < given.outputs.size(); ++output) {
        const ArgumentBinding& argument = given.outputs[output];
        if (argument.isUnaligned) {
            NNBURST_TRY(
                copying_.copy(argument.data, bindings_.outputs[output].data, argument.lengthBytes));
        }
    }
    return {};
}

}  // namespace nnburst::exec
