// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "report/plot.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "report/markup.h"
#include "support/markup_check.h"

namespace nnburst::tools {
namespace {

/// The points of the first polyline.
std::vector<Point> pointsIn(const std::string& svg) {
    const std::string begin = "points=\"";
    const std::size_t line = svg.find("<polyline");
    const std::size_t first = svg.find(begin, line) + begin.size();
    std::istringstream stream(svg.substr(first, svg.find('"', first) - first));
    std::vector<Point> points;
    Point point;
    char comma = 0;
    while (stream >> point.x >> comma >> point.y) {
        points.push_back(point);
    }
    return points;
}

Plot plotOf(std::vector<Point> points, Scale y) {
    return {.title = "T", .x = {}, .y = {.scale = y}, .curves = {{.points = std::move(points)}}};
}

TEST(Plot, drawsPointsAtTheirPositions) {
    const auto points = pointsIn(toSvg(plotOf({{0, 10}, {1, 30}, {4, 20}}, Scale::LINEAR)));
    ASSERT_EQ(points.size(), 3U);
    EXPECT_NEAR((points[1].x - points[0].x) * 4, points[2].x - points[0].x, 1);
    EXPECT_LT(points[1].y, points[2].y) << "more is higher, and y grows downwards";
    EXPECT_NEAR((points[0].y + points[1].y) / 2, points[2].y, 1);
    for (const Point& point : points) {
        EXPECT_GE(point.x, 0);
        EXPECT_LE(point.x, 760);
        EXPECT_GE(point.y, 0);
        EXPECT_LE(point.y, 300);
    }
}

TEST(Plot, hasEqualDistancesForEqualFactorsOnALogarithmicAxis) {
    const auto points =
        pointsIn(toSvg(plotOf({{0, 1}, {1, 10}, {2, 100}, {3, 0}, {4, -1}}, Scale::LOGARITHMIC)));
    ASSERT_EQ(points.size(), 3U) << "zero and less are not shown";
    EXPECT_NEAR(points[0].y - points[1].y, points[1].y - points[2].y, 0.2);
    EXPECT_GT(points[0].y - points[1].y, 50);
}

TEST(Plot, isValidWithoutPointsWithOneAndWithOddOnes) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (const Scale scale : {Scale::LINEAR, Scale::LOGARITHMIC}) {
        for (const std::vector<Point>& points :
             {std::vector<Point>{}, {{5, 7}}, {{0, 0}}, {{1, kInfinity}, {2, 3}}}) {
            const std::string svg = toSvg(plotOf(points, scale));
            EXPECT_EQ(test::firstWrongTag(svg), "");
            EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
            EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
        }
    }
}

TEST(Plot, hasRoundTicksAndThoseThatItIsGiven) {
    Plot plot = plotOf({{0, 1}, {100, 700}}, Scale::LOGARITHMIC);
    plot.x.ticks = {{50, "half & half"}};
    const std::string svg = toSvg(plot);
    EXPECT_NE(svg.find(">half &amp; half<"), std::string::npos);
    for (const char* label : {">1<", ">10<", ">200<", ">500<"}) {
        EXPECT_NE(svg.find(label), std::string::npos) << label;
    }
    EXPECT_EQ(svg.find(">1000<"), std::string::npos);
}

TEST(Plot, drawsTheAreaBetweenExtremes) {
    Plot plot = plotOf({{0, 2}, {1, 2}}, Scale::LINEAR);
    EXPECT_EQ(toSvg(plot).find("<polygon"), std::string::npos);
    plot.curves.front().lowest = {{0, 1}, {1, 1}};
    plot.curves.front().highest = {{0, 3}, {1, 3}};
    EXPECT_NE(toSvg(plot).find("<polygon"), std::string::npos);
}

TEST(BarChart, drawsBarsInProportionWithinTheirGroup) {
    const std::string svg = toSvg(BarChart{
        .title = "T",
        .unit = "us",
        .groups = {{"p50", {{"a", 0, 10}, {"b", 1, 20}}}, {"max", {{"c", 0, 5000}, {"d", 1, 0}}}}});
    EXPECT_EQ(test::firstWrongTag(svg), "");
    std::vector<double> widths;
    const std::string key = " width=\"";
    for (std::size_t i = svg.find(key); i != std::string::npos; i = svg.find(key, i + 1)) {
        widths.push_back(std::stod(svg.substr(i + key.size())));
    }
    ASSERT_EQ(widths.size(), 4U);
    EXPECT_NEAR(2 * widths[0], widths[1], 0.2);
    EXPECT_EQ(widths[1], widths[2]);
    EXPECT_EQ(widths[3], 0);
    EXPECT_NE(svg.find("5000.0 us"), std::string::npos);
}

TEST(EscapeHtml, escapesAllCharactersWithAMeaning) {
    EXPECT_EQ(escaped("<a href=\"x\">&</a>"), "&lt;a href=&quot;x&quot;&gt;&amp;&lt;/a&gt;");
}

}  // namespace
}  // namespace nnburst::tools
