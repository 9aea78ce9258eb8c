// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Vendor extensions (HAL 1.2): operand types and operations of one's own, with kernels from
/// outside of the library. An extension is registered once in the process that runs models: by
/// `registerExtension` where makeLocalDevice is used, by `nnburst-driver --extension FILE` (or
/// DriverOptions::extensionLibraries) in a driver, where FILE is a shared library with
/// `nnburstExtension`. A kernel runs with all rights of that process, on memory that clients may
/// change at any time: it must copy each value that decides an address or a length, check the copy,
/// and use the copy only.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nnburst/export.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// Largest number of inputs, and of outputs, of one operation of an extension.
inline constexpr std::size_t kMaximumExtensionOperands = 32;

/// An operand as an operation of an extension sees it.
struct ExtensionOperand {
    /// One of the HAL's types; meaningless if the type is the extension's own.
    OperandType type = OperandType::TENSOR_FLOAT32;
    bool isExtensionType = false;
    std::uint16_t extensionType = 0;  ///< ExtensionOperandTypeInformation::type
    /// 0 is an unspecified size; this occurs in `check` only.
    std::span<const std::uint32_t> dimensions;
    float scale = 0.0F;
    std::int32_t zeroPoint = 0;
    /// The bytes in Operand::extraParams.
    std::span<const std::uint8_t> extraParams;
    /// The contents. Null if the operand is omitted, and outside of `run` for all operands but
    /// constants and scalars.
    std::byte* data = nullptr;
    /// An input that the model or the request leaves out: it has neither dimensions nor contents.
    bool isOmitted = false;
};

/// The deadline of the current run.
class NNBURST_EXPORT ExtensionTimeLimit {
  public:
    virtual ~ExtensionTimeLimit() = default;

    /// To be called after each piece of work, with its size: multiplications, or elements. True if
    /// the run is over: the operation must return at once, and its outputs are dropped. Reads the
    /// clock rarely.
    [[nodiscard]] virtual bool isOverAfter(std::size_t work) noexcept = 0;
};

/// An operation of an extension. Stateless: it is used by many threads at a time.
class NNBURST_EXPORT ExtensionOperation {
  public:
    virtual ~ExtensionOperation() = default;

    /// Its number in the extension.
    [[nodiscard]] virtual std::uint16_t type() const = 0;

    /// Its name in profiles; "" if it has none. They show the first 39 characters.
    [[nodiscard]] virtual const char* name() const { return ""; }

    /// Checks number and kind of the operands. INVALID_ARGUMENT says which is wrong.
    [[nodiscard]] virtual Result<> check(std::span<const ExtensionOperand> inputs,
                                         std::span<const ExtensionOperand> outputs) const = 0;

    /// The dimensions of output `output`, from inputs whose dimensions are known.
    [[nodiscard]] virtual Result<Dimensions> outputDimensions(
        std::span<const ExtensionOperand> inputs, std::size_t output) const = 0;

    /// Size of the scratch memory that `run` needs beside its operands, in bytes.
    [[nodiscard]] virtual std::size_t scratchBytes(std::span<const ExtensionOperand> inputs) const {
        (void)inputs;
        return 0;
    }

    /// Computes the outputs. Should allocate nothing.
    [[nodiscard]] virtual Result<> run(std::span<const ExtensionOperand> inputs,
                                       std::span<const ExtensionOperand> outputs,
                                       std::span<std::byte> scratch) const = 0;

    /// The same for operations that take long: implementations ask `limit` in their outer loops, so
    /// that a deadline ends them. `run` cannot be ended.
    [[nodiscard]] virtual Result<> runWithin(std::span<const ExtensionOperand> inputs,
                                             std::span<const ExtensionOperand> outputs,
                                             std::span<std::byte> scratch,
                                             ExtensionTimeLimit& limit) const {
        (void)limit;
        return run(inputs, outputs, scratch);
    }

    /// True if values of inputs decide the sizes of outputs: then `outputDimensions` gives the
    /// largest possible sizes, and `runShrinking` is called instead of `runWithin`.
    [[nodiscard]] virtual bool isShrinking() const { return false; }

    /// Computes the outputs, which have room for their largest sizes. `sizes` has one entry for
    /// each output: its largest dimensions, which are overwritten by the actual ones. None may be
    /// larger. The elements of an output lie packed by its actual dimensions.
    [[nodiscard]] virtual Result<> runShrinking(std::span<const ExtensionOperand> inputs,
                                                std::span<const ExtensionOperand> outputs,
                                                std::span<std::byte> scratch,
                                                std::span<const std::span<std::uint32_t>> sizes,
                                                ExtensionTimeLimit& limit) const {
        (void)sizes;
        return runWithin(inputs, outputs, scratch, limit);
    }
};

/// A vendor extension.
struct VendorExtension {
    /// Lower-case letters, digits, underscores and at least one period: "org.example.audio".
    std::string name;
    std::vector<ExtensionOperandTypeInformation> operandTypes;
    std::vector<std::shared_ptr<const ExtensionOperation>> operations;
};

/// Registers `extension` with all devices of this process, until the process ends. Thread-safe.
/// INVALID_ARGUMENT for an invalid or registered name, and for numbers that occur twice.
[[nodiscard]] NNBURST_EXPORT Result<> registerExtension(VendorExtension extension);

/// Changes with every change of this header.
inline constexpr std::uint32_t kExtensionInterfaceVersion = 3;

}  // namespace nnburst

/// Defined by the shared library of an extension. Returns the extension, owned by the library; null
/// if the library was compiled for another kExtensionInterfaceVersion than `interfaceVersion`.
extern "C" NNBURST_EXPORT const nnburst::VendorExtension* nnburstExtension(
    std::uint32_t interfaceVersion);
