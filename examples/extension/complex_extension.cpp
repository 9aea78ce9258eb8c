// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// A vendor extension: a type and an operation of its own, in a shared library that
// `nnburst-driver --extension` loads. It needs the headers of nnburst and nothing to link.

#include "complex_extension.h"

#include <cmath>
#include <cstddef>

#include "nnburst/extension.h"

namespace {

using nnburst::ErrorStatus;
using nnburst::ExtensionOperand;
using nnburst::Result;

class Magnitude final : public nnburst::ExtensionOperation {
  public:
    [[nodiscard]] std::uint16_t type() const override { return example::kMagnitude; }

    [[nodiscard]] Result<> check(std::span<const ExtensionOperand> inputs,
                                 std::span<const ExtensionOperand> outputs) const override {
        if (inputs.size() != 1 || !inputs[0].isExtensionType ||
            inputs[0].extensionType != example::kTensorComplex64) {
            return nnburst::failure(ErrorStatus::INVALID_ARGUMENT,
                                    "MAGNITUDE: must have one input, a TENSOR_COMPLEX64");
        }
        if (outputs.size() != 1 || outputs[0].isExtensionType ||
            outputs[0].type != nnburst::OperandType::TENSOR_FLOAT32) {
            return nnburst::failure(ErrorStatus::INVALID_ARGUMENT,
                                    "MAGNITUDE: must have one output, a TENSOR_FLOAT32");
        }
        return {};
    }

    [[nodiscard]] Result<nnburst::Dimensions> outputDimensions(
        std::span<const ExtensionOperand> inputs, std::size_t /*output*/) const override {
        return nnburst::Dimensions(inputs[0].dimensions.begin(), inputs[0].dimensions.end());
    }

    [[nodiscard]] Result<> run(std::span<const ExtensionOperand> inputs,
                               std::span<const ExtensionOperand> outputs,
                               std::span<std::byte> /*scratch*/) const override {
        const auto* complex = reinterpret_cast<const float*>(inputs[0].data);
        auto* magnitude = reinterpret_cast<float*>(outputs[0].data);
        std::size_t count = 1;
        for (const std::uint32_t size : inputs[0].dimensions) {
            count *= size;
        }
        for (std::size_t i = 0; i < count; ++i) {
            magnitude[i] = std::hypot(complex[2 * i], complex[2 * i + 1]);
        }
        return {};
    }
};

}  // namespace

extern "C" const nnburst::VendorExtension* nnburstExtension(std::uint32_t interfaceVersion) {
    static const nnburst::VendorExtension extension{
        .name = example::kExtensionName,
        .operandTypes = {{.type = example::kTensorComplex64, .isTensor = true, .byteSize = 8}},
        .operations = {std::make_shared<Magnitude>()}};
    return interfaceVersion == nnburst::kExtensionInterfaceVersion ? &extension : nullptr;
}
