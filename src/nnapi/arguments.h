// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The inputs and outputs of an execution, and the HAL's request that is made of them once all are
/// there. Values in the program's own memory are staged: they lie in memory of the compilation
/// (staging_memory.h) that the execution has alone, and are copied to it before a computation and
/// from it after. For one thread at a time.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "nnapi/compilation.h"
#include "nnapi/memory.h"
#include "nnapi/status.h"
#include "nnburst/execution.h"
#include "nnburst/memory.h"
#include "nnburst/types.h"

namespace nnburst::nnapi {

class Arguments {
  public:
    explicit Arguments(const Compilation& compilation);

    /// Whether lengths may be greater than values. BAD_STATE once an argument is set.
    [[nodiscard]] Status setPadded(bool isPadded);
    [[nodiscard]] Status setPointer(bool isOutput, std::int32_t index,
                                    const ANeuralNetworksOperandType* type, void* buffer,
                                    std::size_t length);
    [[nodiscard]] Status setMemory(bool isOutput, std::int32_t index,
                                   const ANeuralNetworksOperandType* type,
                                   const std::shared_ptr<Memory>& memory, std::size_t offset,
                                   std::size_t length);

    /// BAD_DATA unless every input and output is set.
    [[nodiscard]] Status checkComplete() const;
    /// OP_FAILED unless memory of descriptions that is an input has contents.
    [[nodiscard]] Status checkContents() const;
    /// BAD_DATA unless the model or the program knows all dimensions of outputs.
    [[nodiscard]] Status checkOutputDimensions() const;

    /// Makes the request, once. Of complete arguments, which must not change any more. After a
    /// failure it may be called again.
    [[nodiscard]] Status makeRequest();
    [[nodiscard]] bool hasRequest() const noexcept { return hasRequest_; }
    [[nodiscard]] const Request& request() const noexcept { return request_; }
    [[nodiscard]] bool hasStagedInputs() const noexcept { return !stagedInputs_.empty(); }
    [[nodiscard]] bool hasStagedOutputs() const noexcept { return !stagedOutputs_.empty(); }

    /// Copies inputs to the staging memory.
    void stageInputs() noexcept;
    /// OP_FAILED if shapes that the device gives of the outputs contradict dimensions that the
    /// program knows, or after a computation that succeeded, are not those of complete values. A
    /// device may give none.
    [[nodiscard]] Status checkShapes(std::span<const OutputShape> shapes, bool hasSucceeded) const;
    /// After a computation that succeeded: copies outputs from the staging memory, and says what
    /// memory of descriptions has in it. OP_FAILED if that memory has other dimensions.
    [[nodiscard]] Status takeOutputs(std::span<const OutputShape> shapes);
    /// Before a fenced computation: outputs have contents when it has ended.
    void expectOutputs();
    /// After a computation, once takeOutputs or clearOutputs has said what the outputs contain.
    /// Does nothing without expectOutputs.
    void endExpectation() noexcept;
    /// After a computation that failed: outputs have no contents.
    void clearOutputs();
    /// Called last, and only if no device uses the request any more: gives the memory in which
    /// values were staged to later executions.
    void giveStagingBack() noexcept { compilation_.stagingMemory().giveBack(std::move(staging_)); }

    /// The dimensions of an output before the execution knows better.
    [[nodiscard]] const Dimensions& outputDimensions(std::size_t index) const {
        const Argument& output = outputs_[index];
        return output.kind == Kind::OMITTED ? operand(true, index).dimensions : output.dimensions;
    }
    [[nodiscard]] std::size_t outputCount() const noexcept { return outputs_.size(); }

  private:
    enum class Kind : std::uint8_t { UNSET, OMITTED, POINTER, MEMORY };

    struct Argument {
        Kind kind = Kind::UNSET;
        bool hasType = false;  ///< the program has given dimensions
        OperandType type = OperandType::FLOAT32;
        Dimensions dimensions;
        void* pointer = nullptr;
        std::shared_ptr<Memory> memory;
        std::uint32_t offset = 0;  ///< in the memory's region
        std::uint32_t length = 0;  ///< without padding, if the size of the value is known
    };

    /// A value that is copied for each computation.
    struct Staged {
        std::size_t argument = 0;
        std::byte* staging = nullptr;
    };

    [[nodiscard]] const Operand& operand(bool isOutput, std::size_t index) const;
    [[nodiscard]] Status checkIndex(bool isOutput, std::int32_t index) const;
    [[nodiscard]] Status checkUnset(const Argument& argument) const;
    [[nodiscard]] Status setTypeAndLength(const Operand& operand,
                                          const ANeuralNetworksOperandType* type,
                                          std::uint64_t length, Argument& argument) const;
    [[nodiscard]] Status checkGivenDimensions(std::size_t index, const Dimensions& given) const;
    [[nodiscard]] Status checkCompleteValue(std::size_t index, const OutputShape& shape) const;
    [[nodiscard]] Status createStaging();
    [[nodiscard]] RequestArgument place(bool isOutput, std::size_t index, std::uint64_t& staged);
    [[nodiscard]] std::uint32_t poolOf(const SharedRegion& region);

    const Compilation& compilation_;
    std::vector<Argument> inputs_;
    std::vector<Argument> outputs_;
    bool isPadded_ = false;
    bool isAnySet_ = false;
    bool areOutputsExpected_ = false;

    bool hasRequest_ = false;
    Request request_;
    Mapping staging_;
    std::vector<Staged> stagedInputs_;
    std::vector<Staged> stagedOutputs_;
};

}  // namespace nnburst::nnapi
