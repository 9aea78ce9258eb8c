// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/aligned_arguments.h"

#include <cstring>
#include <utility>

namespace nnburst::exec {

Result<> AlignedArguments::copy(const RequestBindings& given, Account* account) {
    bindings_.inputs = given.inputs;
    bindings_.outputs = given.outputs;
    NNBURST_TRY(copyUnaligned(bindings_.inputs, account));
    return copyUnaligned(bindings_.outputs, account);
}

/// Outputs are copied too: what a run leaves untouched stays as it was.
Result<> AlignedArguments::copyUnaligned(std::vector<ArgumentBinding>& arguments,
                                         Account* account) {
    for (ArgumentBinding& argument : arguments) {
        if (argument.isUnaligned) {
            NNBURST_TRY_ASSIGN(Charge charge,
                               chargeTo(account, Resource::MEMORY, argument.lengthBytes));
            NNBURST_TRY_ASSIGN(AlignedBuffer copy, AlignedBuffer::allocate(argument.lengthBytes));
            std::memcpy(copy.data(), argument.data, argument.lengthBytes);
            argument.data = copy.data();
            copies_.push_back({.charge = std::move(charge), .buffer = std::move(copy)});
        }
    }
    return {};
}

void AlignedArguments::copyOutputsBack(const RequestBindings& given) const noexcept {
    for (std::size_t output = 0; output < given.outputs.size(); ++output) {
        const ArgumentBinding& argument = given.outputs[output];
        if (argument.isUnaligned) {
            std::memcpy(argument.data, bindings_.outputs[output].data, argument.lengthBytes);
        }
    }
}

}  // namespace nnburst::exec
