// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "report/duration_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "report/markup.h"

namespace nnburst::tools {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::Pointwise;

/// How often `part` stands in `text`.
std::size_t count(const std::string& text, const std::string& part) {
    std::size_t times = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++times;
    }
    return times;
}

void expectTicks(double least, double most, const std::vector<double>& expected) {
    EXPECT_THAT(logarithmicTicks(least, most), Pointwise(testing::DoubleEq(), expected))
        << least << " to " << most;
}

TEST(LogarithmicTicks, encloseAllDurations) {
    expectTicks(217, 640, {200, 500, 1000});
    expectTicks(3, 450, {2, 5, 10, 20, 50, 100, 200, 500});
    expectTicks(100, 1000, {100, 200, 500, 1000});
    expectTicks(1000, 1000, {1000, 2000});
    expectTicks(0.03, 0.04, {0.02, 0.05});
}

TEST(DurationText, hasThreeDigitsAndAUnit) {
    EXPECT_EQ(durationText(0.2171), "0.217 ns");
    EXPECT_EQ(durationText(217.4), "217 ns");
    EXPECT_EQ(durationText(999.9), "1 us");
    EXPECT_EQ(durationText(1250), "1.25 us");
    EXPECT_EQ(durationText(40e6), "40 ms");
    EXPECT_EQ(durationText(2e9), "2 s");
}

TEST(Escaped, leavesNoMarkup) {
    EXPECT_EQ(escaped("a <b> & \"c\""), "a &lt;b&gt; &amp; &quot;c&quot;");
}

TEST(DurationPlot, hasADotAndALabelForEachRow) {
    const std::array rows{DurationRow{"one & two", 200, 300, 190, 210},
                          DurationRow{"three", 60'000, 90'000, 50'000, 70'000}};
    const std::string svg = durationPlot(rows);
    EXPECT_EQ(count(svg, "<circle class=\"median\""), 2U);
    EXPECT_THAT(svg, HasSubstr(">one &amp; two</text>"));
    EXPECT_THAT(svg, HasSubstr(">60 us</text>"));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_EQ(durationPlot({}), "");
}

TEST(CoursePlot, marksPoints) {
    const std::array points{CoursePoint{0, 200, false}, CoursePoint{1, 210, false},
                            CoursePoint{2, 9000, true}};
    const std::string svg = coursePlot(points, 130, 300);
    EXPECT_EQ(count(svg, "<circle class=\"median\""), 2U);
    EXPECT_EQ(count(svg, "<circle class=\"marked\""), 1U);
    EXPECT_THAT(svg, HasSubstr("cy=\"0.0\""));  // far above: at the edge
    EXPECT_EQ(coursePlot({}, 130, 300), "");
}

TEST(CoursePlot, showsASingleMoment) {
    const std::array points{CoursePoint{0, 200, false}};
    EXPECT_THAT(coursePlot(points, 130, 300), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace nnburst::tools
