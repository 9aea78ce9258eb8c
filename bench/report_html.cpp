// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "report_html.h"

#include <fmt/core.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "report/duration_plot.h"
#include "report/markup.h"
#include "report/page.h"

namespace nnburst::bench {
namespace {

using tools::escaped;
using tools::HtmlTable;

HtmlTable::Cell verdictCell(Verdict verdict, const std::string& text) {
    switch (verdict) {
        case Verdict::MET:
            return {text, HtmlTable::Mood::GOOD};
        case Verdict::MISSED:
            return {text, HtmlTable::Mood::BAD};
        case Verdict::NOT_MEASURED:
            break;
    }
    return {text, HtmlTable::Mood::FAINT};
}

/// Goals whose benchmarks did not run, behind a line that unfolds them.
std::string folded(const HtmlTable& others) {
    return others.isEmpty() ? ""
                            : fmt::format(
                                  "<details><summary>Goals that were not measured</summary>"
                                  "\n{}</details>\n",
                                  others.html());
}

std::string goalRows(const Report& report) {
    const std::vector<std::string> heads{"goal", "bound", "p50, ratio", "p99, ratio", "verdict"};
    HtmlTable measured(heads);
    HtmlTable others(heads);
    for (const GoalOutcome& outcome : report.goals) {
        const bool isMeasured = outcome.verdict != Verdict::NOT_MEASURED;
        (isMeasured ? measured : others)
            .add({nameOf(outcome.goal), boundOf(outcome.goal),
                  isMeasured ? fmt::format("{:.4f}", outcome.medianRatio) : "",
                  isMeasured ? fmt::format("{:.4f}", outcome.tailRatio) : "",
                  verdictCell(outcome.verdict, verdictOf(outcome))});
    }
    return measured.html() + folded(others);
}

std::string numberGoalRows(const Report& report) {
    const std::vector<std::string> heads{"goal", "bound", "number", "verdict"};
    HtmlTable measured(heads);
    HtmlTable others(heads);
    for (const NumberOutcome& outcome : report.numberGoals) {
        const bool isMeasured = outcome.verdict != Verdict::NOT_MEASURED;
        (isMeasured ? measured : others)
            .add({nameOf(outcome.goal), boundOf(outcome.goal),
                  isMeasured ? fmt::format("{:.4g}", outcome.number) : "",
                  verdictCell(outcome.verdict, verdictOf(outcome))});
    }
    return measured.html() + folded(others);
}

/// Rows of the numbers that are not durations.
std::string numberRows(const Report& report) {
    HtmlTable table({"benchmark", "number", "median", "rounds"});
    for (std::size_t i = 0; i < report.summaries.size(); ++i) {
        for (const auto& [name, figures] : report.summaries[i].numbers) {
            table.add({report.results.benchmarks[i].label, name,
                       fmt::format("{:.4g}", figures.median),
                       fmt::format("{:.4g} to {:.4g}", figures.least, figures.most)});
        }
    }
    return table.html();
}

/// The benchmarks of one group: a plot, then a table.
class GroupSection {
  public:
    void add(const BenchmarkResult& result, const Summary& summary) {
        const std::string leftOut = fmt::format("{} of {}", summary.leftOut, result.rounds.size());
        if (!summary.figures) {
            table_.add({result.label,
                        {result.skipped.empty() ? "no round counts" : result.skipped,
                         HtmlTable::Mood::FAINT},
                        "",
                        "",
                        "",
                        "",
                        leftOut});
            return;
        }
        const Figures& figures = *summary.figures;
        if (!base_) {
            base_ = figures;
        }
        plotted_.push_back(
            {result.label, figures.medianNs, figures.tailNs, figures.leastNs, figures.mostNs});
        table_.add({result.label, fmt::format("{:.3f}", figures.medianNs / 1e3),
                    fmt::format("{:.3f}", figures.tailNs / 1e3),
                    fmt::format("{:.2f}", figures.medianNs / base_->medianNs),
                    fmt::format("{:.2f}", figures.tailNs / base_->tailNs),
                    fmt::format("{:.3f} to {:.3f}", figures.leastNs / 1e3, figures.mostNs / 1e3),
                    leftOut});
    }

    [[nodiscard]] std::string html(const std::string& group) const {
        return fmt::format("<h2>{}</h2>\n{}{}", escaped(group), tools::durationPlot(plotted_),
                           table_.html());
    }

  private:
    std::vector<tools::DurationRow> plotted_;
    HtmlTable table_{{"benchmark", "p50, us", "p99, us", "p50, ratio", "p99, ratio",
                      "p50 of the rounds, us", "left out"}};
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
    return tools::reportPage("nnburst-bench", html);
}

}  // namespace nnburst::bench
