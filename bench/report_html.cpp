// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "report_html.h"

#include <fmt/core.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "report/duration_plot.h"
#include "report/markup.h"

namespace nnburst::bench {
namespace {

using tools::escaped;

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #1c2127; --paper: #ffffff; --faint: #d9dee4;
        --mark: #1769aa; --soft: #8fbbe0; --good: #1a7f37; --bad: #c0332b; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #dce1e7; --paper: #14181d; --faint: #343b44; --mark: #6db3f2; --soft: #35608a;
          --good: #57c878; --bad: #ff7b72; }
}
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper);
       max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
table { border-collapse: collapse; width: 100%; font-size: .87rem; }
th, td { padding: .25rem .5rem; border-bottom: 1px solid var(--faint); text-align: right; }
th:first-child, td:first-child { text-align: left; }
td.met { color: var(--good); font-weight: 600; } td.missed { color: var(--bad); font-weight: 600; }
td.none { opacity: .7; }
svg { width: 100%; height: auto; margin: .5rem 0; }
svg text { font-size: 12.5px; fill: var(--ink); }
.grid { stroke: var(--faint); } .band { fill: var(--faint); opacity: .5; }
.range { stroke: var(--soft); stroke-width: 8; stroke-linecap: round; }
.tail { stroke: var(--mark); stroke-width: 1.5; }
.median { fill: var(--mark); } .marked { fill: var(--bad); }
)";

const char* cssClassOf(Verdict verdict) {
    switch (verdict) {
        case Verdict::MET:
            return "met";
        case Verdict::MISSED:
            return "missed";
        case Verdict::NOT_MEASURED:
            break;
    }
    return "none";
}

std::string goalRows(const Report& report) {
    std::string html =
        "<table>\n<tr><th>goal</th><th>bound</th><th>p50, ratio</th><th>p99, ratio</th>"
        "<th></th></tr>\n";
    for (const GoalOutcome& outcome : report.goals) {
        const bool isMeasured = outcome.verdict != Verdict::NOT_MEASURED;
        html += fmt::format(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"{}\">{}</td></tr>\n",
            escaped(outcome.goal.name), escaped(boundOf(outcome.goal)),
            isMeasured ? fmt::format("{:.4f}", outcome.medianRatio) : "",
            isMeasured ? fmt::format("{:.4f}", outcome.tailRatio) : "", cssClassOf(outcome.verdict),
            escaped(verdictOf(outcome)));
    }
    return html + "</table>\n";
}

std::string numberGoalRows(const Report& report) {
    std::string html = "<table>\n<tr><th>goal</th><th>bound</th><th>number</th><th></th></tr>\n";
    for (const NumberOutcome& outcome : report.numberGoals) {
        const bool isMeasured = outcome.verdict != Verdict::NOT_MEASURED;
        html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"{}\">{}</td></tr>\n",
                            escaped(outcome.goal.name), escaped(boundOf(outcome.goal)),
                            isMeasured ? fmt::format("{:.4g}", outcome.number) : "",
                            cssClassOf(outcome.verdict), escaped(verdictOf(outcome)));
    }
    return html + "</table>\n";
}

/// Rows of the numbers that are not durations.
std::string numberRows(const Report& report) {
    std::string html = "<table>\n<tr><th></th><th>number</th><th>median</th><th>rounds</th></tr>\n";
    for (std::size_t i = 0; i < report.summaries.size(); ++i) {
        for (const auto& [name, figures] : report.summaries[i].numbers) {
            html += fmt::format(
                "<tr><td>{}</td><td>{}</td><td>{:.4g}</td><td>{:.4g} to {:.4g}</td></tr>\n",
                escaped(report.results.benchmarks[i].label), escaped(name), figures.median,
                figures.least, figures.most);
        }
    }
    return html + "</table>\n";
}

