// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Checks the arguments of a request, one at a time: for validateRequest, and for the code that
/// resolves arguments to addresses. Pure functions; only a refusal allocates.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "memory/checked_math.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// Which list of a request an argument is in.
enum class ArgumentRole : std::uint8_t { INPUT, OUTPUT };

/// Stands for the size of a pool that is a driver-managed buffer. An argument in it is the whole
/// buffer: its offset and length are 0. The device checks whether the buffer is large enough.
inline constexpr std::uint64_t kDriverManagedPoolBytes = UINT64_MAX;

/// Checks that a request has as many arguments in this role as the model.
[[nodiscard]] Result<> checkArgumentCount(ArgumentRole role, std::size_t requestCount,
                                          std::size_t modelCount);

/// Checks argument `index` in this role against the model's `operand` and against the size of the
/// pool that its location names (nothing if the request has no such pool). After it: offset and
/// length lie in the pool; merged dimensions take at most kMaximumOperandBytes; those of an input
/// are all known and its length is exactly their size. The length of an output, which is not 0, may
/// be anything. Of extension and OEM types only the location is checked: their sizes are not known
/// here.
[[nodiscard]] Result<> checkArgument(ArgumentRole role, std::size_t index, const Operand& operand,
                                     const RequestArgument& argument,
                                     std::optional<std::uint64_t> poolBytes);

/// The usual argument for an operand of the model, computed once, so that such an argument is
/// checked in a few instructions.
class ExpectedArgument {
  public:
    explicit ExpectedArgument(const Operand& operand);

    /// True if `argument` is valid because it has the model's dimensions, all of them known, and
    /// exactly their size. If false, checkArgument() decides.
    [[nodiscard]] bool isMetBy(const RequestArgument& argument,
                               std::uint64_t poolBytes) const noexcept {
        const DataLocation& location = argument.location;
        return location.length == bytes_ && argument.dimensions.empty() && !argument.hasNoValue &&
               poolBytes != kDriverManagedPoolBytes &&
               fitsInside(location.offset, location.length, poolBytes);
    }
    /// Whether `offset` in a pool is a multiple of the size of an element, which is a power of 2.
    [[nodiscard]] bool isAligned(std::uint32_t offset) const noexcept {
        return (offset & (elementBytes_ - 1)) == 0;
    }

  private:
    static constexpr std::uint64_t kOpen = UINT64_MAX;  // no length of an argument is so large

    std::uint64_t bytes_ = kOpen;
    std::uint32_t elementBytes_ = 1;
};

/// The refusal of a MeasureTiming that the HAL does not have.
[[nodiscard]] Error unknownMeasure(MeasureTiming measure);

/// Refuses a MeasureTiming that the HAL does not have.
[[nodiscard]] inline Result<> checkMeasure(MeasureTiming measure) {
    if (measure == MeasureTiming::NO || measure == MeasureTiming::YES) [[likely]] {
        return {};
    }
    return tl::unexpected(unknownMeasure(measure));
}

}  // namespace nnburst
