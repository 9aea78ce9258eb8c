// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What tests of the C API share: owners of its objects, types, memory, and a small model.

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksExtensions.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nnburst/unique_fd.h"

namespace nnburst::nnapi {

inline constexpr int kNoError = ANEURALNETWORKS_NO_ERROR;
inline constexpr int kUnexpectedNull = ANEURALNETWORKS_UNEXPECTED_NULL;
inline constexpr int kBadData = ANEURALNETWORKS_BAD_DATA;
inline constexpr int kBadState = ANEURALNETWORKS_BAD_STATE;
inline constexpr int kOpFailed = ANEURALNETWORKS_OP_FAILED;
inline constexpr int kUnmappable = ANEURALNETWORKS_UNMAPPABLE;
inline constexpr int kInsufficientSize = ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
inline constexpr int kDeadObject = ANEURALNETWORKS_DEAD_OBJECT;

[[nodiscard]] inline bool isMissedDeadline(int result) {
    return result == ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT ||
           result == ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT;
}

template <class T, void (*kFree)(T*)>
struct Freed {
    void operator()(T* object) const { kFree(object); }
};
template <class T, void (*kFree)(T*)>
using Owned = std::unique_ptr<T, Freed<T, kFree>>;

using Model = Owned<ANeuralNetworksModel, ANeuralNetworksModel_free>;
using Compilation = Owned<ANeuralNetworksCompilation, ANeuralNetworksCompilation_free>;
using Execution = Owned<ANeuralNetworksExecution, ANeuralNetworksExecution_free>;
using Burst = Owned<ANeuralNetworksBurst, ANeuralNetworksBurst_free>;
using Event = Owned<ANeuralNetworksEvent, ANeuralNetworksEvent_free>;
using Memory = Owned<ANeuralNetworksMemory, ANeuralNetworksMemory_free>;
using MemoryDesc = Owned<ANeuralNetworksMemoryDesc, ANeuralNetworksMemoryDesc_free>;

/// An operand type that has its dimensions.
class Type {
  public:
    explicit Type(std::int32_t code, std::vector<std::uint32_t> dimensions = {}, float scale = 0,
                  std::int32_t zeroPoint = 0)
        : dimensions_(std::move(dimensions)),
          type_{.type = code,
                .dimensionCount = static_cast<std::uint32_t>(dimensions_.size()),
                .dimensions = dimensions_.empty() ? nullptr : dimensions_.data(),
                .scale = scale,
                .zeroPoint = zeroPoint} {}
    Type(const Type&) = delete;
    Type& operator=(const Type&) = delete;

    [[nodiscard]] const ANeuralNetworksOperandType* get() const noexcept { return &type_; }

  private:
    std::vector<std::uint32_t> dimensions_;
    ANeuralNetworksOperandType type_;
};

inline const Type kInt32(ANEURALNETWORKS_INT32);

// Each makes an object and expects success.
[[nodiscard]] Model newModel();
[[nodiscard]] Compilation newCompilation(ANeuralNetworksModel* model);
[[nodiscard]] Compilation newCompilation(ANeuralNetworksModel* model,
                                         const std::vector<ANeuralNetworksDevice*>& devices);
[[nodiscard]] Execution newExecution(ANeuralNetworksCompilation* compilation);
[[nodiscard]] Burst newBurst(ANeuralNetworksCompilation* compilation);
/// An event for a descriptor.
[[nodiscard]] Event newEvent(int fence);
/// A descriptor that is not signalled (nnburst/fence.h).
[[nodiscard]] UniqueFd newFence();

/// Starts the execution and expects that it starts.
[[nodiscard]] Event start(ANeuralNetworksExecution* execution);
[[nodiscard]] Event startWith(ANeuralNetworksExecution* execution,
                              const std::vector<const ANeuralNetworksEvent*>& dependencies);

/// All devices, in the order of the API.
[[nodiscard]] std::vector<ANeuralNetworksDevice*> allDevices();
/// The device of that name; null if there is none.
[[nodiscard]] ANeuralNetworksDevice* deviceNamed(const std::string& name);
/// The device in this process.
[[nodiscard]] ANeuralNetworksDevice* referenceDevice();

/// Memory of memfd_create(2): sealed against other sizes, as the library uses it in place, or not.
[[nodiscard]] UniqueFd makeMemoryFile(std::size_t sizeBytes, bool isSealed = true);
/// Memory of a descriptor, for reading and writing, which the test sees at `data`.
class MappedMemory {
  public:
    explicit MappedMemory(std::size_t sizeBytes, bool isSealed = true);
    MappedMemory(const MappedMemory&) = delete;
    MappedMemory& operator=(const MappedMemory&) = delete;
    ~MappedMemory();

    [[nodiscard]] ANeuralNetworksMemory* get() const noexcept { return memory_.get(); }
    [[nodiscard]] float* floats() const noexcept { return static_cast<float*>(data_); }
    /// Frees the memory of the API; the mapping stays.
    void freeMemory() { memory_.reset(); }

  private:
    UniqueFd fd_;
    std::size_t sizeBytes_;
    void* data_ = nullptr;
    Memory memory_;
};

using TwoFloats = std::array<float, 2>;

/// The sum of two tensors: inputs 0 and 1, output 3, of one type; operand 2 is the activation, a
/// constant or the third input.
enum class Activation : std::uint8_t { CONSTANT, INPUT };
[[nodiscard]] Model newAddition(const Type& type, Activation activation = Activation::CONSTANT);
/// Of two floats.
[[nodiscard]] Model newAddition();

/// Adds a WHILE that ends at its loop timeout: float[1] to float[1].
class EndlessLoop {
  public:
    EndlessLoop();
    [[nodiscard]] ANeuralNetworksModel* get() const noexcept { return main_.get(); }

  private:
    Model condition_;
    Model body_;
    Model main_;
};

/// Sets both inputs and the output of an addition of two floats, and expects success.
void setArguments(ANeuralNetworksExecution* execution, const TwoFloats& a, const TwoFloats& b,
                  TwoFloats& sum);

/// Each way to compute.
enum class Way : std::uint8_t { COMPUTE, START, BURST, FENCED };
inline constexpr std::array kWays{Way::COMPUTE, Way::START, Way::BURST, Way::FENCED};
[[nodiscard]] const char* toString(Way way) noexcept;
/// Computes, waits for the end, and gives the result.
[[nodiscard]] int computeBy(Way way, ANeuralNetworksExecution* execution,
                            ANeuralNetworksCompilation* compilation);

/// A compiled addition of two floats.
class CompiledAddition : public testing::Test {
  protected:
    /// For `devices`; empty: the runtime chooses.
    explicit CompiledAddition(const std::vector<ANeuralNetworksDevice*>& devices = {});

    /// An execution whose arguments are set: 1 + 10 and 2 + 20.
    [[nodiscard]] Execution newReadyExecution() {
        Execution execution = newExecution(compilation.get());
        setArguments(execution.get(), a, b, sum);
        return execution;
    }

    Model model = newAddition();
    Compilation compilation;
    TwoFloats a{1, 2};
    TwoFloats b{10, 20};
    TwoFloats sum{};
};

inline constexpr TwoFloats kSum{11, 22};

}  // namespace nnburst::nnapi
