// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/staged_arguments.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "exec/run/buffer_uses.h"
#include "log/assert.h"
#include "model/operand_info.h"

namespace nnburst::exec {

/// An output that goes into a driver-managed buffer.
class StagedArguments::ManagedOutput final : public OutputMemory {
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

StagedArguments::StagedArguments() noexcept = default;
StagedArguments::~StagedArguments() = default;

Result<> StagedArguments::attach(const Executable& executable, const RequestArguments& request,
                                 std::span<const RequestMemory> pools, const RunLimits& limits,
                                 RequestBindings& bindings) {
    NNBURST_ASSERT(foreignCount_ == 0 && managedInputs_.empty() && managedOutputs_.empty(),
                   "the arguments of another execution are attached");
    NNBURST_ASSERT(bindings.inputs.size() == request.inputs.size() &&
                       bindings.outputs.size() == request.outputs.size(),
                   "bindings of {} inputs and {} outputs; the request has {} and {}",
                   bindings.inputs.size(), bindings.outputs.size(), request.inputs.size(),
                   request.outputs.size());
    NNBURST_TRY(checkBufferUses(executable, request, pools));
    account_ = limits.account;
    const auto attachAll = [&](std::span<const RequestArgument> arguments,
                               std::vector<ArgumentBinding>& bound,
                               const auto& attachOne) -> Result<> {
        for (std::size_t index = 0; index < arguments.size(); ++index) {
            if (!arguments[index].hasNoValue) {
                const std::uint32_t pool = arguments[index].location.poolIndex;
                NNBURST_ASSERT(pool < pools.size(), "pool {} of {}", pool, pools.size());
                NNBURST_TRY(attachOne(index, arguments[index], pools[pool], bound[index]));
            }
        }
        return {};
    };
    ArgumentCopies copies(limits);
    NNBURST_TRY(attachAll(
        request.inputs, bindings.inputs,
        [&](std::size_t /*index*/, const RequestArgument& argument, const RequestMemory& pool,
            ArgumentBinding& binding) { return attachInput(argument, pool, copies, binding); }));
    foreignInputCount_ = foreignCount_;
    NNBURST_TRY(attachAll(
        request.outputs, bindings.outputs,
        [&](std::size_t index, const RequestArgument& argument, const RequestMemory& pool,
            ArgumentBinding& binding) { return attachOutput(index, argument, pool, binding); }));
    for (const auto& output : managedOutputs_) {
        output->buffer().discardContents();
    }
    return {};
}

Result<> StagedArguments::attachInput(const RequestArgument& argument, const RequestMemory& pool,
                                      ArgumentCopies& copies, ArgumentBinding& binding) {
    if (pool.foreign != nullptr) {
        NNBURST_TRY_ASSIGN(ForeignArgument* const copy, stage(argument, pool));
        binding.data = copy->data;
        return copies.read(*copy->region, copy->offset, {binding.data, argument.location.length});
    }
    if (pool.buffer) {
        auto input = std::make_unique<ManagedBuffer::Contents>();
        NNBURST_TRY(pool.buffer->read(argument.dimensions, *input));
        binding.data = input->storage->data();
        binding.lengthBytes = static_cast<std::uint32_t>(input->sizeBytes);
        binding.dimensions = input->dimensions;
        managedInputs_.push_back(std::move(input));
    }
    return {};
}

Result<> StagedArguments::attachOutput(std::size_t index, const RequestArgument& argument,
                                       const RequestMemory& pool, ArgumentBinding& binding) {
    if (pool.foreign != nullptr) {
        NNBURST_TRY_ASSIGN(ForeignArgument* const copy, stage(argument, pool));
        copy->output = index;
        binding.data = copy->data;
    } else if (pool.buffer) {
        managedOutputs_.push_back(std::make_unique<ManagedOutput>(pool.buffer));
        binding.memory = managedOutputs_.back().get();
    }
    return {};
}

Result<StagedArguments::ForeignArgument*> StagedArguments::stage(const RequestArgument& argument,
                                                                 const RequestMemory& pool) {
    if (foreignCount_ == foreign_.size()) {
        foreign_.push_back(std::make_unique<ForeignArgument>());
    }
    ForeignArgument& staged = *foreign_[foreignCount_++];
    staged.region = pool.foreign;
    staged.offset = argument.location.offset;
    NNBURST_TRY_ASSIGN(staged.data, staged.copy.reserve(argument.location.length, account_));
    return &staged;
}

Result<> StagedArguments::finish(const Executable& executable, const RequestBindings& bindings,
                                 const ExecutionOutcome& outcome, const RunLimits& limits) {
    ArgumentCopies copies(limits);
    for (std::size_t i = foreignInputCount_; i < foreignCount_; ++i) {
        const ForeignArgument& output = *foreign_[i];
        NNBURST_ASSERT(output.output < outcome.outputShapes.size(), "output {} of {}",
                       output.output, outcome.outputShapes.size());
        const Operand& operand = executable.model->outputs()[output.output];
        const std::optional<std::uint64_t> sizeBytes =
            operandBytes(operand.type, outcome.outputShapes[output.output].dimensions);
        const ArgumentBinding& binding = bindings.outputs[output.output];
        NNBURST_TRY(copies.write(
            *output.region, output.offset,
            {binding.data, std::min<std::uint64_t>(sizeBytes.value_or(0), binding.lengthBytes)}));
    }
    for (const auto& output : managedOutputs_) {
        output->finish();
    }
    return {};
}

void StagedArguments::detach() noexcept {
    foreignCount_ = 0;
    managedInputs_.clear();
    managedOutputs_.clear();
}

}  // namespace nnburst::exec
