// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A model that is divided into parts, each prepared on its device: where the operands of each part
/// lie. Immutable.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nnburst/prepared_model.h"
#include "nnburst/types.h"
#include "runtime/replacement.h"
#include "runtime/submodel.h"

namespace nnburst::runtime {

/// Where an operand of a part lies.
struct Place {
    enum class Kind : std::uint8_t {
        MODEL_INPUT,   ///< `index` is that of an input of the whole model
        MODEL_OUTPUT,  ///< of an output of the whole model; a later part may take it as input
        TEMPORARY,     ///< into DividedPlan::temporaries
    };
    Kind kind = Kind::TEMPORARY;
    std::uint32_t index = 0;
};

/// An operand that one part computes for others.
struct Temporary {
    OperandType type = OperandType::TENSOR_FLOAT32;
    Dimensions dimensions;           ///< as the model has them
    std::uint32_t elementBytes = 0;  ///< never 0
    /// Where it lies in the memory of all temporaries; nullopt if its size is known only after a
    /// part has run.
    std::optional<DataLocation> location;
};

struct PlannedPart {
    std::string name;  ///< for messages
    SharedPreparedModel prepared;
    std::vector<Place> inputs;
    std::vector<Place> outputs;
    /// All arguments follow from the request for the whole model: no size depends on the run of
    /// another part.
    bool isFixed = true;
};

struct DividedPlan {
    Model interface;  ///< of the whole model: interfaceOf
    std::vector<PlannedPart> parts;
    std::vector<Temporary> temporaries;
    std::uint64_t arenaBytes = 0;  ///< of all temporaries of known size
    /// The whole model on the device in this process, for executions that the parts cannot perform;
    /// null if the application has chosen the devices.
    std::shared_ptr<Replacement> whole;

    /// The operand that is input or output `index` of the whole model.
    [[nodiscard]] const Operand& input(std::uint32_t index) const {
        return interface.main.operands[interface.main.inputIndexes[index]];
    }
    [[nodiscard]] const Operand& output(std::uint32_t index) const {
        return interface.main.operands[interface.main.outputIndexes[index]];
    }
};

/// The bytes of a value of `temporary` with these dimensions; nothing if some are not known, or it
/// is larger than an operand may be.
[[nodiscard]] std::optional<std::uint32_t> bytesOf(const Temporary& temporary,
                                                   std::span<const std::uint32_t> dimensions);

/// Finds the places of the operands of `parts` of `whole`; what was prepared is added later.
/// `extensions` are those of all devices. GENERAL_FAILURE if the size of an operand between parts
/// cannot be known, or all together are too large.
[[nodiscard]] Result<DividedPlan> planParts(const Model& whole, std::span<const Submodel> parts,
                                            std::span<const Extension> extensions);

}  // namespace nnburst::runtime
