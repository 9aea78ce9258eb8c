// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/options.h"

#include <CLI/CLI.hpp>
#include <array>
#include <limits>
#include <ostream>
#include <string>

#include "nnburst/version.h"
#include "support/device_source.h"
#include "support/import_options.h"
#include "support/model_source.h"
#include "support/number_option.h"
#include "support/thread_option.h"

namespace nnburst::run {

namespace {

constexpr const char* kDescription =
    "Runs a neural network on an nnburst device and compares its outputs with golden ones.";

constexpr const char* kFooter = R"(
With a model alone it prints a summary: inputs, outputs, operations, parameters, what kernels run it,
and the time of an execution.

Input, output and golden files hold the elements of one operand, little-endian, in C order. An input
file of N times the operand's size is a sequence: N steps are run in order, states of recurrent
models are fed back from step to step, and output files hold the outputs of all steps. An input may
also be PNG or JPEG images, or a directory of them: each image is a step.

A data set is a directory: images with labels.txt (line n, from 0, names class n) and
ground_truth_labels.txt (line n is the class of image n, in the order of their names); or pairs
NAME.input and NAME.output of float32, with a *.output_mean_std_dev if they are speech.

)";

constexpr const char* kFooterEnd = R"(
Exit status: 0 if the model ran; 1 if it could not be run, a file does not fit, or results could not
be written; 2 for wrong arguments; 3 if it ran, but differs from --expect by more than --tolerance,
or has a lower top-1 share than --expect-top1; 4 if, compared with the --compare file, it is slower
by more than twice the noise, no time was measured in both runs, or its top-1 share is lower by more
than 1.5 points.

Examples:
  nnburst-run mobilenet.tflite
  nnburst-run mobilenet.tflite --input cup.jpeg --top 3 --labels labels.txt
  nnburst-run mobilenet.tflite --profile --trace trace.json
  nnburst-run mobilenet.tflite --dataset images/ --html accuracy.html --against reference
)";

/// Options as they are written.
struct Written {
    std::vector<std::string> models;
    std::string via = "burst";
    std::string kernels = toString(KernelChoice::FAST);
    std::string against;
    std::vector<double> mean;
    std::vector<double> deviation;
};

std::optional<std::array<double, 3>> channelsOf(const std::vector<double>& values) {
    if (values.empty()) {
        return std::nullopt;
    }
    return values.size() == 3 ? std::array{values[0], values[1], values[2]}
                              : std::array{values[0], values[0], values[0]};
}

KernelChoice kernelChoice(const std::string& name) {
    return name == "reference" ? KernelChoice::REFERENCE
           : name == "xnnpack" ? KernelChoice::XNNPACK
                               : KernelChoice::FAST;
}

void take(const Written& written, Options& options) {
    options.model = written.models.front();
    options.moreModels.assign(written.models.begin() + 1, written.models.end());
    options.via = written.via == "rpc" ? Via::RPC : Via::BURST;
    options.kernels = kernelChoice(written.kernels);
    if (!written.against.empty()) {
        options.against = kernelChoice(written.against);
    }
    options.images.mean = channelsOf(written.mean);
    options.images.deviation = channelsOf(written.deviation);
}

/// What is wrong with options that need another one; empty if nothing is.
std::string problemOf(const Options& options, const Written& written) {
    if (written.mean.size() == 2 || written.deviation.size() == 2) {
        return "--mean and --std: 2 values; must be 1, or 3 for red, green and blue";
    }
    if (options.images != tools::ImagePreparation() && options.inputs.empty() &&
        options.dataset.empty()) {
        return "--mean, --std, --crop and --square need images: give --input or --dataset";
    }
    if (!options.moreModels.empty() && options.dataset.empty()) {
        return "several models need --dataset";
    }
    if (!options.dataset.empty() &&
        !(options.inputs.empty() && options.outputs.empty() && options.expected.empty() &&
          options.top == 0 && options.repeat == 1 && !options.needsProfile() &&
          options.dump.empty())) {
        return "--dataset excludes --input, --output, --expect, --top, --repeat, --profile, "
               "--trace and --dump";
    }
    if ((options.kernels != KernelChoice::FAST || options.threads != 1) &&
        options.device != "local" && options.device != "spawn") {
        return "--kernels and --threads need --device local or spawn: a driver that runs already "
               "has its own";
    }
    return {};
}

void addDataOptions(CLI::App& app, Options& options, Written& written) {
    app.add_option("MODEL", written.models,
                   "A .tflite file or a built-in model; to be named before the options.\n"
                   "Several for --dataset")
        ->type_name("")
        ->required();
    app.add_option("--signature", options.signature,
                   "The signature of a .tflite file to run. Without: its main subgraph.\n"
                   "The summary lists the signatures")
        ->type_name("NAME");
    tools::addImportOptions(app, options.shapes, options.integersFitInt32);
    app.add_option("--input", options.inputs,
                   "Files, one for each input of the model, in order; or images and\n"
                   "directories of images for its only input.\n"
                   "Without them the inputs are one step of zeros")
        ->type_name("FILE");
    app.add_option("--output", options.outputs, "Files to write the outputs to, in order")
        ->type_name("FILE");
    CLI::Option* expect = app.add_option("--expect", options.expected,
                                         "Files with golden outputs, in order.\n"
                                         "Prints how far the outputs are from them")
                              ->type_name("FILE");
    app.add_option("--tolerance", options.tolerance,
                   "Largest difference from a golden element that is allowed:\n"
                   "absolute for floating point, in steps for quantised outputs")
        ->check(tools::isBetween(0.0, std::numeric_limits<double>::max()))
        ->type_name("X")
        ->needs(expect);
    CLI::Option* top = app.add_option("--top", options.top,
                                      "Print the K largest elements of each output's last step,\n"
                                      "or for each image")
                           ->check(CLI::Range(1, 1'000'000).description(""))
                           ->type_name("K");
    app.add_option("--labels", options.labels,
                   "File whose line n, from 0, names element n of an output")
        ->type_name("FILE")
        ->needs(top);
    app.add_option("--dump", options.dump,
                   "Write the model to FILE in the language of Graphviz: dot -Tsvg FILE draws it")
        ->type_name("FILE");
}

