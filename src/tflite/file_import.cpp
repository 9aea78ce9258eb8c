// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/file_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/invalid.h"
#include "model/operand_info.h"
#include "tflite/extension_types.h"
#include "tflite/fusion.h"
#include "tflite/operator_import.h"
#include "tflite/resource_variables.h"
#include "tflite/shapes.h"
#include "tflite/signature.h"
#include "tflite/tensors.h"

namespace nnburst::tflite {

namespace {

/// The TFLite name of an operator, or its code if it has none.
std::string operatorName(const schema::OperatorCode& entry, schema::BuiltinOperator code) {
    const char* name = schema::EnumNameBuiltinOperator(code);
    if (code == schema::BuiltinOperator::CUSTOM && entry.custom_code() != nullptr) {
        return fmt::format("{} \"{}\"", name, printableName(entry.custom_code()));
    }
    return *name == '\0' ? fmt::format("builtin code {}", static_cast<std::int32_t>(code)) : name;
}

schema::BuiltinOperator codeOf(const schema::OperatorCode& entry) {
    return static_cast<schema::BuiltinOperator>(
        std::max(std::int32_t{entry.deprecated_builtin_code()},
                 static_cast<std::int32_t>(entry.builtin_code())));
}

const Converter* converterOf(const schema::OperatorCode& entry, schema::BuiltinOperator code) {
    if (code != schema::BuiltinOperator::CUSTOM) {
        return findConverter(code);
    }
    return entry.custom_code() == nullptr ? nullptr
                                          : findCustomConverter(entry.custom_code()->string_view());
}

/// The tensors whose values are not known because an operator cannot be imported.
class UnknownTensors {
  public:
    explicit UnknownTensors(std::size_t count) : isUnknown_(count) {}

    void add(std::uint32_t tensor) { isUnknown_[tensor] = true; }

    void addOutputs(const schema::Operator& declaration) {
        for (std::uint32_t i = 0; i < sizeOf(declaration.outputs()); ++i) {
            const auto tensor = static_cast<std::uint32_t>(declaration.outputs()->Get(i));
            if (tensor < isUnknown_.size()) {
                isUnknown_[tensor] = true;
            }
        }
    }

    [[nodiscard]] bool haveInputOf(const schema::Operator& declaration) const {
        for (std::uint32_t i = 0; i < sizeOf(declaration.inputs()); ++i) {
            const auto tensor = static_cast<std::uint32_t>(declaration.inputs()->Get(i));
            if (tensor < isUnknown_.size() && isUnknown_[tensor]) {
                return true;
            }
        }
        return false;
    }

  private:
    std::vector<bool> isUnknown_;
};

/// Whether an input or output is COMPLEX64.
bool haveComplex(const schema::SubGraph& graph, const schema::Operator& declaration) {
    const auto isAny = [&](const flatbuffers::Vector<std::int32_t>* tensors) {
        for (std::uint32_t i = 0; i < sizeOf(tensors); ++i) {
            const auto tensor = static_cast<std::uint32_t>(tensors->Get(i));
            if (tensor < sizeOf(graph.tensors()) &&
                graph.tensors()->Get(tensor)->type() == schema::TensorType::COMPLEX64) {
                return true;
            }
        }
        return false;
    };
    return isAny(declaration.inputs()) || isAny(declaration.outputs());
}

/// The names of the inputs: those of the signature, if it is not null, or of the tensors.
std::vector<std::string> inputNamesOf(const schema::SubGraph& graph,
                                      const schema::SignatureDef* signature) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < sizeOf(graph.inputs()); ++i) {
        const std::int32_t tensor = graph.inputs()->Get(i);
        const auto index = static_cast<std::uint32_t>(tensor);
        const auto* name =
            index < sizeOf(graph.tensors()) ? graph.tensors()->Get(index)->name() : nullptr;
        names.push_back(signatureName(signature == nullptr ? nullptr : signature->inputs(), tensor,
                                      printableName(name)));
    }
    return names;
}

