// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The tensors of one subgraph of a TFLite file as the file declares them: types and shapes as the
/// HAL has them, and the contents of constants. Adds nothing to a model.
///
/// Belongs to one import; the file outlives it. Not thread-safe.

#include <tflite_generated.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/types.h"
#include "tflite/file_import.h"

namespace nnburst::tflite {

/// The number of entries of a vector that may be absent.
template <class T>
std::uint32_t sizeOf(const flatbuffers::Vector<T>* vector) {
    return vector == nullptr ? 0 : vector->size();
}

/// Constants with more elements are data, not shapes or axes: their values are not looked at.
inline constexpr std::size_t kMaximumIntegers = 1024;

/// A name from a file that is safe to print: short, and without control characters.
[[nodiscard]] std::string printableName(const flatbuffers::String* name);

/// INT32 or INT64 elements; nullopt if one does not fit into 32 bits: `misfit` is its index.
[[nodiscard]] std::optional<std::vector<std::int32_t>> toInt32(schema::TensorType type,
                                                               std::span<const std::byte> bytes,
                                                               std::size_t& misfit);

/// The value of `result`, or its error with `context` in front.
template <class T>
Result<T> within(const std::string& context, Result<T> result) {
    if (!result) {
        return failure(result.error().status, context + ": " + result.error().message);
    }
    return result;
}

/// Where a tensor's value comes from.
enum class Source : std::uint8_t {
    INPUT,       ///< open sizes have the size that the file says
    OPEN_INPUT,  ///< they stay open
    VARIABLE,
    CONSTANT,
    OPERATOR
};

class TensorContents {
  public:
    TensorContents(FileImport& file, const schema::SubGraph& graph, bool isMain);

    /// The declaration of a tensor, checked against the number of tensors. The functions below
    /// require a tensor that this has found.
    [[nodiscard]] Result<const schema::Tensor*> find(std::int32_t tensor) const;
    [[nodiscard]] const schema::Tensor& declaration(std::uint32_t tensor) const {
        return *graph_.tensors()->Get(tensor);
    }
    [[nodiscard]] std::string describe(std::uint32_t tensor) const;
    [[nodiscard]] std::string nameOf(std::int32_t tensor) const;

    [[nodiscard]] Result<Operand> declare(std::uint32_t tensor, Source source) const;
    /// The same with errors that do not name the tensor.
    [[nodiscard]] Result<Operand> operandOf(const schema::Tensor& tensor, Source source) const;
    [[nodiscard]] Result<Dimensions> shapeOf(const schema::Tensor& tensor, Source source) const;
    [[nodiscard]] bool isDeclaredScalar(const schema::Tensor& tensor, Source source) const;
    /// Scale and zero point of a tensor that no operator reads or writes.
    [[nodiscard]] Result<Operand> quantization(std::int32_t tensor) const;
    /// Whether it is INT64 in the file.
    [[nodiscard]] bool isInt64(std::int32_t tensor) const;
    /// Whether it is COMPLEX64 in the file.
    [[nodiscard]] bool isComplex(std::int32_t tensor) const;
    /// Whether the file states which tensors have no dimensions.
    [[nodiscard]] bool hasRanks() const noexcept { return hasRanks_; }
    /// Records that an input has other sizes than the file states: computed ones are open.
    void setResized() noexcept { isResized_ = true; }

    /// The contents of a tensor's buffer, with all elements; empty if it has none.
    [[nodiscard]] Result<std::span<const std::byte>> bufferOf(std::uint32_t tensor);
    /// Makes `bytes`, which outlive this, the contents of `tensor`.
    void adopt(std::uint32_t tensor, std::span<const std::byte> bytes) { adopted_[tensor] = bytes; }
    [[nodiscard]] bool isAdopted(std::uint32_t tensor) const { return adopted_.contains(tensor); }
    /// The contents of a constant as the file has them; empty if it is not constant.
    [[nodiscard]] std::span<const std::byte> constantBytes(std::int32_t tensor);
    /// The elements of a constant of integers; nullopt for other tensors and for large ones.
    [[nodiscard]] std::optional<std::vector<std::int32_t>> integers(std::int32_t tensor);
    /// The same of a constant of FLOAT32.
    [[nodiscard]] std::optional<std::vector<float>> reals(std::int32_t tensor);

  private:
    /// The elements of a sparse constant, or one of INT4.
    [[nodiscard]] Result<std::vector<std::byte>> allElements(std::uint32_t tensor,
                                                             std::span<const std::byte> packed);
    [[nodiscard]] Result<std::vector<std::byte>> unpack(const schema::Tensor& declaration,
                                                        std::span<const std::byte> packed);

    FileImport& file_;
    const schema::SubGraph& graph_;
    const bool isMain_;
    bool isResized_ = false;
    bool hasRanks_ = false;   ///< the file sets has_rank
    bool hasShapes_ = false;  ///< computed tensors have shapes in the file
    std::map<std::uint32_t, std::vector<std::byte>> dense_;        ///< elements of packed tensors
    std::map<std::uint32_t, std::span<const std::byte>> adopted_;  ///< elements of adopted inputs
};

}  // namespace nnburst::tflite
