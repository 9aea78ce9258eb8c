// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// nnburst-stream as its users see it: what it prints, writes and returns.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "nnburst_stream/path_comparison.h"
#include "support/model_source.h"
#include "support/program_test.h"
#include "support/sanitizers.h"
#include "support/system_calls.h"
#include "tflite/tflite_file.h"

namespace nnburst {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::contentsOf;
using test::ProgramResult;
using test::ProgramTest;
using test::writeFile;

class StreamProgram : public ProgramTest {
  protected:
    StreamProgram() : ProgramTest(NNBURST_STREAM) {}

    /// Runs a short stream through the built-in LSTM and gives its report.
    [[nodiscard]] nlohmann::json report(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(),
                         {"builtin:lstm", "--warm-up", "2", "--json", file("report.json")});
        const ProgramResult result = run(arguments);
        EXPECT_EQ(result.status, 0) << result.err;
        nlohmann::json json =
            nlohmann::json::parse(contentsOf(file("report.json")), nullptr, false);
        EXPECT_TRUE(json.is_object()) << result.out;
        return json;
    }

    /// Runs a command of the shell, in which $STREAM is the program.
    [[nodiscard]] ProgramResult shell(const std::string& command) const {
        ::setenv("STREAM", NNBURST_STREAM, 1);
        const int status = std::system(
            ("{ " + command + "; } >" + file("stdout").string() + " 2>" + file("stderr").string())
                .c_str());
        return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                .out = contentsOf(file("stdout")),
                .err = contentsOf(file("stderr"))};
    }

    /// The report that a program has written to report.json.
    [[nodiscard]] nlohmann::json written() const {
        return nlohmann::json::parse(contentsOf(file("report.json")), nullptr, false);
    }
};

/// Runs a program of the shell as a user without rights.
constexpr const char* kAsNobody = "setpriv --reuid 65532 --regid 65532 --clear-groups ";

TEST_F(StreamProgram, comparesAllPathsOverADriverProcess) {
    const ProgramResult result =
        run({"builtin:lstm", "--frames", "60", "--baseline", "plain,inprocess,rpc", "--json",
             file("report.json"), "--html", file("report.html")});
    ASSERT_EQ(result.status, 0) << result.err;
    for (const char* text :
         {"latency, us", "in driver, us", "processor time", "system calls", "waiting, a frame",
          "burst driver", "plain client", "outputs: identical bit for bit on all paths",
          "\nburst: count=60 first=", "\nplain: count=60 first=", "\ninprocess: count=60 first=",
          "\nrpc: count=60 first=", "\nInference timings in us: Init: "}) {
        EXPECT_TRUE(contains(result.out, text)) << text << "\n" << result.out;
    }
    const auto json = nlohmann::json::parse(contentsOf(file("report.json")), nullptr, false);
    ASSERT_TRUE(json.is_object());
    ASSERT_EQ(json.at("ways").size(), 4U);
    for (const auto& path : json.at("ways")) {
        EXPECT_EQ(path.at("latencyUs").at("count"), 60);
        EXPECT_TRUE(path.at("processorTime").at("driver").is_object());
        EXPECT_TRUE(path.at("timeInDriverUs").is_object());
        EXPECT_EQ(path.at("jitterUs"), nullptr) << "there is no rate";
        const bool isBurst = path.at("way") == "burst" || path.at("way") == "plain";
        EXPECT_EQ(path.at("waits").is_object(), isBurst) << path.at("way");
        EXPECT_EQ(path.at("mostInFlight"), 1);
    }
    EXPECT_TRUE(contains(contentsOf(file("report.html")), "</svg>"));
}

TEST_F(StreamProgram, failsIfStandardOutputCannotBeWritten) {
    const ProgramResult result =
        finish(start({"builtin:lstm", "--frames", "10", "--device", "local"}, "/dev/full"));
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(contains(result.err, "nnburst-stream: cannot write to standard output: No space"))
        << result.err;
}