/// Whether `output` of a loop's body has the sizes that `input` got from the first run: those that
/// are open in `declared`, the shape in the file. A size that is not known may be another one.
bool keepsSizes(const Dimensions& declared, const Dimensions& input, const Dimensions& output) {
    if (declared.empty() && !input.empty() && input.size() != output.size()) {
        return false;
    }
    for (std::size_t axis = 0; axis < input.size(); ++axis) {
        const bool isFromFirstRun = sizeAt(declared, axis) == 0 && input[axis] != 0;
        if (isFromFirstRun && sizeAt(output, axis) != input[axis]) {
            return false;
        }
    }
    return true;
}

/// The same for each output and the input that it is in the next run.
bool keepsShapes(std::span<const Dimensions> declared, const ImportedSubgraph& body) {
    for (std::size_t i = 0; i < std::min(declared.size(), body.outputs.size()); ++i) {
        if (!keepsSizes(declared[i], body.inputs[i].dimensions, body.outputs[i].dimensions)) {
            return false;
        }
    }
    return true;
}

/// Checks another use of a subgraph, which has the shapes of the first one.
Result<> checkUse(std::int32_t index, const ImportedSubgraph& subgraph, const SubgraphUse& use) {
    for (std::size_t i = 0; i < std::min(subgraph.inputs.size(), use.inputs.size()); ++i) {
        const Dimensions& first = subgraph.inputs[i].dimensions;
        const Dimensions& given = use.inputs[i].dimensions;
        if (!mayBeEqual(first, given)) {
            return invalid(
                "subgraph {}: input {} of shape {}: must agree with {}, as the first operator that "
                "runs the subgraph decides",
                index, i, dimensionsText(given), dimensionsText(first));
        }
    }
    return {};
}

/// An error about operators that are among the problems.
tl::unexpected<Error> reported() {
    return failure(ErrorStatus::INVALID_ARGUMENT, "");
}

}  // namespace

Result<std::span<const std::byte>> FileImport::buffer(std::uint32_t index) const {
    if (index >= sizeOf(file_.buffers())) {
        // Files without constants may have no buffers, not even buffer 0, which is the empty one.
        if (index == 0) {
            return std::span<const std::byte>();
        }
        return invalid("buffer {}: must be one of {}", index, sizeOf(file_.buffers()));
    }
    const schema::Buffer& buffer = *file_.buffers()->Get(index);
    if (sizeOf(buffer.data()) == 0) {
        if (buffer.offset() > 1) {
            return invalid("buffer {} lies outside of the FlatBuffer: not supported", index);
        }
        return std::span<const std::byte>();
    }
    return std::as_bytes(std::span(buffer.data()->data(), buffer.data()->size()));
}

Result<> FileImport::takeConstantBytes(std::uint64_t sizeBytes) {
    if (sizeBytes > constantBytesLeft_) {
        return invalid("constants take more than {} times the size of the file and {} bytes",
                       kMaximumExpansion, kAdditionalBytes);
    }
    constantBytesLeft_ -= sizeBytes;
    return {};
}

Result<> FileImport::takeArguments(const schema::SubGraph& graph) {
    for (std::uint32_t i = 0; i < sizeOf(graph.operators()); ++i) {
        const schema::Operator& op = *graph.operators()->Get(i);
        arguments_ += std::uint64_t{sizeOf(op.inputs())} + sizeOf(op.outputs());
        if (const auto* variable = op.builtin_options_as_VarHandleOptions()) {
            arguments_ +=
                std::uint64_t{sizeOf(variable->container())} + sizeOf(variable->shared_name());
        }
    }
    if (arguments_ > fileBytes_) {
        return invalid(
            "operators have {} inputs, outputs and characters of names: must be at most {}, the "
            "bytes of the file",
            arguments_, fileBytes_);
    }
    return {};
}

/// Imports the operators of one subgraph in their order. Remembers the tensors that have no value
/// because an operator could not be imported.
class FileImport::SubgraphOperators {
  public:
    SubgraphOperators(FileImport& import, std::int32_t subgraph, const schema::SubGraph& graph,
                      TensorMap& tensors)
        : import_(import),
          isMain_(subgraph == import.main_),
          prefix_(isMain_ ? "" : fmt::format("subgraph {}: ", subgraph)),
          graph_(graph),
          tensors_(tensors),
          unknown_(sizeOf(graph.tensors())),
          fusions_(Fusions::find(import.file_, graph)),
          variables_(import.file_, import, graph) {}

