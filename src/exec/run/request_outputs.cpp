// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/request_outputs.h"

#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst::exec {

Result<std::byte*> RequestOutputs::place(std::size_t output, const Shape& shape,
                                         std::uint64_t sizeBytes) {
    const ArgumentBinding& argument = bindings_[output];
    if (!allows(argument.dimensions, shape.sizes())) {
        return invalid("output {}: the request gives it dimensions {}, computed are {}", output,
                       dimensionsText(argument.dimensions), dimensionsText(shape.sizes()));
    }
    OutputShape& reported = shapes_[output];
    reportShape(shape, reported);
    if (argument.memory != nullptr) {
        reported.isSufficient = true;
        return argument.memory->place(shape.sizes(), sizeBytes);
    }
    reported.isSufficient = argument.hasNoValue || argument.lengthBytes >= sizeBytes;
    if (reported.isSufficient) {
        return argument.data;
    }
    if (!insufficient_) {
        insufficient_ = {output, sizeBytes};
    }
    return nullptr;
}

Result<> RequestOutputs::sufficient() const {
    if (insufficient_) {
        return failure(
            ErrorStatus::OUTPUT_INSUFFICIENT_SIZE,
            fmt::format("output {}: {} bytes; {} are needed", insufficient_->output,
                        bindings_[insufficient_->output].lengthBytes, insufficient_->sizeBytes));
    }
    return {};
}

}  // namespace nnburst::exec