void addDeviceOptions(CLI::App& app, Options& options, Written& written) {
    tools::addDeviceOption(app, options.device, "a driver process of its own");
    app.add_option("--via", written.via, "How executions reach the device")
        ->check(CLI::IsMember({"burst", "rpc"}).description(""))
        ->type_name("burst|rpc")
        ->capture_default_str();
    app.add_option("--kernels", written.kernels,
                   "fast: all kernels; xnnpack: without own kernels of 8 bits;\n"
                   "reference: the reference kernels alone")
        ->check(CLI::IsMember({"fast", "xnnpack", "reference"}).description(""))
        ->type_name("fast|xnnpack|reference")
        ->capture_default_str();
    tools::addThreadOption(app, "--threads", options.threads);
}

void addMeasurementOptions(CLI::App& app, Options& options) {
    app.add_option("--repeat", options.repeat, "Run each step N times and print how long that took")
        ->check(CLI::Range(1, 1'000'000'000).description(""))
        ->type_name("N");
    app.add_flag("--profile", options.isProfiled,
                 "Print the time of each operation, with its kernel, bytes and GFLOP/s");
    app.add_option("--trace", options.trace,
                   "Write a trace of the run to FILE, for ui.perfetto.dev or chrome://tracing")
        ->type_name("FILE");
    app.add_option("--json", options.json,
                   "Write what was measured to FILE, in the form of Google Benchmark")
        ->type_name("FILE");
    app.add_option("--compare", options.compare,
                   "Compare with what an earlier run wrote by --json, and judge")
        ->type_name("FILE");
}

/// One value for all channels, or three.
void addChannelOption(CLI::App& app, const char* name, std::vector<double>& values,
                      const char* help, double least) {
    app.add_option(name, values, help)
        ->expected(1, 3)
        ->check(tools::isBetween(least, 1e9))
        ->type_name("X");
}

void addImageOptions(CLI::App& app, Options& options, Written& written) {
    app.add_option("--crop", options.images.crop,
                   "Share of each side of an image that stays, about its centre")
        ->check(tools::isBetween(0.01, 1.0))
        ->type_name("X")
        ->capture_default_str();
    app.add_flag("--square", options.images.isSquare,
                 "Crop a square of the shorter side: the image keeps its proportions");
    addChannelOption(app, "--mean", written.mean,
                     "The model sees (byte - mean) / std, of red, green and blue.\n"
                     "Without: 127.5 for float32, bytes as they are for 8 bits",
                     -1e9);
    addChannelOption(app, "--std", written.deviation, "As --mean", 1e-6);
}

void addDatasetOptions(CLI::App& app, Options& options, Written& written) {
    CLI::Option* dataset =
        app.add_option("--dataset", options.dataset,
                       "Measure accuracy: run the data in DIR, whose results are known")
            ->type_name("DIR");
    app.add_option("--limit", options.limit, "Use N images or sequences, spread over all of them")
        ->check(CLI::Range(1, 1'000'000).description(""))
        ->type_name("N")
        ->needs(dataset);
    app.add_option("--expect-top1", options.expectedTop1,
                   "Smallest top-1 share that is allowed, from 0 to 1")
        ->check(tools::isBetween(0.0, 1.0))
        ->type_name("X")
        ->needs(dataset);
    app.add_option("--against", written.against,
                   "Run the data also on a local device with these kernels,\n"
                   "and print how far the results are from each other")
        ->check(CLI::IsMember({"fast", "xnnpack", "reference"}).description(""))
        ->type_name("fast|xnnpack|reference")
        ->needs(dataset);
    app.add_option("--html", options.html, "Write a page with the accuracy to FILE")
        ->type_name("FILE")
        ->needs(dataset);
}

}  // namespace

const char* toString(KernelChoice kernels) noexcept {
    switch (kernels) {
        case KernelChoice::XNNPACK:
            return "xnnpack";
        case KernelChoice::REFERENCE:
            return "reference";
        case KernelChoice::FAST:
            break;
    }
    return "fast";
}

std::variant<Options, ExitStatus> parseOptions(int argc, const char* const* argv, std::ostream& out,
                                               std::ostream& err) {
    Options options;
    Written written;
    CLI::App app(kDescription, "nnburst-run");
    app.set_version_flag("--version", "nnburst-run " NNBURST_VERSION);
    app.footer(std::string(kFooter) + tools::kBuiltinModelsHelp + kFooterEnd);
    addDataOptions(app, options, written);
    addDeviceOptions(app, options, written);
    addMeasurementOptions(app, options);
    addImageOptions(app, options, written);
    addDatasetOptions(app, options, written);
    try {
        app.parse(argc, argv);
        take(written, options);
        if (const std::string problem = problemOf(options, written); !problem.empty()) {
            throw CLI::ValidationError(problem);
        }
    } catch (const CLI::ParseError& error) {
        return app.exit(error, out, err) == 0 ? ExitStatus::SUCCESS : ExitStatus::USAGE;
    }
    options.commandLine.assign(argv, argv + argc);
    return options;
}

}  // namespace nnburst::run
