// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/argument_binder.h"

#include <optional>

namespace nnburst::exec {

namespace {

std::vector<Operand> operandsAt(const Subgraph& subgraph,
                                const std::vector<std::uint32_t>& indexes) {
    std::vector<Operand> operands;
    operands.reserve(indexes.size());
    for (const std::uint32_t index : indexes) {
        operands.push_back(subgraph.operands[index]);
    }
    return operands;
}

}  // namespace

ArgumentBinder::ArgumentBinder(const Model& model)
    : inputs_(operandsAt(model.main, model.main.inputIndexes)),
      outputs_(operandsAt(model.main, model.main.outputIndexes)),
      expectedInputs_(inputs_.begin(), inputs_.end()),
      expectedOutputs_(outputs_.begin(), outputs_.end()) {}

Result<> ArgumentBinder::bind(std::span<const RequestArgument> inputs,
                              std::span<const RequestArgument> outputs,
                              std::span<const PoolView> pools, RequestBindings& bindings) const {
    const auto bindList = [&](ArgumentRole role, std::span<const RequestArgument> arguments,
                              const std::vector<Operand>& operands,
                              const std::vector<ExpectedArgument>& expected,
                              std::vector<ArgumentBinding>& bound) -> Result<> {
        NNBURST_TRY(checkArgumentCount(role, arguments.size(), operands.size()));
        bound.resize(arguments.size());
        for (std::size_t index = 0; index < arguments.size(); ++index) {
            const RequestArgument& argument = arguments[index];
            const DataLocation& location = argument.location;
            const PoolView* pool =
                location.poolIndex < pools.size() ? &pools[location.poolIndex] : nullptr;
            if (pool == nullptr || !expected[index].isMetBy(argument, pool->sizeBytes)) {
                NNBURST_TRY(
                    checkArgument(role, index, operands[index], argument,
                                  pool == nullptr ? std::nullopt : std::optional(pool->sizeBytes)));
            }
            if (argument.hasNoValue) {
                bound[index] = {.hasNoValue = true};
                continue;
            }
            // Pools start at multiples of any element's size, so that the offset decides.
            const bool isMapped = pool->data != nullptr;
            const bool isUnaligned = isMapped && !expected[index].isAligned(location.offset);
            bound[index] = {.data = isMapped ? pool->data + location.offset : nullptr,
                            .lengthBytes = location.length,
                            .dimensions = argument.dimensions,
                            .isUnaligned = isUnaligned};
            bindings.hasUnaligned |= isUnaligned;
        }
        return {};
    };
    bindings.memo = {.runner = bindings.memo.runner};
    bindings.hasUnaligned = false;
    NNBURST_TRY(bindList(ArgumentRole::INPUT, inputs, inputs_, expectedInputs_, bindings.inputs));
    return bindList(ArgumentRole::OUTPUT, outputs, outputs_, expectedOutputs_, bindings.outputs);
}

}  // namespace nnburst::exec
