// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The Neural Networks HAL's data types in their canonical form, which is that of HAL 1.3
/// (neuralnetworks/1.3/types.hal and what it imports). Enumerators and codes are the HAL's.
/// All are plain values: copying a Model copies its operand values, but shares its pools.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "nnburst/export.h"
#include "nnburst/memory.h"
#include "nnburst/operation_list.h"
#include "nnburst/result.h"

namespace nnburst {

// ---- Enumerations

enum class OperandType : std::int32_t {
    FLOAT32 = 0,
    INT32 = 1,
    UINT32 = 2,
    TENSOR_FLOAT32 = 3,
    TENSOR_INT32 = 4,
    TENSOR_QUANT8_ASYMM = 5,
    BOOL = 6,
    TENSOR_QUANT16_SYMM = 7,
    TENSOR_FLOAT16 = 8,
    TENSOR_BOOL8 = 9,
    FLOAT16 = 10,
    TENSOR_QUANT8_SYMM_PER_CHANNEL = 11,
    TENSOR_QUANT16_ASYMM = 12,
    TENSOR_QUANT8_SYMM = 13,
    TENSOR_QUANT8_ASYMM_SIGNED = 14,
    SUBGRAPH = 15,
    OEM = 10000,
    TENSOR_OEM_BYTE = 10001,
};

/// The operations of operation_list.h: ADD = 0 and so on.
enum class OperationType : std::int32_t {
#define NNBURST_ENUMERATOR(NAME, CODE, Name) NAME = CODE,
    NNBURST_OPERATIONS(NNBURST_ENUMERATOR)
#undef NNBURST_ENUMERATOR
        OEM_OPERATION = 10000,
};

/// Every operation of the HAL but OEM_OPERATION, in the order of the codes.
inline constexpr std::array kOperationTypes{
#define NNBURST_LIST_ITEM(NAME, CODE, Name) OperationType::NAME,
    NNBURST_OPERATIONS(NNBURST_LIST_ITEM)
#undef NNBURST_LIST_ITEM
};
inline constexpr std::int32_t kOperationTypeCount = kOperationTypes.size();
/// One more than the largest code in kOperationTypes: the size of a table indexed by code.
inline constexpr std::int32_t kOperationTypeEnd =
    static_cast<std::int32_t>(kOperationTypes.back()) + 1;

enum class OperandLifeTime : std::int32_t {
    TEMPORARY_VARIABLE = 0,
    SUBGRAPH_INPUT = 1,      ///< up to HAL 1.2: MODEL_INPUT
    SUBGRAPH_OUTPUT = 2,     ///< up to HAL 1.2: MODEL_OUTPUT
    CONSTANT_COPY = 3,       ///< the value lies in Model::operandValues
    CONSTANT_REFERENCE = 4,  ///< the value lies in one of Model::pools
    NO_VALUE = 5,            ///< an optional input that is left out
    SUBGRAPH = 6,            ///< location.offset is an index into Model::referenced
};

enum class FusedActivationFunc : std::int32_t { NONE = 0, RELU = 1, RELU1 = 2, RELU6 = 3 };

enum class DeviceType : std::int32_t { OTHER = 1, CPU = 2, GPU = 3, ACCELERATOR = 4 };

enum class DeviceStatus : std::int32_t { AVAILABLE = 0, BUSY = 1, OFFLINE = 2, UNKNOWN = 3 };

enum class ExecutionPreference : std::int32_t {
    LOW_POWER = 0,
    FAST_SINGLE_ANSWER = 1,
    SUSTAINED_SPEED = 2,
};

enum class Priority : std::int32_t { LOW = 0, MEDIUM = 1, HIGH = 2 };

enum class MeasureTiming : std::int32_t { NO = 0, YES = 1 };

/// The name as the HAL spells it; "unknown ...", without the number, for any other value.
[[nodiscard]] NNBURST_EXPORT const char* toString(OperandType type) noexcept;
[[nodiscard]] NNBURST_EXPORT const char* toString(OperationType type) noexcept;
[[nodiscard]] NNBURST_EXPORT const char* toString(OperandLifeTime lifetime) noexcept;
[[nodiscard]] NNBURST_EXPORT const char* toString(DeviceType type) noexcept;
[[nodiscard]] NNBURST_EXPORT const char* toString(DeviceStatus status) noexcept;
[[nodiscard]] NNBURST_EXPORT const char* toString(ExecutionPreference preference) noexcept;
[[nodiscard]] NNBURST_EXPORT const char* toString(Priority priority) noexcept;

// ---- Models

/// Sizes of a tensor's axes, outermost first. 0 is an *unspecified* size; no axes on a tensor are
/// an unspecified rank (HAL 1.2); a scalar has none.
using Dimensions = std::vector<std::uint32_t>;

/// Where bytes lie: in pool `poolIndex` of a model or request, or in Model::operandValues.
struct DataLocation {
    std::uint32_t poolIndex = 0;
    std::uint32_t offset = 0;  ///< bytes from the start
    std::uint32_t length = 0;  ///< bytes

