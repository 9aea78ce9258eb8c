// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_operations/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include "exec/operation.h"
#include "exec/xnnpack/backend.h"
#include "model/operand_info.h"

namespace nnburst::operations {

namespace {

using exec::HalVersion;
using exec::OperandView;
using exec::OperationDefinition;

/// No operation has more operands, except those that take any number.
constexpr std::size_t kMostInputs = 64;
constexpr std::size_t kMostOutputs = 8;

/// All that an operation could take.
constexpr std::array kTypes{OperandType::TENSOR_FLOAT32,
                            OperandType::TENSOR_FLOAT16,
                            OperandType::TENSOR_INT32,
                            OperandType::TENSOR_QUANT8_ASYMM,
                            OperandType::TENSOR_QUANT8_ASYMM_SIGNED,
                            OperandType::TENSOR_QUANT8_SYMM,
                            OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL,
                            OperandType::TENSOR_QUANT16_ASYMM,
                            OperandType::TENSOR_QUANT16_SYMM,
                            OperandType::TENSOR_BOOL8,
                            OperandType::FLOAT32,
                            OperandType::FLOAT16,
                            OperandType::INT32,
                            OperandType::UINT32,
                            OperandType::BOOL};

/// Which rule of an operand's type is broken.
struct WrongType {
    bool isInput = false;
    std::size_t index = 0;
};

/// Finds what an operation takes from what its check says. Shapes are unknown and scalars 0, so
/// that in the end some other rule may be broken; types come first.
class Prober {
  public:
    explicit Prober(const OperationDefinition& definition) : definition_(definition) {
        channelQuant_ = {.scales = {1.0F}, .channelDim = 0};
        chooseCounts();
    }

    /// The types of each input, in any combination that passes.
    std::vector<std::set<OperandType>> accepted() {
        accepted_.assign(inputs_.size(), {});
        visit();
        return accepted_;
    }

  private:
    /// Of no type that any operation takes.
    OperandView unknown() { return viewOf(OperandType::TENSOR_OEM_BYTE); }

    OperandView viewOf(OperandType type) {
        OperandView view;
        view.type = type;
        view.scale = 1.0F;
        view.isConstant = !isTensor(type);
        view.data = view.isConstant ? zero_.data() : nullptr;
        view.channelQuant =
            type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL ? &channelQuant_ : nullptr;
        return view;
    }

    std::string complaint() {
        const auto version = definition_.check({definition_.type, inputs_, outputs_});
        return version ? std::string() : version.error().message;
    }

    /// The smallest numbers of operands that the check does not complain of.
    void chooseCounts() {
        for (std::size_t inputs = 1; inputs <= kMostInputs; ++inputs) {
            inputs_.assign(inputs, unknown());
            for (std::size_t outputs = 1; outputs <= kMostOutputs; ++outputs) {
                outputs_.assign(outputs, unknown());
                if (wrongType()) {
                    return;
                }
            }
        }
    }

    /// "<operation> input 1 (filter): type ..." if that is what the check complains of.
    std::optional<WrongType> wrongType() {
        const std::string text = complaint();
        for (const bool isInput : {true, false}) {
            const std::string prefix =
                fmt::format("{} {} ", toString(definition_.type), isInput ? "input" : "output");
            const std::size_t colon = text.find("): type ");
            if (text.starts_with(prefix) && colon != std::string::npos) {
                return WrongType{isInput, std::stoul(text.substr(prefix.size()))};
            }
        }
        return std::nullopt;
    }

    /// Gives the operand of the wrong type every other one, and goes on with those that pass.
    void visit() {
        const std::optional<WrongType> wrong = wrongType();
        if (!wrong) {
            for (std::size_t input = 0; input < inputs_.size(); ++input) {
                if (inputs_[input].type != OperandType::TENSOR_OEM_BYTE) {
                    accepted_[input].insert(inputs_[input].type);
                }
            }
            return;
        }
        OperandView& operand = (wrong->isInput ? inputs_ : outputs_).at(wrong->index);
        const OperandView before = operand;
        if (before.type != OperandType::TENSOR_OEM_BYTE) {
            return;  // wrong only together with another one
        }
        for (const OperandType type : kTypes) {
            operand = viewOf(type);
            const std::optional<WrongType> next = wrongType();
            if (!next || next->isInput != wrong->isInput || next->index != wrong->index) {
                visit();
            }
        }
        operand = before;
    }