    /// `unsupported` are the inputs of the subgraph without an operand.
    Result<> importAll(std::span<const UnsupportedInput> unsupported) {
        for (const UnsupportedInput& input : unsupported) {
            import_.problems_.addInput(prefix_, input.reason);
            unknown_.add(input.tensor);
        }
        bool isComplete = unsupported.empty();
        for (std::uint32_t i = 0; i < sizeOf(graph_.operators()); ++i) {
            const Result<> imported = importOne(i);
            if (imported) {
                continue;
            }
            isComplete = false;
            unknown_.addOutputs(*graph_.operators()->Get(i));
            if (!imported.error().message.empty()) {
                import_.problems_.add(fmt::format("{}operator {}", prefix_, i),
                                      imported.error().message);
            }
        }
        return isComplete ? Result<>() : reported();
    }

  private:
    /// Error messages follow "operator 3". An operator that reads an unknown tensor gives
    /// reported().
    Result<> importOne(std::uint32_t index) {
        const schema::Operator& declaration = *graph_.operators()->Get(index);
        const auto* entries = import_.file_.operator_codes();
        if (declaration.opcode_index() >= sizeOf(entries)) {
            return invalid(": operator code {}: must be one of {}", declaration.opcode_index(),
                           sizeOf(entries));
        }
        const schema::OperatorCode& entry = *entries->Get(declaration.opcode_index());
        const schema::BuiltinOperator code = codeOf(entry);
        const std::string name = operatorName(entry, code);
        const bool isOfVariable = isMain_ && ResourceVariables::handles(code);
        const Converter* converter = converterOf(entry, code);
        if (!isOfVariable && converter == nullptr) {
            return invalid(" ({}) is not supported", name);
        }
        if (unknown_.haveInputOf(declaration)) {
            return reported();
        }
        if (isOfVariable) {
            return named(name, variables_.importOperator(code, declaration, tensors_));
        }
        if (!converter->takesComplex && haveComplex(graph_, declaration)) {
            return invalid(" ({}): type COMPLEX64 is not supported", name);
        }
        if (fusions_.isLeftOut(index)) {
            return {};
        }
        const auto* fused = fusions_.endingAt(index);
        return named(
            name, fused != nullptr ? addFused(tensors_, *fused) : convert(declaration, *converter));
    }

    Result<> convert(const schema::Operator& declaration, const Converter& converter) {
        NNBURST_TRY_ASSIGN(OperatorImport op,
                           OperatorImport::resolve(tensors_, declaration, converter.arity));
        NNBURST_TRY(converter.convert(op, converter.operation));
        return converter.fitsInt32 || import_.options_.integersFitInt32 ? Result<>()
                                                                        : op.requireKnownInt64();
    }

    /// `imported`, with the name of the operator in front of the error.
    static Result<> named(const std::string& name, Result<> imported) {
        if (!imported && !imported.error().message.empty()) {
            imported.error().message = fmt::format(" ({}): {}", name, imported.error().message);
        }
        return imported;
    }

    FileImport& import_;
    const bool isMain_;
    const std::string prefix_;
    const schema::SubGraph& graph_;
    TensorMap& tensors_;
    UnknownTensors unknown_;
    const Fusions fusions_;
    ResourceVariables variables_;
};

Result<> FileImport::importOperators(std::int32_t index, const schema::SubGraph& graph,
                                     TensorMap& tensors, const SubgraphUse& use) {
    NNBURST_TRY(takeArguments(graph));
    NNBURST_TRY_ASSIGN(const auto unsupported, tensors.declareInputs(use));
    return SubgraphOperators(*this, index, graph, tensors).importAll(unsupported);
}

