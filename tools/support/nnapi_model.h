// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Objects of NNAPI's C API with their owners, and models of the HAL as models of the API.

#include <cstdint>
#include <memory>
#include <vector>

#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "nnburst/types.h"
#include "support/nnapi_functions.h"

namespace nnburst::tools {

/// Owns an object of the API, which it frees with a function of the API.
template <class T>
using NnapiObject = std::unique_ptr<T, void (*)(T*)>;

/// The result of a call of the API; `what` says what was done.
[[nodiscard]] Result<> nnapiResult(int code, const char* what);

/// The memory of `region` as memory of the API.
[[nodiscard]] Result<NnapiObject<ANeuralNetworksMemory>> makeNnapiMemory(
    const NnapiFunctions& functions, const Region& region);

/// A type of the API. Points to the operand's dimensions.
[[nodiscard]] ANeuralNetworksOperandType toNnapi(const Operand& operand,
                                                 const Dimensions& dimensions) noexcept;

/// A finished model of the API with the memory that it uses.
class NnapiModel {
  public:
    /// Builds the model with the calls of the API, referenced subgraphs first. INVALID_ARGUMENT if
    /// the API refuses a part.
    [[nodiscard]] static Result<NnapiModel> build(const NnapiFunctions& functions,
                                                  const Model& model);

    NnapiModel(NnapiModel&&) noexcept = default;
    NnapiModel& operator=(NnapiModel&&) = delete;
    ~NnapiModel();

    [[nodiscard]] ANeuralNetworksModel* get() const noexcept { return subgraphs_.back().get(); }

  private:
    class Builder;
    NnapiModel() = default;

    std::vector<std::uint8_t> operandValues_;  ///< the API keeps pointers to long values
    std::vector<NnapiObject<ANeuralNetworksMemory>> pools_;
    /// In the order of their dependencies; the main subgraph is the last.
    std::vector<NnapiObject<ANeuralNetworksModel>> subgraphs_;
};

}  // namespace nnburst::tools
