// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Random graphs whose operations are on random devices give what one device gives.
//
//     NNBURST_GRAPHS       how many graphs; 2,000 unless it says otherwise (fewer with sanitizers)
//     NNBURST_GRAPH_SEED   the first seed; 1 unless it says otherwise

#include <cstdlib>

#include "exec/xnnpack/random_graph.h"
#include "runtime/divided_model.h"
#include "runtime_test.h"
#include "support/sanitizers.h"
#include "support/test_request.h"

namespace nnburst::runtime {
namespace {

constexpr std::size_t kDevices = 3;

std::uint32_t environmentNumber(const char* name, std::uint32_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise
                           : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

/// A model with a request: random inputs, and outputs filled with a pattern.
class Subject {
  public:
    Subject(Model model, std::uint32_t seed) : model_(std::move(model)) {
        std::uint32_t used = 0;
        const auto place = [&](const std::vector<std::uint32_t>& indexes,
                               std::vector<RequestArgument>& arguments) {
            for (const std::uint32_t index : indexes) {
                const auto length =
                    static_cast<std::uint32_t>(exec::sizeOf(model_.main.operands[index]));
                arguments.push_back({.location = {.offset = used, .length = length}});
                used += (length + 63) / 64 * 64;
            }
        };
        place(model_.main.inputIndexes, request_.inputs);
        firstOutput_ = used;
        place(model_.main.outputIndexes, request_.outputs);
        memory_ = std::move(*Mapping::map(*Region::create(std::max(used, 1U))));
        request_.pools = {memory_.region()};
        exec::Random random(seed);
        for (std::size_t i = 0; i < request_.inputs.size(); ++i) {
            const Operand& operand = model_.main.operands[model_.main.inputIndexes[i]];
            const DataLocation& at = request_.inputs[i].location;
            std::ranges::copy(random.elements(operand.type, at.length / elementBytes(operand.type)),
                              memory_.bytes().begin() + at.offset);
        }
    }

    [[nodiscard]] const Model& model() const { return model_; }
    [[nodiscard]] const Request& request() const { return request_; }

    /// The bytes of all outputs after an execution in this way.
    std::vector<std::byte> run(Way way, PreparedModel& prepared) {
        const auto outputs = memory_.bytes().subspan(firstOutput_);
        std::ranges::fill(outputs, std::byte{0x5A});
        ExecutionOutcome outcome;
        const Result<> result = executeIn(way, prepared, request_, outcome);
        EXPECT_TRUE(result) << "way " << static_cast<int>(way) << ": " << result.error().message;
        return {outputs.begin(), outputs.end()};
    }

  private:
    Model model_;
    Request request_;
    Mapping memory_;
    std::uint32_t firstOutput_ = 0;
};

/// A bit a device for each operation of the main subgraph, at least one of them set.
using Support = std::vector<std::uint32_t>;

class RandomSupport : public testing::Test {
  protected:
    RandomSupport() {
        NamedDevices devices;
        for (std::uint32_t bit = 0; bit < kDevices; ++bit) {
            devices.push_back(named("device" + std::to_string(bit),
                                    std::make_shared<FilteredDevice>(
                                        local_, [this, bit](const Model&, std::size_t index) {
                                            return (support_[index] >> bit & 1U) != 0;
                                        })));
        }
        runtime_ = runtimeOf(std::move(devices));
    }

    void expectSame(std::uint32_t seed) {
        Subject subject(exec::makeRandomGraph(seed), seed);
        exec::Random random(seed + 1);
        support_.clear();
        for (std::size_t i = 0; i < subject.model().main.operations.size(); ++i) {
            // Half of the operations are on one device alone, so that parts are short.
            support_.push_back(random.flip() ? 1U << random.size(0, kDevices - 1)
                                             : random.size(1, (1U << kDevices) - 1));
        }
        auto whole = prepareModel(*local_, subject.model());
        ASSERT_TRUE(whole) << whole.error().message;
        const auto expected = subject.run(Way::SYNCHRONOUS, **whole);
        auto divided = runtime_->compile(subject.model(), {.devices = {0, 1, 2}});
        ASSERT_TRUE(divided) << divided.error().message;
        if (const auto* parts = dynamic_cast<const DividedModel*>(divided->get())) {
            ++dividedModels_;
            parts_ += parts->plan().parts.size();
        }
        const Way way = kWays[seed % kWays.size()];
        EXPECT_EQ(subject.run(way, **divided), expected) << "way " << static_cast<int>(way);
        EXPECT_EQ(subject.run(Way::SYNCHRONOUS, **divided), expected);
        EXPECT_EQ(subject.run(Way::SYNCHRONOUS, **divided), expected);
    }

    const SharedDevice local_ = localDevice();
    Support support_;
    std::shared_ptr<Runtime> runtime_;
    std::size_t dividedModels_ = 0;
    std::size_t parts_ = 0;
};

TEST_F(RandomSupport, givesTheResultsOfOneDevice) {
    const std::uint32_t count =
        environmentNumber("NNBURST_GRAPHS", test::kHasSanitizer ? 100 : 2000);
    const std::uint32_t first = environmentNumber("NNBURST_GRAPH_SEED", 1);
    for (std::uint32_t seed = first; seed < first + count; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        expectSame(seed);
        if (HasFailure()) {
            return;
        }
    }
    EXPECT_GT(dividedModels_, count / 2);
    EXPECT_GT(parts_, std::size_t{2} * dividedModels_);
}

}  // namespace
}  // namespace nnburst::runtime