Result<std::vector<ValueShape>> FileImport::givenShapes(
    const std::vector<std::string>& inputNames) const {
    for (const auto& [name, dimensions] : options_.inputDimensions) {
        if (std::find(inputNames.begin(), inputNames.end(), name) == inputNames.end()) {
            return invalid("no input \"{}\" to give the dimensions {}: must be one of \"{}\"", name,
                           dimensionsText(dimensions), fmt::join(inputNames, "\", \""));
        }
    }
    std::vector<ValueShape> result;
    for (const std::string& name : inputNames) {
        const auto given = options_.inputDimensions.find(name);
        const bool isGiven = given != options_.inputDimensions.end();
        result.push_back({.dimensions = isGiven ? given->second : Dimensions()});
    }
    return result;
}

Result<TfliteModel> FileImport::importModel() {
    const schema::SignatureDef* signature = nullptr;
    if (!options_.signature.empty()) {
        NNBURST_TRY_ASSIGN(signature, findSignature(file_, options_.signature));
        main_ = static_cast<std::int32_t>(signature->subgraph_index());
    }
    const schema::SubGraph& graph = *file_.subgraphs()->Get(static_cast<std::uint32_t>(main_));
    if (sizeOf(graph.inputs()) > sizeOf(graph.tensors())) {
        return invalid("{} inputs for {} tensors: must be at most one for each",
                       sizeOf(graph.inputs()), sizeOf(graph.tensors()));
    }
    SubgraphUse use;
    if (!options_.inputDimensions.empty()) {
        NNBURST_TRY_ASSIGN(use.inputs, givenShapes(inputNamesOf(graph, signature)));
    }
    TensorMap tensors(*this, graph, builder_, true);
    importing_.push_back(main_);
    auto imported = importOperators(main_, graph, tensors, use);
    importing_.pop_back();
    if (!problems_.isEmpty()) {
        return invalid("{}", problems_.text());
    }
    NNBURST_TRY(imported);

    TfliteModel result;
    NNBURST_TRY_ASSIGN(Interface interface, tensors.finish(result.states));
    result.inputNames = inputNamesOf(graph, signature);
    for (std::uint32_t i = 0; i < sizeOf(graph.outputs()); ++i) {
        const std::int32_t tensor = graph.outputs()->Get(i);
        result.outputNames.push_back(
            signatureName(signature == nullptr ? nullptr : signature->outputs(), tensor,
                          tensors.contents().nameOf(tensor)));
    }
    if (usesExtension_) {
        builder_.addExtension(tflite_operations::kExtensionName, kExtensionPrefix);
    }
    for (Referenced& subgraph : referenced_) {
        builder_.addReferenced(std::move(subgraph.builder), std::move(subgraph.inputs),
                               std::move(subgraph.outputs));
    }
    NNBURST_TRY_ASSIGN(result.model,
                       builder_.build(std::move(interface.inputs), std::move(interface.outputs)));
    result.signatures = signaturesOf(file_);
    return result;
}

void FileImport::dropReferenced(std::size_t first) {
    for (; referenced_.size() > first; referenced_.pop_back()) {
        imported_.erase(referenced_.back().index);
    }
}

/// A body that changes sizes is imported again, with all that it runs. Loops in that are not tried
/// with the sizes of their first run: the work would double with each level.
Result<ImportedSubgraph> FileImport::importSubgraph(std::int32_t index, const SubgraphUse& use) {
    if (use.isLoopBody && use.keepsOpenSizes) {
        return importSubgraph(index, {.keepsOpenSizes = true});
    }
    const std::size_t firstNested = referenced_.size();
    const schema::SubGraph& graph = *file_.subgraphs()->Get(static_cast<std::uint32_t>(index));
    ModelBuilder builder;
    TensorMap tensors(*this, graph, builder, false);
    NNBURST_TRY(importOperators(index, graph, tensors, use));
    std::vector<ModelState> states;  // none: refused in subgraphs
    NNBURST_TRY_ASSIGN(Interface interface, tensors.finish(states));
    ImportedSubgraph result{
        .referenced = 0, .inputs = {}, .outputs = {}, .keepsOpenSizes = use.keepsOpenSizes};
    for (std::uint32_t i = 0; i < interface.inputs.size(); ++i) {
        result.inputs.push_back({.dimensions = builder.operand(interface.inputs[i]).dimensions,
                                 .isScalar = tensors.isScalar(graph.inputs()->Get(i))});
    }
    for (std::uint32_t i = 0; i < interface.outputs.size(); ++i) {
        result.outputs.push_back({.dimensions = builder.operand(interface.outputs[i]).dimensions,
                                  .isScalar = tensors.isScalar(graph.outputs()->Get(i))});
    }
    if (use.isLoopBody && !keepsShapes(tensors.declaredInputs(), result)) {
        dropReferenced(firstNested);
        return importSubgraph(index, {.keepsOpenSizes = true});
    }
    result.referenced = static_cast<std::uint32_t>(referenced_.size());
    referenced_.push_back(
        {index, std::move(builder), std::move(interface.inputs), std::move(interface.outputs)});
    return result;
}

