// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace nnburst::top {

namespace {

std::string label(const Sample& sample, const char* name) {
    const auto found = sample.labels.find(name);
    return found == sample.labels.end() ? "" : found->second;
}

std::uint64_t valueOf(const std::map<std::string, std::uint64_t>& values, const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? 0 : found->second;
}

void addClientSample(const Sample& sample, Figures& figures) {
    Client& client = figures.clients[std::strtoull(label(sample, "client").c_str(), nullptr, 10)];
    client.user = label(sample, "user");
    client.process = label(sample, "process");
    client.program = label(sample, "program");
    if (sample.name == "nnburst_client_used") {
        client.used[label(sample, "resource")] = sample.value;
    } else if (sample.name == "nnburst_client_executions_total") {
        client.executions = sample.value;
    } else if (sample.name == "nnburst_client_execution_errors_total") {
        client.errors = sample.value;
    }
}

/// Counts and quantiles of what `durations` has beyond `before`, which may be null.
void summarize(Durations& durations, const Durations* before) {
    const auto since = [&](const auto& bucket) {
        const std::uint64_t earlier = before != nullptr && before->buckets.count(bucket.first) > 0
                                          ? before->buckets.at(bucket.first)
                                          : 0;
        return bucket.second - std::min(bucket.second, earlier);
    };
    durations.count = durations.buckets.empty() ? 0 : since(*durations.buckets.rbegin());
    const auto quantile = [&](double share) {
        for (const auto& bucket : durations.buckets) {
            const auto below = static_cast<double>(since(bucket));
            if (durations.count > 0 && below >= share * static_cast<double>(durations.count)) {
                return bucket.first;
            }
        }
        return 0.0;
    };
    durations.median = quantile(0.5);
    durations.p99 = quantile(0.99);
}

using DurationsByLabel = std::map<std::string, Durations>;

void addBucket(const Sample& sample, const char* labelOfAll, DurationsByLabel& all) {
    const std::string limit = label(sample, "le");
    all[label(sample, labelOfAll)].buckets[std::strtod(limit.c_str(), nullptr)] = sample.value;
}

/// `previous` may be null.
void summarizeAll(DurationsByLabel& all, const DurationsByLabel* previous) {
    for (auto& [name, durations] : all) {
        summarize(durations,
                  previous != nullptr && previous->contains(name) ? &previous->at(name) : nullptr);
    }
}

/// Bytes with a unit, such as "1.5M".
std::string bytes(std::uint64_t count) {
    auto value = static_cast<double>(count);
    for (const char* unit : {"", "K", "M", "G"}) {
        if (value < 1024.0) {
            return fmt::format("{:.{}f}{}", value, *unit == '\0' ? 0 : 1, unit);
        }
        value /= 1024.0;
    }
    return fmt::format("{:.1f}T", value);
}

}  // namespace

Figures makeFigures(const std::vector<Sample>& samples, std::chrono::steady_clock::time_point time,
                    const Figures* previous) {
    Figures figures;
    figures.time = time;
    for (const Sample& sample : samples) {
        if (sample.name == "nnburst_used") {
            figures.used[label(sample, "resource")] = sample.value;
        } else if (sample.name == "nnburst_limit") {
            figures.limit[label(sample, "resource")] = sample.value;
        } else if (sample.name == "nnburst_clients") {
            figures.clientCount = sample.value;
        } else if (sample.name == "nnburst_users") {
            figures.users = sample.value;
        } else if (sample.name == "nnburst_workers") {
            figures.workers = sample.value;
        } else if (sample.name == "nnburst_executions_total") {
            figures.executions = sample.value;
        } else if (sample.name == "nnburst_execution_errors_total") {
            figures.errors = sample.value;
        } else if (sample.name == "nnburst_job_wait_seconds_bucket") {
            addBucket(sample, "kind", figures.waits);
        } else if (sample.name == "nnburst_execution_seconds_bucket") {
            addBucket(sample, "user", figures.executionTimes);
        } else if (sample.name.starts_with("nnburst_client_")) {
            addClientSample(sample, figures);
        }
    }
    summarizeAll(figures.waits, previous == nullptr ? nullptr : &previous->waits);
    summarizeAll(figures.executionTimes, previous == nullptr ? nullptr : &previous->executionTimes);
    if (previous == nullptr || time <= previous->time) {
        return figures;
    }
    const double seconds = std::chrono::duration<double>(time - previous->time).count();
    const auto rate = [seconds](std::uint64_t now, std::uint64_t before) {
        return static_cast<double>(now - std::min(now, before)) / seconds;
    };
    figures.executionsPerSecond = rate(figures.executions, previous->executions);
    for (auto& [number, client] : figures.clients) {
        const auto before = previous->clients.find(number);
        if (before != previous->clients.end()) {
            client.executionsPerSecond = rate(client.executions, before->second.executions);
        }
    }
    return figures;
}

