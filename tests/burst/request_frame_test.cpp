// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/request_frame.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "nnburst/validation.h"

namespace nnburst::burst {
namespace {

Request requestOfTwo() {
    Request request;
    request.pools = {SharedRegion(), BufferToken{9}};
    request.inputs = {{.hasNoValue = false,
                       .location = {.poolIndex = 0, .offset = 64, .length = 128},
                       .dimensions = {2, 4, 4}},
                      {.hasNoValue = true, .location = {}, .dimensions = {}}};
    request.outputs = {{.hasNoValue = false,
                        .location = {.poolIndex = 1, .offset = 0, .length = 32},
                        .dimensions = {}}};
    return request;
}

std::vector<FrameLine> encoded(const Request& request, const ExecutionOptions& options = {}) {
    const std::vector<FramePool> pools{{.kind = 0, .value = 3}, {.kind = 1, .value = 9}};
    std::vector<FrameLine> lines(requestLineCount(request));
    encodeRequest(7, {}, request, pools, options, lines);
    return lines;
}

TEST(RequestFrame, comesBackAsItWas) {
    const Request request = requestOfTwo();
    const ExecutionOptions options{.measure = MeasureTiming::YES,
                                   .deadline = TimePoint(std::chrono::nanoseconds(123456789)),
                                   .loopTimeout = std::chrono::nanoseconds(42)};
    DecodedRequest decoded;
    const Result<> result = decodeRequest(encoded(request, options), decoded);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(decoded.serial, 7U);
    EXPECT_EQ(decoded.inputs, request.inputs);
    EXPECT_EQ(decoded.outputs, request.outputs);
    ASSERT_EQ(decoded.pools.size(), 2U);
    EXPECT_EQ(decoded.pools[0].value, 3U);
    EXPECT_EQ(decoded.pools[1].kind, 1U);
    EXPECT_EQ(decoded.options.measure, MeasureTiming::YES);
    EXPECT_EQ(decoded.options.deadline, options.deadline);
    EXPECT_EQ(decoded.options.loopTimeout, options.loopTimeout);
}

TEST(RequestFrame, ofTwoOperandsInTwoPoolsTakesTwoLines) {
    Request request;
    request.pools.resize(2);
    request.inputs.resize(1);
    request.outputs.resize(1);
    EXPECT_EQ(requestLineCount(request), 2U);
}

/// The bytes of docs/wire_format.md, as 64-bit words.
TEST(RequestFrame, liesInMemoryAsDocumented) {
    Request request;
    request.pools.resize(1);
    request.inputs = {{.location = {.poolIndex = 0, .offset = 0, .length = 16}}};
    request.outputs = {{.location = {.poolIndex = 0, .offset = 64, .length = 16}}};
    const FramePool pool{.kind = 0, .value = 0};
    std::vector<FrameLine> lines(requestLineCount(request));
    encodeRequest(1, {}, request, {&pool, 1}, {}, lines);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].words,
              (std::array<std::uint64_t, 7>{1, 0x0000'0002'0000'0001, UINT64_MAX, UINT64_MAX,
                                            0x0000'0001'0000'0001, 1, 0}));
    EXPECT_EQ(lines[1].words, (std::array<std::uint64_t, 7>{0, 0, 0x0000'0010'0000'0000, 0,
                                                            0x0000'0010'0000'0040, 0, 0}));
}

/// The example in docs/wire_format.md has the same value in several fields.
TEST(RequestFrame, hasEachFieldWhereItIsDocumented) {
    Request request;
    request.pools.resize(2);
    request.inputs.resize(3);
    request.inputs[0].dimensions = {5, 6};
    request.outputs.resize(4);
    const std::vector<FramePool> pools(2);
    std::vector<FrameLine> lines(requestLineCount(request));
    encodeRequest(9, {.number = 7, .generation = 8}, request, pools,
                  {.measure = MeasureTiming::YES,
                   .deadline = TimePoint(std::chrono::nanoseconds(11)),
                   .loopTimeout = std::chrono::nanoseconds(12)},
                  lines);
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[0].words,
              (std::array<std::uint64_t, 7>{9, 0x0000'0004'0001'0001, 11, 12, 0x0000'0003'0000'0002,
                                            0x0000'0002'0000'0004, 0x0000'0008'0000'0007}));
}

TEST(ComputeFrame, hasEachFieldWhereItIsDocumented) {
    const TimePoint deadline(std::chrono::nanoseconds(11));
    EXPECT_EQ(encodeCompute(2, {.number = 7, .generation = 8}, deadline).words,
              (std::array<std::uint64_t, 7>{2, 0x0000'0001'0000'0003, 11, 0x0000'0008'0000'0007, 0,
                                            0, 0}));
}

TEST(FrameHeader, announcesNoMoreLinesThanTheQueueHas) {
    const std::vector<FrameLine> lines = encoded(requestOfTwo());
    EXPECT_EQ(announcedLineCount(lines[0], 16), lines.size());
    EXPECT_EQ(announcedLineCount(lines[0], 1), 0U);
}

struct RequestLie {
    const char* name;
    void (*tell)(RequestFrameHeader&);
};

class RequestFrameLies : public testing::TestWithParam<RequestLie> {};

TEST_P(RequestFrameLies, areRefused) {
    std::vector<FrameLine> lines = encoded(requestOfTwo());
    auto header = std::bit_cast<RequestFrameHeader>(lines[0]);
    GetParam().tell(header);
    lines[0] = std::bit_cast<FrameLine>(header);
    DecodedRequest decoded;
    const Result<> result = decodeRequest(lines, decoded);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
}

INSTANTIATE_TEST_SUITE_P(
    RequestFrame, RequestFrameLies,
    testing::Values(RequestLie{"kind", [](auto& h) { h.kind = 2; }},
                    RequestLie{"unknownFlag", [](auto& h) { h.flags = 2; }},
                    RequestLie{"execution",
                               [](auto& h) { h.execution = kMaximumReusableExecutions + 1; }},
                    RequestLie{"lineCount", [](auto& h) { ++h.lineCount; }},
                    RequestLie{"poolCount", [](auto& h) { h.poolCount = UINT32_MAX; }},
                    RequestLie{"inputCount", [](auto& h) { h.inputCount = UINT32_MAX; }},
                    RequestLie{"outputCount", [](auto& h) { h.outputCount = UINT32_MAX; }},
                    RequestLie{"allCounts",
                               [](auto& h) {
                                   h.poolCount = h.inputCount = h.outputCount = h.dimensionCount =
                                       UINT32_MAX;
                               }},
                    RequestLie{"dimensionCount", [](auto& h) { h.dimensionCount = UINT32_MAX; }},
                    RequestLie{"dimensionsOfNobody", [](auto& h) { ++h.dimensionCount; }},
                    RequestLie{"tooFewDimensions", [](auto& h) { h.dimensionCount = 2; }}),
    [](const auto& instance) { return instance.param.name; });

TEST(RequestFrame, refusesMoreDimensionsThanATensorMayHave) {
    Request request = requestOfTwo();
    request.inputs[0].dimensions.assign(9, 1);
    DecodedRequest decoded;
    EXPECT_FALSE(decodeRequest(encoded(request), decoded));
}

TEST(RequestFrame, refusesARankThatTakesTheDimensionsOfOthers) {
    Request request = requestOfTwo();
    std::vector<FrameLine> lines = encoded(request);
    lines[1].words[2] += std::uint64_t{1} << 32;  // input 0 has 4 dimensions of the frame's 3
    DecodedRequest decoded;
    const Result<> result = decodeRequest(lines, decoded);
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find("input 0 has 4 dimensions"), std::string::npos)
        << result.error().message;
}

TEST(RequestFrame, refusesASlotBeyondTheLargest) {
    std::vector<FrameLine> lines = encoded(requestOfTwo());
    lines[1].words[0] = std::uint64_t{kMaximumSlots} << 32;
    DecodedRequest decoded;
    EXPECT_FALSE(decodeRequest(lines, decoded));
}

TEST(RequestFrame, refusesMorePoolsThanARequestMayHave) {
    Request request;
    DecodedRequest decoded;
    for (const std::size_t count : {kMaximumPools, kMaximumPools + 1}) {
        request.pools.assign(count, BufferToken{9});
        const std::vector<FramePool> pools(count, {.kind = 1, .value = 9});
        std::vector<FrameLine> lines(requestLineCount(request));
        encodeRequest(7, {}, request, pools, {}, lines);
        const Result<> result = decodeRequest(lines, decoded);
        EXPECT_EQ(result.has_value(), count == kMaximumPools);
        if (!result) {
            EXPECT_EQ(result.error().message, "request frame: 4097 pools: must be at most 4096");
        }
    }
}

TEST(RequestFrame, refusesAnUnknownKindOfPool) {
    std::vector<FrameLine> lines = encoded(requestOfTwo());
    lines[1].words[0] |= 2;
    DecodedRequest decoded;
    EXPECT_FALSE(decodeRequest(lines, decoded));
}

TEST(RequestFrame, refusesAValueFlagAboveOne) {
    std::vector<FrameLine> lines = encoded(requestOfTwo());
    lines[1].words[2] |= std::uint64_t{2} << 48;  // of input 0
    DecodedRequest decoded;
    EXPECT_FALSE(decodeRequest(lines, decoded));
}

TEST(RequestFrame, refusesMoreLinesThanItNeeds) {
    std::vector<FrameLine> lines = encoded(requestOfTwo());
    lines.emplace_back();
    auto header = std::bit_cast<RequestFrameHeader>(lines[0]);
    ++header.lineCount;
    lines[0] = std::bit_cast<FrameLine>(header);
    DecodedRequest decoded;
    EXPECT_FALSE(decodeRequest(lines, decoded));
}

TEST(RequestFrame, fillsItsLastLineWithZeros) {
    const Request request = requestOfTwo();
    const std::vector<FramePool> pools{{.kind = 0, .value = 3}, {.kind = 1, .value = 9}};
    std::vector<FrameLine> lines(requestLineCount(request));
    for (FrameLine& line : lines) {
        line.words.fill(UINT64_MAX);
    }
    encodeRequest(7, {}, request, pools, {}, lines);
    EXPECT_EQ(lines.back().words.back(), 0U);
}

TEST(RequestFrame, carriesANegativeDeadlineAsZero) {
    DecodedRequest decoded;
    ASSERT_TRUE(decodeRequest(
        encoded(requestOfTwo(), {.deadline = TimePoint(std::chrono::nanoseconds(-5))}), decoded));
    EXPECT_EQ(decoded.options.deadline, OptionalTimePoint(TimePoint()));
}

TEST(RequestFrame, survivesAnyChangeOfItsWords) {
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const std::vector<FrameLine> good = encoded(requestOfTwo());
    DecodedRequest decoded;
    for (int i = 0; i < 100'000; ++i) {
        std::vector<FrameLine> lines = good;
        for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
            std::uint64_t& word = lines[random() % lines.size()].words[random() % 7];
            word ^= random() % 2 == 0 ? std::uint64_t{1} << (random() % 64) : random();
        }
        if (decodeRequest(lines, decoded)) {
            ASSERT_LE(decoded.inputs.size() + decoded.outputs.size(), lines.size() * 7 / 2);
        }
    }
}

TEST(RequestFrame, carriesTheNameOfAReusableExecution) {
    std::vector<FrameLine> lines(requestLineCount(Request()));
    encodeRequest(7, {.number = 64, .generation = 9}, {}, {}, {}, lines);
    DecodedRequest request;
    ASSERT_TRUE(decodeRequest(lines, request));
    EXPECT_EQ(request.name, (ExecutionName{.number = 64, .generation = 9}));
}

TEST(ComputeFrame, comesBackAsItWas) {
    for (const OptionalTimePoint& deadline :
         {OptionalTimePoint(), OptionalTimePoint(TimePoint(std::chrono::nanoseconds(77)))}) {
        const FrameLine line = encodeCompute(5, {.number = 3, .generation = 4}, deadline);
        EXPECT_TRUE(isCompute(line));
        EXPECT_EQ(serialOf(line), 5U);
        EXPECT_EQ(announcedLineCount(line, 16), 1U);
        DecodedCompute compute;
        ASSERT_TRUE(decodeCompute(line, compute));
        EXPECT_EQ(compute.name, (ExecutionName{.number = 3, .generation = 4}));
        EXPECT_EQ(compute.deadline, deadline);
    }
}

TEST(ComputeFrame, thatLiesIsRefused) {
    const auto expectRefusal = [](const char* what, auto change) {
        auto frame = std::bit_cast<ComputeFrame>(
            encodeCompute(5, {.number = 3, .generation = 4}, std::nullopt));
        change(frame);
        DecodedCompute compute;
        const Result<> result = decodeCompute(std::bit_cast<FrameLine>(frame), compute);
        ASSERT_FALSE(result) << what;
        EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT) << what;
    };
    expectRefusal("number 0", [](ComputeFrame& frame) { frame.execution = 0; });
    expectRefusal("large number",
                  [](ComputeFrame& frame) { frame.execution = kMaximumReusableExecutions + 1; });
    expectRefusal("flags", [](ComputeFrame& frame) { frame.flags = 1; });
    expectRefusal("lines", [](ComputeFrame& frame) { frame.lineCount = 2; });
    for (std::size_t i = 0; i < 3; ++i) {
        expectRefusal("reserved", [i](ComputeFrame& frame) { frame.reserved[i] = 1; });
    }
}

}  // namespace
}  // namespace nnburst::burst
