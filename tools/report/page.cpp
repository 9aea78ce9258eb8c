// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <fmt/format.h>

#include "report/markup.h"
#include "report/plot.h"

namespace nnburst::tools {

namespace {

/// Colours are named by what they are for; dark windows have others.
constexpr const char* kPageStyle = R"(
:root { color-scheme: light dark; --ink: #1c2127; --quiet: #545d68; --paper: #ffffff;
        --faint: #d9dee4; --mark: #1769aa; --soft: #8fbbe0; --good: #1a7f37; --bad: #c0332b;
        --colour0: #0b6e99; --colour1: #b85c00; --colour2: #6940a5; --colour3: #2f7d57; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #dce1e7; --quiet: #9aa5b1; --paper: #14181d; --faint: #343b44; --mark: #6db3f2;
          --soft: #35608a; --good: #57c878; --bad: #ff7b72;
          --colour0: #5cb8e4; --colour1: #f0a050; --colour2: #b494ee; --colour3: #6cc79a; }
}
* { box-sizing: border-box; }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper);
       max-width: 64rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
p.quiet { color: var(--quiet); }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; font-size: .87rem;
        font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .5rem; border-bottom: 1px solid var(--faint); text-align: right;
         overflow-wrap: normal; }
th { cursor: pointer; vertical-align: bottom; }
th[aria-sort="ascending"]::after { content: " \25B2"; }
th[aria-sort="descending"]::after { content: " \25BC"; }
th:first-child, td:first-child { text-align: left; }
td.good { color: var(--good); font-weight: 600; } td.bad { color: var(--bad); font-weight: 600; }
td.faint { color: var(--quiet); }
pre { white-space: pre-wrap; font-size: .8rem; }
svg { display: block; width: 100%; max-width: 560px; margin: .5rem 0; }
svg text { fill: var(--ink); font-size: 12.5px; }
.grid { stroke: var(--faint); fill: none; } .band { fill: var(--faint); opacity: .5; }
.range { stroke: var(--soft); stroke-width: 8; stroke-linecap: round; }
.tail { stroke: var(--mark); stroke-width: 1.5; }
.median { fill: var(--mark); } .marked { fill: var(--bad); }
@media (max-width: 820px) {
  body { margin: 1rem auto; }
  table, tbody, tr, td { display: block; width: 100%; }
  thead tr { display: flex; flex-wrap: wrap; gap: .25rem .75rem; }
  thead th { border: none; padding: 0; font-weight: 400; color: var(--quiet); }
  thead th:empty { display: none; }
  tbody tr { border: 1px solid var(--faint); border-radius: .4rem; margin: .5rem 0;
             padding: .25rem .5rem; }
  td { display: flex; justify-content: space-between; gap: 1rem; border: none; padding: .1rem 0;
       text-align: right; }
  td::before { content: attr(data-head); color: var(--quiet); text-align: left; }
  td:first-child { font-weight: 600; }
  td:first-child::before { content: none; }
  td:empty { display: none; }
  th, td { overflow-wrap: anywhere; }
}
)";

/// What a table does when it is clicked: a head sorts the rows by its column, numbers by value and
/// others as text. It is an attribute of the table, so that a part of a page works alone.
constexpr const char* kSortWhenClicked =
    "const head=event.target.closest('th');if(head){const column=head.cellIndex,"
    "body=this.tBodies[0],down=head.getAttribute('aria-sort')==='ascending',"
    "text=row=>(row.cells[column]||{textContent:''}).textContent.trim();"
    "this.querySelectorAll('th').forEach(other=>other.removeAttribute('aria-sort'));"
    "head.setAttribute('aria-sort',down?'descending':'ascending');"
    "const rows=Array.from(body.rows).sort((one,other)=>{const a=text(one),b=text(other),"
    "x=parseFloat(a),y=parseFloat(b);"
    "return isNaN(x)||isNaN(y)?isNaN(x)-isNaN(y)||a.localeCompare(b):x-y});"
    "(down?rows.reverse():rows).forEach(row=>body.appendChild(row))}";

const char* cssClassOf(HtmlTable::Mood mood) {
    switch (mood) {
        case HtmlTable::Mood::GOOD:
            return " class=\"good\"";
        case HtmlTable::Mood::BAD:
            return " class=\"bad\"";
        case HtmlTable::Mood::FAINT:
            return " class=\"faint\"";
        case HtmlTable::Mood::NONE:
            break;
    }
    return "";
}

}  // namespace

std::string HtmlTable::html() const {
    if (rows_.empty()) {
        return {};
    }
    std::string html =
        fmt::format("<table onclick=\"{}\">\n<thead><tr>", escaped(kSortWhenClicked));
    for (const std::string& head : heads_) {
        html += fmt::format("<th>{}</th>", escaped(head));
    }
    html += "</tr></thead>\n<tbody>\n";
    for (const std::vector<Cell>& row : rows_) {
        html += "<tr>";
        for (std::size_t column = 0; column < row.size(); ++column) {
            html += fmt::format("<td{} data-head=\"{}\">{}</td>", cssClassOf(row[column].mood),
                                column < heads_.size() ? escaped(heads_[column]) : "",
                                escaped(row[column].text));
        }
        html += "</tr>\n";
    }
    return html + "</tbody>\n</table>\n";
}

std::string numberText(double number, int digits) {
    return fmt::format("{:.{}f}", number, digits);
}

std::string reportPage(std::string_view title, std::string_view body) {
    return htmlPage(title, std::string(kPageStyle) + kPlotStyle, body);
}

}  // namespace nnburst::tools
