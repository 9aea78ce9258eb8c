// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/import_problems.h"

#include <fmt/format.h>

#include <algorithm>

namespace nnburst::tflite {

namespace {

/// Limit on reasons in the message: a hostile file could have one for each operator.
constexpr std::size_t kMaximumReasons = 64;

}  // namespace

void ImportProblems::add(const std::string& place, const std::string& reason) {
    ++operators_;
    const auto known = std::find_if(problems_.begin(), problems_.end(),
                                    [&](const Problem& p) { return p.reason == reason; });
    if (known != problems_.end()) {
        ++known->count;
    } else if (problems_.size() < kMaximumReasons) {
        problems_.push_back({.place = place, .reason = reason});
    }
}

void ImportProblems::addInput(const std::string& place, const std::string& reason) {
    haveInputs_ = true;
    add(place, reason);
}

std::string ImportProblems::text() const {
    if (operators_ == 1) {
        return problems_[0].place + problems_[0].reason;
    }
    std::string text = fmt::format("{} {} cannot be imported: ", operators_,
                                   haveInputs_ ? "inputs and operators" : "operators");
    std::size_t named = 0;
    for (const Problem& problem : problems_) {
        text += named == 0 ? "" : "; ";
        text += problem.place + problem.reason;
        if (problem.count > 1) {
            text += fmt::format(" ({} such operators)", problem.count);
        }
        named += problem.count;
    }
    if (named < operators_) {
        text += fmt::format("; {} operators for other reasons", operators_ - named);
    }
    return text;
}

}  // namespace nnburst::tflite
