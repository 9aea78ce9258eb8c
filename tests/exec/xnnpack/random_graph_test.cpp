// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// XNNPACK, our own kernels and the reference kernels agree on random graphs, and plans compute what
// operations compute one by one. A graph that fails is written to the working directory as a vector
// file that nnburst-conformance can replay.
//
//     NNBURST_GRAPHS       how many graphs; 2,000 unless it says otherwise (fewer with sanitizers)
//     NNBURST_GRAPH_SEED   the first seed; 1 unless it says otherwise

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>

#include "exec/xnnpack/random_graph.h"
#include "support/consumers.h"
#include "support/kernel_comparison.h"
#include "support/sanitizers.h"
#include "support/test_request.h"
#include "vectors/vector_file.h"

namespace nnburst::exec {
namespace {

using Contents = std::vector<std::byte>;

std::uint32_t environmentNumber(const char* name, std::uint32_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise
                           : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

/// The model with all computed operands as outputs.
Model withAllOutputs(Model model) {
    for (std::uint32_t index = 0; index < model.main.operands.size(); ++index) {
        Operand& operand = model.main.operands[index];
        if (operand.lifetime == OperandLifeTime::TEMPORARY_VARIABLE) {
            operand.lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
            model.main.outputIndexes.push_back(index);
        }
    }
    return model;
}

/// A model of one operation of `model`; `inputs` become its inputs in that order.
Model singleOperation(const Model& model, const Operation& operation,
                      std::vector<std::uint32_t>& inputs) {
    Model single = model;
    single.main = {};
    std::map<std::uint32_t, std::uint32_t> indexes;
    const auto add = [&](std::uint32_t index, bool isOutput) {
        const auto [place, isNew] =
            indexes.try_emplace(index, static_cast<std::uint32_t>(single.main.operands.size()));
        if (isNew) {
            Operand operand = model.main.operands[index];
            if (isOutput) {
                operand.lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
                single.main.outputIndexes.push_back(place->second);
            } else if (operand.lifetime != OperandLifeTime::CONSTANT_COPY &&
                       operand.lifetime != OperandLifeTime::CONSTANT_REFERENCE) {
                operand.lifetime = OperandLifeTime::SUBGRAPH_INPUT;
                single.main.inputIndexes.push_back(place->second);
                inputs.push_back(index);
            }
            single.main.operands.push_back(operand);
        }
        return place->second;
    };
    Operation copy{operation.type, {}, {}};
    for (const std::uint32_t input : operation.inputs) {
        copy.inputs.push_back(add(input, false));
    }
    for (const std::uint32_t output : operation.outputs) {
        copy.outputs.push_back(add(output, true));
    }
    single.main.operations.push_back(std::move(copy));
    test::recountConsumers(single);
    return single;
}

/// One random graph under test.
class GraphTest {
  public:
    explicit GraphTest(std::uint32_t seed)
        : model_(makeRandomGraph(seed)), all_(withAllOutputs(model_)) {
        Random random(seed + 1);
        for (const std::uint32_t input : model_.main.inputIndexes) {
            const Operand& operand = model_.main.operands[input];
            values_[input] =
                random.elements(operand.type, sizeOf(operand) / elementBytes(operand.type));
        }
    }

    void run() {
        const auto fast = runModel(all_, Kind::XNNPACK);
        ASSERT_FALSE(fast.empty());
        expectSame(runModel(all_, Kind::DOT_PRODUCTS), fast);
        for (std::size_t i = 0; i < fast.size(); ++i) {
            values_[all_.main.outputIndexes[i]] = fast[i];
        }
        for (const Operation& operation : model_.main.operations) {
            SCOPED_TRACE(toString(operation.type));
            compareWithReference(operation);
        }
        // Plans that place temporaries compute the same bits.
        expectSame(runModel(model_, Kind::XNNPACK), fast);
        expectSame(runModel(model_, Kind::DOT_PRODUCTS), fast);
        expectSame(runModel(model_, Kind::REFERENCE), runModel(all_, Kind::REFERENCE));
    }

    /// Writes the graph with the outputs of the reference kernels.
    void write(const std::string& path, std::uint32_t seed) {
        VectorExample example{.name = "random_graph_" + std::to_string(seed), .model = all_};
        for (const std::uint32_t input : all_.main.inputIndexes) {
            example.inputs.push_back(values_[input]);
        }
        const auto expected = runModel(all_, Kind::REFERENCE);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const Operand& operand = all_.main.operands[all_.main.outputIndexes[i]];
            example.outputs.push_back({operand.type, operand.dimensions, expected[i]});
        }
        std::ofstream stream(path);
        writeVectorFile(stream, example);
    }

    [[nodiscard]] std::size_t operationCount() const { return model_.main.operations.size(); }

  private:
    enum class Kind { REFERENCE, XNNPACK, DOT_PRODUCTS };

    /// The outputs of a model whose inputs are among the values; none if it fails.
    std::vector<Contents> runModel(const Model& model, Kind kind,
                                   const std::vector<std::uint32_t>* inputs = nullptr) {
        const auto compiled = CompiledModel::compile(engine(kind), model);
        EXPECT_TRUE(compiled) << compiled.error().message;
        if (!compiled) {
            return {};
        }
        TestRequest request;
        for (const std::uint32_t input : inputs != nullptr ? *inputs : model.main.inputIndexes) {
            request.addInput(values_[input]);
        }
        for (const Operand& output : (*compiled)->outputs()) {
            request.addOutput(sizeOf(output));
        }
        const auto result = request.run(**compiled);
        EXPECT_TRUE(result) << result.error().message;
        std::vector<Contents> outputs;
        for (std::size_t i = 0; result && i < model.main.outputIndexes.size(); ++i) {
            const auto contents = request.output(i);
            outputs.emplace_back(contents.begin(), contents.end());
        }
        if (result && kind != Kind::REFERENCE) {
            expectSameOnAnotherRunner(**compiled, request, outputs);
        }
        return outputs;
    }

    /// Operators share their weights with those of the first runner, which has run.
    static void expectSameOnAnotherRunner(CompiledModel& model, TestRequest& request,
                                          const std::vector<Contents>& outputs) {
        model.addBurst();
        model.addBurst();
        model.makeRunnersForBursts(nullptr);
        ASSERT_EQ(model.runnerCount(), 2U);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            std::fill(request.output(i).begin(), request.output(i).end(), std::byte{0x55});
        }
        const auto result = request.runAs(1, model);
        ASSERT_TRUE(result) << result.error().message;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            EXPECT_TRUE(std::equal(outputs[i].begin(), outputs[i].end(), request.output(i).begin()))
                << "output " << i;
        }
    }

