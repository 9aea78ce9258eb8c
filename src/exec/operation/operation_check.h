// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The rules of an operation's section in the HAL, one on each line:
///
///     OperationCheck check(operation, ShapeKnowledge::PARTIAL);
///     check.inputCount(2, 3).outputCount(1);
///     const OperandCheck input = check.input(0, "input").type(kFloats).rank(1, 4);
///     check.output(0, "output").sameTypeAs(input);
///     check.since(HalVersion::V1_3, input.view().type == OperandType::TENSOR_INT32);
///     return check.minimumVersion();
///
/// The first rule that is broken makes the error, all later ones are skipped: nothing that is not
/// there is ever looked at. Rules that hold for any operand of a type (its scale is finite and
/// above 0, its zero point is in range) are the model's validation and not repeated.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "exec/operation/operation.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// What a shape of 0 axes, or a size of 0, means.
enum class ShapeKnowledge : std::uint8_t {
    PARTIAL,   ///< not known yet, while a model is checked: rules about it pass
    COMPLETE,  ///< what it says, while a model is planned or runs: a tensor without elements
};

class OperationCheck;

/// One operand while its rules are checked. A value: copy it to refer to it from other rules. Must
/// not outlive its OperationCheck.
class OperandCheck {
  public:
    /// Rules of its type hold also if it is left out: the model states a type all the same.
    OperandCheck& type(std::initializer_list<OperandType> allowed);
    OperandCheck& sameTypeAs(const OperandCheck& other);
    OperandCheck& rank(std::size_t minimum, std::size_t maximum);
    OperandCheck& rank(std::size_t exact) { return rank(exact, exact); }
    /// Axis `axis` has `expected` elements. `why` completes "must be 3, the input's channels".
    OperandCheck& size(std::size_t axis, std::uint32_t expected, const char* why);
    /// Axis `axis` has elements.
    OperandCheck& notEmpty(std::size_t axis);
    OperandCheck& sameShapeAs(const OperandCheck& other);
    OperandCheck& quantization(float scale, std::int32_t zeroPoint);
    /// Scale and zero point of `other`, where the type has them.
    OperandCheck& sameQuantizationAs(const OperandCheck& other);
    /// Any other rule; `otherwise()` makes the message, "3 scales; must be 4, one for each
    /// channel".
    template <class Otherwise>
    OperandCheck& require(bool holds, Otherwise&& otherwise) {
        if (isPresent() && !holds) {
            fail(otherwise());
        }
        return *this;
    }

    /// The operand; an empty one if the check has failed or an optional operand is left out.
    [[nodiscard]] const OperandView& view() const noexcept { return *view_; }
    /// The operand is there and no rule has failed yet.
    [[nodiscard]] bool isPresent() const noexcept;
    /// The size of an axis; 0 if it is unknown or does not exist.
    [[nodiscard]] std::uint32_t operator[](std::size_t axis) const noexcept;

  private:
    friend class OperationCheck;

    OperandCheck(OperationCheck& check, std::span<const OperandView> operands, const char* side,
                 std::size_t index, const char* name) noexcept;

    /// The type is stated and no rule has failed yet.
    [[nodiscard]] bool hasType() const noexcept;
    [[nodiscard]] bool isRankUnknown() const noexcept;
    [[nodiscard]] bool agree(std::uint32_t size, std::uint32_t expected) const noexcept;
    /// "input 1 (filter)".
    [[nodiscard]] std::string text() const;
    void fail(const std::string& why);

    OperationCheck* check_;
    const OperandView* view_;
    const OperandView* stated_;  ///< also if it is left out; null if the operation has no such one
    const char* side_;
    std::size_t index_;
    const char* name_;
};

/// Collects the first broken rule of one operation.
class OperationCheck {
  public:
    OperationCheck(const OperationView& operation, ShapeKnowledge knowledge) noexcept
        : operation_(operation), knowledge_(knowledge) {}
    OperationCheck(const OperationCheck&) = delete;
    OperationCheck& operator=(const OperationCheck&) = delete;
    ~OperationCheck() = default;

    OperationCheck& inputCount(std::size_t minimum, std::size_t maximum);
    OperationCheck& inputCount(std::size_t exact) { return inputCount(exact, exact); }
    OperationCheck& outputCount(std::size_t exact);

    /// An operand that must be there. `name` is what the HAL calls it; a literal.
    OperandCheck input(std::size_t index, const char* name);
    OperandCheck output(std::size_t index, const char* name);
    /// An input that may be left out; its rules pass then, but for those of its type.
    OperandCheck optionalInput(std::size_t index, const char* name);

    /// A rule about the operation as a whole; `otherwise()` makes the message.
    template <class Otherwise>
    OperationCheck& require(bool holds, Otherwise&& otherwise) {
        if (!hasFailed() && !holds) {
            fail(std::string(": ") + otherwise());
        }
        return *this;
    }

    /// The HAL allows it since `version`, if it `applies`: a type, a rank, an argument that came
    /// later than the operation. The operation's own version and those of the types of its operands
    /// are known without this. Comes before scalars are read, whose values may not be known yet.
    OperationCheck& since(HalVersion version, bool applies);

    /// Shapes may be unknown in part.
    [[nodiscard]] bool isPartial() const noexcept { return knowledge_ == ShapeKnowledge::PARTIAL; }
    [[nodiscard]] bool hasFailed() const noexcept { return error_.has_value(); }
    /// The first broken rule, if there is one.
    [[nodiscard]] Result<> result() const;
    /// The first broken rule, or else the first HAL version that allows these operands.
    [[nodiscard]] Result<HalVersion> minimumVersion() const;

  private:
    friend class OperandCheck;

    void fail(const std::string& why);

    const OperationView& operation_;
    ShapeKnowledge knowledge_;
    std::optional<Error> error_;
    HalVersion version_ = HalVersion::V1_0;
};

/// The first HAL version that has the types of all operands.
[[nodiscard]] HalVersion versionOfTypes(const OperationView& operation) noexcept;

/// Whether rank and all sizes of a tensor are known, while a model is checked.
[[nodiscard]] inline bool isShapeKnown(const OperandView& tensor) noexcept {
    return tensor.shape.rank() > 0 && tensor.shape.isFullySpecified();
}

/// Rank and all sizes of all inputs that are there are known: shapes can be computed, so `check`
/// can say whether they go together.
[[nodiscard]] bool hasKnownInputShapes(const OperationView& operation) noexcept;

/// The error of everything that reads a scalar whose value is not known yet: GENERAL_FAILURE, while
/// a broken rule is INVALID_ARGUMENT. Sets OperationView::isValueUnknown.
[[nodiscard]] tl::unexpected<Error> unknownValue(const OperationView& operation, std::size_t index,
                                                 const char* name);

/// Reads the scalar `index`, FLOAT32 or (if `type` says so) FLOAT16.
[[nodiscard]] Result<float> readConstantFloat(const OperationView& operation, std::size_t index,
                                              const char* name, OperandType type);

/// OperationDefinition::inferShapes of operations whose output has the shape of input 0.
[[nodiscard]] Result<> inferShapeOfInput(const OperationView& operation, std::span<Shape> outputs);

/// Aborts: a kernel was called for an operation of another family than its own.
[[noreturn]] void otherFamily(OperationType type) noexcept;

/// Whether output `index` has the shape that was computed for it. `run` asks before it writes.
[[nodiscard]] Result<> requireOutputShape(const OperationView& operation, std::size_t index,
                                          const Shape& shape);

}  // namespace nnburst::exec
