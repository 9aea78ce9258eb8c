// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One call of Runtime::compile: asks the devices which operations they support, divides the model,
/// and prepares the parts.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nnburst/runtime.h"
#include "runtime/device_discovery.h"
#include "runtime/operand_uses.h"
#include "runtime/part_preparation.h"
#include "runtime/partition.h"
#include "runtime/submodel.h"

namespace nnburst::runtime {

/// Used once, by one thread.
class ModelCompiler {
  public:
    /// All arguments outlive it. `model` is valid; `options` name devices that exist.
    ModelCompiler(const NamedDevices& devices, const SharedObjects& shared, const Model& model,
                  const CompileOptions& options);

    [[nodiscard]] Result<SharedPreparedModel> run();

  private:
    /// A device that has answered.
    struct UsableDevice {
        std::shared_ptr<NamedDevice> named;
        SharedDevice device;
    };

    [[nodiscard]] bool isReference(std::size_t device) const noexcept {
        return device + 1 == devices_.size();
    }
    [[nodiscard]] bool mayFallBack() const noexcept { return options_.devices.empty(); }

    /// Fills usable_ and candidates_.
    [[nodiscard]] Result<> askDevices();
    [[nodiscard]] Result<> ask(std::size_t device);
    [[nodiscard]] Result<std::vector<Part>> divide() const;
    void logParts(const std::vector<Part>& parts) const;
    [[nodiscard]] PartDevice partDeviceOf(const UsableDevice& usable) const;
    /// A copy of the model whose constants do not change, if parts may be prepared again later.
    [[nodiscard]] Result<> keepModel();
    [[nodiscard]] Result<SharedPreparedModel> prepareWhole(const UsableDevice& usable);
    [[nodiscard]] Result<SharedPreparedModel> prepareParts(const std::vector<Part>& divided);
    [[nodiscard]] std::string partName(std::size_t part, const std::vector<Part>& parts) const;

    const NamedDevices& devices_;
    const SharedObjects& shared_;
    const Model& model_;
    const CompileOptions& options_;
    const std::vector<OperandUse> uses_;
    std::vector<UsableDevice> usable_;
    std::vector<Candidate> candidates_;  // one for each usable device
    std::optional<Error> firstError_;    // of a device that is not usable
    std::optional<Model> kept_;
};

}  // namespace nnburst::runtime
