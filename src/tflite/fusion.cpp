// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/fusion.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "model/invalid.h"
#include "tflite/shapes.h"
#include "tflite/tensors.h"

namespace nnburst::tflite {

namespace {

using Code = schema::BuiltinOperator;

/// Finds groups in one subgraph. Every index of the file is checked before it is used.
class Matcher {
  public:
    Matcher(const schema::Model& file, const schema::SubGraph& graph)
        : file_(file),
          graph_(graph),
          producers_(sizeOf(graph.tensors())),
          uses_(sizeOf(graph.tensors())) {
        for (std::uint32_t i = 0; i < sizeOf(graph.operators()); ++i) {
            const schema::Operator& op = *graph.operators()->Get(i);
            visit(op.outputs(), [&](std::uint32_t tensor) { producers_[tensor] = i; });
            visit(op.inputs(), [&](std::uint32_t tensor) { ++uses_[tensor]; });
        }
        visit(graph.outputs(), [&](std::uint32_t tensor) { ++uses_[tensor]; });
    }

    /// A PRELU that ends with the ADD `index`; the operators before it go to `others`.
    [[nodiscard]] std::optional<FusedOperator> prelu(std::uint32_t index,
                                                     std::vector<std::uint32_t>& others) const {
        const auto inputs = inputsOf(index, Code::ADD);
        const auto* options = graph_.operators()->Get(index)->builtin_options_as_AddOptions();
        if (!inputs || options == nullptr ||
            options->fused_activation_function() != schema::ActivationFunctionType::NONE) {
            return std::nullopt;
        }
        for (const auto& [positive, negative] :
             {std::pair(inputs->first, inputs->second), std::pair(inputs->second, inputs->first)}) {
            std::vector<std::uint32_t> found;
            const auto x = take(positive, Code::RELU, found);
            const auto product = takeTwo(negative, Code::MUL, found);
            if (!x || !product || hasActivation(found.back())) {
                continue;
            }
            for (const auto& [factor, part] :
                 {*product, std::pair(product->second, product->first)}) {
                auto fused = preluOf(*x, factor, part, found, others);
                if (fused) {
                    fused->output = graph_.operators()->Get(index)->outputs()->Get(0);
                    return fused;
                }
            }
        }
        return std::nullopt;
    }

    /// A SOFTMAX that ends with the DIV `index`.
    [[nodiscard]] std::optional<FusedOperator> softmax(std::uint32_t index,
                                                       std::vector<std::uint32_t>& others) const {
        const auto inputs = inputsOf(index, Code::DIV);
        const auto* options = graph_.operators()->Get(index)->builtin_options_as_DivOptions();
        if (!inputs || options == nullptr ||
            options->fused_activation_function() != schema::ActivationFunctionType::NONE) {
            return std::nullopt;
        }
        std::vector<std::uint32_t> found;
        const auto powers = inputs->first;
        const auto sum = takeReduction(inputs->second, Code::SUM, found);
        const auto shifted = take(powers, Code::EXP, found, 2);
        if (!sum || sum != powers || !shifted) {
            return std::nullopt;
        }
        const auto difference = takeTwo(*shifted, Code::SUB, found);
        if (!difference || hasActivation(found.back())) {
            return std::nullopt;
        }
        const auto largest = takeReduction(difference->second, Code::REDUCE_MAX, found);
        const std::uint32_t rank = sizeOf(tensor(difference->first).shape());
        if (largest != difference->first || !isReal(difference->first) || rank < 1 || rank > 4) {
            return std::nullopt;
        }
        others = std::move(found);
        return FusedOperator{.kind = FusedOperator::Kind::SOFTMAX,
                             .input = difference->first,
                             .output = graph_.operators()->Get(index)->outputs()->Get(0)};
    }

  private:
    using Pair = std::pair<std::int32_t, std::int32_t>;

    template <class Function>
    void visit(const flatbuffers::Vector<std::int32_t>* tensors, Function&& function) const {
        for (std::uint32_t i = 0; i < sizeOf(tensors); ++i) {
            if (isTensor(tensors->Get(i))) {
                function(static_cast<std::uint32_t>(tensors->Get(i)));
            }
        }
    }

    [[nodiscard]] bool isTensor(std::int32_t tensor) const {
        return tensor >= 0 && std::cmp_less(tensor, sizeOf(graph_.tensors()));
    }
    /// `index` is one of a tensor.
    [[nodiscard]] const schema::Tensor& tensor(std::int32_t index) const {
        return *graph_.tensors()->Get(static_cast<std::uint32_t>(index));
    }
    [[nodiscard]] bool isReal(std::int32_t index) const {
        return tensor(index).type() == schema::TensorType::FLOAT32 && !tensor(index).is_variable();
    }
    /// A constant of the file, not sparse.
    [[nodiscard]] bool isConstant(std::int32_t index) const {
        const std::uint32_t buffer = tensor(index).buffer();
        return isReal(index) && !producers_[static_cast<std::uint32_t>(index)] &&
               tensor(index).sparsity() == nullptr && buffer < sizeOf(file_.buffers()) &&
               sizeOf(file_.buffers()->Get(buffer)->data()) != 0;
    }

