// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/options.h"

#include <CLI/CLI.hpp>
#include <limits>
#include <ostream>
#include <string>

#include "nnburst/version.h"
#include "support/model_source.h"

namespace nnburst::run {

namespace {

constexpr const char* kDescription =
    "Runs a neural network on an nnburst device and compares its outputs with golden ones.";

constexpr const char* kFooter = R"(
Input, output and golden files hold the elements of one operand, little-endian, in C order. An input
file of N times the operand's size is a sequence: N steps are run in order, states of recurrent
models are fed back from step to step, and output files hold the outputs of all steps.

)";

constexpr const char* kFooterEnd = R"(
Exit status: 0 if the model ran; 1 if it could not be run or a file does not fit; 2 for wrong
arguments; 3 if it ran, but differs from --expect by more than --tolerance.

Example:
  nnburst-run mobilenet.tflite --input cup.input --expect cup.output --top 3 --labels labels.txt
)";

}  // namespace

std::variant<Options, ExitStatus> parseOptions(int argc, const char* const* argv, std::ostream& out,
                                               std::ostream& err) {
    Options options;
    CLI::App app(kDescription, "nnburst-run");
    app.set_version_flag("--version", "nnburst-run " NNBURST_VERSION);
    app.footer(std::string(kFooter) + tools::kBuiltinModelsHelp + kFooterEnd);
    app.add_option("MODEL", options.model,
                   "A .tflite file or a built-in model; to be named before the options")
        ->type_name("")
        ->required();
    app.add_option("--input", options.inputs,
                   "Files, one for each input of the model, in order.\n"
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
        ->check(CLI::Range(0.0, std::numeric_limits<double>::max()).description(""))
        ->type_name("X")
        ->needs(expect);
    app.add_option(
           "--device", options.device,
           "local: in this process; spawn: in a driver process of its own;\n"
           "nnapi, nnapi:NAME: through libneuralnetworks.so, on the devices that its runtime\n"
           "chooses or on the one of that name; PATH: in the driver that listens on that socket")
        ->type_name("local|spawn|nnapi|PATH")
        ->capture_default_str();
    std::string via = "burst";
    app.add_option("--via", via, "How executions reach the device")
        ->check(CLI::IsMember({"burst", "rpc"}).description(""))
        ->type_name("burst|rpc")
        ->capture_default_str();
    CLI::Option* top = app.add_option("--top", options.top,
                                      "Print the K largest elements of each output's last step")
                           ->check(CLI::Range(1, 1'000'000).description(""))
                           ->type_name("K");
    app.add_option("--labels", options.labels,
                   "File whose line n, from 0, names element n of an output")
        ->type_name("FILE")
        ->needs(top);
    app.add_option("--dump", options.dump,
                   "Write the model to FILE in the language of Graphviz: dot -Tsvg FILE draws it")
        ->type_name("FILE");
    app.add_option("--repeat", options.repeat, "Run each step N times and print how long that took")
        ->check(CLI::Range(1, 1'000'000'000).description(""))
        ->type_name("N");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error, out, err) == 0 ? ExitStatus::SUCCESS : ExitStatus::USAGE;
    }
    options.via = via == "rpc" ? Via::RPC : Via::BURST;
    return options;
}

}  // namespace nnburst::run
