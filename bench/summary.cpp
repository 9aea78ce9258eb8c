// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "summary.h"

#include <algorithm>
#include <vector>

#include "percentile.h"

namespace nnburst::bench {

double medianPingPongNs(const Results& results) {
    std::vector<double> samples;
    for (const BenchmarkResult& result : results.benchmarks) {
        for (const Round& round : result.rounds) {
            samples.push_back(round.host.pingPongBeforeNs);
            samples.push_back(round.host.pingPongAfterNs);
        }
    }
    return samples.empty() ? 0 : percentile(samples, 0.5);
}

bool isDisturbed(const HostState& host, double medianPingPongNs) {
    const auto isFar = [&](double pingPongNs) {
        return pingPongNs > medianPingPongNs * kPingPongTolerance ||
               pingPongNs * kPingPongTolerance < medianPingPongNs;
    };
    return isFar(host.pingPongBeforeNs) || isFar(host.pingPongAfterNs);
}

Summary summarise(const BenchmarkResult& result, double medianPingPongNs) {
    std::vector<double> medians;
    std::vector<double> tails;
    std::vector<double> farTails;
    std::map<std::string, std::vector<double>> numbers;
    for (const Round& round : result.rounds) {
        if (!isDisturbed(round.host, medianPingPongNs)) {
            medians.push_back(round.medianNs);
            tails.push_back(round.tailNs);
            farTails.push_back(round.farTailNs);
            for (const auto& [name, number] : round.numbers) {
                numbers[name].push_back(number);
            }
        }
    }
    Summary summary{.counted = medians.size(), .leftOut = result.rounds.size() - medians.size()};
    if (!medians.empty()) {
        const auto [least, most] = std::minmax_element(medians.begin(), medians.end());
        summary.figures = Figures{.leastNs = *least, .mostNs = *most};  // before they are reordered
        summary.figures->medianNs = percentile(medians, 0.5);
        summary.figures->tailNs = percentile(tails, 0.5);
        summary.figures->farTailNs = percentile(farTails, 0.5);
    }
    for (auto& [name, samples] : numbers) {
        const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
        NumberFigures& figures = summary.numbers[name];
        figures = {.median = 0, .least = *least, .most = *most};  // before they are reordered
        figures.median = percentile(samples, 0.5);
    }
    return summary;
}

}  // namespace nnburst::bench