    bool operator==(const DataLocation&) const = default;
};

/// Quantisation of TENSOR_QUANT8_SYMM_PER_CHANNEL: real value = scales[channel] * value.
struct SymmPerChannelQuantParams {
    std::vector<float> scales;     ///< one for each index along `channelDim`
    std::uint32_t channelDim = 0;  ///< axis of the channels

    bool operator==(const SymmPerChannelQuantParams&) const = default;
};

/// Extra parameters of an operand: none, per-channel quantisation, or a vendor extension's bytes.
using OperandExtraParams =
    std::variant<std::monostate, SymmPerChannelQuantParams, std::vector<std::uint8_t>>;

/// A value of the graph (HAL 1.3 types.hal, Operand).
struct Operand {
    OperandType type = OperandType::TENSOR_FLOAT32;
    Dimensions dimensions;
    std::uint32_t numberOfConsumers = 0;  ///< times it occurs among operations' inputs
    float scale = 0.0F;                   ///< real value = scale * (value - zeroPoint)
    std::int32_t zeroPoint = 0;
    OperandLifeTime lifetime = OperandLifeTime::TEMPORARY_VARIABLE;
    DataLocation location;  ///< of constants and subgraphs; zero for the rest
    OperandExtraParams extraParams;

    bool operator==(const Operand&) const = default;
};

/// A node of the graph. Inputs and outputs are indices of the subgraph's operands.
struct Operation {
    OperationType type = OperationType::ADD;
    std::vector<std::uint32_t> inputs;
    std::vector<std::uint32_t> outputs;

    bool operator==(const Operation&) const = default;
};

/// A graph, its operations in the order of execution.
struct Subgraph {
    std::vector<Operand> operands;
    std::vector<Operation> operations;
    std::vector<std::uint32_t> inputIndexes;
    std::vector<std::uint32_t> outputIndexes;

    bool operator==(const Subgraph&) const = default;
};

/// The meaning of a type prefix in this model: operand and operation types of extension `name` are
/// `prefix << kExtensionTypeBits | type`.
struct ExtensionNameAndPrefix {
    std::string name;
    std::uint16_t prefix = 0;

    bool operator==(const ExtensionNameAndPrefix&) const = default;
};

/// Low bits of an operand or operation type that are the extension's own; the rest is the prefix.
inline constexpr int kExtensionTypeBits = 16;

/// A model as the application gives it (HAL 1.3 types.hal, Model).
struct Model {
    Subgraph main;
    std::vector<Subgraph> referenced;         ///< for IF and WHILE
    std::vector<std::uint8_t> operandValues;  ///< of CONSTANT_COPY operands
    std::vector<SharedRegion> pools;          ///< of CONSTANT_REFERENCE operands
    bool relaxComputationFloat32toFloat16 = false;
    std::vector<ExtensionNameAndPrefix> extensionNameToPrefix;
};

// ---- Requests and their answers

/// Where one input or output of the model lies for one execution.
struct RequestArgument {
    /// An optional operand that is left out. `location` is then 0 and `dimensions` empty.
    bool hasNoValue = false;
    DataLocation location;  ///< in Request::pools
    /// Dimensions that the model leaves unspecified, or empty to take the model's.
    Dimensions dimensions;

