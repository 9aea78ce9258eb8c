// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The devices that programs see, and the runtime behind them. A process has one runtime, made at
/// the first call that needs it; it lives until the process ends.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nnapi/status.h"
#include "nnburst/runtime.h"

/// A device of the runtime.
struct ANeuralNetworksDevice final {
    std::size_t index = 0;  ///< in nnburst::Runtime::devices
    nnburst::DeviceInfo info;
};

namespace nnburst::nnapi {

/// The extensions of all devices. Types of an extension have its number in all models: prefix 1
/// for the first, and so on. Immutable.
class Extensions {
  public:
    explicit Extensions(std::span<const DeviceInfo> devices);

    /// The prefix of extension `name`; nothing if no device has it.
    [[nodiscard]] std::optional<std::uint16_t> prefixOf(std::string_view name) const;
    /// The name behind a prefix; null if there is none.
    [[nodiscard]] const std::string* nameOf(std::uint32_t prefix) const;
    /// What the extension says of an operand type; null if no device has it.
    [[nodiscard]] const ExtensionOperandTypeInformation* find(OperandType type) const;

  private:
    std::vector<Extension> extensions_;  ///< by prefix, less 1
};

/// All devices of the process. Immutable and thread-safe.
class Devices {
  public:
    [[nodiscard]] static Devices& get();

    /// Null if the runtime could not be made: then there are no devices.
    [[nodiscard]] Runtime* runtime() const noexcept { return runtime_.get(); }
    [[nodiscard]] std::span<ANeuralNetworksDevice> all() noexcept { return devices_; }
    [[nodiscard]] const Extensions& extensions() const noexcept { return extensions_; }

    /// The indices of `devices`, which must differ and exist.
    [[nodiscard]] Status select(std::span<const ANeuralNetworksDevice* const> devices,
                                std::vector<std::size_t>& indices) const;

  private:
    explicit Devices(SharedRuntime runtime);

    SharedRuntime runtime_;
    std::vector<ANeuralNetworksDevice> devices_;
    Extensions extensions_;
};

}  // namespace nnburst::nnapi
