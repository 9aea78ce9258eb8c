// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/operation/operation_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "exec/operation/float16.h"
#include "log/assert.h"
#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {

constexpr OperandView kNoOperand{};

std::string rangeText(std::size_t minimum, std::size_t maximum) {
    return minimum == maximum ? fmt::format("{}", minimum)
                              : fmt::format("{} to {}", minimum, maximum);
}

std::string quantizationText(float scale, std::int32_t zeroPoint) {
    return fmt::format("scale {} and zero point {}", scale, zeroPoint);
}

}  // namespace

OperandCheck::OperandCheck(OperationCheck& check, std::span<const OperandView> operands,
                           const char* side, std::size_t index, const char* name) noexcept
    : check_(&check),
      view_(index < operands.size() && !operands[index].isOmitted ? &operands[index] : &kNoOperand),
      stated_(index < operands.size() ? &operands[index] : nullptr),
      side_(side),
      index_(index),
      name_(name) {}

bool OperandCheck::isPresent() const noexcept {
    return view_ != &kNoOperand && !check_->hasFailed();
}

bool OperandCheck::hasType() const noexcept {
    return stated_ != nullptr && !check_->hasFailed();
}

std::uint32_t OperandCheck::operator[](std::size_t axis) const noexcept {
    return axis < view_->shape.rank() ? view_->shape[axis] : 0;
}

bool OperandCheck::isRankUnknown() const noexcept {
    return check_->knowledge_ == ShapeKnowledge::PARTIAL && view_->shape.rank() == 0;
}

bool OperandCheck::agree(std::uint32_t size, std::uint32_t expected) const noexcept {
    return size == expected ||
           (check_->knowledge_ == ShapeKnowledge::PARTIAL && (size == 0 || expected == 0));
}

std::string OperandCheck::text() const {
    return fmt::format("{} {} ({})", side_, index_, name_);
}

void OperandCheck::fail(const std::string& why) {
    check_->fail(fmt::format(" {}: {}", text(), why));
}

OperandCheck& OperandCheck::type(std::initializer_list<OperandType> allowed) {
    if (hasType() && std::find(allowed.begin(), allowed.end(), stated_->type) == allowed.end()) {
        std::string names;
        for (const OperandType& type : allowed) {
            const char* separator = &type == allowed.end() - 1 ? " or " : ", ";
            names += names.empty() ? "" : separator;
            names += toString(type);
        }
        fail(fmt::format("type {}; must be {}", toString(stated_->type), names));
    }
    return *this;
}

OperandCheck& OperandCheck::sameTypeAs(const OperandCheck& other) {
    if (hasType() && other.hasType() && stated_->type != other.stated_->type) {
        fail(fmt::format("type {}; must be {}, that of {}", toString(stated_->type),
                         toString(other.stated_->type), other.text()));
    }
    return *this;
}

OperandCheck& OperandCheck::rank(std::size_t minimum, std::size_t maximum) {
    const std::size_t rank = view_->shape.rank();
    if (isPresent() && !isRankUnknown() && (rank < minimum || rank > maximum)) {
        fail(fmt::format("rank {}; must be {}", rank, rangeText(minimum, maximum)));
    }
    return *this;
}

OperandCheck& OperandCheck::size(std::size_t axis, std::uint32_t expected, const char* why) {
    const std::uint32_t size = (*this)[axis];
    if (isPresent() && !agree(size, expected)) {
        fail(fmt::format("size {} of axis {}; must be {}, {}", size, axis, expected, why));
    }
    return *this;
}

OperandCheck& OperandCheck::notEmpty(std::size_t axis) {
    if (isPresent() && check_->knowledge_ == ShapeKnowledge::COMPLETE && (*this)[axis] == 0) {
        fail(fmt::format("size 0 of axis {}; must be at least 1", axis));
    }
    return *this;
}

OperandCheck& OperandCheck::sameShapeAs(const OperandCheck& other) {
    if (!isPresent() || !other.isPresent() || isRankUnknown() || other.isRankUnknown()) {
        return *this;
    }
    const auto sizes = view_->shape.sizes();
    const auto expected = other.view_->shape.sizes();
    if (!std::equal(sizes.begin(), sizes.end(), expected.begin(), expected.end(),
                    [this](auto a, auto b) { return agree(a, b); })) {
        fail(fmt::format("shape {}; must be {}, that of {}", dimensionsText(sizes),
                         dimensionsText(expected), other.text()));
    }
    return *this;
}

OperandCheck& OperandCheck::quantization(float scale, std::int32_t zeroPoint) {
    if (isPresent() && (view_->scale != scale || view_->zeroPoint != zeroPoint)) {
        fail(fmt::format("{}; must be {}", quantizationText(view_->scale, view_->zeroPoint),
                         quantizationText(scale, zeroPoint)));
    }
    return *this;
}