    bool operator==(const RequestArgument&) const = default;
};

/// Names a driver-managed buffer (HAL 1.3 IDevice::allocate). Belongs to one device; 0 is none. As
/// a pool it holds exactly one argument, whose offset and length are 0.
enum class BufferToken : std::uint32_t {};

/// Memory that request arguments point into: shared memory, or a driver-managed buffer.
using RequestPool = std::variant<SharedRegion, BufferToken>;

/// The places of all inputs and outputs for one execution, in the order of the main subgraph's
/// inputIndexes and outputIndexes.
struct Request {
    std::vector<RequestArgument> inputs;
    std::vector<RequestArgument> outputs;
    std::vector<RequestPool> pools;
};

/// The shape of an output after an execution (HAL 1.2 types.hal, OutputShape).
struct OutputShape {
    Dimensions dimensions;      ///< as far as they are known; else unspecified
    bool isSufficient = false;  ///< the output's buffer was large enough

    bool operator==(const OutputShape&) const = default;
};

/// A duration that was not measured.
inline constexpr std::uint64_t kTimeNotAvailable = UINT64_MAX;

/// Durations of one execution in microseconds (HAL 1.2 types.hal, Timing). kTimeNotAvailable unless
/// measuring was asked for and the execution succeeded.
struct Timing {
    std::uint64_t timeOnDevice = kTimeNotAvailable;  ///< in the kernels
    std::uint64_t timeInDriver = kTimeNotAvailable;  ///< from the request's arrival to its answer

    bool operator==(const Timing&) const = default;
};

/// A moment of CLOCK_MONOTONIC, the same in all processes of a machine (HAL 1.3 OptionalTimePoint).
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;
using OptionalTimePoint = std::optional<TimePoint>;
using OptionalTimeoutDuration = std::optional<std::chrono::nanoseconds>;

// ---- Devices

/// Time and power relative to the reference; smaller is better (HAL 1.0 PerformanceInfo).
struct PerformanceInfo {
    float execTime = 1.0F;
    float powerUsage = 1.0F;

    bool operator==(const PerformanceInfo&) const = default;
};

struct OperandPerformance {
    OperandType type = OperandType::FLOAT32;
    PerformanceInfo info;

    bool operator==(const OperandPerformance&) const = default;
};

/// What a device can do, relative to the reference (HAL 1.3 types.hal, Capabilities).
struct Capabilities {
    PerformanceInfo relaxedFloat32toFloat16PerformanceScalar;
    PerformanceInfo relaxedFloat32toFloat16PerformanceTensor;
    std::vector<OperandPerformance> operandPerformance;  ///< one entry for each type, in order
    PerformanceInfo ifPerformance;
    PerformanceInfo whilePerformance;

    bool operator==(const Capabilities&) const = default;
};

/// An operand type that a vendor extension defines.
struct ExtensionOperandTypeInformation {
    std::uint16_t type = 0;
    bool isTensor = false;
    std::uint32_t byteSize = 0;  ///< of an element or scalar
};

/// A vendor extension that a device supports.
struct Extension {
    std::string name;
    std::vector<ExtensionOperandTypeInformation> operandTypes;
};

/// Numbers of cache files that a device needs for one model (HAL 1.2
/// IDevice::getNumberOfCacheFilesNeeded).
struct NumberOfCacheFiles {
    std::uint32_t numModelCache = 0;
    std::uint32_t numDataCache = 0;
};

/// Size of the token that identifies a cached model, in bytes (HAL 1.2 Constant).
inline constexpr std::size_t kByteSizeOfCacheToken = 32;
using CacheToken = std::array<std::uint8_t, kByteSizeOfCacheToken>;

/// Dimensions of a driver-managed buffer, as far as its user knows them; else unspecified.
struct BufferDesc {
    Dimensions dimensions;
};

/// One intended use of a driver-managed buffer: as input or output `ioIndex` of a prepared model.
struct BufferRole {
    std::uint32_t modelIndex = 0;  ///< into the prepared models given to allocate
    std::uint32_t ioIndex = 0;     ///< of an input or output of the main subgraph
    float frequency = 0.0F;        ///< how often, in (0, 1]
};

}  // namespace nnburst
