// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "model_mutations.h"
#include "support/consumers.h"

namespace nnburst::test {

namespace {

/// Neighbours of all ranges of types, and a type of an extension that no model here declares.
constexpr std::array<std::int32_t, 7> kUnknownOperationTypes{
    -1, kOperationTypeEnd, 9999, 10001, 0x10000, INT32_MAX, INT32_MIN};

using Indexes = std::vector<std::uint32_t>;

/// Adds mutations of one subgraph.
class SubgraphMutations {
  public:
    SubgraphMutations(const Model& model, std::size_t place, Mutations<Model>& mutations)
        : model_(model), place_(place), mutations_(mutations) {}

    [[nodiscard]] const Subgraph& subgraph() const { return subgraphAt(model_, place_); }
    [[nodiscard]] std::uint32_t operandCount() const {
        return static_cast<std::uint32_t>(subgraph().operands.size());
    }

    /// Consumers are counted again after the change, so that their number stays right.
    void add(const std::string& what, std::function<void(Subgraph&)> change) {
        mutations_.push_back({.name = placeName(place_) + " " + what,
                              .apply = [place = place_, change = std::move(change)](Model& model) {
                                  Subgraph& subgraph = subgraphAt(model, place);
                                  change(subgraph);
                                  recountConsumers(subgraph);
                              }});
    }

    /// Adds mutations of the operation `index`.
    void addTo(std::size_t index, const std::string& what, std::function<void(Operation&)> change) {
        add(fmt::format("operation {} ({}): {}", index, toString(subgraph().operations[index].type),
                        what),
            [index, change = std::move(change)](Subgraph& s) { change(s.operations[index]); });
    }

