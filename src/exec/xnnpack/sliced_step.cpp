// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/xnnpack/sliced_step.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "nnburst/memory.h"

namespace nnburst::exec::xnnpack {

namespace {

class SlicedStep final : public Step {
  public:
    explicit SlicedStep(SlicedOperator operation) : operation_(std::move(operation)) {
        for (const Slice& slice : operation_.slices) {
            if (isPadded(slice)) {
                // XNNPACK reads a little past the end of an operand.
                scratchBytes_ =
                    std::max(scratchBytes_, slice.paddingBefore + slice.inputBytes +
                                                slice.paddingAfter + kMappingPaddingBytes);
            }
        }
    }

    [[nodiscard]] std::size_t scratchBytes() const noexcept override { return scratchBytes_; }
    [[nodiscard]] bool hasPackedConstants() const noexcept override { return true; }
    [[nodiscard]] bool isMultithreaded() const noexcept override {
        return operation_.threads != nullptr;
    }

    Result<> setUp(std::span<std::byte* const> operands) override {
        operands_ = operands;
        sliceOperands_.assign(operands.begin(), operands.end());
        // Allocates what the operator keeps for its image's size, which all slices have.
        return setUpSlice(operation_.slices.front(), operands_[0]);
    }

    Result<> run(TimeLimit& limit) override {
        for (const Slice& slice : operation_.slices) {
            NNBURST_TRY(setUpSlice(
                slice, isPadded(slice) ? padInput(slice) : operands_[0] + slice.inputOffset));
            NNBURST_TRY(runOperator(*operation_.shared, operation_.threads));
            if (limit.isOverAfter(TimeLimit::kWorkPerLook)) {
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
        sliceOperands_[operation_.output] = operands_[operation_.output] + slice.outputOffset;
        // No step takes it as set up for itself: the next one sets it up again.
        operation_.shared->user = nullptr;
        return setUpOperator(*operation_.shared, operation_.setUp, sliceOperands_,
                             operation_.threads);
    }

    /// Gives the slice's input with its padding, in scratch memory.
    std::byte* padInput(const Slice& slice) const noexcept {
        std::byte* const scratch = operands_.back();
        const int padding = std::to_integer<int>(operation_.padding);
        std::memset(scratch, padding, slice.paddingBefore);
        std::memcpy(scratch + slice.paddingBefore, operands_[0] + slice.inputOffset,
                    slice.inputBytes);
        std::memset(scratch + slice.paddingBefore + slice.inputBytes, padding, slice.paddingAfter);
        return scratch;
    }

    SlicedOperator operation_;
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
    // Of about as many rows, those that leave the fewest to be computed twice.
    std::uint64_t fewest = UINT64_MAX;
    const std::uint32_t most = std::min(total, usual + usual / 2);
    for (std::uint32_t rows = most; rows >= std::max(usual / 2, least) && rows != 0; --rows) {
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

std::unique_ptr<Step> makeSlicedStep(SlicedOperator operation) {
    return std::make_unique<SlicedStep>(std::move(operation));
}

}  // namespace nnburst::exec::xnnpack