    static const std::shared_ptr<Engine>& engine(Kind kind) {
        static const std::shared_ptr<Engine> reference = makeEngine(false);
        static const std::shared_ptr<Engine> xnnpack = makeEngine(true, 1, false);
        static const std::shared_ptr<Engine> dotProducts = makeEngine(true);
        switch (kind) {
            case Kind::REFERENCE:
                return reference;
            case Kind::XNNPACK:
                return xnnpack;
            case Kind::DOT_PRODUCTS:
                break;
        }
        return dotProducts;
    }

    /// Runs the reference kernel on the inputs that XNNPACK had in the graph.
    void compareWithReference(const Operation& operation) {
        std::vector<std::uint32_t> inputs;
        const Model single = singleOperation(model_, operation, inputs);
        if (inputs.empty()) {
            return;  // folded
        }
        const auto expected = runModel(single, Kind::REFERENCE, &inputs);
        ASSERT_EQ(expected.size(), operation.outputs.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const Operand& output = model_.main.operands[operation.outputs[i]];
            expectClose(output.type, values_[operation.outputs[i]], expected[i]);
        }
    }

    /// The first of `all` are `outputs`.
    static void expectSame(const std::vector<Contents>& outputs, const std::vector<Contents>& all) {
        ASSERT_LE(outputs.size(), all.size());
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            EXPECT_EQ(outputs[i], all[i]) << "output " << i;
        }
    }

    Model model_;
    Model all_;
    std::map<std::uint32_t, Contents> values_;  // of operands of the model
};

TEST(RandomGraphs, areTheSameWithXnnpackAndWithout) {
    const std::uint32_t count =
        environmentNumber("NNBURST_GRAPHS", test::kHasSanitizer ? 150 : 2000);
    const std::uint32_t first = environmentNumber("NNBURST_GRAPH_SEED", 1);
    std::size_t operations = 0;
    for (std::uint32_t seed = first; seed < first + count; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        GraphTest graph(seed);
        operations += graph.operationCount();
        graph.run();
        if (HasFailure()) {
            const std::string path = "random_graph_" + std::to_string(seed) + ".jsonl";
            graph.write(path, seed);
            FAIL() << "written to " << path;
        }
    }
    EXPECT_GT(operations, std::size_t{2} * count);
}

}  // namespace
}  // namespace nnburst::exec