  private:
    const Model& model_;
    std::size_t place_;
    Mutations<Model>& mutations_;
};

template <class Mutate>
void forEachSubgraph(const Model& model, Mutations<Model>& mutations, Mutate mutate) {
    for (std::size_t place = 0; place < placeCount(model); ++place) {
        SubgraphMutations subgraph(model, place, mutations);
        mutate(subgraph);
    }
}

Operand plainOperand(OperandLifeTime lifetime) {
    return {.type = OperandType::INT32, .lifetime = lifetime};
}

void mutateOperationType(SubgraphMutations& graph, std::size_t index) {
    for (const std::int32_t code : kUnknownOperationTypes) {
        graph.addTo(index, fmt::format("unknown type {}", code),
                    [code](Operation& o) { o.type = static_cast<OperationType>(code); });
    }
    // Has five inputs of certain types, which no operation here has.
    graph.addTo(index, "type HEATMAP_MAX_KEYPOINT",
                [](Operation& o) { o.type = OperationType::HEATMAP_MAX_KEYPOINT; });
    graph.addTo(index, "type WHILE", [](Operation& o) {
        o.type = o.type == OperationType::WHILE ? OperationType::IF : OperationType::WHILE;
    });
}

void mutateOperationInputs(SubgraphMutations& graph, std::size_t index) {
    const Operation& operation = graph.subgraph().operations[index];
    for (std::size_t input = 0; input < operation.inputs.size(); ++input) {
        const auto set = [&](const std::string& what, std::uint32_t operand) {
            graph.addTo(index, fmt::format("input {}: {}", input, what),
                        [input, operand](Operation& o) { o.inputs[input] = operand; });
        };
        set("first operand beyond the last", graph.operandCount());
        set("operand 4294967295", UINT32_MAX);
        set("its own output", operation.outputs[0]);
        graph.addTo(index, fmt::format("without input {}", input), [input](Operation& o) {
            o.inputs.erase(o.inputs.begin() + static_cast<std::ptrdiff_t>(input));
        });
        const auto typeOf = [&](std::size_t which) {
            return graph.subgraph().operands[operation.inputs[which]].type;
        };
        if (input > 0 && typeOf(input) != typeOf(input - 1)) {
            graph.addTo(index, fmt::format("inputs {} and {} change places", input - 1, input),
                        [input](Operation& o) { std::swap(o.inputs[input - 1], o.inputs[input]); });
        }
    }
    graph.addTo(index, "no inputs", [](Operation& o) { o.inputs.clear(); });
    graph.add(fmt::format("operation {}: one input more", index), [index](Subgraph& s) {
        s.operations[index].inputs.push_back(static_cast<std::uint32_t>(s.operands.size()));
        s.inputIndexes.push_back(static_cast<std::uint32_t>(s.operands.size()));
        s.operands.push_back(plainOperand(OperandLifeTime::SUBGRAPH_INPUT));
    });
}

void mutateOperationOutputs(SubgraphMutations& graph, std::size_t index) {
    const Operation& operation = graph.subgraph().operations[index];
    for (std::size_t output = 0; output < operation.outputs.size(); ++output) {
        const auto set = [&](const std::string& what, std::uint32_t operand) {
            graph.addTo(index, fmt::format("output {}: {}", output, what),
                        [output, operand](Operation& o) { o.outputs[output] = operand; });
        };
        set("first operand beyond the last", graph.operandCount());
        set("operand 4294967295", UINT32_MAX);
        set("its own input", operation.inputs[0]);
        for (std::uint32_t other = 0; other < graph.operandCount(); ++other) {
            const OperandLifeTime lifetime = graph.subgraph().operands[other].lifetime;
            if (lifetime != OperandLifeTime::TEMPORARY_VARIABLE &&
                lifetime != OperandLifeTime::SUBGRAPH_OUTPUT) {
                set(fmt::format("operand {}, which nothing writes", other), other);
            }
        }
        graph.addTo(index, fmt::format("without output {}", output), [output](Operation& o) {
            o.outputs.erase(o.outputs.begin() + static_cast<std::ptrdiff_t>(output));
        });
        graph.addTo(index, fmt::format("output {} twice", output),
                    [output](Operation& o) { o.outputs.push_back(o.outputs[output]); });
    }
    graph.addTo(index, "no outputs", [](Operation& o) { o.outputs.clear(); });
    for (const auto lifetime :
         {OperandLifeTime::SUBGRAPH_OUTPUT, OperandLifeTime::TEMPORARY_VARIABLE}) {
        graph.add(fmt::format("operation {}: one {} more", index, toString(lifetime)),
                  [index, lifetime](Subgraph& s) {
                      const auto added = static_cast<std::uint32_t>(s.operands.size());
                      s.operations[index].outputs.push_back(added);
                      if (lifetime == OperandLifeTime::SUBGRAPH_OUTPUT) {
                          s.outputIndexes.push_back(added);
                      }
                      s.operands.push_back(plainOperand(lifetime));
                  });
    }
}

bool reads(const Operation& operation, const Operation& writer) {
    return std::any_of(
        operation.inputs.begin(), operation.inputs.end(), [&](std::uint32_t operand) {
            return std::count(writer.outputs.begin(), writer.outputs.end(), operand) != 0;
        });
}

void mutateOrder(SubgraphMutations& graph, std::size_t index) {
    const std::vector<Operation>& operations = graph.subgraph().operations;
    graph.add(fmt::format("without operation {}", index), [index](Subgraph& s) {
        s.operations.erase(s.operations.begin() + static_cast<std::ptrdiff_t>(index));
    });
    graph.add(fmt::format("operation {} twice", index),
              [index](Subgraph& s) { s.operations.push_back(s.operations[index]); });
    for (std::size_t earlier = 0; earlier < index; ++earlier) {
        if (reads(operations[index], operations[earlier])) {
            graph.add(fmt::format("operations {} and {} change places", earlier, index),
                      [earlier, index](Subgraph& s) {
                          std::swap(s.operations[earlier], s.operations[index]);
                      });
        }
    }
}

/// The list of a subgraph's inputs or outputs.
void mutateInterface(SubgraphMutations& graph, const std::string& list,
                     Indexes Subgraph::*indexes) {
    const Indexes& valid = graph.subgraph().*indexes;
    for (std::size_t entry = 0; entry < valid.size(); ++entry) {
        const auto set = [&](const std::string& what, std::uint32_t operand) {
            graph.add(fmt::format("{} {}: {}", list, entry, what),
                      [=](Subgraph& s) { (s.*indexes)[entry] = operand; });
        };
        set("first operand beyond the last", graph.operandCount());
        set("operand 4294967295", UINT32_MAX);
        for (std::uint32_t other = 0; other < graph.operandCount(); ++other) {
            if (other != valid[entry]) {
                set(fmt::format("operand {}", other), other);
            }
        }
        graph.add(fmt::format("without {} {}", list, entry), [=](Subgraph& s) {
            (s.*indexes).erase((s.*indexes).begin() + static_cast<std::ptrdiff_t>(entry));
        });
        graph.add(fmt::format("{} {} twice", list, entry),
                  [=](Subgraph& s) { (s.*indexes).push_back((s.*indexes)[entry]); });
    }
    graph.add(fmt::format("no {}s", list), [=](Subgraph& s) { (s.*indexes).clear(); });
    for (std::uint32_t operand = 0; operand < graph.operandCount(); ++operand) {
        graph.add(fmt::format("operand {} as one more {}", operand, list),
                  [=](Subgraph& s) { (s.*indexes).push_back(operand); });
    }
}

void removeIndex(Indexes& indexes, std::uint32_t removed) {
    indexes.erase(std::remove(indexes.begin(), indexes.end(), removed), indexes.end());
    for (std::uint32_t& index : indexes) {
        index -= index > removed ? 1 : 0;
    }
}

void mutateOperandList(SubgraphMutations& graph) {
    for (std::uint32_t operand = 0; operand < graph.operandCount(); ++operand) {
        graph.add(fmt::format("without operand {} wherever it occurs", operand),
                  [operand](Subgraph& s) {
                      s.operands.erase(s.operands.begin() + operand);
                      for (Operation& operation : s.operations) {
                          removeIndex(operation.inputs, operand);
                          removeIndex(operation.outputs, operand);
                      }
                      removeIndex(s.inputIndexes, operand);
                      removeIndex(s.outputIndexes, operand);
                  });
    }
    for (const auto lifetime :
         {OperandLifeTime::TEMPORARY_VARIABLE, OperandLifeTime::SUBGRAPH_INPUT,
          OperandLifeTime::SUBGRAPH_OUTPUT, OperandLifeTime::CONSTANT_COPY,
          OperandLifeTime::CONSTANT_REFERENCE, OperandLifeTime::SUBGRAPH}) {
        graph.add(fmt::format("one more operand: {} without source", toString(lifetime)),
                  [lifetime](Subgraph& s) { s.operands.push_back(plainOperand(lifetime)); });
    }
    graph.add("no operands", [](Subgraph& s) { s.operands.clear(); });
    graph.add("without its last operand", [](Subgraph& s) { s.operands.pop_back(); });
    graph.add("no operations", [](Subgraph& s) { s.operations.clear(); });
}

void mutateMemory(const Model& model, Mutations<Model>& mutations) {
    if (!model.operandValues.empty()) {
        mutations.push_back({"no operand values", [](Model& m) { m.operandValues.clear(); }});
    }
    for (std::size_t pool = 0; pool < model.pools.size(); ++pool) {
        mutations.push_back({fmt::format("pool {} is too small", pool),
                             [pool](Model& m) { m.pools[pool] = *Region::create(1); }});
    }
    if (!model.pools.empty()) {
        mutations.push_back({"no pools", [](Model& m) { m.pools.clear(); }});
        mutations.push_back({"without the last pool", [](Model& m) { m.pools.pop_back(); }});
    }
    mutations.push_back({"one more pool without memory", [](Model& m) { m.pools.emplace_back(); }});
}

void mutateReferences(const Model& model, Mutations<Model>& mutations) {
    for (std::size_t index = 0; index < model.referenced.size(); ++index) {
        mutations.push_back({fmt::format("without subgraph {}", index), [index](Model& m) {
                                 m.referenced.erase(m.referenced.begin() +
                                                    static_cast<std::ptrdiff_t>(index));
                             }});
        mutations.push_back({fmt::format("subgraph {} is empty", index),
                             [index](Model& m) { m.referenced[index] = {}; }});
    }
    mutations.push_back({"one more subgraph, to which none refers",
                         [](Model& m) { m.referenced.push_back(m.main); }});
    for (std::size_t place = 0; place < placeCount(model); ++place) {
        const std::vector<Operand>& operands = subgraphAt(model, place).operands;
        for (std::size_t operand = 0; operand < operands.size(); ++operand) {
            if (operands[operand].lifetime != OperandLifeTime::SUBGRAPH) {
                continue;
            }
            for (std::uint32_t target = 0; target < model.referenced.size(); ++target) {
                if (target != operands[operand].location.offset) {
                    mutations.push_back(
                        {fmt::format("{} operand {}: refers to subgraph {}", placeName(place),
                                     operand, target),
                         [=](Model& m) {
                             subgraphAt(m, place).operands[operand].location.offset = target;
                         }});
                }
            }
        }
    }
}

void mutateExtensions(Mutations<Model>& mutations) {
    const auto declare = [&](const char* what, std::vector<ExtensionNameAndPrefix> extensions) {
        mutations.push_back({fmt::format("extension {}", what),
                             [extensions](Model& m) { m.extensionNameToPrefix = extensions; }});
    };
    declare("with prefix 0", {{"org.example.one", 0}});
    declare("without name", {{"", 1}});
    declare("without period in its name", {{"example", 1}});
    declare("with a capital in its name", {{"org.Example", 1}});
    declare("with a space in its name", {{"org.example one", 1}});
    declare("with a zero in its name", {{std::string("org.exa\0mple", 12), 1}});
    declare("that has the prefix of another", {{"org.example.one", 1}, {"org.example.two", 1}});
    declare("that has the name of another", {{"org.example.one", 1}, {"org.example.one", 2}});
}

}  // namespace

std::string placeName(std::size_t place) {
    return place == 0 ? "main" : fmt::format("subgraph {}", place - 1);
}

Mutations<Model> operationMutations(const Model& model) {
    Mutations<Model> mutations;
    forEachSubgraph(model, mutations, [](SubgraphMutations& graph) {
        for (std::size_t index = 0; index < graph.subgraph().operations.size(); ++index) {
            mutateOperationType(graph, index);
            mutateOperationInputs(graph, index);
            mutateOperationOutputs(graph, index);
            mutateOrder(graph, index);
        }
    });
    return mutations;
}

Mutations<Model> structureMutations(const Model& model) {
    Mutations<Model> mutations;
    forEachSubgraph(model, mutations, [](SubgraphMutations& graph) {
        mutateInterface(graph, "input", &Subgraph::inputIndexes);
        mutateInterface(graph, "output", &Subgraph::outputIndexes);
        mutateOperandList(graph);
    });
    mutateMemory(model, mutations);
    mutateReferences(model, mutations);
    mutateExtensions(mutations);
    return mutations;
}

Mutations<Model> modelMutations(const Model& model) {
    Mutations<Model> all;
    for (const auto generate :
         {operandTypeMutations, operandSourceMutations, operationMutations, structureMutations}) {
        Mutations<Model> some = generate(model);
        std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    return all;
}

}  // namespace nnburst::test
