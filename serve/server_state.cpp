// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "server_state.h"

#include <fmt/format.h>

namespace nnburst::serve {

std::vector<std::pair<std::string, std::string>> configParameters(const ModelVersion& model) {
    std::vector<std::pair<std::string, std::string>> parameters;
    for (const auto* operands : {&model.inputs, &model.outputs}) {
        for (const NamedOperand& operand : *operands) {
            parameters.emplace_back("type:" + operand.name, toString(operand.type));
            parameters.emplace_back("scale:" + operand.name, fmt::format("{}", operand.scale));
            parameters.emplace_back("zero_point:" + operand.name,
                                    std::to_string(operand.zeroPoint));
        }
    }
    return parameters;
}

}  // namespace nnburst::serve
