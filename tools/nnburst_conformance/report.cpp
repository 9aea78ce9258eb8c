// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_conformance/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

namespace nnburst::conformance {

namespace {

using Json = nlohmann::json;

Json toJson(const Counts& counts) {
    return {{"passed", counts.passed}, {"failed", counts.failed}, {"skipped", counts.skipped}};
}

std::set<std::string> operationsOf(const Model& model) {
    std::set<std::string> names;
    const auto collect = [&](const Subgraph& subgraph) {
        for (const Operation& operation : subgraph.operations) {
            names.insert(toString(operation.type));
        }
    };
    collect(model.main);
    for (const Subgraph& subgraph : model.referenced) {
        collect(subgraph);
    }
    return names;
}

}  // namespace

void Counts::add(Verdict verdict) noexcept {
    switch (verdict) {
        case Verdict::PASSED:
            ++passed;
            break;
        case Verdict::FAILED:
            ++failed;
            break;
        case Verdict::SKIPPED:
            ++skipped;
            break;
    }
}

void Report::add(const VectorExample& example, const TestResult& result) {
    const std::scoped_lock lock(mutex_);
    total_.add(result.verdict);
    for (const std::string& name : operationsOf(example.model)) {
        operations_[name].add(result.verdict);
    }
    if (result.verdict == Verdict::FAILED) {
        failures_.push_back(fmt::format("{} (via {}, derive {}): {}", example.name,
                                        toString(result.via), toString(result.derivation),
                                        result.message));
        out_ << "FAILED " << failures_.back() << std::endl;
    }
}

Counts Report::total() const {
    const std::scoped_lock lock(mutex_);
    return total_;
}

void Report::writeJson(std::ostream& stream) const {
    const std::scoped_lock lock(mutex_);
    Json json = toJson(total_);
    json["operations"] = Json::object();
    for (const auto& [name, counts] : operations_) {
        json["operations"][name] = toJson(counts);
    }
    json["failures"] = failures_;
    stream << json.dump(2) << '\n';
}

}  // namespace nnburst::conformance
