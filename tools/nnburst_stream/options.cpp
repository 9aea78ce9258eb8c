// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "nnburst/burst.h"
#include "nnburst/version.h"
#include "support/device_source.h"
#include "support/import_options.h"
#include "support/model_source.h"
#include "support/number_option.h"
#include "support/processor_option.h"
#include "support/thread_option.h"

namespace nnburst::stream {

namespace {

constexpr const char* kDescription =
    "Streams frames through a neural network on an nnburst device and measures how long they take "
    "and what that costs.";

constexpr const char* kFooter = R"(
What is measured:
  latency     from the moment at which a frame was DUE to its output. A stream that cannot keep up
              does not skip frames: those that wait for others have waited since they were due.
              With --max a frame is due when it is submitted. Quantiles are off by 0.2 % at most.
              Frames without an output count in the percentiles as infinitely long (inf), and not
              in mean, min and max.
  jitter      how much the interval between one output and the next differs from the period, in
              either direction; only with --rate
  misses      frames that the device refused because of --deadline, or that were not sent in time
              (both have no output), and frames whose output came after it
  throughput  frames with an output, a second, of all clients
  processor   time, user and system, of this process (with what it takes to write frames, and to
              spin before each is due) and of the driver, if this program has started it
  calls       system calls of a frame, of one client, counted with ptrace(2) in a pass of its own
              in which the client does not sleep until a frame is due
  waiting     for each end of a burst, after the warm-up: waits of over 1 us and sleeps for each
              frame; alarms that woke it before the event (early), events that woke it before the
              alarm (late); share of a processor spent spinning
  in driver   time in the driver, as the driver measured it, in a pass of its own

Frames are pseudo-random, always the same, or those of --inputs; they are made beforehand and
written to shared memory before each is due. Until then a client sleeps, and spins for the last
200 microseconds. Clients take turns within a period: client i of N is i/N of a period late. With
--baseline the paths alternate in segments, in random order, 20 rounds at most. Each round sends the
same frames on all paths; the first frames of each segment are not measured.

The burst executes one request again and again (Burst::createReusableExecution). With --in-flight a
client has N requests, each with memory of its own. It waits for the oldest output whenever it has
sent all N, and while the next frame is not due; but it sends a frame that becomes due although
others are in flight, if no output can come by then, going by the quickest so far. The paths
inprocess and rpc always have one frame in flight. --in-flight is refused for a model with states
and for a device in this process.

--threads is for devices that this program makes, that of --baseline inprocess included; a driver
that runs already has its own. With auto the number is found while models are prepared, before
anything is measured; paths that differ in process may differ in it.

Names of TFLite's benchmark_model for the same: --graph, --num_threads, --num_runs, --min_secs,
--warmup_runs, --run_frequency. Latencies are also printed in the form of its lines.

)";

constexpr const char* kFooterEnd = R"(
Percentiles that so few frames cannot show are left out: p90 needs 10, p99 100 and p99.9 1,000.

Exit status: 0 if all frames were sent; 1 if the model could not be run, the driver ended, outputs
differ between the paths, or a file could not be written; 2 for wrong arguments; 3 if the stream was
stopped before its end; 4 if a time is longer than in the --compare file by more than twice the
noise, or no time is in both. SIGINT (Ctrl-C), SIGTERM and SIGHUP stop the stream and report what
there is, and so does the end of the driver.

Examples. A camera at 60 Hz compared with a call in process and with RPC; a model of some
milliseconds at 30 Hz, to see what waiting costs; as many frames as two in flight give:
  nnburst-stream builtin:mobilenet_v1_0.25_128 --rate 60 --duration 30 --baseline inprocess,rpc \
                 --html report.html
  nnburst-stream builtin:mobilenet_v1_0.5_224 --rate 30 --wait adaptive
  nnburst-stream builtin:mobilenet_v1_0.25_128 --max --in-flight 2
)";

constexpr double kHighestRate = 1e6;
constexpr double kLongestSeconds = 1e7;
constexpr double kShortest = 1e-6;

