// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <map>
#include <span>
#include <utility>

#include "nnburst/version.h"
#include "support/processor_option.h"
#include "support/thread_option.h"
#include "system/realtime.h"

namespace nnburst::driver {

namespace {

/// A year.
constexpr std::int64_t kMaximumMilliseconds = std::int64_t{365} * 24 * 3600 * 1000;

/// An option of `app` that takes one of `values` by its name. `value` is the default and outlives
/// `app`.
template <class T>
void addChoice(CLI::App& app, const char* name, T& value, std::span<const T> values,
               const char* description) {
    std::map<std::string, T> byName;
    std::vector<std::string> names;
    for (const T choice : values) {
        byName.emplace(toString(choice), choice);
        names.emplace_back(toString(choice));
    }
    app.add_option_function<std::string>(
           name, [&value, byName](const std::string& chosen) { value = byName.at(chosen); },
           description)
        ->check(CLI::IsMember(names).description(""))
        ->type_name(fmt::format("{}", fmt::join(names, "|")))
        ->default_str(toString(value));
}

/// An option of `app` that takes milliseconds. `value` is the default and outlives `app`.
void addMilliseconds(CLI::App& app, const char* name, std::chrono::milliseconds& value,
                     const char* description) {
    app.add_option_function<std::int64_t>(
           name, [&value](std::int64_t count) { value = std::chrono::milliseconds(count); },
           description)
        ->type_name("MS")
        ->check(CLI::Range(std::int64_t{0}, kMaximumMilliseconds))
        ->default_str(std::to_string(value.count()));
}

/// Accepts three or four octal digits, the first of four being 0.
CLI::Validator isMode() {
    return {[](const std::string& text) {
                const std::size_t digits = text.size();
                const bool isGood = text.find_first_not_of("01234567") == std::string::npos &&
                                    (digits == 3 || (digits == 4 && text.front() == '0'));
                return isGood ? std::string() : "mode '" + text + "': must be 0000 to 0777";
            },
            "", "mode"};
}

void addSocketOptions(CLI::App& app, Options& options) {
    app.add_option("--socket", options.socketPath,
                   "Serve on the Unix socket PATH, which is removed at the end")
        ->type_name("PATH");
    app.add_option("--socket-mode", options.socketMode,
                   "Permission bits of the socket in octal digits; 0660 by default")
        ->type_name("MODE")
        ->check(isMode());
    app.add_option("--socket-group", options.socketGroup,
                   "Group of the socket, a name or a number; the group of this process by default")
        ->type_name("GROUP");
    app.add_option("--allow-user", options.allowedUsers,
                   "Admit this user (name or number); may be repeated. If any --allow-user or "
                   "--allow-group is given, only clients that one of them names are served")
        ->type_name("USER");
    app.add_option("--allow-group", options.allowedGroups,
                   "Admit the members of this group (name or number); may be repeated. If any "
                   "--allow-user or --allow-group is given, only clients that one of them names "
                   "are served")
        ->type_name("GROUP");
    app.add_option("--metrics-socket", options.metricsSocket,
                   "Answer HTTP requests on the Unix socket PATH with figures for Prometheus; "
                   "nnburst-top shows them")
        ->type_name("PATH");
    app.add_option("--metrics-port", options.metricsPort,
                   "The same on port N of 127.0.0.1, for all users of the machine")
        ->type_name("N")
        ->check(CLI::Range(1, 65535));
    app.add_flag_callback(
        "--no-sandbox", [&options] { options.hasSandbox = false; },
        "Keep all rights of the process, and all system calls, while serving");
    addMilliseconds(app, "--drain-timeout", options.drainTimeout,
                    "Milliseconds that running executions and preparations have to end when a "
                    "signal stops the driver; a second signal stops it at once");
    app.add_option("--fd", options.fd,
                   "Serve one client on the connected socket N, which this process inherited, and "
                   "end with it")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber);
    constexpr std::array kIsolations{device::Isolation::NONE, device::Isolation::CLIENT,
                                     device::Isolation::USER};
    addChoice<device::Isolation>(
        app, "--isolate", options.isolation, kIsolations,
        "Serve each client, or the clients of each user, in a worker process of its own, so that a "
        "fault hits its owner alone");
    app.add_option("--worker", options.workerFd,
                   "Serve the clients that a broker gives over the channel N")
        ->group("");  // for drivers with --isolate, which start themselves again
    app.add_option("--nice", options.workerNice,
                   "With --worker: the nice value to take, as a worker starts with a high one")
        ->group("");
}

void addLimitOptions(CLI::App& app, Options& options) {
    app.add_option(
           "--limits", options.limitsFile,
           "Set the limits that FILE names, one on each line as --limit takes them; those of "
           "--limit come after them")
        ->type_name("FILE");
    app.add_option("--limit", options.limits,
                   "Set one limit, such as user.memory=2G, client.bursts=16 or 1000.priority=high; "
                   "may be given several times")
        ->type_name("SCOPE.NAME=VALUE");
}

void addKernelOptions(CLI::App& app, DriverOptions& device) {
    tools::addThreadOption(app, "--threads", device.threads);
    tools::addProcessorOption(app, device.processors,
                              "Processors to run on, such as 0,2; all by default");
    app.add_option("--name", device.processName,
                   "Name of the process in ps and top, at most 15 characters")
        ->type_name("NAME");
    app.add_option("--memory-limit", device.memoryLimitBytes,
                   "Private memory that the driver may have, such as 512M, stacks of threads "
                   "included; what needs more is refused")
        ->type_name("BYTES")
        ->transform(CLI::AsSizeValue(false));
    app.add_option("--concurrency-memory", device.concurrencyMemoryBytes,
                   "Memory that one model may take to run several executions at a time, such as "
                   "64M; 0: they follow each other")
        ->type_name("BYTES")
        ->transform(CLI::AsSizeValue(false))
        ->capture_default_str();
    app.add_flag_callback(
        "--no-xnnpack", [&device] { device.useXnnpack = false; },
        "Run all operations on the reference kernels");
    app.add_flag_callback(
        "--no-dot-products", [&device] { device.useDotProducts = false; },
        "Run operations on 8-bit tensors on XNNPACK alone");
    app.add_option(
           "--cache-key", device.cacheKeyFile,
           "File of the secret of compilation caches; made when the driver starts if there is none")
        ->type_name("FILE");
    app.add_option("--extension", device.extensionLibraries,
                   "Load the vendor extension in the shared library FILE; may be given several "
                   "times")
        ->type_name("FILE");
    app.add_flag_callback(
        "--no-tflite-operations", [&device] { device.useTfliteOperations = false; },
        "Do without the extension org.nnburst.tflite, whose operations imported TFLite models may "
        "use");
}

void addKindOptions(CLI::App& app, Options& options) {
    addChoice<HalVersion>(app, "--hal", options.device.version, kHalVersions,
                          "Act as a driver of this version of the HAL");
    constexpr std::array kVariants{DriverVariant::FULL, DriverVariant::FLOAT, DriverVariant::QUANT,
                                   DriverVariant::MINIMAL};
    addChoice<DriverVariant>(app, "--variant", options.device.variant, kVariants,
                             "Support only a part of the operations, for tests");
    app.add_option("--capabilities", options.device.capabilitiesFile,
                   "Report the capabilities that --calibrate has written to FILE")
        ->type_name("FILE");
    app.add_flag("--no-calibration", options.noCalibration,
                 "Report 1.0 for all capabilities if there is no --capabilities: neither use nor "
                 "measure those of this machine");
    CLI::Option* calibration =
        app.add_option("--calibrate", options.calibrationFile,
                       "Measure the capabilities with the given --threads, --processors and kernel "
                       "options, write them to FILE, and end")
            ->type_name("FILE");
    for (const char* serving :
         {"--socket", "--fd", "--isolate", "--metrics-socket", "--metrics-port"}) {
        calibration->excludes(app.get_option(serving));
    }
    app.add_option("--calibration-rounds", options.calibrationRounds,
                   "Times to measure each workload, with --calibrate")
        ->type_name("N")
        ->check(CLI::Range(1U, 10000U))
        ->capture_default_str()
        ->needs(calibration);
}

void addTuningOptions(CLI::App& app, DriverOptions& device) {
    app.add_option("--realtime", device.realtimePriority,
                   "Serve bursts with real-time priority (SCHED_FIFO): needs CAP_SYS_NICE, or a "
                   "limit of real-time priorities (ulimit -r) of at least PRIORITY")
        ->type_name("PRIORITY")
        ->check(CLI::Range(1U, system::kMaximumRealtimePriority));
    app.add_flag("--lock-memory", device.lockMemory,
                 "Lock all memory that was touched: needs CAP_IPC_LOCK, or no limit of locked "
                 "memory (ulimit -l unlimited)");
    app.add_flag("--huge-pages", device.useHugePages,
                 "Keep weights and temporaries on huge pages: needs madvise or always in "
                 "/sys/kernel/mm/transparent_hugepage/enabled");
    app.add_option_function<std::int64_t>(
           "--shallow-idle",
           [&device](std::int64_t microseconds) {
               device.cpuLatencyLimit = std::chrono::microseconds(microseconds);
           },
           "Keep processors out of idle states that take longer than MICROSECONDS to wake up from: "
           "needs write access to /dev/cpu_dma_latency")
        ->type_name("MICROSECONDS")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{INT32_MAX}));
    addMilliseconds(app, "--idle-time", device.idleTime,
                    "Milliseconds after which a model that is not executed gives back the memory "
                    "of its temporaries; 0 for never");
}