std::string toTable(const Figures& figures) {
    std::string waits;
    for (const auto& [kind, wait] : figures.waits) {
        fmt::format_to(std::back_inserter(waits), "{} jobs waited {:g} ms (p50), {:g} ms (p99)   ",
                       kind, wait.median * 1e3, wait.p99 * 1e3);
    }
    waits += waits.empty() ? "" : "\n";
    for (const auto& [user, times] : figures.executionTimes) {
        if (times.count > 0) {
            fmt::format_to(std::back_inserter(waits),
                           "executions of user {} took {:g} ms (p50), {:g} ms (p99)\n", user,
                           times.median * 1e3, times.p99 * 1e3);
        }
    }
    if (figures.workers) {
        return fmt::format("{} clients of {} users, served by {} worker processes\n",
                           figures.clientCount, figures.users, *figures.workers);
    }
    std::string table = fmt::format(
        "{} clients of {} users   {} executions, {} failed, {:.0f}/s\n"
        "memory {} of {}   models {} of {}   bursts {} of {}\n{}\n"
        "{:>6} {:>6} {:>8} {:<15} {:>9} {:>7} {:>6} {:>12} {:>7} {:>9}\n",
        figures.clientCount, figures.users, figures.executions, figures.errors,
        figures.executionsPerSecond, bytes(valueOf(figures.used, "memory")),
        bytes(valueOf(figures.limit, "memory")), valueOf(figures.used, "prepared-models"),
        valueOf(figures.limit, "prepared-models"), valueOf(figures.used, "bursts"),
        valueOf(figures.limit, "bursts"), waits, "client", "user", "process", "program", "memory",
        "models", "bursts", "executions", "failed", "per s");
    for (const auto& [number, client] : figures.clients) {
        fmt::format_to(std::back_inserter(table),
                       "{:>6} {:>6} {:>8} {:<15} {:>9} {:>7} {:>6} {:>12} {:>7} {:>9.0f}\n", number,
                       client.user, client.process, client.program,
                       bytes(valueOf(client.used, "memory")),
                       valueOf(client.used, "prepared-models"), valueOf(client.used, "bursts"),
                       client.executions, client.errors, client.executionsPerSecond);
    }
    return table;
}

std::string toJson(const Figures& figures) {
    nlohmann::json json{{"clientCount", figures.clientCount},
                        {"users", figures.users},
                        {"executions", figures.executions},
                        {"errors", figures.errors},
                        {"executionsPerSecond", figures.executionsPerSecond},
                        {"used", figures.used},
                        {"limit", figures.limit},
                        {"clients", nlohmann::json::array()}};
    if (figures.workers) {
        json["workers"] = *figures.workers;
    }
    for (const auto& [kind, wait] : figures.waits) {
        json["jobWaits"][kind] = {
            {"count", wait.count}, {"p50Seconds", wait.median}, {"p99Seconds", wait.p99}};
    }
    for (const auto& [user, times] : figures.executionTimes) {
        json["executionTimes"][user] = {
            {"count", times.count}, {"p50Seconds", times.median}, {"p99Seconds", times.p99}};
    }
    for (const auto& [number, client] : figures.clients) {
        json["clients"].push_back({{"client", number},
                                   {"user", client.user},
                                   {"process", client.process},
                                   {"program", client.program},
                                   {"used", client.used},
                                   {"executions", client.executions},
                                   {"errors", client.errors},
                                   {"executionsPerSecond", client.executionsPerSecond}});
    }
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace nnburst::top