std::chrono::nanoseconds nanosecondsOf(double seconds) {
    return std::chrono::round<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

/// Options as they are written, before conflicts between them are checked.
struct Written {
    std::string wait = "adaptive";
    std::vector<std::string> baselines;
    bool isMax = false;
    std::optional<double> frequency;
};

/// Checks rules between options that CLI11 cannot express.
void check(const Options& options) {
    if (options.model.empty()) {
        throw CLI::RequiredError("MODEL (or --graph)");
    }
    if (options.inFlight != 1 && options.device == "local") {
        throw CLI::ValidationError(
            "--in-flight",
            fmt::format("{} frames in flight: a device in this process executes each frame on the "
                        "client's own thread; use --device spawn or a driver's socket",
                        options.inFlight));
    }
    if ((options.realtime != 0 || !options.processors.empty()) && options.device != "spawn") {
        throw CLI::ValidationError("--realtime, --processors",
                                   "must be given with --device spawn: other drivers run already");
    }
    if (options.threads != 1 && !options.makesDevice() &&
        std::ranges::find(options.baselines, Path::IN_PROCESS) == options.baselines.end()) {
        throw CLI::ValidationError("--threads",
                                   "must be given with --device local or spawn, or with --baseline "
                                   "inprocess: a driver that runs already has its own");
    }
    for (const Path path : options.baselines) {
        if (path == Path::PLAIN && options.isPlain) {
            throw CLI::ValidationError("--baseline",
                                       "plain: must not be given with --plain, which measures it");
        }
        if (path != Path::PLAIN && options.device == "local") {
            throw CLI::ValidationError(
                "--baseline", fmt::format("{}: compares with a driver process, but --device is "
                                          "local; use --device spawn or a driver's socket",
                                          toString(path)));
        }
    }
}

void take(const Written& written, Options& options) {
    options.wait = waitModeOf(written.wait).value_or(options.wait);
    for (const Path path : {Path::PLAIN, Path::IN_PROCESS, Path::RPC}) {
        if (std::ranges::find(written.baselines, toString(path)) != written.baselines.end()) {
            options.baselines.push_back(path);
        }
    }
    if (written.frequency && *written.frequency > 0) {
        if (*written.frequency < kShortest) {
            throw CLI::ValidationError(
                "--run_frequency", fmt::format("{}: must be at least {}, or zero or less for --max",
                                               *written.frequency, kShortest));
        }
        options.rate = written.frequency;
    }
    if (!options.seconds && !options.frames) {
        options.seconds = 5;
    }
}

CLI::Validator isCount(std::uint64_t low, std::uint64_t high) {
    return CLI::Range(low, high).description("");
}

/// What is streamed, how fast and for how long.
void addStreamOptions(CLI::App& app, Options& options, Written& written) {
    CLI::Option* model =
        app.add_option("MODEL", options.model, "A .tflite file or a built-in model")->type_name("");
    app.add_option("--graph", options.model, "The same as an option")
        ->type_name("MODEL")
        ->excludes(model);
    tools::addImportOptions(app, options.shapes, options.integersFitInt32);
    app.add_option("--inputs", options.inputs,
                   "Frames from DIR instead of random ones: PNG and JPEG images, or files of\n"
                   "elements, each of one or more frames. As many as 64 MiB hold")
        ->type_name("DIR");
    CLI::Option* rate = app.add_option("--rate", options.rate, "Frames a second of each client")
                            ->check(tools::isBetween(kShortest, kHighestRate))
                            ->type_name("HZ");
    CLI::Option* max = app.add_flag("--max", written.isMax,
                                    "Each frame as soon as the last one is done; the default")
                           ->excludes(rate);
    app.add_option("--run_frequency", written.frequency, "As --rate; negative or zero is --max")
        ->check(tools::isBetween(-kHighestRate, kHighestRate))
        ->type_name("HZ")
        ->excludes(rate)
        ->excludes(max);
    app.add_option("--duration,--min_secs", options.seconds,
                   "Seconds to measure each path; default 5 without --frames.\n"
                   "With --frames until both are reached")
        ->check(tools::isBetween(kShortest, kLongestSeconds))
        ->type_name("S");
    app.add_option("--frames,--num_runs", options.frames, "Frames to measure, per client and path")
        ->check(isCount(1, 1'000'000'000'000))
        ->type_name("N");
    app.add_option("--warm-up,--warmup_runs", options.warmUp,
                   "Frames before the first that is measured, per client and path")
        ->check(isCount(0, 1'000'000'000))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--deadline", options.deadlineMs,
                   "Deadline of a frame, in milliseconds after its due time; passed to the device")
        ->check(tools::isBetween(kShortest, kLongestSeconds))
        ->type_name("MS");
}

void addDeviceOptions(CLI::App& app, Options& options) {
    tools::addDeviceOption(app, options.device, "a driver process of its own");
    tools::addThreadOption(app, "--threads,--num_threads", options.threads);
    app.add_option("--realtime", options.realtime,
                   "Real-time priority of the threads that serve bursts in a spawned driver")
        ->check(isCount(1, 99))
        ->type_name("N");
    tools::addProcessorOption(app, options.processors,
                              "Processors on which a spawned driver may run, such as 2,3");
}

void addWaitOption(CLI::App& app, std::string& written) {
    std::vector<std::string> names;
    std::string help = "How both ends of a burst wait";
    for (const WaitModeName& mode : kWaitModes) {
        help += fmt::format("\n{}: {}", mode.name, mode.meaning);
        if (mode.mode == WaitMode::SPIN) {  // policyOf sees to that
            help += "; the window of this program's clients is an hour";
        }
        names.emplace_back(mode.name);
    }
    app.add_option("--wait", written, help)
        ->check(CLI::IsMember(names).description(""))
        ->type_name(fmt::format("{}", fmt::join(names, "|")))
        ->capture_default_str();
}

/// How frames reach the device.
void addPathOptions(CLI::App& app, Options& options, Written& written) {
    app.add_option("--clients", options.clients,
                   "Threads that stream at the same time, each with a burst and a prepared model\n"
                   "of its own, and a connection of its own to a driver's socket")
        ->check(isCount(1, 256))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--in-flight", options.inFlight,
                   "Frames that a client may have in flight on its burst")
        ->check(isCount(1, kMaximumInFlight))
        ->type_name("N")
        ->capture_default_str();
    addWaitOption(app, written.wait);
    app.add_flag("--plain", options.isPlain,
                 "Send each request as a whole, without reusable executions");
    app.add_option("--baseline", written.baselines,
                   "Compare the burst with one without reusable executions, with a call in\n"
                   "process, and with executions by RPC of the same driver. The row `reusable` of\n"
                   "nnburst-bench is the burst, its row `burst` is plain")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"plain", "inprocess", "rpc"}).description(""))
        ->type_name("plain,inprocess,rpc");
}

