// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/accelerated_model.h"

#include <algorithm>
#include <utility>

#include "exec/graph/constants.h"
#include "exec/graph/control_flow_check.h"
#include "exec/run/gated_model.h"
#include "exec/run/request_outputs.h"
#include "model/invalid.h"
#include "model/operand_info.h"
#include "nnburst/validation.h"

namespace nnburst::exec {

namespace {

/// Whether all sizes of an operand are known; an operand that is left out has none.
bool isClosed(const Operand& operand) {
    return operand.lifetime == OperandLifeTime::NO_VALUE ||
           isFullySpecified(operand.type, operand.dimensions);
}

bool isOffered(const Model& model, const Operation& operation) {
    const auto isClosedAt = [&model](std::uint32_t index) {
        return isClosed(model.main.operands[index]);
    };
    return !isControlFlow(operation.type) &&
           std::all_of(operation.inputs.begin(), operation.inputs.end(), isClosedAt) &&
           std::all_of(operation.outputs.begin(), operation.outputs.end(), isClosedAt);
}

std::uint64_t bytesOf(const Operand& operand) {
    return operandBytes(operand.type, operand.dimensions).value_or(0);
}

class AcceleratedModel final : public GatedModel<AcceleratedModel> {
  public:
    AcceleratedModel(std::shared_ptr<Accelerator> accelerator, std::shared_ptr<Engine> engine,
                     const Model& model, std::unique_ptr<AcceleratorModel> kernels)
        : GatedModel(std::move(engine), model, Width::ONE_LANE),
          accelerator_(std::move(accelerator)),
          kernels_(std::move(kernels)),
          given_(inputs().size()),
          wanted_(outputs().size()) {
        for (const Operand& output : outputs()) {
            outputShapes_.emplace_back(output.dimensions);
        }
    }

    [[nodiscard]] Result<> checkOmitted(std::span<const RequestArgument> inputs,
                                        const std::atomic<bool>* /*isCancelled*/) const override {
        for (std::size_t index = 0; index < inputs.size(); ++index) {
            NNBURST_TRY(requireValue(index, inputs[index].hasNoValue));
        }
        return {};
    }

    /// The library keeps no temporaries for it.
    bool releaseIfIdle() override { return true; }

  private:
    friend class GatedModel<AcceleratedModel>;

    static Result<> requireValue(std::size_t input, bool hasNoValue) {
        if (hasNoValue) [[unlikely]] {
            return invalid("request input {}: must have a value: this model needs all inputs",
                           input);
        }
        return {};
    }

    /// There is one runner.
    static std::uint32_t firstRunner(const Caller& /*caller*/) noexcept { return 0; }

    Result<> runAdmitted(std::uint32_t /*runner*/, const RequestBindings& bindings,
                         const RunLimits& limits, ExecutionOutcome& outcome) {
        for (std::size_t index = 0; index < given_.size(); ++index) {
            const ArgumentBinding& input = bindings.inputs[index];
            NNBURST_TRY(requireValue(index, input.hasNoValue));
            given_[index] = {input.data, input.lengthBytes};
        }
        NNBURST_TRY(placeOutputs(bindings, outcome));
        return kernels_->run(given_, wanted_, limits.deadline);
    }

    Result<> placeOutputs(const RequestBindings& bindings, ExecutionOutcome& outcome) {
        outcome.outputShapes.resize(wanted_.size());
        RequestOutputs memory(bindings, outcome.outputShapes);
        for (std::size_t index = 0; index < wanted_.size(); ++index) {
            if (!memory.wants(index)) {
                return invalid("request output {}: must have memory: this model gives all outputs",
                               index);
            }
            const std::uint64_t sizeBytes = bytesOf(outputs()[index]);
            NNBURST_TRY_ASSIGN(std::byte* const data,
                               memory.place(index, outputShapes_[index], sizeBytes));
            wanted_[index] = {data, static_cast<std::size_t>(sizeBytes)};
        }
        return memory.sufficient();
    }

    const std::shared_ptr<Accelerator> accelerator_;  // outlives what it has compiled
    std::vector<Shape> outputShapes_;

    // Used by the execution that holds the runner.
    const std::unique_ptr<AcceleratorModel> kernels_;
    std::vector<std::span<const std::byte>> given_;
    std::vector<std::span<std::byte>> wanted_;
};

}  // namespace

std::vector<bool> supportedOperations(const Accelerator& accelerator, const Model& model) {
    std::vector<bool> isSupported;
    for (const Operation& operation : model.main.operations) {
        isSupported.push_back(isOffered(model, operation) &&
                              accelerator.supports(model, operation));
    }
    return isSupported;
}

Result<std::shared_ptr<CompiledModel>> compileFor(const std::shared_ptr<Accelerator>& accelerator,
                                                  const std::shared_ptr<Engine>& engine,
                                                  const Model& model) {
    NNBURST_TRY(validateModel(model));
    const std::vector<bool> isSupported = supportedOperations(*accelerator, model);
    const auto unsupported = std::find(isSupported.begin(), isSupported.end(), false);
    if (unsupported != isSupported.end()) {
        const auto index = static_cast<std::size_t>(unsupported - isSupported.begin());
        return failure(
            ErrorStatus::GENERAL_FAILURE,
            fmt::format("operation {} ({}): {} does not support it", index,
                        toString(model.main.operations[index].type), accelerator->name()));
    }
    for (const auto* indexes : {&model.main.inputIndexes, &model.main.outputIndexes}) {
        for (const std::uint32_t index : *indexes) {
            const Operand& operand = model.main.operands[index];
            if (!isFullySpecified(operand.type, operand.dimensions)) {
                return failure(
                    ErrorStatus::GENERAL_FAILURE,
                    fmt::format("operand {} of dimensions {}: {} needs to know all", index,
                                dimensionsText(operand.dimensions), accelerator->name()));
            }
        }
    }
    NNBURST_TRY_ASSIGN(const Constants constants, Constants::load(model, model.main));
    std::vector<std::span<const std::byte>> values;
    for (std::uint32_t index = 0; index < model.main.operands.size(); ++index) {
        const std::byte* const data = constants.data(index);
        values.emplace_back(data, data == nullptr ? 0 : model.main.operands[index].location.length);
    }
    NNBURST_TRY_ASSIGN(std::unique_ptr<AcceleratorModel> kernels,
                       accelerator->compile(model, values));
    if (kernels == nullptr) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       accelerator->name() +
                           " gave no model: Accelerator::compile gives a model "
                           "or an error");
    }
    return std::make_shared<AcceleratedModel>(accelerator, engine, model, std::move(kernels));
}

}  // namespace nnburst::exec