TEST_F(StreamProgram, measuresAllFramesThoughItsProgressCannotBeWritten) {
    const std::string command =
        "\"$STREAM\" builtin:lstm --device local --rate 500 --frames 300 "
        "--json " +
        file("report.json").string();
    const ProgramResult result = shell(command + " 2>/dev/full");
    EXPECT_EQ(result.status, 0);
    ASSERT_TRUE(written().is_object());
    EXPECT_EQ(written().at("ways").at(0).at("latencyUs").at("count"), 300);

    const std::string status = file("status");
    (void)shell("{ " + command + " 2>&1 >/dev/null; echo $? >" + status + "; } | true");
    EXPECT_EQ(contentsOf(status), "0\n");
    ASSERT_TRUE(written().is_object());
    EXPECT_EQ(written().at("ways").at(0).at("latencyUs").at("count"), 300);
}

TEST_F(StreamProgram, writesItsFilesThoughStandardOutputCannotBeWritten) {
    // With a long path the report is longer than the buffer of standard output.
    fs::path folder = file("");
    for (int i = 0; i < 10; ++i) {
        folder /= std::string(200, 'x');
    }
    fs::create_directories(folder);
    const std::vector<std::byte> bytes = tflite::serialize(tflite::addFile());
    const std::string model = folder / "add.tflite";
    writeFile(model, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    const std::string command = "\"$STREAM\" " + model +
                                " --frames 5 --baseline plain,inprocess,rpc --clients 2 --json " +
                                file("report.json").string();
    EXPECT_EQ(shell(command + " >/dev/full").status, 1);
    ASSERT_TRUE(written().is_object());
    fs::remove(file("report.json"));
    const std::string status = file("status");
    (void)shell("{ " + command + "; echo $? >" + status + "; } | true");
    EXPECT_EQ(contentsOf(status), "1\n");
    EXPECT_TRUE(written().is_object());
}

TEST_F(StreamProgram, reportsThatAClientCannotBeStarted) {
    if (shell(std::string(kAsNobody) + "\"$STREAM\" --version").status != 0) {
        GTEST_SKIP() << "this user cannot become another one";
    }
    const ProgramResult result =
        shell("prlimit --nproc=20 " + std::string(kAsNobody) +
              "\"$STREAM\" builtin:lstm --clients 64 --rate 5 --duration 2 --device local");
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(contains(result.err, "cannot start the thread of client ")) << result.err;
    EXPECT_TRUE(contains(result.out, "ended early")) << result.out;
}

TEST_F(StreamProgram, saysThatARealtimePriorityIsRefused) {
    if (shell(std::string(kAsNobody) + "\"$STREAM\" --version").status != 0) {
        GTEST_SKIP() << "this user cannot become another one";
    }
    const ProgramResult result =
        shell(kAsNobody + std::string("\"$STREAM\" builtin:lstm --frames 5 --realtime 50"));
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(contains(result.out, "real-time priority 50 refused by the system")) << result.out;
}

TEST_F(StreamProgram, measuresADriverThatAScriptRuns) {
    writeFile(file("driver"), "#!/bin/sh\n" NNBURST_DRIVER " \"$@\"\nexit $?\n");
    fs::permissions(file("driver"), fs::perms::owner_all);
    ::setenv("NNBURST_DRIVER", file("driver").c_str(), 1);
    const auto json = report({"--frames", "200"});
    ::unsetenv("NNBURST_DRIVER");
    const auto& driver = json.at("ways").at(0).at("processorTime").at("driver");
    ASSERT_TRUE(driver.is_object()) << driver;
    EXPECT_GT(driver.at("usPerFrame").get<double>(), 0);
    EXPECT_GT(json.at("memoryBytes").at("driver").get<double>(), 4e6) << "a shell has less";
}

TEST_F(StreamProgram, leavesNoFileBehindIfItFails) {
    EXPECT_EQ(run({file("missing"), "--json", file("report.json")}).status, 1);
    EXPECT_FALSE(fs::exists(file("report.json")));
}

TEST_F(StreamProgram, streamsAtARateOnADeviceInThisProcess) {
    const auto json = report({"--device", "local", "--rate", "500", "--frames", "20"});
    const auto& path = json.at("ways").at(0);
    EXPECT_EQ(path.at("latencyUs").at("count"), 20);
    EXPECT_EQ(path.at("jitterUs").at("count"), 20) << "the first one follows the warm-up";
    EXPECT_EQ(path.at("warmUpUs").at("count"), 2);
    EXPECT_TRUE(path.at("processorTime").at("driver").is_string());
    EXPECT_EQ(json.at("settings").at("rateHz"), 500);
}

TEST_F(StreamProgram, streamsWithSeveralClientsThatWaitInEachWay) {
    for (const std::string wait : {"spin", "block", "adaptive"}) {
        const auto json =
            report({"--clients", "3", "--rate", "500", "--frames", "6", "--wait", wait});
        EXPECT_EQ(json.at("ways").at(0).at("latencyUs").at("count"), 18) << wait;
        EXPECT_EQ(json.at("settings").at("wait"), wait);
        const auto& waits = json.at("ways").at(0).at("waits");
        for (const char* side : {"client", "driver"}) {
            const auto& cost = waits.at(side);
            EXPECT_GE(cost.at("sleepsPerFrame").get<double>(), 0);
            if (wait == "block") {
                EXPECT_EQ(cost.at("burntShare"), 0) << side;
            }
            if (wait != "adaptive") {
                EXPECT_EQ(cost.at("earlyWakesPerFrame"), 0) << side << ": there is no alarm";
                EXPECT_EQ(cost.at("lateWakesPerFrame"), 0) << side;
            }
        }
    }
}

TEST_F(StreamProgram, sendsRequestsAsAWholeIfTold) {
    const auto json = report({"--plain", "--frames", "5"});
    ASSERT_EQ(json.at("ways").size(), 1U);
    EXPECT_EQ(json.at("ways").at(0).at("way"), "plain");
    EXPECT_EQ(json.at("settings").at("plain"), true);
}

TEST_F(StreamProgram, hasSeveralFramesInFlightWhereItCan) {
    for (const bool isPaced : {false, true}) {
        std::vector<std::string> arguments{"builtin:mobilenet_v1_0.25_32",
                                           "--in-flight",
                                           "3",
                                           "--frames",
                                           "60",
                                           "--baseline",
                                           "plain,inprocess,rpc",
                                           "--json",
                                           file("report.json")};
        if (isPaced) {  // so fast that frames wait
            arguments.insert(arguments.end(), {"--rate", "1000000"});
        }
        const ProgramResult result = run(arguments);
        ASSERT_EQ(result.status, 0) << result.err;
        EXPECT_TRUE(contains(result.out, "3 frames in flight (inprocess, rpc: 1)")) << result.out;
        EXPECT_TRUE(contains(result.out, "outputs: identical bit for bit on all paths"));
        const auto json = nlohmann::json::parse(contentsOf(file("report.json")), nullptr, false);
        ASSERT_TRUE(json.is_object());
        EXPECT_EQ(json.at("settings").at("inFlight"), 3);
        for (const auto& path : json.at("ways")) {
            const bool isBurst = path.at("way") == "burst" || path.at("way") == "plain";
            EXPECT_EQ(path.at("mostInFlight"), isBurst ? 3 : 1) << path.at("way");
            EXPECT_EQ(path.at("latencyUs").at("count"), 60);
        }
    }
}

TEST_F(StreamProgram, hasAsManyFramesInFlightAsABurstCan) {
    const ProgramResult result = run({"builtin:mobilenet_v1_0.25_32", "--in-flight", "64",
                                      "--frames", "100", "--json", file("report.json")});
    ASSERT_EQ(result.status, 0) << result.err;
    const auto json = nlohmann::json::parse(contentsOf(file("report.json")), nullptr, false);
    ASSERT_TRUE(json.is_object());
    EXPECT_EQ(json.at("ways").at(0).at("mostInFlight"), 64);
}

TEST_F(StreamProgram, takesTheCommandLineOfBenchmarkModel) {
    const ProgramResult result = run({"--graph=builtin:lstm", "--num_runs=12", "--min_secs=0.001",
                                      "--warmup_runs=1", "--num_threads=1", "--device", "local"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(contains(result.out, "burst: count=")) << result.out;
}

TEST_F(StreamProgram, leavesTheNumberOfThreadsToItsDevices) {
    for (const std::string device : {"local", "spawn"}) {
        const ProgramResult result = run({"builtin:lstm", "--device", device, "--frames", "12",
                                          "--threads", "auto", "--json", file("report.json")});
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_TRUE(contains(result.out, "kernel threads by measurement")) << result.out;
        const auto json = nlohmann::json::parse(contentsOf(file("report.json")), nullptr, false);
        ASSERT_TRUE(json.is_object());
        EXPECT_EQ(json.at("settings").at("threads"), 0);
    }
}

TEST_F(StreamProgram, countsFramesThatMissTheirDeadline) {
    const auto json = report({"--device", "local", "--frames", "10", "--deadline", "0.000001"});
    const auto& misses = json.at("ways").at(0).at("misses");
    EXPECT_EQ(misses.at("refused").get<int>() + misses.at("late").get<int>(), 10);
    EXPECT_EQ(json.at("ways").at(0).at("latencyUs").at("count"), 10);
}

TEST_F(StreamProgram, countsSystemCallsOfBothProcesses) {
    const Result<std::vector<tools::TracedCounts>> traced =
        tools::countSystemCalls([] { return Result<>(); });
    if (!traced) {
        GTEST_SKIP() << traced.error().message;
    }
    const auto json = report({"--frames", "10", "--baseline", "rpc"});
    for (const auto& path : json.at("ways")) {
        const auto& calls = path.at("systemCallsPerFrame");
        ASSERT_TRUE(calls.is_object()) << calls;
        if (path.at("way") == "rpc") {  // it needs system calls
            EXPECT_GT(calls.at("client").get<double>(), 1);
            EXPECT_GT(calls.at("driver").get<double>(), 1);
        }
    }
}

TEST_F(StreamProgram, streamsToADriverThatRunsAlready) {
    const fs::path socket = file("driver.sock");
    const std::string socketPath = socket.string();
    const pid_t driver = ::fork();
    if (driver == 0) {
        ::execl(NNBURST_DRIVER, NNBURST_DRIVER, "--socket", socketPath.c_str(), "--log-level",
                "error", nullptr);
        ::_exit(127);
    }
    ASSERT_GT(driver, 0);
    for (int i = 0; i < 1000 && !fs::exists(socket); ++i) {
        ::usleep(10'000);
    }
    const auto json = report({"--device", socketPath, "--frames", "10", "--clients", "2"});
    ::kill(driver, SIGTERM);
    ::waitpid(driver, nullptr, 0);
    const auto& path = json.at("ways").at(0);
    EXPECT_EQ(path.at("latencyUs").at("count"), 20);
    EXPECT_EQ(path.at("processorTime").at("driver"), "the driver was not started by this program");
    if (path.at("systemCallsPerFrame").is_object()) {
        EXPECT_EQ(path.at("systemCallsPerFrame").at("driver"), nullptr);
    }
}

TEST_F(StreamProgram, reportsWhatThereIsWhenItIsStopped) {
    (void)std::signal(SIGHUP, SIG_DFL);  // the program leaves it ignored if nohup(1) runs the tests
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        const pid_t program = start({"builtin:lstm", "--device", "local", "--rate", "1000",
                                     "--duration", "1000", "--json", file("report.json")});
        // Its first lines are progress.
        for (int i = 0; i < 2000 && contentsOf(file("stderr")).empty(); ++i) {
            ::usleep(10'000);
        }
        ::kill(program, number);
        const ProgramResult result = finish(program);
        EXPECT_EQ(result.status, 3) << result.err;
        EXPECT_TRUE(contains(result.out, "stopped before the end")) << result.out;
        ASSERT_TRUE(written().is_object());
        EXPECT_EQ(written().at("isStopped"), true);
        EXPECT_GT(written().at("ways").at(0).at("latencyUs").at("count"), 0);
    }
}

/// A child process of `parent`; 0 if it has none.
pid_t childOf(pid_t parent) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream stat(entry.path() / "stat");
        std::string line;
        std::getline(stat, line);
        std::istringstream fields(line.substr(std::min(line.size(), line.rfind(')') + 1)));
        std::string state;
        pid_t found = 0;
        if (fields >> state >> found && found == parent) {
            return std::stoi(entry.path().filename());
        }
    }
    return 0;
}

TEST_F(StreamProgram, reportsWhatThereIsWhenItsDriverEnds) {
    const pid_t program = start({"builtin:lstm", "--rate", "1000", "--duration", "1000", "--json",
                                 file("report.json"), "--csv", file("report.csv")});
    // Its first lines are progress.
    for (int i = 0; i < 2000 && contentsOf(file("stderr")).empty(); ++i) {
        ::usleep(10'000);
    }
    const pid_t driver = childOf(program);
    ASSERT_GT(driver, 0);
    ::kill(driver, SIGKILL);
    const ProgramResult result = finish(program);
    EXPECT_EQ(result.status, 1) << result.err;
    EXPECT_TRUE(contains(result.out,
                         "ended early, so this is what was measured until then: "
                         "DEVICE_UNAVAILABLE"))
        << result.out;
    const auto json = nlohmann::json::parse(contentsOf(file("report.json")), nullptr, false);
    ASSERT_TRUE(json.is_object());
    EXPECT_TRUE(json.at("failure").is_string());
    const auto& path = json.at("ways").at(0);
    EXPECT_GT(path.at("latencyUs").at("count"), 0);
    EXPECT_GE(path.at("processorTime").at("driver").at("share").get<double>(), 0);
    EXPECT_TRUE(contains(contentsOf(file("report.csv")), "burst,"));
}

TEST(StreamPathComparison, countsEachSentFrameOnceIfALaterSegmentFails) {
    ::setenv("NNBURST_DRIVER", NNBURST_DRIVER, 1);
    const stream::Options options{.model = "builtin:lstm",
                                  .rate = 100,
                                  .frames = 75,  // three segments of each path
                                  .warmUp = 2,
                                  .baselines = {stream::Path::PLAIN}};
    const auto model = tools::loadModel(options.model, {});
    ASSERT_TRUE(model) << model.error().message;
    const auto frames = stream::FrameBank::create(*model);
    ASSERT_TRUE(frames) << frames.error().message;
    auto comparison = stream::PathComparison::create(options, *model, *frames);
    ::unsetenv("NNBURST_DRIVER");
    ASSERT_TRUE(comparison) << comparison.error().message;
    const std::atomic<bool> never = false;
    const stream::Measurements measured = comparison->measure(
        never, [&](const stream::PathMeasurement& path, std::chrono::nanoseconds,
                   std::optional<std::chrono::nanoseconds>) {
            if (path.clients.front().latency().histogram().count() > 30) {  // of the second segment
                for (const pid_t process : comparison->driverProcesses()) {
                    ::kill(process, SIGKILL);
                }
            }
        });
    EXPECT_FALSE(measured.result);
    for (const stream::PathMeasurement& path : measured.paths) {
        const stream::Recorder& client = path.clients.front();
        EXPECT_EQ(path.frames, client.latency().count() + client.warmUp().count())
            << toString(path.path);
    }
}

TEST_F(StreamProgram, opensItsFilesBeforeItMeasures) {
    const ProgramResult result =
        run({"builtin:lstm", "--duration", "100000", "--csv", file("no/such/file")});
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(contains(result.err, "cannot write")) << result.err;
}

TEST_F(StreamProgram, comparesWithAnEarlierRun) {
    writeFile(file("fast"), R"({"benchmarks": [{"name": "builtin:lstm/burst/p50",
                                                "real_time": 1e-3}]})");
    ProgramResult result =
        run({"builtin:lstm", "--device", "local", "--frames", "50", "--compare", file("fast")});
    EXPECT_EQ(result.status, 4) << result.out << result.err;
    EXPECT_TRUE(contains(result.out, "SLOWER")) << result.out;
    result =
        run({"builtin:lstm", "--device", "local", "--frames", "5", "--compare", file("missing")});
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(contains(result.err, "missing: No such file or directory")) << result.err;
}

