// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "outcome_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace nnburst::stress {

namespace {

std::string mebibytes(std::uint64_t bytes) {
    return bytes == 0 ? "-" : fmt::format("{:.1f}", static_cast<double>(bytes) / (1 << 20));
}

std::string milliseconds(double microseconds) {
    return microseconds <= 0 ? "-" : fmt::format("{:.2f}", microseconds / 1000);
}

}  // namespace

void printTable(const NamedResults& results) {
    std::size_t width = 4;
    for (const NamedResult& each : results) {
        width = std::max(width, each.name.size());
    }
    fmt::print("\n{:<{}}  {:<7} {:>7} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8}\n", "", width, "", "p99",
               "p99 ms", "p99 ms", "longest", "MiB", "MiB", "MiB");
    fmt::print("{:<{}}  {:<7} {:>7} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8}  {}\n", "case", width,
               "outcome", "ratio", "alone", "beside", "ms", "before", "largest", "after", "notes");
    for (const auto& [name, description, result] : results) {
        const auto ratio = result.ratio();
        fmt::print("{:<{}}  {:<7} {:>7} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8}  {}\n", name, width,
                   toString(result.outcome), ratio ? fmt::format("{:.2f}", *ratio) : "-",
                   milliseconds(result.alone.p99Us), milliseconds(result.beside.p99Us),
                   milliseconds(result.beside.longestUs), mebibytes(result.before.memoryBytes),
                   mebibytes(result.largest.memoryBytes), mebibytes(result.after.memoryBytes),
                   result.notes);
    }
    for (const auto& [name, description, result] : results) {
        if (result.outcome != Outcome::SUCCESS) {
            fmt::print("\n{}: {}: {}\n", name, toString(result.outcome), result.reason);
        }
    }
}

void printMarkdown(const NamedResults& results) {
    fmt::print(
        "\n| case | what it does | outcome | p99 beside : alone | p99 alone, ms | p99 beside, "
        "ms | longest, ms | memory before, MiB | at most | after |\n"
        "|---|---|---|--:|--:|--:|--:|--:|--:|--:|\n");
    for (const auto& [name, description, result] : results) {
        const auto ratio = result.ratio();
        fmt::print("| `{}` | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name, description,
                   toString(result.outcome), ratio ? fmt::format("{:.1f}", *ratio) : "-",
                   milliseconds(result.alone.p99Us), milliseconds(result.beside.p99Us),
                   milliseconds(result.beside.longestUs), mebibytes(result.before.memoryBytes),
                   mebibytes(result.largest.memoryBytes), mebibytes(result.after.memoryBytes));
    }
}

bool writeJson(const NamedResults& results, const std::string& path) {
    nlohmann::json json = nlohmann::json::array();
    for (const auto& [name, description, result] : results) {
        auto entry = nlohmann::json::parse(toJson(result));
        entry["name"] = name;
        entry["description"] = description;
        entry["outcome"] = toString(result.outcome);
        const auto ratio = result.ratio();
        entry["ratio"] = ratio ? nlohmann::json(*ratio) : nlohmann::json();
        json.push_back(std::move(entry));
    }
    std::ofstream file(path);
    file << json.dump(2) << '\n';
    return file.good();
}

}  // namespace nnburst::stress
