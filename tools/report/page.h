// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The pages of all reports: one style sheet (light and dark, wide and narrow), and tables that
/// sort when their heads are clicked. A page needs no other file and no network.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nnburst::tools {

/// A table. In windows as narrow as a phone's each row becomes a card, with the head of the column
/// before each cell, so that nothing is cut off.
class HtmlTable {
  public:
    /// `heads` are texts; the first column names the rows.
    explicit HtmlTable(std::vector<std::string> heads) : heads_(std::move(heads)) {}

    /// The meaning of a cell for its row, shown by its colour.
    enum class Mood : std::uint8_t { NONE, GOOD, BAD, FAINT };

    struct Cell {
        std::string text;
        Mood mood = Mood::NONE;

        Cell(std::string given, Mood givenMood = Mood::NONE)  // NOLINT(google-explicit-constructor)
            : text(std::move(given)), mood(givenMood) {}
        Cell(const char* given) : text(given) {}  // NOLINT(google-explicit-constructor)
    };

    /// Adds a row of at most as many cells as there are heads.
    void add(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }

    [[nodiscard]] bool isEmpty() const noexcept { return rows_.empty(); }
    /// The HTML; empty without rows.
    [[nodiscard]] std::string html() const;

  private:
    std::vector<std::string> heads_;
    std::vector<std::vector<Cell>> rows_;
};

/// `number` with `digits` after the point.
[[nodiscard]] std::string numberText(double number, int digits = 1);

/// A whole page with the common style sheet. The title is text, the body HTML.
[[nodiscard]] std::string reportPage(std::string_view title, std::string_view body);

}  // namespace nnburst::tools