template <class Import>
auto FileImport::importNested(std::int32_t index, Import import) -> decltype(import()) {
    const std::uint32_t count = sizeOf(file_.subgraphs());
    if (index < 0 || static_cast<std::uint32_t>(index) >= count) {
        return invalid("subgraph {}: must be one of {}", index, count);
    }
    if (failed_.contains(index)) {
        return reported();
    }
    if (std::find(importing_.begin(), importing_.end(), index) != importing_.end()) {
        return invalid("subgraph {}: must not run itself", index);
    }
    if (importing_.size() > kMaximumSubgraphDepth) {
        return invalid("subgraph {}: nested more than {} deep", index, kMaximumSubgraphDepth);
    }
    importing_.push_back(index);
    auto result = import();
    importing_.pop_back();
    if (!result) {
        failed_.insert(index);
        if (result.error().message.empty()) {
            return reported();
        }
        return failure(result.error().status,
                       fmt::format("subgraph {}: {}", index, result.error().message));
    }
    return result;
}

Result<ImportedSubgraph> FileImport::importReferenced(std::int32_t index, const SubgraphUse& use) {
    if (const auto known = imported_.find(index); known != imported_.end()) {
        NNBURST_TRY(checkUse(index, known->second, use));
        return known->second;
    }
    NNBURST_TRY_ASSIGN(const ImportedSubgraph subgraph,
                       importNested(index, [&] { return importSubgraph(index, use); }));
    imported_.emplace(index, subgraph);
    return subgraph;
}

Result<> FileImport::importInPlace(std::int32_t index, OperatorImport& op) {
    return importNested(index, [&] { return addInPlace(index, op); });
}

/// Operators may share the subgraph. Each of them takes memory for its tensors and operators.
Result<> FileImport::addInPlace(std::int32_t index, OperatorImport& op) {
    constexpr std::uint64_t kBytesPerTensor = 32;
    constexpr std::uint64_t kBytesPerOperator = 128;
    const schema::SubGraph& graph = *file_.subgraphs()->Get(static_cast<std::uint32_t>(index));
    NNBURST_TRY(takeConstantBytes(sizeOf(graph.tensors()) * kBytesPerTensor +
                                  sizeOf(graph.operators()) * kBytesPerOperator));
    if (sizeOf(graph.inputs()) != op.inputCount() || sizeOf(graph.outputs()) != op.outputCount()) {
        return invalid("{} inputs and {} outputs: must have {} and {}", sizeOf(graph.inputs()),
                       sizeOf(graph.outputs()), op.inputCount(), op.outputCount());
    }
    TensorMap tensors(*this, graph, op.tensors().builder(), false);
    NNBURST_TRY(
        importOperators(index, graph, tensors,
                        {.keepsOpenSizes = op.tensors().keepsOpenSizes(), .inPlaceOf = &op}));
    for (std::uint32_t i = 0; i < op.outputCount(); ++i) {
        const std::int32_t tensor = graph.outputs()->Get(i);
        NNBURST_TRY_ASSIGN(const std::uint32_t operand, tensors.read(tensor));
        const Dimensions shape = op.operand(operand).dimensions;
        if (tensors.isScalar(tensor)) {
            op.inferScalarOutput(i);
        } else {
            op.inferOutputShape(shape, i);
        }
        const auto values = tensors.integers(tensor);
        NNBURST_TRY(values ? op.forwardIntegers(*values, i) : op.forward(operand, i));
    }
    return {};
}

}  // namespace nnburst::tflite