TEST_F(StreamProgram, takesFramesFromTheBeginningOfALargeFile) {
    if (test::kHasSanitizer) {
        GTEST_SKIP() << "a sanitizer needs more address space";
    }
    const fs::path folder = file("frames");
    fs::create_directory(folder);
    writeFile(folder / "recording", "");
    fs::resize_file(folder / "recording", std::uintmax_t{8} << 30U);  // sparse
    const ProgramResult result =
        shell("ulimit -v 2000000; \"$STREAM\" builtin:lstm --device local --frames 5 --inputs " +
              folder.string());
    EXPECT_EQ(result.status, 0) << result.err;
}

TEST_F(StreamProgram, takesFramesFromADirectory) {
    writeFile(file("frames.bin"), std::string(3 * 64 * sizeof(float), '\x3f'));
    fs::create_symlink(file("loop"), file("loop"));
    const std::string directory = file("").string();
    ProgramResult result = run({"builtin:lstm", "--device", "local", "--frames", "12", "--inputs",
                                directory, "--json", file("report.json")});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(contains(contentsOf(file("report.json")), "\"inputs\": \""));
    result = run({"builtin:mobilenet_v1_0.25_32", "--device", "local", "--frames", "1", "--inputs",
                  directory});
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(contains(result.err, "has no frame for the model")) << result.err;
}

