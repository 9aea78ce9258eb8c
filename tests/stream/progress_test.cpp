// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/progress.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

namespace nnburst::stream {
namespace {

using namespace std::chrono_literals;

TEST(ProgressLine, showsPathTimeFramesAndPercentiles) {
    Histogram latency;
    for (int i = 0; i < 99; ++i) {
        latency.add(100ns);
    }
    latency.add(300ns);
    EXPECT_EQ(progressLine(Path::BURST, 3200ms, latency),
              "burst          3.2 s       100 frames  p50       0.1 us  p99       0.1 us");
    EXPECT_TRUE(progressLine(Path::BURST, 3200ms, latency, 12400ms).ends_with(", 12 s left"));
}

/// All that was written to a terminal or pipe whose writing end is closed. Closes `reader`.
std::string textOf(int reader) {
    std::string text;
    std::array<char, 4096> part{};
    ssize_t size = 0;
    while ((size = ::read(reader, part.data(), part.size())) > 0) {  // a terminal gives it in parts
        text.append(part.data(), static_cast<std::size_t>(size));
    }
    ::close(reader);
    return text;
}

PathMeasurement measurementOf(int frames) {
    PathMeasurement measurement;
    Recorder& recorder = measurement.clients.emplace_back(TimePoint(), std::nullopt, std::nullopt);
    for (int i = 0; i < frames; ++i) {
        recorder.add({.due = TimePoint(), .completed = TimePoint(100ns)});
    }
    return measurement;
}

std::size_t countOf(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) {
        ++count;
    }
    return count;
}

TEST(Progress, writesOneLineAgainAndAgainOnATerminal) {
    int ours = -1;
    int theirs = -1;
    ASSERT_EQ(::openpty(&ours, &theirs, nullptr, nullptr, nullptr), 0);
    std::FILE* stream = ::fdopen(theirs, "w");
    Progress progress(stream);
    progress.show(measurementOf(0), 1s);
    progress.show(measurementOf(5), 2s);
    progress.show(measurementOf(6), 3s);
    progress.clear();
    (void)std::fclose(stream);
    const std::string text = textOf(ours);
    EXPECT_EQ(countOf(text, "\r\x1b[K"), 3U);
    EXPECT_EQ(countOf(text, " frames "), 2U) << "nothing before the first frame";
    EXPECT_EQ(countOf(text, "\n"), 0U);
    EXPECT_TRUE(text.ends_with("\r\x1b[K"));
}

TEST(Progress, writesALineNowAndThenToAFile) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    std::FILE* stream = ::fdopen(ends[1], "w");
    Progress progress(stream);
    progress.show(measurementOf(0), 1s);
    progress.show(measurementOf(5), 2s);
    progress.show(measurementOf(6), 3s);  // too soon
    progress.clear();
    (void)std::fclose(stream);
    EXPECT_EQ(
        textOf(ends[0]),
        progressLine(Path::BURST, 2s, measurementOf(5).clients.front().latency().histogram()) +
            "\n");
}

}  // namespace
}  // namespace nnburst::stream
