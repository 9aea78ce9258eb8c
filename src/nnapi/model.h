// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A model of the API: collected piece by piece, then finished as a model of the HAL. For one
/// thread at a time until it is finished; compilations share what was finished.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nnapi/memory.h"
#include "nnapi/status.h"
#include "nnburst/types.h"

namespace nnburst::nnapi {

/// A model that is complete and valid. Immutable.
struct FinishedModel {
    Model model;  ///< operations in the order of execution
    /// For each operation of the main subgraph, which one it was in the order of adding.
    std::vector<std::uint32_t> addedOrder;
    /// An operation is of an extension or of a device maker: no other device can run it.
    bool hasVendorOperation = false;
};
using SharedFinishedModel = std::shared_ptr<const FinishedModel>;

class ModelCollector {
  public:
    [[nodiscard]] Status addOperand(const ANeuralNetworksOperandType& type);
    [[nodiscard]] Status setValue(std::int32_t index, const void* buffer, std::size_t length);
    [[nodiscard]] Status setValueFromMemory(std::int32_t index, const Memory& memory,
                                            std::size_t offset, std::size_t length);
    [[nodiscard]] Status setValueFromModel(std::int32_t index, const ModelCollector& value);
    [[nodiscard]] Status setChannelScales(std::int32_t index,
                                          const ANeuralNetworksSymmPerChannelQuantParams& params);
    [[nodiscard]] Status setExtensionData(std::int32_t index, std::span<const std::uint8_t> data,
                                          bool isNull);
    [[nodiscard]] Status addOperation(std::int32_t type, std::span<const std::uint32_t> inputs,
                                      std::span<const std::uint32_t> outputs);
    [[nodiscard]] Status identify(std::span<const std::uint32_t> inputs,
                                  std::span<const std::uint32_t> outputs);
    [[nodiscard]] Status setRelaxed(bool isRelaxed);
    [[nodiscard]] Status finish();

    /// Null until the model was finished without an error.
    [[nodiscard]] const SharedFinishedModel& finished() const noexcept { return finished_; }

  private:
    /// A value that the program keeps until the model is finished.
    struct KeptValue {
        const void* bytes = nullptr;
        std::uint32_t operand = 0;
        std::uint32_t length = 0;
    };

    [[nodiscard]] Status checkOpen() const;
    [[nodiscard]] Status checkIndex(std::int32_t index) const;
    [[nodiscard]] Status checkLength(const Operand& operand, std::size_t length) const;
    [[nodiscard]] Status checkOperation(const Operation& operation) const;
    void forgetValue(std::uint32_t operand);
    [[nodiscard]] Status copyKeptValues();

    Model model_;
    std::vector<KeptValue> keptValues_;
    /// Models that operands refer to, in the order of DataLocation::offset.
    std::vector<SharedFinishedModel> referenced_;
    bool isIdentified_ = false;
    bool isInvalid_ = false;
    SharedFinishedModel finished_;
};

}  // namespace nnburst::nnapi

struct ANeuralNetworksModel final {
    nnburst::nnapi::ModelCollector collector;
};
