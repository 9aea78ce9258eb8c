// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "nnburst_stream/benchmark_line.h"
#include "support/markup_check.h"

namespace nnburst::stream {
namespace {

using namespace std::chrono_literals;

const TimePoint kBegin{1h};

/// Two clients of 100 frames each, at 100 Hz; the second one is slower.
PathMeasurement measurementOf(Path path, nanoseconds latency) {
    PathMeasurement measurement;
    measurement.path = path;
    for (int client = 0; client < 2; ++client) {
        Recorder& recorder = measurement.clients.emplace_back(kBegin, 10ms, 5ms);
        for (int i = 0; i < 100; ++i) {
            const TimePoint due = kBegin + i * 10ms;
            const nanoseconds taken = latency * (client + 1) + i * 100ns;
            recorder.add({.due = due, .completed = due + (i == 99 ? 6ms : taken)});
        }
    }
    measurement.frames = 250;
    measurement.clientTime = 500ms;
    measurement.driverTime = 250ms;
    measurement.elapsed = 2s;
    return measurement;
}

Report exampleReport() {
    Report report{.options = {.model = "a<b>&\"c\".tflite",
                              .device = "spawn",
                              .rate = 100,
                              .seconds = 1,
                              .clients = 2,
                              .deadlineMs = 5,
                              .baselines = {Path::RPC}},
                  .frameBytes = 256,
                  .deviceVersion = "nnburst-1",
                  .processor = "A Processor",
                  .processors = 2,
                  .kernel = "Linux 6",
                  .initTime = 3ms,
                  .firstInference = 4ms};
    report.paths.push_back(reportOf(measurementOf(Path::BURST, 400us), true));
    report.paths.push_back(reportOf(measurementOf(Path::RPC, 600us), true));
    report.paths.front().calls = CallRate{.client = 0.5, .driver = 0.25};
    report.paths.front().timeInDriver.add(321us);
    report.paths.front().waits = BurstWaitRates{.client = {2, 0.75, 0.5, 0.25, 0.125},
                                                .driver = {3, 1.5, 1.25, 0.0625, 0.03125}};
    return report;
}

TEST(ReportOf, addsClientsUpAndNamesTheFastestAndTheSlowest) {
    const PathReport path = reportOf(measurementOf(Path::BURST, 400us), true);
    EXPECT_EQ(path.latency.count(), 200U);
    EXPECT_EQ(path.jitter.count(), 198U);
    EXPECT_EQ(path.misses.late, 2U);
    EXPECT_NEAR(path.throughput, 200, 1e-6);
    EXPECT_EQ(path.fastest.client, 0U);
    EXPECT_EQ(path.slowest.client, 1U);
    EXPECT_NEAR(path.fastest.p50, 405, 1);
    EXPECT_NEAR(path.slowest.p50, 805, 2);
    EXPECT_NEAR(path.fastest.throughput, 100, 1e-6);
    EXPECT_NEAR(path.clientProcessor.perFrame, 2000, 1e-6);
    EXPECT_NEAR(path.clientProcessor.share, 0.25, 1e-9);
    ASSERT_TRUE(path.driverProcessor);
    EXPECT_NEAR(path.driverProcessor->perFrame, 1000, 1e-6);
    EXPECT_FALSE(reportOf(measurementOf(Path::BURST, 400us), false).driverProcessor);
}

TEST(ReportOf, countsNoFrameWithoutAnOutputInTheThroughput) {
    PathMeasurement measurement;
    Recorder& recorder = measurement.clients.emplace_back(kBegin, 100ms, 50ms);
    for (int i = 0; i < 10; ++i) {
        const TimePoint due = kBegin + i * 100ms;
        recorder.add({.due = due, .completed = due + 1ms, .isRefused = i < 6});
    }
    const PathReport path = reportOf(measurement, true);
    EXPECT_EQ(path.latency.count(), 10U);
    EXPECT_EQ(path.misses.refused, 6U);
    EXPECT_NEAR(path.throughput, 4, 1e-6);
    EXPECT_NEAR(path.fastest.throughput, 4, 1e-6);
}

TEST(ReportOf, dividesWhatWaitingHasCostByFramesAndTime) {
    PathMeasurement measurement = measurementOf(Path::BURST, 400us);
    EXPECT_FALSE(reportOf(measurement, true).waits);
    for (Recorder& recorder : measurement.clients) {  // each has measured for a second
        recorder.addWaits({}, {.client = {.sleeps = 50, .burnt = 100ms},
                               .driver = {.earlyWakes = 25, .lateWakes = 75}});
        recorder.noteInFlight(3);
        recorder.addUnsent(100);  // they have not waited
    }
    const PathReport path = reportOf(measurement, true);
    EXPECT_EQ(path.mostInFlight, 3U);
    ASSERT_TRUE(path.waits);
    const WaitRates client{0, 0.5, 0, 0, 0.2};  // burnt by both clients
    const WaitRates driver{0, 0, 0.25, 0.75, 0};
    for (std::size_t i = 0; i < kWaitStats.size(); ++i) {
        EXPECT_NEAR(path.waits->client[i], client[i], 1e-9) << kWaitStats[i].name;
        EXPECT_NEAR(path.waits->driver[i], driver[i], 1e-9) << kWaitStats[i].name;
    }
}

/// One client none of whose frames has an output.
Report reportWithoutOutputs() {
    PathMeasurement measurement;
    Recorder& recorder = measurement.clients.emplace_back(kBegin, 100ms, 50ms);
    for (int i = 0; i < 20; ++i) {
        const TimePoint due = kBegin + i * 100ms;
        recorder.add({.due = due, .completed = due + 1ms, .isRefused = true});
    }
    Report report = exampleReport();
    report.paths.clear();
    report.paths.push_back(reportOf(measurement, true));
    return report;
}

TEST(Report, hasNoFiniteLatencyOfFramesWithoutAnOutput) {
    const Report report = reportWithoutOutputs();
    const auto json = nlohmann::json::parse(toJson(report), nullptr, false);
    ASSERT_TRUE(json.is_object());
    const auto& latency = json.at("ways").at(0).at("latencyUs");
    EXPECT_EQ(latency.at("count"), 20);
    for (const char* key : {"first", "curr", "min", "max", "avg", "std", "p50"}) {
        EXPECT_EQ(latency.at(key), nullptr) << key;
    }
    EXPECT_NE(toCsv(report).find("burst,20,inf,inf,inf,,,inf,inf,inf,"), std::string::npos)
        << toCsv(report);
    EXPECT_TRUE(benchmarkLine(report.paths.front().latency)
                    .starts_with("count=20 first=inf curr=inf min=inf max=inf avg=inf std=inf"))
        << benchmarkLine(report.paths.front().latency);
    EXPECT_EQ(test::firstWrongTag(toHtml(report)), "");
}

TEST(ReportOf, leavesOutAPercentileThatAClientsFramesCannotShow) {
    EXPECT_TRUE(reportOf(measurementOf(Path::BURST, 400us), true).fastest.p99);
    PathMeasurement measurement;
    Recorder& recorder = measurement.clients.emplace_back(kBegin, 10ms, 5ms);
    for (int i = 0; i < 30; ++i) {
        const TimePoint due = kBegin + i * 10ms;
        recorder.add({.due = due, .completed = due + 1ms});
    }
    Report report = exampleReport();
    report.paths.clear();
    report.paths.push_back(reportOf(measurement, true));
    EXPECT_FALSE(report.paths.front().fastest.p99);
    const auto json = nlohmann::json::parse(toJson(report), nullptr, false);
    ASSERT_TRUE(json.is_object());
    EXPECT_EQ(json.at("ways").at(0).at("fastestClient").at("p99"), nullptr);
}

TEST(ReportOf, takesAMeasurementWithoutFrames) {
    PathMeasurement measurement;
    measurement.clients.emplace_back(kBegin, std::nullopt, std::nullopt).addWaits({}, {});
    Report report = exampleReport();
    report.paths.clear();
    const PathReport& path = report.paths.emplace_back(reportOf(measurement, true));
    EXPECT_EQ(path.throughput, 0);
    EXPECT_EQ(path.clientProcessor.perFrame, 0);
    EXPECT_TRUE(nlohmann::json::accept(toJson(report)));
    EXPECT_EQ(test::firstWrongTag(toHtml(report)), "");
}

TEST(ReportAsJson, hasSettingsMachineAndFigures) {
    const auto json = nlohmann::json::parse(toJson(exampleReport()), nullptr, false);
    ASSERT_TRUE(json.is_object());
    EXPECT_EQ(json.at("settings").at("model"), "a<b>&\"c\".tflite");
    EXPECT_EQ(json.at("settings").at("rateHz"), 100);
    EXPECT_EQ(json.at("settings").at("frames"), nullptr);
    EXPECT_EQ(json.at("settings").at("baselines"), nlohmann::json({"rpc"}));
    EXPECT_EQ(json.at("machine").at("processors"), 2);
    EXPECT_EQ(json.at("machine").at("kernel"), "Linux 6");
    EXPECT_EQ(json.at("initUs"), 3000);
    ASSERT_EQ(json.at("ways").size(), 2U);
    const auto& burst = json.at("ways").at(0);
    EXPECT_EQ(burst.at("way"), "burst");
    EXPECT_EQ(burst.at("latencyUs").at("count"), 200);
    EXPECT_EQ(burst.at("latencyUs").at("max"), 6000);
    EXPECT_NEAR(burst.at("latencyUs").at("p99").get<double>(), 810, 5);
    EXPECT_EQ(burst.at("latencyUs").at("p99.9"), nullptr) << "200 frames cannot show it";
    EXPECT_EQ(burst.at("jitterUs").at("count"), 198);
    EXPECT_EQ(burst.at("misses").at("late"), 2);
    EXPECT_EQ(burst.at("slowestClient").at("client"), 1);
    EXPECT_EQ(burst.at("processorTime").at("driver").at("share"), 0.125);
    EXPECT_EQ(burst.at("systemCallsPerFrame").at("driver"), 0.25);
    EXPECT_EQ(burst.at("timeInDriverUs").at("max"), 321);
    EXPECT_EQ(burst.at("waits").at("client"), nlohmann::json({{"waitsPerFrame", 2},
                                                              {"sleepsPerFrame", 0.75},
                                                              {"earlyWakesPerFrame", 0.5},
                                                              {"lateWakesPerFrame", 0.25},
                                                              {"burntShare", 0.125}}));
    EXPECT_EQ(burst.at("waits").at("driver").at("sleepsPerFrame"), 1.5);
    EXPECT_EQ(json.at("ways").at(1).at("waits"), nullptr);
    EXPECT_EQ(burst.at("mostInFlight"), 0);
    std::uint64_t frames = 0;
    for (const auto& bucket : burst.at("histogramUs")) {
        frames += bucket.at(2).get<std::uint64_t>();
    }
    EXPECT_EQ(frames, 200U);
    EXPECT_EQ(burst.at("seriesOfFirstClient").size(), 100U);
}

TEST(ReportAsJson, saysWhyFiguresAreMissing) {
    Report report = exampleReport();
    report.noCalls = "ptrace is not permitted";
    report.noDriverProcessor = "not started here";
    report.paths.front().calls.reset();
    report.paths.front().driverProcessor.reset();
    const auto json = nlohmann::json::parse(toJson(report), nullptr, false);
    ASSERT_TRUE(json.is_object());
    const auto& burst = json.at("ways").at(0);
    EXPECT_EQ(burst.at("systemCallsPerFrame"), "not counted: ptrace is not permitted");
    EXPECT_EQ(burst.at("processorTime").at("driver"), "not started here");
    EXPECT_EQ(json.at("ways").at(1).at("timeInDriverUs"), nullptr);
}

TEST(ReportAsJson, isValidWhateverThePathsAre) {
    Report report = exampleReport();
    report.options.model = "\xff\xfe/model";
    EXPECT_TRUE(nlohmann::json::accept(toJson(report)));
}

std::size_t countOf(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) {
        ++count;
    }
    return count;
}

TEST(ReportAsHtml, isOneWholePageWithItsPlots) {
    const std::string page = toHtml(exampleReport());
    EXPECT_EQ(test::firstWrongTag(page), "");
    EXPECT_EQ(countOf(page, "<svg "), 4U);
    for (const char* title : {"Comparison", "Latency of the first client over time",
                              "Latency by percentile", "How latencies are distributed"}) {
        EXPECT_EQ(countOf(page, std::string("aria-label=\"") + title), 1U) << title;
    }
    EXPECT_EQ(countOf(page, "<polyline"), 6U) << "three plots of two paths";
    EXPECT_EQ(countOf(page, "points=\"\""), 0U) << "none is empty";
    EXPECT_EQ(countOf(page, "<rect"), 8U) << "four figures of two paths; p99.9 needs more frames";
    EXPECT_NE(page.find("A Processor"), std::string::npos);
    EXPECT_NE(page.find("count=200 first=400"), std::string::npos);
}

TEST(ReportAsHtml, takesNothingFromElsewhereAndNothingAsMarkup) {
    const std::string page = toHtml(exampleReport());
    for (const char* part : {"http", "src=", "<script", "@import", "url(", "a<b>"}) {
        EXPECT_EQ(page.find(part), std::string::npos) << part;
    }
    EXPECT_NE(page.find("a&lt;b&gt;&amp;&quot;c&quot;.tflite"), std::string::npos);
    EXPECT_LT(page.size(), 100'000U);
}

TEST(ReportAsHtml, saysWhatWaitingHasCost) {
    Report report = exampleReport();
    const std::string page = toHtml(report);
    const std::size_t row = page.find(">burst, driver</td>");
    ASSERT_NE(row, std::string::npos);
    const std::string cells = page.substr(row, page.find("</tr>", row) - row);
    for (const char* cell : {">3.00<", ">1.50<", ">1.25<", ">0.06<", ">3.1<"}) {
        EXPECT_NE(cells.find(cell), std::string::npos) << cell << " in " << cells;
    }
    report.paths.front().waits.reset();
    EXPECT_EQ(toHtml(report).find("woken early"), std::string::npos);
}

TEST(Report, saysThatItIsNotWholeAndWhy) {
    Report report = exampleReport();
    EXPECT_EQ(incompleteText(report), "");
    report.isStopped = true;
    EXPECT_EQ(incompleteText(report), "stopped before the end");
    report.failure = "DEVICE_UNAVAILABLE: gone";
    EXPECT_NE(toHtml(report).find("This report is not whole: ended early"), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(toJson(report)).at("failure"), "DEVICE_UNAVAILABLE: gone");
}

TEST(Report, saysInOneSentenceWhatCameOut) {
    Report report = exampleReport();
    const std::string verdict = verdictText(report);
    EXPECT_NE(verdict.find("A frame takes "), std::string::npos) << verdict;
    EXPECT_NE(verdict.find(" times rpc; 2 of 200 frames missed their deadline."), std::string::npos)
        << verdict;
    report.options.deadlineMs.reset();
    EXPECT_NE(verdictText(report).find("the stream keeps its rate."), std::string::npos)
        << verdictText(report);
}

TEST(Report, hasRowsThatAnotherRunCanBeComparedWith) {
    const Report report = exampleReport();
    const auto rows = tools::readBenchmarkRows(toJson(report));
    ASSERT_TRUE(rows);
    ASSERT_EQ(rows->size(), 6U) << "p50, p99 and the interval of two paths";
    EXPECT_EQ(rows->front().name, "a<b>&\"c\".tflite/burst/p50");
    EXPECT_EQ(rows->front().iterations, 200U);
    EXPECT_TRUE(tools::compareRows(*rows, benchmarkRows(report)).hasPassed());
}

/// A stream of 20 frames at 100 Hz. The first `refused` are refused after 1 us; the others take 5
/// ms.
Report streamWithRefusals(int refused) {
    PathMeasurement measurement;
    Recorder& recorder = measurement.clients.emplace_back(kBegin, 10ms, 50ms);
    for (int i = 0; i < 20; ++i) {
        const TimePoint due = kBegin + i * 10ms;
        recorder.add({.due = due,
                      .completed = due + (i < refused ? nanoseconds(1us) : nanoseconds(5ms)),
                      .isRefused = i < refused});
    }
    Report report = exampleReport();
    report.options.clients = 1;
    report.paths.clear();
    report.paths.push_back(reportOf(measurement, true));
    return report;
}

TEST(Report, isSlowerThanOneOfTheSameStreamWithoutRefusedFrames) {
    const auto before = benchmarkRows(streamWithRefusals(0));
    EXPECT_TRUE(tools::compareRows(before, benchmarkRows(streamWithRefusals(0))).hasPassed());
    for (const int refused : {10, 15, 20}) {
        const Report report = streamWithRefusals(refused);
        EXPECT_FALSE(tools::compareRows(before, benchmarkRows(report)).hasPassed()) << refused;
        EXPECT_EQ(tools::compareRows(before, benchmarkRows(report)).fasterCount, 0U) << refused;
        EXPECT_TRUE(tools::readBenchmarkRows(toJson(report))) << refused;
        EXPECT_EQ(test::firstWrongTag(toHtml(report)), "") << refused;
    }
    const auto latency =
        nlohmann::json::parse(toJson(streamWithRefusals(10))).at("ways").at(0).at("latencyUs");
    EXPECT_NEAR(latency.at("p50").get<double>(), 5000, 10);
    EXPECT_EQ(latency.at("p90"), nullptr) << "a frame that was refused";
    EXPECT_NE(verdictText(streamWithRefusals(15)).find("Most frames have no output by burst"),
              std::string::npos);
}

/// Frames that are due at 100 Hz, of a device that cannot keep this rate.
TEST(Report, hasTheNoiseOfTheIntervalBetweenOutputs) {
    for (const bool isSteady : {true, false}) {
        PathMeasurement measurement;
        Recorder& recorder = measurement.clients.emplace_back(kBegin, 10ms, std::nullopt);
        TimePoint completed = kBegin;
        for (int i = 0; i < 160; ++i) {
            completed += isSteady || i / 10 % 2 == 0 ? 20ms : 30ms;
            recorder.add({.due = kBegin + i * 10ms, .completed = completed});
        }
        Report report = exampleReport();
        report.paths.clear();
        report.paths.push_back(reportOf(measurement, true));
        const auto rows = benchmarkRows(report);
        ASSERT_EQ(rows.back().name, "a<b>&\"c\".tflite/burst/interval");
        ASSERT_TRUE(rows.back().noise);
        EXPECT_EQ(*rows.back().noise > 0.1, !isSteady) << *rows.back().noise;
    }
}

TEST(ReportAsCsv, hasALineForEachPathWithoutWhatFewFramesCannotShow) {
    const std::string csv = toCsv(exampleReport());
    EXPECT_EQ(countOf(csv, "\n"), 3U);
    EXPECT_EQ(csv.find("way,frames,"), 0U);
    EXPECT_NE(csv.find("\nburst,200,"), std::string::npos);
    std::size_t commas = std::string::npos;
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
        const auto count = static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
        EXPECT_TRUE(commas == std::string::npos || commas == count) << line;
        commas = count;
    }
}

TEST(SettingsText, saysHowManyFramesAreInFlight) {
    Report report = exampleReport();
    EXPECT_EQ(settingsText(report).find("in flight"), std::string::npos);
    report.options.inFlight = 4;
    EXPECT_NE(settingsText(report).find(", 4 frames in flight (rpc: 1), "), std::string::npos)
        << settingsText(report);
    report.options.baselines = {Path::PLAIN};
    EXPECT_NE(settingsText(report).find(", 4 frames in flight, "), std::string::npos);
    report.options.baselines = {Path::IN_PROCESS, Path::RPC};
    EXPECT_NE(settingsText(report).find(" (inprocess, rpc: 1), "), std::string::npos);
}

TEST(SettingsText, saysWhetherTheSystemGrantsARealtimePriority) {
    Report report = exampleReport();
    EXPECT_EQ(settingsText(report).find("real-time"), std::string::npos);
    report.options.realtime = 50;
    report.isRealtimeGranted = false;
    EXPECT_TRUE(settingsText(report).ends_with(", real-time priority 50 refused by the system"))
        << settingsText(report);
    EXPECT_NE(toJson(report).find("\"realtimeGranted\": false"), std::string::npos);
    report.isRealtimeGranted = true;
    EXPECT_TRUE(settingsText(report).ends_with(", real-time priority 50")) << settingsText(report);
}

TEST(SettingsText, namesTheThreadsOfDevicesThatThisProgramMakesAlone) {
    Report report = exampleReport();
    EXPECT_NE(settingsText(report).find(", 1 kernel thread, "), std::string::npos)
        << settingsText(report);
    report.options.device = "/run/nn.sock";
    EXPECT_NE(settingsText(report).find(", the device's kernel threads, "), std::string::npos)
        << settingsText(report);
    report.options.threads = 2;
    report.options.baselines = {Path::IN_PROCESS};
    EXPECT_NE(settingsText(report).find("kernel threads (inprocess: 2 kernel threads), "),
              std::string::npos)
        << settingsText(report);
}

TEST(ReportAsHtml, doesNotJoinSegmentsBetweenWhichOtherPathsHadTheirs) {
    Report report = exampleReport();
    PathMeasurement measurement = measurementOf(Path::BURST, 1ms);
    measurement.clients.front().beginSegment();
    for (int i = 0; i < 3; ++i) {
        measurement.clients.front().add({.due = kBegin + 5s, .completed = kBegin + 5s + 1ms});
    }
    report.paths.front() = reportOf(measurement, true);
    const std::string page = toHtml(report);
    EXPECT_EQ(countOf(page, "<polyline"), 7U);
    EXPECT_EQ(countOf(page, "<polygon"), 3U);
    EXPECT_EQ(countOf(page, "class=\"legend"), 6U);
}

TEST(ReportAsHtml, saysThatOutputsDiffer) {
    Report report = exampleReport();
    EXPECT_EQ(toHtml(report).find("not the same"), std::string::npos);
    report.isSameOnAllPaths = false;
    EXPECT_NE(toHtml(report).find("not the same"), std::string::npos);
}

TEST(BenchmarkLine, isThatOfBenchmarkModelWithPercentiles) {
    Distribution latency;
    EXPECT_EQ(benchmarkLine(latency), "count=0");
    for (const nanoseconds duration : {400'400ns, 300'000ns, 350'000ns}) {
        latency.add(duration);
    }
    const std::string line = benchmarkLine(latency);
    EXPECT_TRUE(
        line.starts_with("count=3 first=400 curr=350 min=300 max=400 avg=350.133 std=41 p50="))
        << line;
    EXPECT_EQ(line.find(" p90="), std::string::npos) << "three frames cannot show it";
    for (int i = 3; i < 1000; ++i) {
        latency.add(350'000ns);
    }
    const std::string longer = benchmarkLine(latency);
    for (const char* name : {" p50=", " p90=", " p99=", " p99.9="}) {
        EXPECT_NE(longer.find(name), std::string::npos) << longer;
    }
}

}  // namespace
}  // namespace nnburst::stream
