// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/partition.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "log/assert.h"
#include "runtime/cost.h"

namespace nnburst::runtime {

namespace {

/// Limit on the operations that all evaluations of the search visit together. For large models the
/// search ends early, with a division that is at least as good as its starting points.
constexpr std::size_t kSearchBudget = 20'000'000;

/// Relative differences of costs below this are rounding errors.
constexpr double kSignificant = 1e-9;

/// The dependencies between the operations of one subgraph.
class Dependencies {
  public:
    Dependencies(const Subgraph& subgraph, std::span<const OperandUse> uses)
        : waitsFor_(subgraph.operations.size(), 0), followers_(subgraph.operations.size()) {
        for (const OperandUse& use : uses) {
            if (use.producer == kNoOperation) {
                continue;
            }
            for (const std::uint32_t consumer : use.consumers) {
                followers_[use.producer].push_back(consumer);
                ++waitsFor_[consumer];
            }
        }
    }

    [[nodiscard]] const std::vector<std::uint32_t>& waitsFor() const noexcept { return waitsFor_; }
    [[nodiscard]] const std::vector<std::uint32_t>& followers(std::uint32_t index) const {
        return followers_[index];
    }

  private:
    std::vector<std::uint32_t> waitsFor_;  // how many operands
    std::vector<std::vector<std::uint32_t>> followers_;
};

/// The parts if candidate `first` runs the first part, if it can.
std::vector<Part> orderFrom(const Dependencies& dependencies, const Assignment& assignment,
                            std::uint32_t candidates, std::uint32_t first) {
    std::vector<std::uint32_t> waitsFor = dependencies.waitsFor();
    std::vector<std::deque<std::uint32_t>> ready(candidates);
    for (std::uint32_t index = 0; index < waitsFor.size(); ++index) {
        if (waitsFor[index] == 0) {
            ready[assignment[index]].push_back(index);
        }
    }
    std::vector<Part> parts;
    for (std::uint32_t next = first;;) {
        if (ready[next].empty()) {
            const auto most =
                std::max_element(ready.begin(), ready.end(),
                                 [](const auto& a, const auto& b) { return a.size() < b.size(); });
            if (most->empty()) {
                return parts;
            }
            next = static_cast<std::uint32_t>(most - ready.begin());
        }
        Part& part = parts.emplace_back(Part{.candidate = next, .operations = {}});
        while (!ready[next].empty()) {
            const std::uint32_t operation = ready[next].front();
            ready[next].pop_front();
            part.operations.push_back(operation);
            for (const std::uint32_t follower : dependencies.followers(operation)) {
                if (--waitsFor[follower] == 0) {
                    ready[assignment[follower]].push_back(follower);
                }
            }
        }
    }
}

std::vector<Part> shortestOrder(const Dependencies& dependencies, const Assignment& assignment) {
    std::uint32_t candidates = 0;
    for (const std::uint32_t candidate : assignment) {
        candidates = std::max(candidates, candidate + 1);
    }
    std::vector<Part> best;
    for (std::uint32_t first = 0; first < candidates; ++first) {
        std::vector<Part> parts = orderFrom(dependencies, assignment, candidates, first);
        if (first == 0 || parts.size() < best.size()) {
            best = std::move(parts);
        }
    }
    return best;
}

/// Looks for a division of low cost.
class Search {
  public:
    Search(const Subgraph& subgraph, std::span<const OperandUse> uses,
           std::span<const Candidate> candidates)
        : uses_(uses), candidates_(candidates), dependencies_(subgraph, uses) {
        for (std::size_t index = 0; index < uses.size(); ++index) {
            bytes_.push_back(uses[index].producer == kNoOperation
                                 ? 0.0
                                 : estimatedBytes(subgraph.operands[index]));
        }
    }

    std::vector<Part> run(std::size_t operationCount) {
        // Starting points: the best device for each operation, and each device for all that it can.
        Assignment best(operationCount);
        for (std::uint32_t index = 0; index < operationCount; ++index) {
            best[index] = cheapest(index);
        }
        Division division = evaluate(best);
        for (std::uint32_t preferred = 0; preferred < candidates_.size(); ++preferred) {
            Assignment assignment = best;
            for (std::uint32_t index = 0; index < operationCount; ++index) {
                if (candidates_[preferred].isSupported[index]) {
                    assignment[index] = preferred;
                }
            }
            takeIfBetter(division, evaluate(std::move(assignment)));
        }
        while (improve(division)) {
        }
        return std::move(division.parts);
    }

