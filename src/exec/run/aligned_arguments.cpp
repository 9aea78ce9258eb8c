// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/aligned_arguments.h"

#include <utility>

#include "memory/drop_pages.h"

namespace nnburst::exec {

Result<> AlignedArguments::copy(const RequestBindings& given, const RunLimits& limits) {
    ArgumentCopies copying(limits);
    bindings_.inputs = given.inputs;
    bindings_.outputs = given.outputs;
    NNBURST_TRY(copyUnaligned(bindings_.inputs, limits.account, copying));
    return copyUnaligned(bindings_.outputs, limits.account, copying);
}

/// Outputs are copied too: what a run leaves untouched stays as it was.
Result<> AlignedArguments::copyUnaligned(std::vector<ArgumentBinding>& arguments, Account* account,
                                         ArgumentCopies& copying) {
    for (ArgumentBinding& argument : arguments) {
        if (argument.isUnaligned) {
            NNBURST_TRY_ASSIGN(Charge charge,
                               chargeTo(account, Resource::MEMORY, argument.lengthBytes));
            NNBURST_TRY_ASSIGN(
                AlignedBuffer copy,
                AlignedBuffer::allocate(argument.lengthBytes, kPagesDroppedAtOnceBytes));
            NNBURST_TRY(copying.copy(copy.data(), argument.data, argument.lengthBytes));
            argument.data = copy.data();
            copies_.push_back({.charge = std::move(charge), .buffer = std::move(copy)});
        }
    }
    return {};
}

Result<> AlignedArguments::copyOutputsBack(const RequestBindings& given, const RunLimits& limits) {
    ArgumentCopies copying(limits);
    for (std::size_t output = 0; output < given.outputs.size(); ++output) {
        const ArgumentBinding& argument = given.outputs[output];
        if (argument.isUnaligned) {
            NNBURST_TRY(
                copying.copy(argument.data, bindings_.outputs[output].data, argument.lengthBytes));
        }
    }
    return {};
}

}  // namespace nnburst::exec
