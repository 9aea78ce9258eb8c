// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/xnnpack/sliced_step.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "memory/aligned_buffer.h"
#include "nnburst/memory.h"

namespace nnburst::exec::xnnpack {

namespace {

class SlicedStep final : public Step {
  public:
    explicit SlicedStep(SlicedOperator operation)
        : use_(std::move(operation.shared), std::move(operation.setUp), operation.effort),
          output_(operation.output),
          slices_(std::move(operation.slices)),
          padding_(operation.padding) {}

    [[nodiscard]] Result<bool> reshape() {
        NNBURST_TRY_ASSIGN(const bool isReshaped, use_.reshape());
        std::size_t paddedBytes = 0;
        for (const Slice& slice : slices_) {
            if (isPadded(slice)) {
                // XNNPACK reads a little past the end of an operand.
                paddedBytes = std::max(paddedBytes, slice.paddingBefore + slice.inputBytes +
                                                        slice.paddingAfter + kMappingPaddingBytes);
            }
        }
        workspaceOffset_ = (paddedBytes + kOperandAlignmentBytes - 1) / kOperandAlignmentBytes *
                           kOperandAlignmentBytes;
        scratchBytes_ = workspaceOffset_ + use_.workspaceBytes();
        return isReshaped;
    }

    [[nodiscard]] std::size_t scratchBytes() const noexcept override { return scratchBytes_; }
    [[nodiscard]] std::size_t keptBytes() const noexcept override { return use_.keptBytes(); }
    [[nodiscard]] bool hasPackedConstants() const noexcept override { return use_.sharesWeights(); }
    [[nodiscard]] bool isMultithreaded() const noexcept override { return use_.isMultithreaded(); }

    Result<> setUp(std::span<std::byte* const> operands) override {
        operands_ = operands;
        sliceOperands_.assign(operands.begin(), operands.end());
        // Allocates what the operator keeps for its image's size, which all slices have.
        return setUpSlice(slices_.front(), operands_[0]);
    }

    Result<> run(TimeLimit& limit) override {
        for (const Slice& slice : slices_) {
            NNBURST_TRY(setUpSlice(
                slice, isPadded(slice) ? padInput(slice) : operands_[0] + slice.inputOffset));
            NNBURST_TRY(use_.run(limit));
            if (limit.isOverAfter(TimeLimit::kWorkPerCheck)) {
                return {};
            }
        }
        return {};
    }

  private:
    static bool isPadded(const Slice& slice) noexcept {
        return slice.paddingBefore + slice.paddingAfter != 0;
    }

    Result<> setUpSlice(const Slice& slice, std::byte* input) {
        sliceOperands_[0] = input;
        sliceOperands_[output_] = operands_[output_] + slice.outputOffset;
        return use_.setUp(sliceOperands_, use_.workspaceBytes() == 0
                                              ? nullptr
                                              : operands_.back() + workspaceOffset_);
    }

    /// Gives the slice's input with its padding, in scratch memory.
    [[nodiscard]] std::byte* padInput(const Slice& slice) const noexcept {
        std::byte* const scratch = operands_.back();
        const int padding = std::to_integer<int>(padding_);
        std::memset(scratch, padding, slice.paddingBefore);
        std::memcpy(scratch + slice.paddingBefore, operands_[0] + slice.inputOffset,
                    slice.inputBytes);
        std::memset(scratch + slice.paddingBefore + slice.inputBytes, padding, slice.paddingAfter);
        return scratch;
    }

    OperatorUse use_;
    std::size_t output_;
    std::vector<Slice> slices_;
    std::byte padding_;
    std::size_t workspaceOffset_ = 0;  ///< in the scratch memory, after an input with its padding
    std::size_t scratchBytes_ = 0;
    std::span<std::byte* const> operands_;
    std::vector<std::byte*> sliceOperands_;
};

}  // namespace

RowSlices sliceRows(std::uint32_t total, double wanted, std::uint32_t least) {
    const auto countOf = [&](std::uint32_t rows) { return (total - 1) / rows + 1; };
    const auto usual = std::max(
        least, static_cast<std::uint32_t>(std::clamp(std::ceil(total / wanted), 1.0, 0x1p31)));
    RowSlices slices{.rows = total, .first = {}};
    // Of about as many rows, those that leave the fewest to be computed twice. For each number of
    // slices these are the fewest rows.
    std::uint64_t fewest = UINT64_MAX;
    const std::uint32_t mostRows = std::min(total, usual + usual / 2);
    const std::uint32_t leastRows = std::max({usual / 2, least, 1U});
    const std::uint32_t mostSlices = leastRows > mostRows ? 0 : countOf(leastRows);
    for (std::uint32_t count = countOf(mostRows); count <= mostSlices && fewest != 0; ++count) {
        const std::uint32_t rows = std::max((total - 1) / count + 1, leastRows);
        const std::uint64_t twice = std::uint64_t{countOf(rows)} * rows - total;
        if (twice < fewest) {
            fewest = twice;
            slices.rows = rows;
        }
    }
    for (std::uint32_t i = 0; i < countOf(slices.rows); ++i) {
        slices.first.push_back(std::min(i * slices.rows, total - slices.rows));
    }
    return slices;
}

StepResult makeSlicedStep(SlicedOperator operation) {
    auto step = std::make_unique<SlicedStep>(std::move(operation));
    NNBURST_TRY_ASSIGN(const bool isReshaped, step->reshape());
    if (!isReshaped) {
        return nullptr;
    }
    return step;
}

}  // namespace nnburst::exec::xnnpack