  private:
    struct Division {
        Assignment assignment;
        std::vector<Part> parts;
        double cost = 0.0;
    };

    [[nodiscard]] std::uint32_t cheapest(std::uint32_t operation) const {
        std::uint32_t best = 0;
        double bestCost = std::numeric_limits<double>::infinity();
        for (std::uint32_t candidate = 0; candidate < candidates_.size(); ++candidate) {
            if (candidates_[candidate].isSupported[operation] &&
                candidates_[candidate].costs[operation] < bestCost) {
                best = candidate;
                bestCost = candidates_[candidate].costs[operation];
            }
        }
        return best;
    }

    Division evaluate(Assignment assignment) {
        spent_ += assignment.size() + 1;
        Division division{.assignment = std::move(assignment), .parts = {}, .cost = 0.0};
        division.parts = shortestOrder(dependencies_, division.assignment);
        std::vector<std::uint32_t> partOf(division.assignment.size());
        for (std::uint32_t part = 0; part < division.parts.size(); ++part) {
            division.cost += kPartCost;
            for (const std::uint32_t operation : division.parts[part].operations) {
                partOf[operation] = part;
                division.cost += candidates_[division.assignment[operation]].costs[operation];
            }
        }
        for (std::size_t operand = 0; operand < uses_.size(); ++operand) {
            const OperandUse& use = uses_[operand];
            const bool crosses = use.producer != kNoOperation &&
                                 std::any_of(use.consumers.begin(), use.consumers.end(),
                                             [&partOf, &use](std::uint32_t consumer) {
                                                 return partOf[consumer] != partOf[use.producer];
                                             });
            division.cost += crosses ? kCrossingCostPerByte * bytes_[operand] : 0.0;
        }
        return division;
    }

    static bool takeIfBetter(Division& division, Division other) {
        if (other.cost >= division.cost * (1.0 - kSignificant)) {
            return false;
        }
        division = std::move(other);
        return true;
    }

    /// Moves one part to another device, if that lowers the cost.
    bool improve(Division& division) {
        for (const Part& part : division.parts) {
            for (std::uint32_t target = 0; target < candidates_.size(); ++target) {
                const std::vector<bool>& isSupported = candidates_[target].isSupported;
                if (target == part.candidate ||
                    !std::all_of(part.operations.begin(), part.operations.end(),
                                 [&](std::uint32_t index) { return isSupported[index]; })) {
                    continue;
                }
                if (spent_ > kSearchBudget) {
                    return false;
                }
                Assignment assignment = division.assignment;
                for (const std::uint32_t operation : part.operations) {
                    assignment[operation] = target;
                }
                if (takeIfBetter(division, evaluate(std::move(assignment)))) {
                    return true;  // `part` is gone
                }
            }
        }
        return false;
    }

    const std::span<const OperandUse> uses_;
    const std::span<const Candidate> candidates_;
    const Dependencies dependencies_;
    std::vector<double> bytes_;  // of operands that operations make
    std::size_t spent_ = 0;
};

}  // namespace

std::vector<Part> orderParts(const Subgraph& subgraph, std::span<const OperandUse> uses,
                             const Assignment& assignment) {
    NNBURST_ASSERT(assignment.size() == subgraph.operations.size(),
                   "{} operations are assigned, the subgraph has {}", assignment.size(),
                   subgraph.operations.size());
    return shortestOrder(Dependencies(subgraph, uses), assignment);
}

std::optional<std::vector<Part>> partition(const Subgraph& subgraph,
                                           std::span<const OperandUse> uses,
                                           std::span<const Candidate> candidates) {
    for (std::size_t index = 0; index < subgraph.operations.size(); ++index) {
        if (std::none_of(candidates.begin(), candidates.end(), [index](const Candidate& candidate) {
                return candidate.isSupported[index];
            })) {
            return std::nullopt;
        }
    }
    return Search(subgraph, uses, candidates).run(subgraph.operations.size());
}

}  // namespace nnburst::runtime
