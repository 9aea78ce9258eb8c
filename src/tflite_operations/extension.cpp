// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite_operations/extension.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/extension_registry.h"
#include "tflite_operations/operation.h"

namespace nnburst::tflite_operations {

namespace {

/// An operation as its definition describes it.
class DefinedOperation final : public ExtensionOperation {
  public:
    explicit DefinedOperation(const OperationDefinition& definition) noexcept
        : definition_(definition) {}

    [[nodiscard]] std::uint16_t type() const override {
        return static_cast<std::uint16_t>(definition_.code);
    }

    [[nodiscard]] const char* name() const override { return definition_.name; }

    [[nodiscard]] Result<> check(Operands inputs, Operands outputs) const override {
        return named(definition_.check(inputs, outputs));
    }

    [[nodiscard]] Result<Dimensions> outputDimensions(Operands inputs,
                                                      std::size_t output) const override {
        return named(definition_.outputDimensions(inputs, output));
    }

    [[nodiscard]] std::size_t scratchBytes(Operands inputs) const override {
        return definition_.scratchBytes == nullptr ? 0 : definition_.scratchBytes(inputs);
    }

    [[nodiscard]] Result<> run(Operands inputs, Operands outputs,
                               std::span<std::byte> scratch) const override {
        class NoLimit final : public ExtensionTimeLimit {
          public:
            [[nodiscard]] bool isOverAfter(std::size_t /*work*/) noexcept override { return false; }
        } limit;
        return runWithin(inputs, outputs, scratch, limit);
    }

    [[nodiscard]] Result<> runWithin(Operands inputs, Operands outputs,
                                     std::span<std::byte> scratch,
                                     ExtensionTimeLimit& limit) const override {
        const auto isEmpty = [](const ExtensionOperand& output) { return countOf(output) == 0; };
        if (std::ranges::all_of(outputs, isEmpty)) {
            return {};
        }
        return named(definition_.run(
            {.inputs = inputs, .outputs = outputs, .scratch = scratch, .limit = limit}));
    }

    [[nodiscard]] bool isShrinking() const override { return definition_.runShrinking != nullptr; }

    [[nodiscard]] Result<> runShrinking(Operands inputs, Operands outputs,
                                        std::span<std::byte> scratch, OutputSizes sizes,
                                        ExtensionTimeLimit& limit) const override {
        return named(definition_.runShrinking(
            {.inputs = inputs, .outputs = outputs, .scratch = scratch, .limit = limit}, sizes));
    }

  private:
    /// `result`, or its error with the operation's name.
    template <class T>
    [[nodiscard]] Result<T> named(Result<T> result) const {
        if (!result) {
            return failure(result.error().status,
                           fmt::format("{}: {}", definition_.name, result.error().message));
        }
        return result;
    }

    OperationDefinition definition_;
};

VendorExtension makeExtension() {
    VendorExtension extension{.name = kExtensionName, .operandTypes = {}, .operations = {}};
    for (const auto definitions :
         {elementwiseOperations(), matrixOperations(), gatherOperations(), scatterOperations(),
          segmentOperations(), selectionOperations(), windowOperations(), volumeOperations(),
          landmarkOperations(), spectrumOperations(), randomOperations(), elements16Operations(),
          windows16Operations(), layers16x8Operations()}) {
        for (const OperationDefinition& definition : definitions) {
            extension.operations.push_back(std::make_shared<DefinedOperation>(definition));
        }
    }
    return extension;
}

}  // namespace

Result<> registerOperations() {
    static const Result<> registered = registerExtension(makeExtension());
    return registered;
}

}  // namespace nnburst::tflite_operations
