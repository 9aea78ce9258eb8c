// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/result_frame.h"

#include <gtest/gtest.h>

#include <bit>

namespace nnburst::burst {
namespace {

TEST(ResultFrame, liesInMemoryAsDocumented) {
    ExecutionOutcome outcome;
    outcome.outputShapes = {{.dimensions = {1, 4}, .isSufficient = true}};
    std::vector<FrameLine> lines(resultLineCount(outcome.outputShapes, 0));
    encodeResult(1, 0, ErrorStatus::NONE, outcome, "", lines);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].words,
              (std::array<std::uint64_t, 7>{1, 0x0000'0002'0000'0002, 0x0000'0001'0000'0000, 2,
                                            UINT64_MAX, UINT64_MAX, 0}));
    EXPECT_EQ(lines[1].words, (std::array<std::uint64_t, 7>{0x0000'0001'0000'0002,
                                                            0x0000'0004'0000'0001, 0, 0, 0, 0, 0}));
}

/// The example in docs/wire_format.md has the same value in several fields.
TEST(ResultFrame, hasEachFieldWhereItIsDocumented) {
    ExecutionOutcome outcome;
    outcome.outputShapes = {{.dimensions = {4, 5, 6}, .isSufficient = false}};
    std::vector<FrameLine> lines(resultLineCount(outcome.outputShapes, 5));
    encodeResult(9, kRemembered, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE, outcome, "12345", lines);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].words,
              (std::array<std::uint64_t, 7>{9, 0x0000'0002'0002'0002, 0x0000'0001'0000'0003,
                                            0x0000'0005'0000'0003, UINT64_MAX, UINT64_MAX, 0}));
    EXPECT_EQ(lines[1].words[0], 3U);  // rank 3, not sufficient
    const FrameLine timed = encodeSameShapes(9, {.timeOnDevice = 5, .timeInDriver = 6});
    EXPECT_EQ(timed.words, (std::array<std::uint64_t, 7>{9, 0x0000'0001'0001'0002, 0, 0, 5, 6, 0}));
}

TEST(ResultFrame, comesBackAsItWas) {
    ExecutionOutcome outcome;
    outcome.outputShapes = {{.dimensions = {1, 2, 3}, .isSufficient = true},
                            {.dimensions = {}, .isSufficient = false}};
    outcome.timing = {.timeOnDevice = 5, .timeInDriver = 6};
    std::vector<FrameLine> lines(resultLineCount(outcome.outputShapes, 0));
    encodeResult(9, 0, ErrorStatus::NONE, outcome, "", lines);
    ExecutionOutcome decoded;
    ASSERT_TRUE(decodeResult(lines, decoded));
    EXPECT_EQ(decoded.outputShapes, outcome.outputShapes);
    EXPECT_EQ(decoded.timing, outcome.timing);
    EXPECT_EQ(serialOf(lines[0]), 9U);
}

TEST(ResultFrame, carriesAMessageBesideAnOddNumberOfDimensions) {
    ExecutionOutcome outcome;
    outcome.outputShapes = {{.dimensions = {1, 2, 3}, .isSufficient = false}};
    const std::string message = "output 0 is too small";
    std::vector<FrameLine> lines(resultLineCount(outcome.outputShapes, message.size()));
    encodeResult(9, 0, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE, outcome, message, lines);
    ExecutionOutcome decoded;
    const Result<> result = decodeResult(lines, decoded);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_EQ(result.error().message, message);
    EXPECT_EQ(decoded.outputShapes, outcome.outputShapes);
}

TEST(ResultFrame, neverExceedsTheLongest) {
    ExecutionOutcome outcome;
    outcome.outputShapes.assign(5, {.dimensions = Dimensions(8, 1), .isSufficient = true});
    EXPECT_EQ(resultLineCount(outcome.outputShapes, kMaximumErrorMessageBytes),
              longestResultLineCount(5));
}

struct ResultLie {
    const char* name;
    void (*tell)(ResultFrameHeader&);
};

class ResultFrameLies : public testing::TestWithParam<ResultLie> {};

TEST_P(ResultFrameLies, areRefused) {
    ExecutionOutcome outcome;
    outcome.outputShapes = {{.dimensions = {1, 2, 3, 4}, .isSufficient = true}};
    std::vector<FrameLine> lines(resultLineCount(outcome.outputShapes, 0));
    encodeResult(9, 0, ErrorStatus::NONE, outcome, "", lines);
    auto header = std::bit_cast<ResultFrameHeader>(lines[0]);
    GetParam().tell(header);
    lines[0] = std::bit_cast<FrameLine>(header);
    const Result<> result = decodeResult(lines, outcome);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::GENERAL_FAILURE);
    EXPECT_TRUE(outcome.outputShapes.empty());
}

INSTANTIATE_TEST_SUITE_P(
    ResultFrame, ResultFrameLies,
    testing::Values(ResultLie{"kind", [](auto& h) { h.kind = 1; }},
                    ResultLie{"flags", [](auto& h) { h.flags = 1; }},
                    ResultLie{"reserved", [](auto& h) { h.reserved = 1; }},
                    ResultLie{"negativeStatus", [](auto& h) { h.status = -1; }},
                    ResultLie{"unknownStatus", [](auto& h) { h.status = 9; }},
                    ResultLie{"shapesBesideAnError", [](auto& h) { h.status = 2; }},
                    ResultLie{"lineCount", [](auto& h) { h.lineCount = 3; }},
                    ResultLie{"shapeCount", [](auto& h) { h.shapeCount = UINT32_MAX; }},
                    ResultLie{"dimensionCount", [](auto& h) { h.dimensionCount = 5; }},
                    ResultLie{"tooFewDimensions", [](auto& h) { h.dimensionCount = 3; }},
                    ResultLie{"messageBytes", [](auto& h) { h.messageBytes = UINT32_MAX; }}),
    [](const auto& instance) { return instance.param.name; });

/// The result of decoding a frame without shapes whose header `tell` has changed.
Result<> decodedAfter(void (*tell)(ResultFrameHeader&)) {
    std::vector<FrameLine> lines(resultLineCount({}, 3));
    encodeResult(9, 0, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT, {}, "why", lines);
    auto header = std::bit_cast<ResultFrameHeader>(lines[0]);
    tell(header);
    lines[0] = std::bit_cast<FrameLine>(header);
    ExecutionOutcome outcome;
    return decodeResult(lines, outcome);
}

TEST(ResultFrame, withoutShapesIsRefusedForAnUnknownStatusOrFlag) {
    EXPECT_EQ(decodedAfter([](auto&) {}).error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_EQ(decodedAfter([](auto& h) { h.status = -1; }).error().status,
              ErrorStatus::GENERAL_FAILURE);
    EXPECT_EQ(decodedAfter([](auto& h) { h.status = 9; }).error().status,
              ErrorStatus::GENERAL_FAILURE);
    EXPECT_EQ(decodedAfter([](auto& h) { h.flags = 8; }).error().status,
              ErrorStatus::GENERAL_FAILURE);
}

TEST(ResultFrame, isRefusedWithAMessageThatIsTooLong) {
    const std::string message(kMaximumErrorMessageBytes + 1, 'x');
    std::vector<FrameLine> lines(resultLineCount({}, message.size()));
    encodeResult(9, 0, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT, {}, message, lines);
    ExecutionOutcome outcome;
    EXPECT_EQ(decodeResult(lines, outcome).error().status, ErrorStatus::GENERAL_FAILURE);
}

TEST(ResultFrame, hasNoTimingBesideAnError) {
    ExecutionOutcome outcome;
    outcome.timing = {.timeOnDevice = 3, .timeInDriver = 4};
    std::vector<FrameLine> lines(resultLineCount({}, 0));
    encodeResult(9, 0, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT, outcome, "", lines);
    EXPECT_FALSE(decodeResult(lines, outcome));
    EXPECT_EQ(outcome.timing, Timing{});
}

/// The result of decoding two output shapes, with 3 and 5 dimensions, after `tell` has changed the
/// first one.
Result<> decodedAfterShape(void (*tell)(FrameShape&)) {
    ExecutionOutcome outcome;
    outcome.outputShapes = {{.dimensions = {1, 2, 3}, .isSufficient = true},
                            {.dimensions = {1, 2, 3, 4, 5}, .isSufficient = true}};
    std::vector<FrameLine> lines(resultLineCount(outcome.outputShapes, 0));
    encodeResult(9, 0, ErrorStatus::NONE, outcome, "", lines);
    auto shape = std::bit_cast<FrameShape>(lines[1].words[0]);
    tell(shape);
    lines[1].words[0] = std::bit_cast<std::uint64_t>(shape);
    return decodeResult(lines, outcome);
}

TEST(ResultFrame, isRefusedForAShapeThatBreaksARule) {
    EXPECT_TRUE(decodedAfterShape([](auto&) {}));
    for (const auto tell :
         {+[](FrameShape& shape) { shape.isSufficient = 2; },
          +[](FrameShape& shape) { shape.rank = 4; }, +[](FrameShape& shape) { shape.rank = 9; }}) {
        const Result<> result = decodedAfterShape(tell);
        ASSERT_FALSE(result);
        EXPECT_NE(result.error().message.find("output shape"), std::string::npos)
            << result.error().message;
    }
}

TEST(ResultFrame, isRefusedForMoreDimensionsThanATensorMayHave) {
    ExecutionOutcome outcome;
    outcome.outputShapes = {{.dimensions = Dimensions(9, 1), .isSufficient = true}};
    std::vector<FrameLine> lines(resultLineCount(outcome.outputShapes, 0));
    encodeResult(9, 0, ErrorStatus::NONE, outcome, "", lines);
    EXPECT_FALSE(decodeResult(lines, outcome));
}

TEST(ResultFrame, ofTheSameShapesHasATiming) {
    const FrameLine line = encodeSameShapes(9, {.timeOnDevice = 3, .timeInDriver = 4});
    EXPECT_TRUE(isSameShapes(line));
    EXPECT_EQ(serialOf(line), 9U);
    EXPECT_EQ(timingOf(line), (Timing{.timeOnDevice = 3, .timeInDriver = 4}));
}

TEST(ResultFrame, ofTheSameShapesSaysNothingElse) {
    constexpr std::size_t kSerial = 0;
    constexpr std::size_t kTimeOnDevice = 4;
    constexpr std::size_t kTimeInDriver = 5;
    for (std::size_t bit = 0; bit < FrameLine::kWords * 64; ++bit) {
        FrameLine line = encodeSameShapes(9, {});
        line.words[bit / 64] ^= std::uint64_t{1} << bit % 64;
        const std::size_t word = bit / 64;
        const bool isFree = word == kSerial || word == kTimeOnDevice || word == kTimeInDriver;
        EXPECT_EQ(isSameShapes(line), isFree) << bit;
        ExecutionOutcome outcome;
        outcome.outputShapes.resize(1);
        if ((resultFlagsOf(line) & kSameShapes) != 0) {
            EXPECT_FALSE(decodeResult({&line, 1}, outcome)) << bit;
        }
    }
}

}  // namespace
}  // namespace nnburst::burst
