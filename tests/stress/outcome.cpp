// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "outcome.h"

#include <nlohmann/json.hpp>

namespace nnburst::stress {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Usage, memoryBytes, addressBytes, descriptors, threads,
                                   sharedMappings)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Service, executions, controlCalls, medianUs, p99Us, longestUs,
                                   longestControlUs, failures, firstFailure)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CaseResult, outcome, reason, alone, beside, before, after,
                                   largest, notes)

const char* toString(Outcome outcome) noexcept {
    switch (outcome) {
        case Outcome::SUCCESS:
            return "SUCCESS";
        case Outcome::FAILURE:
            return "FAILURE";
        case Outcome::HANG:
            return "HANG";
        case Outcome::CRASH:
            return "CRASH";
        case Outcome::SKIPPED:
            return "SKIPPED";
    }
    return "?";
}

void CaseResult::fail(Outcome worse, const std::string& why) {
    if (worse > outcome) {
        outcome = worse;
        reason = why;
    }
}

std::optional<double> CaseResult::ratio() const {
    if (alone.executions == 0 || beside.executions == 0 || alone.p99Us <= 0) {
        return std::nullopt;
    }
    return beside.p99Us / alone.p99Us;
}

std::string toJson(const CaseResult& result) {
    // Texts of errors may hold bytes of a hostile peer.
    return nlohmann::json(result).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::optional<CaseResult> fromJson(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("outcome")) {
        return std::nullopt;
    }
    return json.get<CaseResult>();
}

}  // namespace nnburst::stress