/// The benchmarks of one group: a plot, then a table.
class GroupSection {
  public:
    void add(const BenchmarkResult& result, const Summary& summary) {
        if (!summary.figures) {
            rows_ += fmt::format(
                "<tr><td>{}</td><td class=\"none\" colspan=\"5\">{}</td><td>{}</td></tr>\n",
                escaped(result.label),
                escaped(result.skipped.empty() ? "no round counts" : result.skipped),
                summary.leftOut);
            return;
        }
        const Figures& figures = *summary.figures;
        if (!base_) {
            base_ = figures;
        }
        plotted_.push_back(
            {result.label, figures.medianNs, figures.tailNs, figures.leastNs, figures.mostNs});
        rows_ += fmt::format(
            "<tr><td>{}</td><td>{:.3f}</td><td>{:.3f}</td><td>{:.2f}</td><td>{:.2f}</td>"
            "<td>{:.3f} to {:.3f}</td><td>{} of {}</td></tr>\n",
            escaped(result.label), figures.medianNs / 1e3, figures.tailNs / 1e3,
            figures.medianNs / base_->medianNs, figures.tailNs / base_->tailNs,
            figures.leastNs / 1e3, figures.mostNs / 1e3, summary.leftOut, result.rounds.size());
    }

    [[nodiscard]] std::string html(const std::string& group) const {
        return fmt::format(
            "<h2>{}</h2>\n{}<table>\n<tr><th></th><th>p50, us</th><th>p99, us</th>"
            "<th>p50, ratio</th><th>p99, ratio</th><th>p50 of the rounds, us</th>"
            "<th>left out</th></tr>\n{}</table>\n",
            escaped(group), tools::durationPlot(plotted_), rows_);
    }

  private:
    std::vector<tools::DurationRow> plotted_;
    std::string rows_;
    std::optional<Figures> base_;
};

std::string groupSections(const Report& report) {
    std::string html;
    const std::vector<BenchmarkResult>& results = report.results.benchmarks;
    for (std::size_t i = 0; i < results.size();) {
        const std::string group = groupOf(results[i]);
        GroupSection section;
        for (; i < results.size() && groupOf(results[i]) == group; ++i) {
            section.add(results[i], report.summaries[i]);
        }
        html += section.html(group);
    }
    return html;
}

std::string hostCourse(const Report& report) {
    std::vector<tools::CoursePoint> points;
    for (const BenchmarkResult& result : report.results.benchmarks) {
        for (const Round& round : result.rounds) {
            const HostState& host = round.host;
            const bool isMarked = isDisturbed(host, report.pingPongNs);
            points.push_back({host.startSeconds, host.pingPongBeforeNs, isMarked});
            points.push_back({host.startSeconds + host.seconds, host.pingPongAfterNs, isMarked});
        }
    }
    return tools::coursePlot(points, report.pingPongNs / kPingPongTolerance,
                             report.pingPongNs * kPingPongTolerance);
}

}  // namespace

std::string toHtml(const Report& report) {
    const Machine& machine = report.results.machine;
    std::string html =
        fmt::format("<h1>nnburst-bench: {} met, {} missed</h1>\n<p>{}; {}; {}; {}</p>\n",
                    report.met, report.missed, escaped(machine.date), escaped(machine.processor),
                    escaped(machine.kernel), escaped(machine.compiler));
    html += "<h2>Goals</h2>\n" + goalRows(report) + numberGoalRows(report);
    html += groupSections(report);
    html +=
        "<p>Dot: the median of the rounds' p50. Bar: the rounds' p50. Stroke: the median of the "
        "rounds' p99. Ratios are against the first line of each group.</p>\n";
    html += "<h2>Numbers that are no durations</h2>\n" + numberRows(report);
    html += "<h2>The host</h2>\n<p>" + escaped(describeHost(report)) + "</p>\n" +
            hostCourse(report) +
            "<p>One word in one cache line before and after each round; rounds of red dots are "
            "left out.</p>\n";
    return tools::htmlPage("nnburst-bench", kStyle, html);
}

}  // namespace nnburst::bench