void addReportOptions(CLI::App& app, Options& options) {
    app.add_option("--json", options.json,
                   "Write all figures to this file, in the form of Google Benchmark and more")
        ->type_name("F");
    app.add_option("--html", options.html, "Write a page with plots to this file")->type_name("F");
    app.add_option("--csv", options.csv, "Write a table with a line for each path to this file")
        ->type_name("F");
    app.add_option("--compare", options.compare,
                   "Compare with what an earlier run wrote by --json, and judge")
        ->type_name("F");
}

}  // namespace

const char* toString(Path path) noexcept {
    switch (path) {
        case Path::BURST:
            return "burst";
        case Path::PLAIN:
            return "plain";
        case Path::IN_PROCESS:
            return "inprocess";
        case Path::RPC:
            return "rpc";
    }
    return "unknown path";
}

bool Options::makesDevice() const noexcept {
    return device == "local" || device == "spawn";
}

std::optional<std::chrono::nanoseconds> Options::period() const {
    return rate ? std::optional(nanosecondsOf(1 / *rate)) : std::nullopt;
}

std::optional<std::chrono::nanoseconds> Options::deadline() const {
    return deadlineMs ? std::optional(nanosecondsOf(*deadlineMs * 1e-3)) : std::nullopt;
}

std::optional<std::chrono::nanoseconds> Options::duration() const {
    return seconds ? std::optional(nanosecondsOf(*seconds)) : std::nullopt;
}

std::vector<Path> Options::paths() const {
    std::vector<Path> paths(1 + baselines.size(), isPlain ? Path::PLAIN : Path::BURST);
    std::ranges::copy(baselines, paths.begin() + 1);
    return paths;
}

std::uint32_t Options::inFlightOn(Path path) const noexcept {
    return path == Path::BURST || path == Path::PLAIN ? inFlight : 1;
}

std::variant<Options, ExitStatus> parseOptions(int argc, const char* const* argv, std::ostream& out,
                                               std::ostream& err) {
    Options options;
    Written written;
    CLI::App app(kDescription, "nnburst-stream");
    app.set_version_flag("--version", "nnburst-stream " NNBURST_VERSION);
    app.footer(std::string(kFooter) + tools::kBuiltinModelsHelp + kFooterEnd);
    addStreamOptions(app, options, written);
    addDeviceOptions(app, options);
    addPathOptions(app, options, written);
    addReportOptions(app, options);
    try {
        app.parse(argc, argv);
        take(written, options);
        check(options);
    } catch (const CLI::ParseError& error) {
        return app.exit(error, out, err) == 0 ? ExitStatus::SUCCESS : ExitStatus::USAGE;
    }
    options.commandLine.assign(argv, argv + argc);
    return options;
}

}  // namespace nnburst::stream