    const OperationDefinition& definition_;
    std::vector<OperandView> inputs_;
    std::vector<OperandView> outputs_;
    std::vector<std::set<OperandType>> accepted_;
    alignas(std::max_align_t) std::array<std::byte, 16> zero_{};
    SymmPerChannelQuantParams channelQuant_;
};

/// "QUANT8_ASYMM" for a tensor, "scalar INT32".
std::string nameOf(OperandType type) {
    constexpr std::string_view kTensor = "TENSOR_";
    const std::string_view name = toString(type);
    return name.starts_with(kTensor) ? std::string(name.substr(kTensor.size()))
                                     : fmt::format("scalar {}", name);
}

const char* textOf(HalVersion version) {
    constexpr std::array kTexts{"1.0", "1.1", "1.2", "1.3"};
    return kTexts[static_cast<std::size_t>(version)];
}

std::string typesOf(OperationType type) {
    if (exec::isControlFlow(type)) {
        return "all";
    }
    const AcceptedTypes accepted = acceptedTypes(type);
    std::string text;
    for (const OperandType accept : accepted.types) {
        text += (text.empty() ? "" : ", ") + nameOf(accept);
    }
    return accepted.input == 0 ? text : fmt::format("input {}: {}", accepted.input, text);
}

std::string notesOf(const OperationDefinition& definition) {
    if (exec::isControlFlow(definition.type)) {
        return "runs subgraphs";
    }
    if (definition.runShrinking != nullptr) {
        return "output shapes come with the results";
    }
    std::string inputs;
    for (std::uint64_t left = definition.valueInputs; left != 0; left &= left - 1) {
        inputs += fmt::format("{}{}", inputs.empty() ? "" : ", ", std::countr_zero(left));
    }
    return inputs.empty() ? inputs : fmt::format("values of input {} decide shapes", inputs);
}

std::string typesSince(HalVersion version) {
    std::string text;
    for (const OperandType type : kTypes) {
        if (exec::since(type) == version) {
            text += (text.empty() ? "" : ", ") + nameOf(type);
        }
    }
    return text;
}

}  // namespace

AcceptedTypes acceptedTypes(OperationType type) {
    const auto accepted = Prober(*exec::findOperation(type)).accepted();
    AcceptedTypes most;
    for (std::size_t input = 0; input < accepted.size(); ++input) {
        // All types at once are no rule of types, but another one that was broken first.
        if (accepted[input].size() < kTypes.size() && accepted[input].size() > most.types.size()) {
            most.input = input;
            most.types.clear();
            std::copy_if(kTypes.begin(), kTypes.end(), std::back_inserter(most.types),
                         [&](OperandType each) { return accepted[input].contains(each); });
        }
    }
    return most;
}

std::string markdown() {
    std::string text = fmt::format(
        "# Operations\n"
        "\n"
        "Made by `nnburst-operations --markdown` from the checks that every model goes through. "
        "Do\n"
        "not edit.\n"
        "\n"
        "- **Since**: the HAL version that brought the operation. Some operations took a type, "
        "rank\n"
        "  or argument later.\n"
        "  - Types since 1.2: {}.\n"
        "  - Types since 1.3: {}.\n"
        "- **Types**: of input 0, unless another one is named; tensors unless it says scalar. The\n"
        "  types of other operands go with it.\n"
        "- **XNNPACK**: computes some forms of the operation, if it is enabled. All other forms, "
        "and\n"
        "  operations without a mark, run on our reference kernels.\n"
        "\n"
        "| Operation | Code | Since | Types | XNNPACK | Notes |\n"
        "|---|---:|---|---|---|---|\n",
        typesSince(HalVersion::V1_2), typesSince(HalVersion::V1_3));
    for (std::int32_t code = 0; code < kOperationTypeCount; ++code) {
        const auto type = static_cast<OperationType>(code);
        const OperationDefinition* definition = exec::findOperation(type);
        if (definition == nullptr) {
            text += fmt::format("| {} | {} | | | | not supported |\n", toString(type), code);
            continue;
        }
        text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", toString(type), code,
                            textOf(definition->since), typesOf(type),
                            exec::xnnpack::coversSome(type) ? "yes" : "", notesOf(*definition));
    }
    return text;
}

}  // namespace nnburst::operations
