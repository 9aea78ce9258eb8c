// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite_operations/extension.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/extension_registry.h"
#include "tflite_operations/operation.h"

namespace nnburst::tflite_operations {

namespace {

/// A row as an operation of an extension.
class RowOperation final : public ExtensionOperation {
  public:
    explicit RowOperation(const Row& row) noexcept : row_(row) {}

    [[nodiscard]] std::uint16_t type() const override {
        return static_cast<std::uint16_t>(row_.code);
    }

    [[nodiscard]] const char* name() const override { return row_.name; }

    [[nodiscard]] Result<> check(Operands inputs, Operands outputs) const override {
        return named(row_.check(inputs, outputs));
    }

    [[nodiscard]] Result<Dimensions> outputDimensions(Operands inputs,
                                                      std::size_t output) const override {
        return named(row_.outputDimensions(inputs, output));
    }

    [[nodiscard]] std::size_t scratchBytes(Operands inputs) const override {
        return row_.scratchBytes == nullptr ? 0 : row_.scratchBytes(inputs);
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
        return named(
            row_.run({.inputs = inputs, .outputs = outputs, .scratch = scratch, .limit = limit}));
    }

    [[nodiscard]] bool isShrinking() const override { return row_.runShrinking != nullptr; }

    [[nodiscard]] Result<> runShrinking(Operands inputs, Operands outputs,
                                        std::span<std::byte> scratch, OutputSizes sizes,
                                        ExtensionTimeLimit& limit) const override {
        return named(row_.runShrinking(
            {.inputs = inputs, .outputs = outputs, .scratch = scratch, .limit = limit}, sizes));
    }

  private:
    /// `result`, or its error with the operation's name.
    template <class T>
    [[nodiscard]] Result<T> named(Result<T> result) const {
        if (!result) {
            return failure(result.error().status,
                           fmt::format("{}: {}", row_.name, result.error().message));
        }
        return result;
    }

    Row row_;
};

VendorExtension makeExtension() {
    VendorExtension extension{.name = kExtensionName, .operandTypes = {}, .operations = {}};
    for (const auto rows :
         {elementwiseRows(), matrixRows(), gatherRows(), scatterRows(), segmentRows(),
          selectionRows(), windowRows(), volumeRows(), landmarkRows(), spectrumRows(), randomRows(),
          elements16Rows(), windows16Rows(), layers16x8Rows()}) {
        for (const Row& row : rows) {
            extension.operations.push_back(std::make_shared<RowOperation>(row));
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