OperandCheck& OperandCheck::sameQuantizationAs(const OperandCheck& other) {
    const OperandView& expected = *other.view_;
    if (isPresent() && other.isPresent() &&
        (view_->scale != expected.scale || view_->zeroPoint != expected.zeroPoint)) {
        fail(fmt::format("{}; must be {}, those of {}",
                         quantizationText(view_->scale, view_->zeroPoint),
                         quantizationText(expected.scale, expected.zeroPoint), other.text()));
    }
    return *this;
}

void OperationCheck::fail(const std::string& why) {
    if (!error_) {
        error_ = Error{ErrorStatus::INVALID_ARGUMENT, toString(operation_.type) + why};
    }
}

OperationCheck& OperationCheck::inputCount(std::size_t minimum, std::size_t maximum) {
    const std::size_t count = operation_.inputs.size();
    return require(count >= minimum && count <= maximum, [&] {
        return fmt::format("{} inputs; must be {}", count, rangeText(minimum, maximum));
    });
}

OperationCheck& OperationCheck::outputCount(std::size_t exact) {
    const std::size_t count = operation_.outputs.size();
    return require(count == exact,
                   [&] { return fmt::format("{} outputs; must be {}", count, exact); });
}

OperandCheck OperationCheck::input(std::size_t index, const char* name) {
    OperandCheck operand = optionalInput(index, name);
    if (operand.view_ == &kNoOperand) {
        operand.fail("left out; must be given");
    }
    return operand;
}

OperandCheck OperationCheck::optionalInput(std::size_t index, const char* name) {
    return {*this, operation_.inputs, "input", index, name};
}

OperandCheck OperationCheck::output(std::size_t index, const char* name) {
    OperandCheck operand(*this, operation_.outputs, "output", index, name);
    if (operand.stated_ == nullptr) {
        operand.fail("left out; must be given");
    }
    return operand;
}

Result<> OperationCheck::result() const {
    if (error_) {
        return tl::unexpected<Error>(*error_);
    }
    return {};
}

OperationCheck& OperationCheck::since(HalVersion version, bool applies) {
    if (applies) {
        version_ = std::max(version_, version);
        if (operation_.firstVersion != nullptr) {
            *operation_.firstVersion = std::max(*operation_.firstVersion, version);
        }
    }
    return *this;
}

Result<HalVersion> OperationCheck::minimumVersion() const {
    NNBURST_TRY(result());
    return std::max(version_, versionOfTypes(operation_));
}

HalVersion versionOfTypes(const OperationView& operation) noexcept {
    HalVersion version = HalVersion::V1_0;
    for (const auto operands : {operation.inputs, operation.outputs}) {
        for (const OperandView& operand : operands) {
            version = std::max(version, since(operand.type));
        }
    }
    return version;
}

bool hasKnownInputShapes(const OperationView& operation) noexcept {
    return std::all_of(operation.inputs.begin(), operation.inputs.end(), [](const auto& input) {
        return input.isOmitted || !isTensor(input.type) || isShapeKnown(input);
    });
}

tl::unexpected<Error> unknownValue(const OperationView& operation, std::size_t index,
                                   const char* name) {
    if (operation.isValueUnknown != nullptr) {
        *operation.isValueUnknown = true;
    }
    return failure(ErrorStatus::GENERAL_FAILURE,
                   fmt::format("{} input {} ({}): its value is not known yet",
                               toString(operation.type), index, name));
}

Result<float> readConstantFloat(const OperationView& operation, std::size_t index, const char* name,
                                OperandType type) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    const OperandCheck operand = check.input(index, name).type({type});
    NNBURST_TRY(check.result());
    if (operand.view().data == nullptr) {
        return unknownValue(operation, index, name);
    }
    return type == OperandType::FLOAT16 ? static_cast<float>(operand.view().scalar<Float16>())
                                        : operand.view().scalar<float>();
}

Result<> requireOutputShape(const OperationView& operation, std::size_t index, const Shape& shape) {
    const Shape& given = operation.outputs[index].shape;
    if (given != shape) {
        return invalid("{} output {}: shape {}; must be {}", toString(operation.type), index,
                       dimensionsText(given.sizes()), dimensionsText(shape.sizes()));
    }
    return {};
}

Result<> inferShapeOfInput(const OperationView& operation, std::span<Shape> outputs) {
    outputs[0] = operation.inputs[0].shape;
    return {};
}

void otherFamily(OperationType type) noexcept {
    assertionFailed(__FILE__, __LINE__, "the operation belongs to the family of its kernel",
                    toString(type));
}

}  // namespace nnburst::exec