    [[nodiscard]] bool isCode(std::uint32_t index, Code code) const {
        const std::uint32_t entry = graph_.operators()->Get(index)->opcode_index();
        if (entry >= sizeOf(file_.operator_codes())) {
            return false;
        }
        const schema::OperatorCode& known = *file_.operator_codes()->Get(entry);
        return std::max(std::int32_t{known.deprecated_builtin_code()},
                        static_cast<std::int32_t>(known.builtin_code())) ==
               static_cast<std::int32_t>(code);
    }

    /// The inputs of operator `index` if it has this code, two inputs in FLOAT32 and one output.
    [[nodiscard]] std::optional<Pair> inputsOf(std::uint32_t index, Code code) const {
        const schema::Operator& op = *graph_.operators()->Get(index);
        if (!isCode(index, code) || sizeOf(op.inputs()) != 2 || sizeOf(op.outputs()) != 1 ||
            !isTensor(op.outputs()->Get(0)) || !isTensor(op.inputs()->Get(0)) ||
            !isTensor(op.inputs()->Get(1)) || !isReal(op.inputs()->Get(0))) {
            return std::nullopt;
        }
        return Pair(op.inputs()->Get(0), op.inputs()->Get(1));
    }

    /// The operator of this code that computes `tensor`, which is read `uses` times.
    [[nodiscard]] std::optional<std::uint32_t> producer(std::int32_t tensor, Code code,
                                                        std::uint32_t uses) const {
        const auto at = static_cast<std::uint32_t>(tensor);
        const auto& made = producers_[at];
        if (!made || uses_[at] != uses || !isCode(*made, code) ||
            sizeOf(graph_.operators()->Get(*made)->outputs()) != 1) {
            return std::nullopt;
        }
        return made;
    }

    /// The input of the operator of this code that computes `tensor`; adds the operator to `found`.
    [[nodiscard]] std::optional<std::int32_t> take(std::int32_t tensor, Code code,
                                                   std::vector<std::uint32_t>& found,
                                                   std::uint32_t uses = 1) const {
        const auto index = producer(tensor, code, uses);
        if (!index) {
            return std::nullopt;
        }
        const auto* inputs = graph_.operators()->Get(*index)->inputs();
        if (sizeOf(inputs) != 1 || !isTensor(inputs->Get(0)) || !isReal(inputs->Get(0))) {
            return std::nullopt;
        }
        found.push_back(*index);
        return inputs->Get(0);
    }

    /// The same for operators with two inputs.
    [[nodiscard]] std::optional<Pair> takeTwo(std::int32_t tensor, Code code,
                                              std::vector<std::uint32_t>& found) const {
        const auto index = producer(tensor, code, 1);
        if (!index) {
            return std::nullopt;
        }
        const auto inputs = inputsOf(*index, code);
        if (inputs) {
            found.push_back(*index);
        }
        return inputs;
    }

    /// The input of a reduction of the last axis, which keeps it.
    [[nodiscard]] std::optional<std::int32_t> takeReduction(
        std::int32_t tensor, Code code, std::vector<std::uint32_t>& found) const {
        const auto inputs = takeTwo(tensor, code, found);
        if (!inputs) {
            return std::nullopt;
        }
        const auto* options =
            graph_.operators()->Get(found.back())->builtin_options_as_ReducerOptions();
        const schema::Tensor& axes = this->tensor(inputs->second);
        const std::uint32_t rank = sizeOf(this->tensor(inputs->first).shape());
        if (options == nullptr || !options->keep_dims() ||
            axes.type() != schema::TensorType::INT32 || axes.sparsity() != nullptr ||
            axes.buffer() >= sizeOf(file_.buffers())) {
            return std::nullopt;
        }
        const auto* data = file_.buffers()->Get(axes.buffer())->data();
        std::int32_t axis = 0;
        if (sizeOf(data) != sizeof axis) {
            return std::nullopt;
        }
        std::memcpy(&axis, data->data(), sizeof axis);
        return axis == -1 || std::cmp_equal(axis, rank - 1) ? std::optional(inputs->first)
                                                            : std::nullopt;
    }

    /// Whether a MUL or SUB has a fused activation, or no options.
    [[nodiscard]] bool hasActivation(std::uint32_t index) const {
        const schema::Operator& op = *graph_.operators()->Get(index);
        const auto isFused = [](const auto* options) {
            return options == nullptr ||
                   options->fused_activation_function() != schema::ActivationFunctionType::NONE;
        };
        return isCode(index, Code::MUL) ? isFused(op.builtin_options_as_MulOptions())
                                        : isFused(op.builtin_options_as_SubOptions());
    }

