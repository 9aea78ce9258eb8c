// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/local_buffer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/buffer_status.h"
#include "model/invalid.h"
#include "model/operand_info.h"
#include "nnburst/validation.h"

namespace nnburst::device {

namespace {

const char* roleName(ArgumentRole role) noexcept {
    return role == ArgumentRole::INPUT ? "input" : "output";
}

/// The properties of a buffer that follow from its description and all its roles.
class BufferProperties {
  public:
    explicit BufferProperties(std::span<const std::shared_ptr<LocalPreparedModel>> models)
        : models_(models) {}

    Result<> add(ArgumentRole role, std::size_t index, const BufferRole& bufferRole) {
        Result<> added = addRole(role, bufferRole);
        if (!added) {
            return invalid("allocate: {} role {}: {}", roleName(role), index,
                           added.error().message);
        }
        return added;
    }

    Result<> addDimensions(const Dimensions& dimensions) {
        if (!isTensor(operand_->type) && !dimensions.empty()) {
            return invalid("dimensions {}: must have none, as {} is no tensor",
                           dimensionsText(dimensions), toString(operand_->type));
        }
        if (dimensions.empty()) {
            return {};
        }
        if (known_.empty()) {
            known_ = dimensions;
            return {};
        }
        if (!mayBeEqual(known_, dimensions)) {
            return invalid("dimensions {} do not agree with {} of the other roles",
                           dimensionsText(dimensions), dimensionsText(known_));
        }
        std::transform(known_.begin(), known_.end(), dimensions.begin(), known_.begin(),
                       [](std::uint32_t a, std::uint32_t b) { return a == 0 ? b : a; });
        return {};
    }

    Result<std::shared_ptr<exec::ManagedBuffer>> make(const SharedAccount& account) && {
        return exec::ManagedBuffer::create(operand_->type, std::move(known_), std::move(roles_),
                                           account);
    }

  private:
    Result<> addRole(ArgumentRole role, const BufferRole& bufferRole) {
        if (bufferRole.modelIndex >= models_.size()) {
            return invalid("model index {}: must be below {}, the number of prepared models",
                           bufferRole.modelIndex, models_.size());
        }
        if (!(bufferRole.frequency > 0.0F && bufferRole.frequency <= 1.0F)) {
            return invalid("frequency {}: must be more than 0 and at most 1", bufferRole.frequency);
        }
        const exec::Executable& executable = models_[bufferRole.modelIndex]->executable();
        const std::span<const Operand> operands =
            role == ArgumentRole::INPUT ? executable.model->inputs() : executable.model->outputs();
        if (bufferRole.ioIndex >= operands.size()) {
            return invalid("{} {}: the prepared model has {}", roleName(role), bufferRole.ioIndex,
                           operands.size());
        }
        const exec::ManagedRole managed{
            .preparedModel = executable.preparedModel, .role = role, .index = bufferRole.ioIndex};
        if (std::find(roles_.begin(), roles_.end(), managed) != roles_.end()) {
            return invalid("{} {} of prepared model {}: named by another role already",
                           roleName(role), bufferRole.ioIndex, bufferRole.modelIndex);
        }
        roles_.push_back(managed);
        return addOperand(operands[bufferRole.ioIndex]);
    }

    Result<> addOperand(const Operand& operand) {
        if (operand_ == nullptr) {
            operand_ = &operand;
            known_ = operand.dimensions;
            return {};
        }
        if (operand.type != operand_->type || operand.scale != operand_->scale ||
            operand.zeroPoint != operand_->zeroPoint ||
            operand.extraParams != operand_->extraParams) {
            return invalid(
                "{} with scale {} and zero point {}: must be {} with {} and {} as the "
                "other roles",
                toString(operand.type), operand.scale, operand.zeroPoint, toString(operand_->type),
                operand_->scale, operand_->zeroPoint);
        }
        return addDimensions(operand.dimensions);
    }

    std::span<const std::shared_ptr<LocalPreparedModel>> models_;
    const Operand* operand_ = nullptr;  // of the first role, in its model
    Dimensions known_;                  // from all roles
    std::vector<exec::ManagedRole> roles_;
};

}  // namespace

LocalBuffer::LocalBuffer(std::shared_ptr<exec::ManagedBuffers> buffers,
                         std::shared_ptr<exec::ManagedBuffer> buffer)
    : buffers_(std::move(buffers)), buffer_(std::move(buffer)), token_(buffers_->add(buffer_)) {}

LocalBuffer::~LocalBuffer() {
    buffers_->remove(token_);
}

Result<> LocalBuffer::copyTo(const SharedRegion& destination) {
    return toBufferStatus(buffer_->copyTo(destination));
}

Result<> LocalBuffer::copyFrom(const SharedRegion& source, const Dimensions& dimensions) {
    return toBufferStatus(buffer_->copyFrom(source, dimensions));
}

Result<std::shared_ptr<LocalBuffer>> allocateBuffer(
    const std::shared_ptr<exec::ManagedBuffers>& buffers, const BufferDesc& desc,
    std::span<const std::shared_ptr<LocalPreparedModel>> preparedModels,
    std::span<const BufferRole> inputRoles, std::span<const BufferRole> outputRoles,
    const SharedAccount& account) {
    if (inputRoles.empty() && outputRoles.empty()) {
        return invalid("allocate without roles: a buffer needs at least one");
    }
    if (inputRoles.size() + outputRoles.size() > kMaximumRoles) {
        return invalid("allocate with {} roles: must be at most {}",
                       inputRoles.size() + outputRoles.size(), kMaximumRoles);
    }
    if (preparedModels.size() > kMaximumRoles) {
        return invalid("allocate with {} prepared models: must be at most {}",
                       preparedModels.size(), kMaximumRoles);
    }
    if (desc.dimensions.size() > kMaximumDimensions) {
        return invalid("allocate with {} dimensions: must be at most {}", desc.dimensions.size(),
                       kMaximumDimensions);
    }
    BufferProperties properties(preparedModels);
    for (std::size_t i = 0; i < inputRoles.size(); ++i) {
        NNBURST_TRY(properties.add(ArgumentRole::INPUT, i, inputRoles[i]));
    }
    for (std::size_t i = 0; i < outputRoles.size(); ++i) {
        NNBURST_TRY(properties.add(ArgumentRole::OUTPUT, i, outputRoles[i]));
    }
    if (Result<> agree = properties.addDimensions(desc.dimensions); !agree) {
        return invalid("allocate: {}", agree.error().message);
    }
    NNBURST_TRY_ASSIGN(auto buffer, std::move(properties).make(account));
    NNBURST_TRY_ASSIGN(Charge charge, chargeTo(account, Resource::BUFFERS, 1));
    return chargedFor(std::make_shared<LocalBuffer>(buffers, std::move(buffer)), std::move(charge));
}

}  // namespace nnburst::device
