// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "report/benchmark_json.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace nnburst::tools {

namespace {

/// Google Benchmark's times in microseconds.
std::optional<double> microsecondsIn(const std::string& unit) {
    static const std::map<std::string, double> kUnits{
        {"ns", 1e-3}, {"us", 1.0}, {"ms", 1e3}, {"s", 1e6}};
    const auto found = kUnits.find(unit);
    return found == kUnits.end() ? std::nullopt : std::optional(found->second);
}

std::optional<BenchmarkRow> rowOf(const Json& json) {
    const auto unit = microsecondsIn(json.value("time_unit", "ns"));
    if (!unit || !json.contains("name") || !json.contains("real_time") ||
        json.value("error_occurred", false)) {
        return std::nullopt;
    }
    BenchmarkRow row{.name = json["name"].get<std::string>(),
                     .iterations = json.value("iterations", std::size_t{0}),
                     .realTimeUs = json["real_time"].get<double>() * *unit,
                     .processorTimeUs = json.value("cpu_time", 0.0) * *unit};
    if (json.contains("noise") && json["noise"].is_number()) {
        row.noise = json["noise"].get<double>();
    }
    return row;
}

const char* wordOf(Change change) {
    switch (change) {
        case Change::SAME:
            return "same";
        case Change::FASTER:
            return "faster";
        case Change::SLOWER:
            return "SLOWER";
        case Change::GONE:
            return "not measured now";
        case Change::NEW:
            return "not measured before";
    }
    return "";
}

}  // namespace

Json benchmarkJson(std::span<const std::pair<std::string, std::string>> context,
                   std::span<const BenchmarkRow> rows) {
    Json json;
    for (const auto& [name, text] : context) {
        json["context"][name] = text;
    }
    json["context"]["num_cpus"] = ::sysconf(_SC_NPROCESSORS_ONLN);
    json["context"]["library_build_type"] = "release";
    json["benchmarks"] = Json::array();
    for (std::size_t index = 0; index < rows.size(); ++index) {
        const BenchmarkRow& row = rows[index];
        if (!std::isfinite(row.realTimeUs)) {
            continue;
        }
        json["benchmarks"].push_back({{"name", row.name},
                                      {"family_index", index},
                                      {"per_family_instance_index", 0},
                                      {"run_name", row.name},
                                      {"run_type", "iteration"},
                                      {"repetitions", 1},
                                      {"repetition_index", 0},
                                      {"threads", 1},
                                      {"iterations", row.iterations},
                                      {"real_time", row.realTimeUs},
                                      {"cpu_time", row.processorTimeUs},
                                      {"time_unit", "us"},
                                      {"noise", orNull(row.noise)}});
    }
    return json;
}

std::optional<std::vector<BenchmarkRow>> readBenchmarkRows(const std::string& text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("benchmarks") || !json["benchmarks"].is_array()) {
        return std::nullopt;
    }
    std::vector<BenchmarkRow> rows;
    try {
        std::map<std::string, std::vector<BenchmarkRow>> repetitions;
        std::vector<std::string> order;
        for (const Json& entry : json["benchmarks"]) {
            if (!entry.is_object() || entry.value("run_type", "iteration") != "iteration") {
                continue;
            }
            if (const auto row = rowOf(entry)) {
                auto& known = repetitions[row->name];
                if (known.empty()) {
                    order.push_back(row->name);
                }
                known.push_back(*row);
            }
        }
        for (const std::string& name : order) {
            std::vector<BenchmarkRow>& all = repetitions[name];
            std::vector<double> times;
            for (const BenchmarkRow& row : all) {
                times.push_back(row.realTimeUs);
            }
            std::sort(all.begin(), all.end(),
                      [](const auto& a, const auto& b) { return a.realTimeUs < b.realTimeUs; });
            BenchmarkRow row = all[all.size() / 2];
            if (const auto noise = noiseOf(std::move(times))) {
                row.noise = noise;
            }
            rows.push_back(std::move(row));
        }
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
    return rows;
}

std::optional<double> noiseOf(std::vector<double> values) {
    constexpr std::size_t kMinimumValues = 4;
    if (values.size() < kMinimumValues) {
        return std::nullopt;
    }
    std::sort(values.begin(), values.end());
    const double median = values[values.size() / 2];
    if (median <= 0) {
        return std::nullopt;
    }
    return (values[values.size() * 3 / 4] - values[values.size() / 4]) / 2 / median;
}

BenchmarkComparison compareRows(std::span<const BenchmarkRow> before,
                                std::span<const BenchmarkRow> after) {
    BenchmarkComparison comparison;
    const auto named = [](std::span<const BenchmarkRow> rows, const std::string& name) {
        return std::find_if(rows.begin(), rows.end(),
                            [&](const BenchmarkRow& row) { return row.name == name; });
    };
    for (const BenchmarkRow& row : after) {
        ComparedRow& compared = comparison.rows.emplace_back(
            ComparedRow{.name = row.name, .afterUs = row.realTimeUs, .change = Change::NEW});
        const auto old = named(before, row.name);
        if (old == before.end() || old->realTimeUs <= 0 || row.realTimeUs <= 0) {
            continue;
        }
        ++comparison.comparedCount;
        compared.beforeUs = old->realTimeUs;
        compared.ratio = row.realTimeUs / old->realTimeUs;
        compared.noise =
            std::max(kMinimumNoise, std::hypot(old->noise.value_or(0), row.noise.value_or(0)));
        const double bound = 1 + 2 * compared.noise;
        compared.change = compared.ratio > bound       ? Change::SLOWER
                          : compared.ratio < 1 / bound ? Change::FASTER
                                                       : Change::SAME;
        comparison.slowerCount += compared.change == Change::SLOWER ? 1U : 0U;
        comparison.fasterCount += compared.change == Change::FASTER ? 1U : 0U;
    }
    for (const BenchmarkRow& row : before) {
        if (named(after, row.name) == after.end()) {
            comparison.rows.push_back(
                {.name = row.name, .beforeUs = row.realTimeUs, .change = Change::GONE});
        }
    }
    return comparison;
}

std::string textOf(const BenchmarkComparison& comparison) {
    std::string text = fmt::format("{:<32}{:>12}{:>12}{:>8}{:>9}\n", "", "before, us", "now, us",
                                   "ratio", "noise");
    for (const ComparedRow& row : comparison.rows) {
        const bool isCompared = row.ratio > 0;
        const auto number = [](double value) {
            return value > 0 ? fmt::format("{:.1f}", value) : std::string("-");
        };
        text += fmt::format(
            "{:<32}{:>12}{:>12}{:>8}{:>9}  {}\n", row.name, number(row.beforeUs),
            number(row.afterUs), isCompared ? fmt::format("{:.3f}", row.ratio) : "-",
            isCompared ? fmt::format("{:.1f} %", row.noise * 100) : "-", wordOf(row.change));
    }
    if (comparison.comparedCount == 0) {
        return text + "verdict: nothing was measured both times\n";
    }
    return text + fmt::format("verdict: {} of {} slower, {} faster, by more than twice the noise\n",
                              comparison.slowerCount, comparison.comparedCount,
                              comparison.fasterCount);
}

}  // namespace nnburst::tools