    /// The PRELU of `x` whose negative part is `factor` times `part`.
    [[nodiscard]] std::optional<FusedOperator> preluOf(std::int32_t x, std::int32_t factor,
                                                       std::int32_t part,
                                                       std::vector<std::uint32_t> found,
                                                       std::vector<std::uint32_t>& others) const {
        FusedOperator fused{.kind = FusedOperator::Kind::PRELU, .input = x, .factors = factor};
        const auto minimum = take(part, Code::NEG, found);  // NEG(RELU(NEG(x))) is MINIMUM(x, 0)
        const auto negated = take(minimum.value_or(part), Code::RELU, found);
        if (negated) {
            if (take(*negated, Code::NEG, found) != x) {
                return std::nullopt;
            }
            fused.scale = minimum ? 1.0F : -1.0F;
            // The factors may be negated by an operator, too, which others may use.
            std::vector<std::uint32_t> negation;
            if (const auto constant = take(factor, Code::NEG, negation); constant) {
                fused.factors = *constant;
                fused.scale = -fused.scale;
                found.insert(found.end(), negation.begin(), negation.end());
            }
        } else {
            const auto difference = takeTwo(part, Code::SUB, found);
            if (!difference || difference->first != x || hasActivation(found.back()) ||
                take(difference->second, Code::ABS, found) != x) {
                return std::nullopt;
            }
            fused.scale = 2.0F;
        }
        if (!isConstant(fused.factors)) {
            return std::nullopt;
        }
        others = std::move(found);
        return fused;
    }

    const schema::Model& file_;
    const schema::SubGraph& graph_;
    std::vector<std::optional<std::uint32_t>> producers_;  ///< of each tensor, the operator
    std::vector<std::uint32_t> uses_;                      ///< of each tensor, how often it is read
};

}  // namespace

Fusions Fusions::find(const schema::Model& file, const schema::SubGraph& graph) {
    Fusions result;
    const Matcher matcher(file, graph);
    for (std::uint32_t i = 0; i < sizeOf(graph.operators()); ++i) {
        std::vector<std::uint32_t> others;
        auto fused = matcher.prelu(i, others);
        if (!fused) {
            fused = matcher.softmax(i, others);
        }
        // In invalid files operators may precede those whose results they read.
        if (fused && std::all_of(others.begin(), others.end(), [&](std::uint32_t other) {
                return other < i && !result.fused_.contains(other);
            })) {
            result.leftOut_.insert(others.begin(), others.end());
            result.fused_.emplace(i, *fused);
        }
    }
    return result;
}

Result<> addFused(TensorMap& tensors, const FusedOperator& fused) {
    NNBURST_TRY_ASSIGN(const std::uint32_t input, tensors.read(fused.input));
    std::uint32_t second = 0;
    if (fused.kind == FusedOperator::Kind::PRELU) {
        NNBURST_TRY_ASSIGN(second, tensors.read(fused.factors));
        if (fused.scale != 1.0F) {
            const Dimensions dimensions = tensors.builder().operand(second).dimensions;
            const auto bytes = tensors.contents().constantBytes(fused.factors);
            std::vector<float> factors(bytes.size() / sizeof(float));
            std::memcpy(factors.data(), bytes.data(), factors.size() * sizeof(float));
            for (float& factor : factors) {
                factor *= fused.scale;
            }
            NNBURST_TRY_ASSIGN(
                second, tensors.constants().addConstant(OperandType::TENSOR_FLOAT32, dimensions,
                                                        std::as_bytes(std::span(factors))));
        }
    } else {
        second = tensors.builder().addScalar(1.0F);  // beta
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t output, tensors.define(fused.output));
    NNBURST_TRY(tensors.requireKnownInt64(fused.output));
    const bool isPrelu = fused.kind == FusedOperator::Kind::PRELU;
    const Dimensions given = tensors.builder().operand(input).dimensions;
    const Dimensions result =
        isPrelu ? broadcastShape(given, tensors.builder().operand(second).dimensions) : given;
    // What the file states may be out of date.
    Dimensions& stated = tensors.builder().operand(output).dimensions;
    const bool hasSeveralElements = elementCount(result) > 1;
    if (stated.empty() || hasSeveralElements) {
        stated = result;
    }
    if (hasSeveralElements) {
        tensors.setScalar(fused.output, false);
    }
    tensors.builder().addOperation(isPrelu ? OperationType::PRELU : OperationType::SOFTMAX,
                                   {input, second}, {output});
    return {};
}

}  // namespace nnburst::tflite