/// Arguments that must fail, and what the error must say.
struct Refusal {
    std::vector<std::string> arguments;
    std::string message;
};

TEST_F(StreamProgram, refusesWhatItCannotUse) {
    const std::vector<Refusal> refusals = {
        {{file("missing")}, "missing: No such file or directory"},
        {{"builtin:resnet"}, "no built-in model \"resnet\""},
        {{"builtin:lstm", "--in-flight", "2"},
         "2 frames in flight: must be 1, as each frame of this model needs states"},
        {{"builtin:lstm", "--device", file("no.sock")}, "no.sock"},
        {{"builtin:lstm", "--device", "local", "--frames", "1", "--json", file("no/such/file")},
         "cannot write"},
        {{"builtin:lstm", "--device", "local", "--frames", "1", "--html", file("no/such/file")},
         "cannot write"},
        {{"builtin:lstm", "--device", "local", "--frames", "1", "--json", file("same"), "--csv",
          file("same")},
         "is the same file; name another one"},
        {{"builtin:lstm", "--device", "local", "--frames", "1", "--json", file("stdout")},
         "standard output is the same file; name another one"},
    };
    for (const auto& [arguments, message] : refusals) {
        const ProgramResult result = run(arguments);
        EXPECT_EQ(result.status, 1) << message;
        EXPECT_TRUE(contains(result.err, "nnburst-stream: ")) << result.err;
        EXPECT_TRUE(contains(result.err, message)) << result.err;
        EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << "one line: " << result.err;
    }
}

