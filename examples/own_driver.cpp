// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// A driver with kernels of one's own, as for an accelerator: multiplication of vectors by a matrix,
// and RELU. What a driver does beside, nnburst does. The program takes the options of
// nnburst-driver; without any it plays the application, too, and starts itself as its driver:
//     nnburst-example-own-driver --socket /run/own.sock
//     nnburst-example-own-driver

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "nnburst/driver.h"
#include "nnburst/model_builder.h"
#include "nnburst/session.h"

using namespace nnburst;

// ---- The driver

/// One step of a compiled model: out = activation(weights * in + bias), or out = max(in, 0).
struct Step {
    std::uint32_t input;
    std::uint32_t output;
    std::vector<float> weights;  ///< [outputs, inputs]; empty for RELU alone
    std::vector<float> bias;
    bool hasRelu = false;
};

std::size_t countOf(const Operand& operand) {
    std::size_t count = 1;
    for (const std::uint32_t size : operand.dimensions) {
        count *= size;
    }
    return count;
}

std::vector<float> floatsOf(std::span<const std::byte> bytes) {
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
}

/// The activation of a FULLY_CONNECTED, if it is a CONSTANT_COPY.
FusedActivationFunc activationOf(const Model& model, const Operation& operation) {
    auto value = FusedActivationFunc::NONE;
    const DataLocation& location = model.main.operands[operation.inputs[3]].location;
    std::memcpy(&value, model.operandValues.data() + location.offset, sizeof(value));
    return value;
}

/// "Compiled" for the accelerator: each value has a buffer of its own in the accelerator's memory.
class OwnModel final : public AcceleratorModel {
  public:
    OwnModel(const Model& model, std::vector<Step> steps)
        : inputs_(model.main.inputIndexes),
          outputs_(model.main.outputIndexes),
          steps_(std::move(steps)) {
        for (const Operand& operand : model.main.operands) {
            const bool isValue = operand.lifetime == OperandLifeTime::SUBGRAPH_INPUT ||
                                 operand.lifetime == OperandLifeTime::SUBGRAPH_OUTPUT ||
                                 operand.lifetime == OperandLifeTime::TEMPORARY_VARIABLE;
            values_.emplace_back(isValue ? countOf(operand) : 0);
        }
    }

    [[nodiscard]] Result<> run(std::span<const std::span<const std::byte>> inputs,
                               std::span<const std::span<std::byte>> outputs,
                               const OptionalTimePoint& /*deadline*/) override {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            std::memcpy(values_[inputs_[i]].data(), inputs[i].data(), inputs[i].size());
        }
        for (const Step& step : steps_) {
            compute(step, values_[step.input], values_[step.output]);
        }
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            std::memcpy(outputs[i].data(), values_[outputs_[i]].data(), outputs[i].size());
        }
        return {};
    }

  private:
    static void compute(const Step& step, const std::vector<float>& in, std::vector<float>& out) {
        for (std::size_t o = 0; o < out.size(); ++o) {
            float sum = step.weights.empty() ? in[o] : step.bias[o];
            for (std::size_t i = 0; !step.weights.empty() && i < in.size(); ++i) {
                sum += step.weights[o * in.size() + i] * in[i];
            }
            out[o] = step.hasRelu ? std::max(sum, 0.0F) : sum;
        }
    }

    std::vector<std::uint32_t> inputs_;
    std::vector<std::uint32_t> outputs_;
    std::vector<Step> steps_;
    std::vector<std::vector<float>> values_;  ///< one for each operand
};

class OwnAccelerator final : public Accelerator {
  public:
    [[nodiscard]] std::string name() const override { return "own-accelerator-1"; }

    /// The library has checked that the operation keeps the HAL's rules.
    [[nodiscard]] bool supports(const Model& model, const Operation& operation) const override {
        const std::vector<Operand>& operands = model.main.operands;
        const auto isConstant = [&](std::size_t input) {
            const OperandLifeTime lifetime = operands[operation.inputs[input]].lifetime;
            return lifetime == OperandLifeTime::CONSTANT_COPY ||
                   lifetime == OperandLifeTime::CONSTANT_REFERENCE;
        };
        const Operand& in = operands[operation.inputs[0]];
        if (in.type != OperandType::TENSOR_FLOAT32 || isConstant(0)) {
            return false;
        }
        if (operation.type == OperationType::RELU) {
            return true;
        }
        return operation.type == OperationType::FULLY_CONNECTED && in.dimensions.size() == 2 &&
               in.dimensions[0] == 1 && isConstant(1) && isConstant(2) &&
               operands[operation.inputs[3]].lifetime == OperandLifeTime::CONSTANT_COPY &&
               activationOf(model, operation) <= FusedActivationFunc::RELU;
    }

    [[nodiscard]] Result<std::unique_ptr<AcceleratorModel>> compile(
        const Model& model, std::span<const std::span<const std::byte>> constants) override {
        std::vector<Step> steps;
        for (const Operation& operation : model.main.operations) {
            Step step{.input = operation.inputs[0], .output = operation.outputs[0]};
            step.hasRelu = operation.type == OperationType::RELU;
            if (operation.type == OperationType::FULLY_CONNECTED) {
                step.weights = floatsOf(constants[operation.inputs[1]]);
                step.bias = floatsOf(constants[operation.inputs[2]]);
                step.hasRelu = activationOf(model, operation) == FusedActivationFunc::RELU;
            }
            steps.push_back(std::move(step));
        }
        return std::make_unique<OwnModel>(model, std::move(steps));
    }
};

// ---- An application

Result<> useOwnDriver(const char* program) {
    NNBURST_TRY_ASSIGN(const SharedDevice device, spawnDriver({}, program));
    NNBURST_TRY_ASSIGN(const std::string version, device->getVersionString());

    const std::array<float, 6> weights{1, 2, 3, -1, -2, -3};
    const std::array<float, 2> bias{0.5F, 0.5F};
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {1, 3});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {1, 2});
    builder.addOperation(
        OperationType::FULLY_CONNECTED,
        {in,
         builder.addConstant(OperandType::TENSOR_FLOAT32, {2, 3},
                             std::as_bytes(std::span(weights))),
         builder.addConstant(OperandType::TENSOR_FLOAT32, {2}, std::as_bytes(std::span(bias))),
         builder.addScalar(static_cast<std::int32_t>(FusedActivationFunc::RELU))},
        {out});
    NNBURST_TRY_ASSIGN(const Model model, builder.build({in}, {out}));
    NNBURST_TRY_ASSIGN(Session session, Session::create(*device, model));
    NNBURST_TRY_ASSIGN(const std::span<float> vector, session.input<float>());
    NNBURST_TRY_ASSIGN(const std::span<const float> result, session.output<float>());
    for (int frame = 0; frame < 1000; ++frame) {
        std::fill(vector.begin(), vector.end(), static_cast<float>(frame));
        NNBURST_TRY(session.run());
        if (result[0] != 6.0F * static_cast<float>(frame) + 0.5F || (frame > 0 && result[1] != 0)) {
            return failure(ErrorStatus::GENERAL_FAILURE, "the accelerator computes wrongly");
        }
    }
    std::printf("1000 frames through a burst to %s\n", version.c_str());
    return {};
}

int main(int argc, char** argv) {
    if (argc > 1) {
        return driverMain(argc, argv, std::make_shared<OwnAccelerator>());
    }
    const Result<> result = useOwnDriver(argv[0]);
    if (!result) {
        std::fprintf(stderr, "%s: %s\n", argv[0], result.error().message.c_str());
        return 1;
    }
}
