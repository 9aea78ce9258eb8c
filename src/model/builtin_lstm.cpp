// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// As in the built-in MobileNet, weights are made with exactly rounded arithmetic only.

#include <algorithm>
#include <cmath>

#include "model/invalid.h"
#include "model/seeded_integers.h"
#include "nnburst/builtin_models.h"
#include "nnburst/model_builder.h"

namespace nnburst {

namespace {

constexpr std::int32_t kActivationTanh = 4;  // the LSTM's own code, not a FusedActivationFunc

/// Adds float tensors and layers to a model.
class LstmBuilder {
  public:
    explicit LstmBuilder(std::uint32_t seed) : random_(seed) {}

    std::uint32_t addRow(std::uint32_t size) {
        return model_.addTensor(OperandType::TENSOR_FLOAT32, {1, size});
    }

    std::uint32_t addFullyConnected(std::uint32_t input, std::uint32_t inputSize,
                                    std::uint32_t units, FusedActivationFunc activation) {
        const auto weights = addWeights(units, inputSize);
        const auto bias = addVector(units, 0.0F);
        const auto output = addRow(units);
        model_.addOperation(
            OperationType::FULLY_CONNECTED,
            {input, weights, bias, model_.addScalar(static_cast<std::int32_t>(activation))},
            {output});
        return output;
    }

    struct LstmOutputs {
        std::uint32_t outputState;
        std::uint32_t cellState;
        std::uint32_t output;
    };

    /// An LSTM with all four gates, without peepholes, projection and layer normalisation.
    LstmOutputs addLstm(std::uint32_t input, std::uint32_t cells, std::uint32_t outputState,
                        std::uint32_t cellState) {
        constexpr std::size_t kGates = 4;  // input, forget, cell, output
        std::vector<std::uint32_t> inputs{input};
        for (std::size_t matrix = 0; matrix < 2 * kGates; ++matrix) {  // of the input, of the state
            inputs.push_back(addWeights(cells, cells));
        }
        inputs.insert(inputs.end(), 3,
                      model_.addOmitted(OperandType::TENSOR_FLOAT32));  // peepholes
        // A forget gate with a bias of 1 starts open, so that the state outlasts a few steps.
        for (const float bias : {0.0F, 1.0F, 0.0F, 0.0F}) {
            inputs.push_back(addVector(cells, bias));
        }
        inputs.insert(inputs.end(), 2,
                      model_.addOmitted(OperandType::TENSOR_FLOAT32));  // projection
        inputs.push_back(outputState);
        inputs.push_back(cellState);
        inputs.push_back(model_.addScalar(kActivationTanh));
        inputs.insert(inputs.end(), 2, model_.addScalar(0.0F));  // cells and projection unclipped

        const auto scratch = addRow(cells * static_cast<std::uint32_t>(kGates));
        const LstmOutputs outputs{addRow(cells), addRow(cells), addRow(cells)};
        model_.addOperation(OperationType::LSTM, std::move(inputs),
                            {scratch, outputs.outputState, outputs.cellState, outputs.output});
        return outputs;
    }

    Result<Model> build(std::vector<std::uint32_t> inputs, std::vector<std::uint32_t> outputs) {
        return model_.build(std::move(inputs), std::move(outputs));
    }

  private:
    /// Weights [rows, columns] of variance 1 / columns: sums are about as large as their terms.
    std::uint32_t addWeights(std::uint32_t rows, std::uint32_t columns) {
        constexpr std::int32_t kLevels = 1 << 20;
        const float scale =
            std::sqrt(3.0F / static_cast<float>(columns)) / static_cast<float>(kLevels);
        std::vector<float> weights(std::size_t{rows} * columns);
        std::generate(weights.begin(), weights.end(),
                      [&] { return static_cast<float>(random_.next(kLevels)) * scale; });
        return model_.addConstant(OperandType::TENSOR_FLOAT32, {rows, columns},
                                  std::as_bytes(std::span(weights)));
    }

    std::uint32_t addVector(std::uint32_t size, float value) {
        const std::vector<float> values(size, value);
        return model_.addConstant(OperandType::TENSOR_FLOAT32, {size},
                                  std::as_bytes(std::span(values)));
    }

    SeededIntegers random_;
    ModelBuilder model_;
};

}  // namespace

Result<Model> makeStreamingLstm(const StreamingLstmOptions& options) {
    for (const std::uint32_t size : {options.features, options.cells}) {
        if (size == 0 || size > kMaximumStreamingLstmSize) {
            return invalid("streaming LSTM of {} features and {} cells: must be 1 to {} of each",
                           options.features, options.cells, kMaximumStreamingLstmSize);
        }
    }
    LstmBuilder builder(options.seed);
    const auto input = builder.addRow(options.features);
    const auto outputState = builder.addRow(options.cells);
    const auto cellState = builder.addRow(options.cells);
    const auto hidden = builder.addFullyConnected(input, options.features, options.cells,
                                                  FusedActivationFunc::RELU);
    const auto lstm = builder.addLstm(hidden, options.cells, outputState, cellState);
    const auto output = builder.addFullyConnected(lstm.output, options.cells, options.features,
                                                  FusedActivationFunc::NONE);
    return builder.build({input, outputState, cellState},
                         {output, lstm.outputState, lstm.cellState});
}

}  // namespace nnburst