TEST_F(StreamProgram, reportsOnceWhyItsDriverCannotServe) {
    const ProgramResult result = run({"builtin:lstm", "--frames", "5", "--processors", "9999"});
    EXPECT_EQ(result.status, 1);
    const std::string reason = "processor 9999";
    const std::size_t first = result.err.find(reason);
    ASSERT_NE(first, std::string::npos) << result.err;
    EXPECT_EQ(result.err.find(reason, first + 1), std::string::npos) << result.err;
}

TEST_F(StreamProgram, computes64BitIntegersWith32BitsIfItIsToldThatTheyFit) {
    tflite::FileSpec spec = tflite::addFile();
    for (tflite::TensorSpec& tensor : spec.tensors) {
        tensor.type = tflite::schema::TensorType::INT64;
    }
    const std::vector<std::byte> bytes = tflite::serialize(spec);
    const std::string model = file("sum.tflite");
    writeFile(model, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    EXPECT_EQ(run({model, "--device", "local", "--frames", "2"}).status, 1);
    const ProgramResult fits =
        run({model, "--device", "local", "--frames", "2", "--integers-fit-int32"});
    EXPECT_EQ(fits.status, 0) << fits.err;
}

TEST_F(StreamProgram, returnsTwoForWrongArguments) {
    const ProgramResult result = run({"builtin:lstm", "--in-flight", "4", "--device", "local"});
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(contains(result.err, "4 frames in flight")) << result.err;
    EXPECT_EQ(run({"--help"}).status, 0);
}

}  // namespace
}  // namespace nnburst