void addLogOptions(CLI::App& app, Options& options) {
    app.add_option(
           "--vlog", options.verboseTags,
           "Log verbosely: all, or some of compilation, cpuexe, driver, execution, manager, "
           "model (also NNBURST_VLOG; SIGUSR2 switches all of them on and off)")
        ->type_name("TAGS");
    constexpr std::array kLevels{LogLevel::TRACE,   LogLevel::DEBUGGING, LogLevel::INFO,
                                 LogLevel::WARNING, LogLevel::ERROR,     LogLevel::CRITICAL,
                                 LogLevel::OFF};
    addChoice<LogLevel>(app, "--log-level", options.device.logLevel, kLevels,
                        "Log messages of this level and above to standard error");
}

}  // namespace

std::optional<int> parse(int argc, char** argv, Options& options) {
    CLI::App app("The nnburst driver: runs neural networks for other processes.");
    app.set_version_flag("--version", options.accelerator ? options.accelerator->name()
                                                          : "nnburst-driver " NNBURST_VERSION);
    addSocketOptions(app, options);
    addLimitOptions(app, options);
    addKernelOptions(app, options.device);
    addKindOptions(app, options);
    addTuningOptions(app, options.device);
    addLogOptions(app, options);
    app.footer(
        "\nExit status: 0 after a signal, the end of the client of --fd, or --calibrate; 2 if an\n"
        "option is unknown, lacks one that it needs, has one that it excludes, or its value has\n"
        "the wrong form; 1 if it cannot serve, with the reason: also if a limit or a name is\n"
        "wrong, or options do not fit each other or this machine.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    return std::nullopt;
}

}  // namespace nnburst::driver
