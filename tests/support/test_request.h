// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What tests of models share: small models, random contents, engines, and requests with buffers
/// for their arguments.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "exec/graph/model_check.h"
#include "exec/operation/float16.h"
#include "exec/run/compiled_model.h"
#include "exec/run/engine.h"
#include "memory/aligned_buffer.h"
#include "model/operand_info.h"
#include "nnburst/model_builder.h"
#include "nnburst/validation.h"

namespace nnburst::exec {

template <class T>
std::span<const std::byte> bytesOf(const std::vector<T>& values) {
    return std::as_bytes(std::span(values));
}

inline std::vector<float> floats(std::span<const std::byte> bytes) {
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

inline Model build(ModelBuilder& builder, std::vector<std::uint32_t> inputs,
                   std::vector<std::uint32_t> outputs) {
    auto model = builder.build(std::move(inputs), std::move(outputs));
    EXPECT_TRUE(model) << model.error().message;
    return model ? std::move(*model) : Model();
}

/// output = input + input, for floats; dimensions that are 0 are left to requests.
inline Model doubling(const Dimensions& dimensions) {
    ModelBuilder builder;
    const auto input = builder.addTensor(OperandType::TENSOR_FLOAT32, dimensions);
    const auto sum = builder.addTensor(OperandType::TENSOR_FLOAT32, dimensions);
    builder.addOperation(OperationType::ADD, {input, input, builder.addScalar(0)}, {sum});
    return build(builder, {input}, {sum});
}

/// Seeded, the same on every machine.
class Random {
  public:
    explicit Random(std::uint32_t seed) : engine_(seed) {}

    /// From `minimum` to `maximum`, both included.
    std::int32_t integer(std::int32_t minimum, std::int32_t maximum) {
        const auto range = static_cast<std::uint64_t>(std::int64_t{maximum} - minimum) + 1;
        return static_cast<std::int32_t>(minimum + static_cast<std::int64_t>(engine_() % range));
    }
    std::uint32_t size(std::uint32_t minimum, std::uint32_t maximum) {
        return static_cast<std::uint32_t>(
            integer(static_cast<std::int32_t>(minimum), static_cast<std::int32_t>(maximum)));
    }
    float real(float minimum, float maximum) {
        return minimum + (maximum - minimum) * static_cast<float>(engine_() >> 8) * 0x1p-24F;
    }
    bool flip() { return integer(0, 1) == 1; }
    template <class T>
    T oneOf(std::initializer_list<T> values) {
        return values.begin()[static_cast<std::size_t>(
            integer(0, static_cast<std::int32_t>(values.size()) - 1))];
    }

    /// Elements of `type`: floats in [-1, 1], small int32, all values of bytes.
    std::vector<std::byte> elements(OperandType type, std::size_t count) {
        std::vector<std::byte> bytes(count * elementBytes(type));
        for (std::size_t index = 0; index < count; ++index) {
            if (type == OperandType::TENSOR_FLOAT32) {
                store(bytes, index, real(-1.0F, 1.0F));
            } else if (type == OperandType::TENSOR_FLOAT16) {
                store(bytes, index, Float16(real(-1.0F, 1.0F)));
            } else if (type == OperandType::TENSOR_INT32) {
                store(bytes, index, integer(-1000, 1000));
            } else {
                store(bytes, index, static_cast<std::uint8_t>(integer(0, 255)));
            }
        }
        return bytes;
    }

  private:
    template <class T>
    static void store(std::vector<std::byte>& bytes, std::size_t index, T value) {
        std::memcpy(&bytes[index * sizeof(T)], &value, sizeof(T));
    }

    std::mt19937 engine_;
};

/// Throws if there is none, for example where XNNPACK does not know the processor: the test ends.
inline std::shared_ptr<Engine> makeEngine(bool useXnnpack, std::uint32_t threads = 1,
                                          bool useDotProducts = true) {
    DriverOptions options;
    options.useXnnpack = useXnnpack;
    options.useDotProducts = useDotProducts;
    options.threads = threads;
    auto engine = Engine::create(options);
    if (!engine) {
        throw std::runtime_error(engine.error().message);
    }
    return *engine;
}

inline std::shared_ptr<CompiledModel> compile(const Model& model, bool useXnnpack,
                                              std::uint32_t threads = 1,
                                              bool useDotProducts = true) {
    auto compiled = CompiledModel::compile(makeEngine(useXnnpack, threads, useDotProducts), model);
    EXPECT_TRUE(compiled) << compiled.error().message;
    return compiled ? *compiled : nullptr;
}

/// One entry for each operation of the main subgraph: whether it can be run.
inline Result<std::vector<bool>> supportedOperations(const Model& model) {
    NNBURST_TRY(validateModel(model));
    NNBURST_TRY_ASSIGN(const auto operations, ModelCheck(model).operations());
    std::vector<bool> supported;
    for (const Result<HalVersion>& operation : operations) {
        supported.push_back(operation.has_value());
    }
    return supported;
}

/// A request whose arguments lie in a pool each.
class TestRequest {
  public:
    void addInput(std::span<const std::byte> contents, Dimensions dimensions = {}) {
        inputs_.push_back(argument(contents.size(), std::move(dimensions)));
        if (!contents.empty()) {  // memcpy must not get a null pointer, even for zero bytes
            std::memcpy(pools_.back().data, contents.data(), contents.size());
        }
    }
    void addOutput(std::size_t sizeBytes, Dimensions dimensions = {}) {
        outputs_.push_back(argument(sizeBytes, std::move(dimensions)));
    }
    void omitInput() { inputs_.push_back({.hasNoValue = true, .location = {}, .dimensions = {}}); }
    void omitOutput() {
        outputs_.push_back({.hasNoValue = true, .location = {}, .dimensions = {}});
    }

    std::vector<RequestArgument>& inputs() { return inputs_; }
    std::vector<RequestArgument>& outputs() { return outputs_; }
    std::vector<PoolView>& pools() { return pools_; }

    [[nodiscard]] Result<> bind(const CompiledModel& model) {
        return model.bind(inputs_, outputs_, pools_, bindings_);
    }
    [[nodiscard]] Result<> run(CompiledModel& model, const ExecutionOptions& options = {}) {
        NNBURST_TRY(bind(model));
        return model.run(bindings_, Priority::MEDIUM, options, outcome_);
    }

    /// For the burst of this number (CompiledModel::addBurst), which prefers a runner of its own.
    [[nodiscard]] Result<> runAs(std::uint32_t burstNumber, CompiledModel& model) {
        NNBURST_TRY(bind(model));
        bindings_.memo = {};
        return model.run(bindings_, Caller(Priority::MEDIUM, nullptr, burstNumber), {}, outcome_);
    }

    /// For a client, whose account is charged.
    [[nodiscard]] Result<> runFor(LaneShare& client, CompiledModel& model) {
        NNBURST_TRY(bind(model));
        return model.run(bindings_, Caller(Priority::MEDIUM, &client), {}, outcome_);
    }

    /// With what the last run has bound.
    [[nodiscard]] Result<> runAgain(CompiledModel& model, const Caller& caller = Priority::MEDIUM) {
        return model.run(bindings_, caller, {}, outcome_);
    }

    [[nodiscard]] const ExecutionOutcome& outcome() const { return outcome_; }
    [[nodiscard]] std::span<std::byte> input(std::size_t index) const {
        return contents(inputs_[index]);
    }
    [[nodiscard]] std::span<std::byte> output(std::size_t index) const {
        return contents(outputs_[index]);
    }

  private:
    RequestArgument argument(std::size_t sizeBytes, Dimensions dimensions) {
        buffers_.push_back(*AlignedBuffer::allocate(sizeBytes));
        pools_.push_back({buffers_.back().data(), sizeBytes});
        return {.hasNoValue = false,
                .location = {.poolIndex = static_cast<std::uint32_t>(pools_.size() - 1),
                             .offset = 0,
                             .length = static_cast<std::uint32_t>(sizeBytes)},
                .dimensions = std::move(dimensions)};
    }
    [[nodiscard]] std::span<std::byte> contents(const RequestArgument& argument) const {
        return {pools_[argument.location.poolIndex].data + argument.location.offset,
                argument.location.length};
    }

    std::vector<RequestArgument> inputs_;
    std::vector<RequestArgument> outputs_;
    std::vector<PoolView> pools_;
    std::vector<AlignedBuffer> buffers_;
    RequestBindings bindings_;
    ExecutionOutcome outcome_;
};

inline std::size_t sizeOf(const Operand& operand) {
    return *operandBytes(operand.type, operand.dimensions);
}

/// A request with random contents for a model whose dimensions are all known.
inline TestRequest randomRequest(const CompiledModel& model, std::uint32_t seed) {
    Random random(seed);
    TestRequest request;
    for (const Operand& input : model.inputs()) {
        request.addInput(random.elements(input.type, sizeOf(input) / elementBytes(input.type)));
    }
    for (const Operand& output : model.outputs()) {
        request.addOutput(sizeOf(output));
    }
    return request;
}

}  // namespace nnburst::exec
