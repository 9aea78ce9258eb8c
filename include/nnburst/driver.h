// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A driver of one's own: an `Accelerator` computes models with its own kernels, and this library
/// does the rest of a driver: the HAL's checks and versions, shared memory and driver-managed
/// buffers, bursts, fences, deadlines, compilation caching, scheduling of clients.
/// examples/own_driver.cpp is a complete example.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "nnburst/device.h"
#include "nnburst/driver_options.h"
#include "nnburst/export.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// A model as an accelerator has compiled it.
class NNBURST_EXPORT AcceleratorModel {
  public:
    virtual ~AcceleratorModel() = default;

    /// Computes the outputs. Inputs and outputs are in the order of the model, of exactly the sizes
    /// that it gives them, aligned for their elements. Other processes may write the inputs
    /// meanwhile: copy each value that decides an address or a length, check the copy, and use the
    /// copy only. Called by one thread at a time, for any client. `deadline` may be ignored: the
    /// library begins no execution after its deadline. A run that ends because of it returns
    /// MISSED_DEADLINE_PERSISTENT. Should allocate nothing, and must not throw. After an error the
    /// contents of the outputs are undefined.
    [[nodiscard]] virtual Result<> run(std::span<const std::span<const std::byte>> inputs,
                                       std::span<const std::span<std::byte>> outputs,
                                       const OptionalTimePoint& deadline) = 0;
};

/// The kernels of a driver. Called from any number of threads at the same time.
class NNBURST_EXPORT Accelerator {
  public:
    virtual ~Accelerator() = default;

    /// What Device::getVersionString gives: name and version of the driver.
    [[nodiscard]] virtual std::string name() const = 0;
    [[nodiscard]] virtual DeviceType type() const { return DeviceType::ACCELERATOR; }

    /// Whether this accelerator computes `operation` of the main subgraph of `model`, which is
    /// valid. Not asked about IF, WHILE and operations with operands of unspecified dimensions,
    /// which an accelerator never gets. Applications see the answer in
    /// Device::getSupportedOperations.
    [[nodiscard]] virtual bool supports(const Model& model, const Operation& operation) const = 0;

    /// Compiles `model`, all of whose operations it supports. `constants` has one entry for each
    /// operand of the main subgraph: the value of a constant, in memory that no other process can
    /// change; empty for other operands. Both arguments are valid during the call only. An error
    /// goes with its message to the callback of the client's Device::prepareModel. Return
    /// GENERAL_FAILURE if the model cannot be compiled, and RESOURCE_EXHAUSTED_TRANSIENT or
    /// ..._PERSISTENT if memory or another resource does not suffice. A null pointer counts as
    /// GENERAL_FAILURE.
    [[nodiscard]] virtual Result<std::unique_ptr<AcceleratorModel>> compile(
        const Model& model, std::span<const std::span<const std::byte>> constants) = 0;
};

/// A device in this process whose models `accelerator` computes. Options and errors as for
/// makeLocalDevice in device.h.
[[nodiscard]] NNBURST_EXPORT Result<SharedDevice> makeLocalDevice(
    std::shared_ptr<Accelerator> accelerator, const DriverOptions& options = {});

/// The main function of a driver process whose models `accelerator` computes, or the kernels of
/// this library if it is null. It takes the options of nnburst-driver (`--help` lists them), so
/// that spawnDriver and systemd start the program as they start nnburst-driver. Returns the exit
/// status of the process. In the library of the CMake target nnburst::driver.
[[nodiscard]] NNBURST_EXPORT int driverMain(int argc, char** argv,
                                            std::shared_ptr<Accelerator> accelerator);

}  // namespace nnburst
