// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/request_runner.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "model/invalid.h"
#include "model/operand_info.h"
#include "model/version_rules.h"

namespace nnburst::exec {

/// An output that goes into a driver-managed buffer.
class RequestRunner::ManagedOutput final : public OutputMemory {
  public:
    explicit ManagedOutput(std::shared_ptr<ManagedBuffer> buffer) noexcept
        : buffer_(std::move(buffer)) {}

    [[nodiscard]] Result<std::byte*> place(std::span<const std::uint32_t> dimensions,
                                           std::uint64_t sizeBytes) override {
        NNBURST_TRY_ASSIGN(storage_, buffer_->reserve(dimensions, sizeBytes));
        dimensions_.assign(dimensions.begin(), dimensions.end());
        sizeBytes_ = sizeBytes;
        return storage_->data();
    }

    [[nodiscard]] ManagedBuffer& buffer() const noexcept { return *buffer_; }

    void finish() const {
        if (storage_) {
            buffer_->finishWrite(storage_, dimensions_, sizeBytes_);
        }
    }

  private:
    std::shared_ptr<ManagedBuffer> buffer_;
    ManagedBuffer::Storage storage_;
    Dimensions dimensions_;
    std::uint64_t sizeBytes_ = 0;
};

RequestRunner::RequestRunner(Executable executable) noexcept : executable_(std::move(executable)) {}
RequestRunner::~RequestRunner() = default;

Result<> RequestRunner::run(std::span<const RequestArgument> inputs,
                            std::span<const RequestArgument> outputs,
                            std::span<const RequestMemory> pools, const ExecutionOptions& options,
                            ExecutionOutcome& outcome) {
    const HalVersion version = executable_.version;
    if (!knowsOutputShapes(version)) {
        return runWithoutShapes(inputs, outputs, pools, knownTo(version, options), outcome);
    }
    return runWithShapes(inputs, outputs, pools, knownTo(version, options), outcome);
}

/// As a driver that gives no output shapes: outputs have known dimensions.
Result<> RequestRunner::runWithoutShapes(std::span<const RequestArgument> inputs,
                                         std::span<const RequestArgument> outputs,
                                         std::span<const RequestMemory> pools,
                                         const ExecutionOptions& options,
                                         ExecutionOutcome& outcome) {
    outcome.timing = {};
    outcome.outputShapes.clear();
    const std::span<const Operand> operands = executable_.model->outputs();
    for (std::size_t index = 0; index < std::min(outputs.size(), operands.size()); ++index) {
        NNBURST_TRY(checkOutput(executable_.version, index, operands[index], outputs[index]));
    }
    const Result<> result = runWithShapes(inputs, outputs, pools, options, outcomeWithShapes_);
    outcome.timing = outcomeWithShapes_.timing;
    return result;
}

Result<> RequestRunner::runWithShapes(std::span<const RequestArgument> inputs,
                                      std::span<const RequestArgument> outputs,
                                      std::span<const RequestMemory> pools,
                                      const ExecutionOptions& options, ExecutionOutcome& outcome) {
    outcome.timing = {};
    views_.clear();
    bool isAllMapped = true;
    for (const RequestMemory& pool : pools) {
        views_.push_back(pool.view);
        isAllMapped = isAllMapped && pool.view.data != nullptr;
    }
    CompiledModel& model = *executable_.model;
    NNBURST_TRY(model.bind(inputs, outputs, views_, bindings_));
    if (isAllMapped) {
        return model.run(bindings_, executable_.priority, options, outcome);
    }
    Result<> result = attach(inputs, outputs, pools);
    if (result) {
        result = model.run(bindings_, executable_.priority, options, outcome);
    }
    if (result) {
        result = finish(outcome);
    }
    detach();
    return result;
}

/// Finds memory for the arguments that have no address yet.
Result<> RequestRunner::attach(std::span<const RequestArgument> inputs,
                               std::span<const RequestArgument> outputs,
                               std::span<const RequestMemory> pools) {
    for (std::size_t index = 0; index < inputs.size(); ++index) {
        if (!inputs[index].hasNoValue) {
            NNBURST_TRY(attachInput(index, inputs[index], pools[inputs[index].location.poolIndex]));
        }
    }
    foreignInputCount_ = foreignCount_;
    for (std::size_t index = 0; index < outputs.size(); ++index) {
        if (!outputs[index].hasNoValue) {
            NNBURST_TRY(
                attachOutput(index, outputs[index], pools[outputs[index].location.poolIndex]));
        }
    }
    NNBURST_TRY(checkSharing());
    for (const auto& output : managedOutputs_) {
        output->buffer().beginWrite();
    }
    return {};
}

Result<> RequestRunner::attachInput(std::size_t index, const RequestArgument& argument,
                                    const RequestMemory& pool) {
    ArgumentBinding& binding = bindings_.inputs[index];
    if (pool.foreign != nullptr) {
        NNBURST_TRY_ASSIGN(ForeignArgument * copy, stage(argument, pool));
        NNBURST_TRY_ASSIGN(binding.data, copy->copy.reserve(argument.location.length));
        return copy->region->read(copy->offset, {binding.data, argument.location.length});
    }
    if (pool.buffer) {
        NNBURST_TRY(pool.buffer->checkUse({.preparedModel = executable_.preparedModel,
                                           .role = ArgumentRole::INPUT,
                                           .index = static_cast<std::uint32_t>(index)},
                                          argument.dimensions));
        auto input = std::make_unique<ManagedInput>();
        NNBURST_TRY(pool.buffer->read(argument.dimensions, input->contents));
        if (input->contents.sizeBytes == 0) {
            return invalid("input {}: its driver-managed buffer holds a tensor without elements",
                           index);
        }
        input->buffer = pool.buffer;
        binding.data = input->contents.storage->data();
        binding.lengthBytes = static_cast<std::uint32_t>(input->contents.sizeBytes);
        binding.dimensions = input->contents.dimensions;
        managedInputs_.push_back(std::move(input));
    }
    return {};
}

Result<> RequestRunner::attachOutput(std::size_t index, const RequestArgument& argument,
                                     const RequestMemory& pool) {
    ArgumentBinding& binding = bindings_.outputs[index];
    if (pool.foreign != nullptr) {
        NNBURST_TRY_ASSIGN(ForeignArgument * copy, stage(argument, pool));
        copy->output = index;
        NNBURST_TRY_ASSIGN(binding.data, copy->copy.reserve(argument.location.length));
    } else if (pool.buffer) {
        NNBURST_TRY(pool.buffer->checkUse({.preparedModel = executable_.preparedModel,
                                           .role = ArgumentRole::OUTPUT,
                                           .index = static_cast<std::uint32_t>(index)},
                                          argument.dimensions));
        managedOutputs_.push_back(std::make_unique<ManagedOutput>(pool.buffer));
        binding.memory = managedOutputs_.back().get();
    }
    return {};
}

/// A buffer that is written to may not be used for anything else.
Result<> RequestRunner::checkSharing() {
    std::vector<const ManagedBuffer*> written;
    written.reserve(managedOutputs_.size());
    for (const auto& output : managedOutputs_) {
        written.push_back(&output->buffer());
    }
    std::sort(written.begin(), written.end(), std::less<>());
    const bool isWrittenTwice = std::adjacent_find(written.begin(), written.end()) != written.end();
    const bool isRead =
        std::any_of(managedInputs_.begin(), managedInputs_.end(), [&](const auto& input) {
            return std::binary_search(written.begin(), written.end(), input->buffer.get(),
                                      std::less<>());
        });
    if (isWrittenTwice || isRead) {
        return invalid("one driver-managed buffer is used for an output and {}",
                       isRead ? "an input" : "another output");
    }
    return {};
}

Result<RequestRunner::ForeignArgument*> RequestRunner::stage(const RequestArgument& argument,
                                                             const RequestMemory& pool) {
    if (foreignCount_ == foreign_.size()) {
        foreign_.push_back(std::make_unique<ForeignArgument>());
    }
    ForeignArgument& staged = *foreign_[foreignCount_++];
    staged.region = pool.foreign;
    staged.offset = argument.location.offset;
    return &staged;
}

/// Brings the outputs of a run that has succeeded to where they belong.
Result<> RequestRunner::finish(const ExecutionOutcome& outcome) {
    for (std::size_t i = foreignInputCount_; i < foreignCount_; ++i) {
        const ForeignArgument& output = *foreign_[i];
        const Operand& operand = executable_.model->outputs()[output.output];
        const std::optional<std::uint64_t> sizeBytes =
            operandBytes(operand.type, outcome.outputShapes[output.output].dimensions);
        const ArgumentBinding& binding = bindings_.outputs[output.output];
        NNBURST_TRY(output.region->write(
            output.offset,
            {binding.data, std::min<std::uint64_t>(sizeBytes.value_or(0), binding.lengthBytes)}));
    }
    for (const auto& output : managedOutputs_) {
        output->finish();
    }
    return {};
}

void RequestRunner::detach() noexcept {
    foreignCount_ = 0;
    managedInputs_.clear();
    managedOutputs_.clear();
}

}  // namespace nnburst::exec
