// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/cost.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "nnburst/capabilities.h"
#include "nnburst/type_queries.h"

namespace nnburst::runtime {

namespace {

/// Larger figures are clamped to this, so that sums stay exact enough to be compared.
constexpr double kWorstPerformance = 1e6;

constexpr double kCostPerOperation = 50.0;
constexpr double kCostPerElement = 0.5;
constexpr double kCostPerProduct = 0.05;
/// The assumed size of a dimension that the model leaves open.
constexpr double kAssumedSize = 16.0;
/// The assumed number of iterations of a WHILE.
constexpr double kAssumedIterations = 8.0;

double elements(const Operand& operand) {
    double count = 1.0;
    for (const std::uint32_t size : operand.dimensions) {
        count *= size == 0 ? kAssumedSize : static_cast<double>(size);
    }
    return count;
}

/// Products for one element of the output; 0 if the operation has no weights.
double productsPerElement(const Subgraph& subgraph, const Operation& operation) {
    if (operation.inputs.size() < 2) {
        return 0.0;
    }
    const Operand& weights = subgraph.operands[operation.inputs[1]];
    if (weights.dimensions.empty()) {
        return 0.0;
    }
    const auto perChannel = [&](std::uint32_t channels) {
        return elements(weights) / std::max(1.0, static_cast<double>(channels));
    };
    switch (operation.type) {
        case OperationType::CONV_2D:
        case OperationType::FULLY_CONNECTED:
        case OperationType::GROUPED_CONV_2D:
        case OperationType::TRANSPOSE_CONV_2D:
            return perChannel(weights.dimensions.front());
        case OperationType::DEPTHWISE_CONV_2D:
            return perChannel(weights.dimensions.back());
        default:
            return 0.0;
    }
}

/// Estimates the work of one valid model, whose subgraphs do not refer to each other in a circle.
class WorkEstimate {
  public:
    explicit WorkEstimate(const Model& model) : model_(model), known_(model.referenced.size()) {}

    double of(const Subgraph& subgraph, const Operation& operation) {
        double outputs = 0.0;
        double inputs = 0.0;
        double referenced = 0.0;
        for (const std::uint32_t output : operation.outputs) {
            outputs += elements(subgraph.operands[output]);
        }
        for (const std::uint32_t input : operation.inputs) {
            const Operand& operand = subgraph.operands[input];
            inputs += elements(operand);
            if (operand.lifetime == OperandLifeTime::SUBGRAPH) {
                referenced += ofReferenced(operand.location.offset);
            }
        }
        if (operation.type == OperationType::WHILE) {
            referenced *= kAssumedIterations;
        }
        return kCostPerOperation + kCostPerElement * std::max(inputs, outputs) +
               kCostPerProduct * outputs * productsPerElement(subgraph, operation) + referenced;
    }

  private:
    double ofReferenced(std::uint32_t index) {
        if (!known_[index]) {
            double sum = 0.0;
            for (const Operation& operation : model_.referenced[index].operations) {
                sum += of(model_.referenced[index], operation);
            }
            known_[index] = sum;
        }
        return *known_[index];
    }

    const Model& model_;
    std::vector<std::optional<double>> known_;  // of referenced subgraphs
};

PerformanceInfo figureOf(const Capabilities& capabilities, const Model& model,
                         const Operation& operation) {
    if (operation.type == OperationType::IF) {
        return capabilities.ifPerformance;
    }
    if (operation.type == OperationType::WHILE) {
        return capabilities.whilePerformance;
    }
    const auto typeOf = [&](std::uint32_t index) { return model.main.operands[index].type; };
    const auto tensor = std::find_if(operation.inputs.begin(), operation.inputs.end(),
                                     [&](std::uint32_t input) { return isTensor(typeOf(input)); });
    if (tensor == operation.inputs.end() || isExtension(operation.type)) {
        return {};  // the HAL has no figure
    }
    if (typeOf(*tensor) == OperandType::TENSOR_FLOAT32 && model.relaxComputationFloat32toFloat16) {
        return capabilities.relaxedFloat32toFloat16PerformanceTensor;
    }
    return lookup(capabilities.operandPerformance, typeOf(*tensor));
}

}  // namespace

std::vector<double> operationWork(const Model& model) {
    WorkEstimate estimate(model);
    std::vector<double> work;
    for (const Operation& operation : model.main.operations) {
        work.push_back(estimate.of(model.main, operation));
    }
    return work;
}

double performanceFactor(const Capabilities& capabilities, const Model& model,
                         const Operation& operation, ExecutionPreference preference) {
    const PerformanceInfo figure = figureOf(capabilities, model, operation);
    const auto factor = static_cast<double>(
        preference == ExecutionPreference::LOW_POWER ? figure.powerUsage : figure.execTime);
    return factor >= 0.0 ? std::min(factor, kWorstPerformance) : kWorstPerformance;
}

double estimatedBytes(const Operand& operand) {
    return elements(operand) *
           static_cast<double>(std::max<std::size_t>(1, elementBytes(operand.type)));
}

}  // namespace nnburst::runtime
