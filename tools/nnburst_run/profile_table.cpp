// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/profile_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace nnburst::run {

namespace {

double medianOf(std::vector<double>& values) {
    if (values.empty()) {
        return 0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

double microseconds(const StepRun& run) {
    return static_cast<double>(run.endNs - run.beginNs) * 1e-3;
}

std::string bytesText(std::uint64_t bytes) {
    const auto value = static_cast<double>(bytes);
    if (value < 1e4) {
        return fmt::format("{} B", bytes);
    }
    return value < 1e7 ? fmt::format("{:.0f} kB", value * 1e-3)
                       : fmt::format("{:.0f} MB", value * 1e-6);
}

std::string kernelText(const DescribedStep& step) {
    // The record cuts the name of the reference kernels off.
    return step.library == exec::KernelLibrary::OWN         ? "own, " + step.kernel
           : step.library == exec::KernelLibrary::REFERENCE ? toString(step.library)
                                                            : step.kernel;
}

template <class NameOf>
std::map<std::string, ProfilePart> partsBy(const ProfileTable& table, NameOf nameOf) {
    std::map<std::string, ProfilePart> parts;
    for (const ProfileRow& row : table.rows) {
        ProfilePart& part = parts[nameOf(row.step)];
        ++part.steps;
        part.share += row.share;
    }
    return parts;
}

std::string partsText(const char* title, const std::map<std::string, ProfilePart>& parts) {
    std::vector<std::pair<std::string, ProfilePart>> sorted(parts.begin(), parts.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second.share > b.second.share; });
    std::string text = fmt::format("\n{:<34}{:>11}{:>9}\n", title, "operations", "share");
    for (const auto& [name, part] : sorted) {
        text += fmt::format("{:<34}{:>11}{:>7.1f} %\n", name, part.steps, part.share * 100);
    }
    return text;
}

tools::Json jsonOf(const std::map<std::string, ProfilePart>& parts) {
    tools::Json json = tools::Json::object();
    for (const auto& [name, part] : parts) {
        json[name] = {{"operations", part.steps}, {"share", part.share}};
    }
    return json;
}

}  // namespace

ProfileTable tableOf(const RecordedProfile& profile) {
    ProfileTable table{.lostCount = profile.lostCount};
    std::vector<std::optional<std::size_t>> rowOf(profile.steps.size());
    std::vector<std::vector<double>> times;
    std::vector<double> executions;
    double total = 0;
    for (const StepRun& run : profile.runs) {
        if (run.step == exec::kWholeExecution) {
            executions.push_back(microseconds(run));
            continue;
        }
        if (!rowOf[run.step]) {
            rowOf[run.step] = table.rows.size();
            table.rows.push_back({.step = profile.steps[run.step]});
            times.emplace_back();
        }
        const std::size_t row = *rowOf[run.step];
        times[row].push_back(microseconds(run));
    }
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        table.rows[row].runCount = times[row].size();
        table.rows[row].medianUs = medianOf(times[row]);
        total += table.rows[row].typicalUs();
    }
    for (ProfileRow& row : table.rows) {
        row.share = total > 0 ? row.typicalUs() / total : 0;
    }
    table.executionCount = executions.size();
    table.executionMedianUs = medianOf(executions);
    return table;
}

std::map<std::string, ProfilePart> partsByLibrary(const ProfileTable& table) {
    return partsBy(table,
                   [](const DescribedStep& step) { return std::string(toString(step.library)); });
}

std::map<std::string, ProfilePart> partsByType(const ProfileTable& table) {
    return partsBy(table, [](const DescribedStep& step) { return operationText(step); });
}

std::string textOf(const ProfileTable& table) {
    std::string text = fmt::format("{:>5} {:<28}{:>11}{:>9}  {:<20}{:>9}{:>10}\n", "", "operation",
                                   "median, us", "share", "kernel", "bytes", "GFLOP/s");
    for (const ProfileRow& row : table.rows) {
        const double rate = row.gigaOperationsPerSecond();
        text += fmt::format("{:>5} {:<28}{:>11.1f}{:>7.1f} %  {:<20}{:>9}{:>10}\n",
                            row.step.operation, operationText(row.step), row.medianUs,
                            row.share * 100, kernelText(row.step), bytesText(row.bytes()),
                            rate > 0 ? fmt::format("{:.1f}", rate) : "-");
    }
    text += partsText("by type", partsByType(table));
    text += partsText("by kernels", partsByLibrary(table));
    text += fmt::format("\n{} executions, median in the device {:.1f} us\n", table.executionCount,
                        table.executionMedianUs);
    if (table.lostCount != 0) {
        text += fmt::format("the profile had no room for {} more runs of operations\n",
                            table.lostCount);
    }
    return text;
}

tools::Json jsonOf(const ProfileTable& table) {
    tools::Json rows = tools::Json::array();
    for (const ProfileRow& row : table.rows) {
        const double rate = row.gigaOperationsPerSecond();
        rows.push_back({{"operation", row.step.operation},
                        {"type", operationText(row.step)},
                        {"medianUs", row.medianUs},
                        {"share", row.share},
                        {"runs", row.runCount},
                        {"library", toString(row.step.library)},
                        {"kernel", row.step.kernel},
                        {"inputBytes", row.step.inputBytes},
                        {"constantBytes", row.step.constantBytes},
                        {"outputBytes", row.step.outputBytes},
                        {"gflops", rate > 0 ? tools::Json(rate) : tools::Json(nullptr)}});
    }
    return {{"executions", table.executionCount},   {"executionMedianUs", table.executionMedianUs},
            {"lostRuns", table.lostCount},          {"byLibrary", jsonOf(partsByLibrary(table))},
            {"byType", jsonOf(partsByType(table))}, {"operations", rows}};
}

}  // namespace nnburst::run
