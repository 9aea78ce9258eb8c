// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <gtest/gtest.h>

#include "support/markup_check.h"

namespace nnburst::tools {
namespace {

TEST(HtmlTable, namesTheColumnOfEachCellAndLeavesNoMarkup) {
    HtmlTable table({"row & name", "value"});
    EXPECT_EQ(table.html(), "") << "without rows there is no table";
    table.add({"<b>", {"7", HtmlTable::Mood::BAD}});
    table.add({"only a name"});
    const std::string html = table.html();
    EXPECT_EQ(test::firstWrongTag(html), "");
    EXPECT_NE(html.find("<th>row &amp; name</th>"), std::string::npos);
    EXPECT_NE(html.find("<td data-head=\"row &amp; name\">&lt;b&gt;</td>"), std::string::npos);
    EXPECT_NE(html.find("<td class=\"bad\" data-head=\"value\">7</td>"), std::string::npos);
}

TEST(ReportPage, isWholeAndTakesNothingFromElsewhere) {
    HtmlTable table({"a"});
    table.add({"1"});
    const std::string page = reportPage("a <title>", "<h1>x</h1>" + table.html());
    EXPECT_EQ(test::firstWrongTag(page), "");
    EXPECT_NE(page.find("<title>a &lt;title&gt;</title>"), std::string::npos);
    EXPECT_NE(page.find("prefers-color-scheme: dark"), std::string::npos);
    for (const char* part : {"http", "src=", "<script", "@import", "url("}) {
        EXPECT_EQ(page.find(part), std::string::npos) << part;
    }
}

}  // namespace
}  // namespace nnburst::tools
