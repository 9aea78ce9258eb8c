// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "session/operand_list.h"

#include <algorithm>

#include "model/invalid.h"

namespace nnburst::session {

OperandList::OperandList(const char* kind, const std::vector<NamedOperand>& ofModel,
                         const std::vector<bool>& isState)
    : kind_(kind) {
    for (std::size_t index = 0; index < ofModel.size(); ++index) {
        if (!isState[index]) {
            operands_.push_back(ofModel[index]);
            modelIndexes_.push_back(index);
        }
    }
}

Result<std::size_t> OperandList::find(std::string_view name, ElementType type) const {
    const auto hasName = [name](const NamedOperand& operand) { return operand.name == name; };
    const auto found = std::find_if(operands_.begin(), operands_.end(), hasName);
    if (found == operands_.end()) {
        return invalid("session {} \"{}\": there is none of this name; {}", kind_, name, listing());
    }
    if (std::any_of(found + 1, operands_.end(), hasName)) {
        return invalid("session {} \"{}\": several have this name, so use the index; {}", kind_,
                       name, listing());
    }
    return find(static_cast<std::size_t>(found - operands_.begin()), type);
}

Result<std::size_t> OperandList::find(std::size_t index, ElementType type) const {
    if (index >= operands_.size()) {
        return invalid("session {} {}: must be less than {}; {}", kind_, index, operands_.size(),
                       listing());
    }
    if (!isElementOf(type, operands_[index].type)) {
        return invalid("session {} {} taken as {}: it has other elements; {}", kind_, index,
                       toString(type), listing());
    }
    return index;
}

std::string OperandList::listing() const {
    std::string text = fmt::format("the {}s are:", kind_);
    for (std::size_t index = 0; index < operands_.size(); ++index) {
        text += fmt::format("{} {} {}", index == 0 ? "" : ",", index, toString(operands_[index]));
    }
    return operands_.empty() ? fmt::format("there are no {}s", kind_) : text;
}

}  // namespace nnburst::session
