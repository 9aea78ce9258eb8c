// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "nnburst_run/options.h"

namespace nnburst::run {
namespace {

struct Parsed {
    std::variant<Options, ExitStatus> result;
    std::string out;
    std::string err;
};

Parsed parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "nnburst-run");
    std::ostringstream out;
    std::ostringstream err;
    auto result = parseOptions(static_cast<int>(arguments.size()), arguments.data(), out, err);
    return {std::move(result), out.str(), err.str()};
}

ExitStatus statusOf(const Parsed& parsed) {
    const auto* status = std::get_if<ExitStatus>(&parsed.result);
    return status == nullptr ? ExitStatus::SUCCESS : *status;
}

TEST(ParseOptions, refusesOptionsThatDoNotGoTogether) {
    EXPECT_EQ(statusOf(parse({"m", "--limit", "3"})), ExitStatus::USAGE);
    EXPECT_EQ(statusOf(parse({"m", "--dataset", "d", "--top", "3"})), ExitStatus::USAGE);
    EXPECT_EQ(statusOf(parse({"m", "n"})), ExitStatus::USAGE);
    EXPECT_EQ(statusOf(parse({"m", "--mean", "1", "2"})), ExitStatus::USAGE);
    EXPECT_EQ(statusOf(parse({"m", "--kernels", "reference", "--device", "/a"})),
              ExitStatus::USAGE);
    EXPECT_EQ(statusOf(parse({"m", "n", "--dataset", "d"})), ExitStatus::SUCCESS);
    EXPECT_EQ(statusOf(parse({"m", "--dataset", "d", "--repeat", "3"})), ExitStatus::USAGE);
}

TEST(ParseOptions, takesTheOptionsOfImagesOnlyWithInputs) {
    const std::vector<std::vector<const char*>> preparations = {
        {"--mean", "1"}, {"--std", "2"}, {"--crop", "0.5"}, {"--square"}};
    for (const std::vector<const char*>& preparation : preparations) {
        std::vector<const char*> arguments{"m"};
        arguments.insert(arguments.end(), preparation.begin(), preparation.end());
        const Parsed alone = parse(arguments);
        EXPECT_EQ(statusOf(alone), ExitStatus::USAGE) << preparation.front();
        EXPECT_NE(alone.err.find("need images: give --input or --dataset"), std::string::npos)
            << alone.err;
        for (const char* source : {"--input", "--dataset"}) {
            std::vector<const char*> whole = arguments;
            whole.insert(whole.end(), {source, "a"});
            EXPECT_EQ(statusOf(parse(whole)), ExitStatus::SUCCESS) << preparation.front();
        }
    }
}

TEST(ParseOptions, wantsASummaryOnlyOfAModelAlone) {
    EXPECT_TRUE(std::get<Options>(parse({"m", "--device", "local"}).result).isSummary());
    EXPECT_FALSE(std::get<Options>(parse({"m", "--repeat", "2"}).result).isSummary());
}

TEST(ParseOptions, takesAModelAloneWithItsDefaults) {
    const Parsed parsed = parse({"model.tflite"});
    ASSERT_TRUE(std::holds_alternative<Options>(parsed.result)) << parsed.err;
    const auto& options = std::get<Options>(parsed.result);
    EXPECT_EQ(options.model, "model.tflite");
    EXPECT_EQ(options.device, "spawn");
    EXPECT_EQ(options.via, Via::BURST);
    EXPECT_EQ(options.repeat, 1U);
    EXPECT_EQ(options.top, 0U);
    EXPECT_FALSE(options.tolerance);
}

TEST(ParseOptions, takesSeveralFilesAfterOneOptionOrOneEach) {
    const Parsed parsed =
        parse({"m", "--input", "a", "b", "--expect", "c", "--expect", "d", "--output", "e"});
    ASSERT_TRUE(std::holds_alternative<Options>(parsed.result)) << parsed.err;
    const auto& options = std::get<Options>(parsed.result);
    EXPECT_EQ(options.inputs, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(options.expected, (std::vector<std::string>{"c", "d"}));
    EXPECT_EQ(options.outputs, (std::vector<std::string>{"e"}));
}

TEST(ParseOptions, takesDeviceWayToleranceTopAndRepeat) {
    const Parsed parsed =
        parse({"m", "--device", "/run/nn.sock", "--via", "rpc", "--expect", "g", "--tolerance",
               "1e-5", "--top", "5", "--labels", "l.txt", "--repeat", "100"});
    ASSERT_TRUE(std::holds_alternative<Options>(parsed.result)) << parsed.err;
    const auto& options = std::get<Options>(parsed.result);
    EXPECT_EQ(options.device, "/run/nn.sock");
    EXPECT_EQ(options.via, Via::RPC);
    EXPECT_EQ(options.tolerance, 1e-5);
    EXPECT_EQ(options.top, 5U);
    EXPECT_EQ(options.labels, "l.txt");
    EXPECT_EQ(options.repeat, 100U);
}

TEST(ParseOptions, takesDecimalNumbersOfThreadsOrAuto) {
    const auto threads = [](const char* text) {
        const Parsed parsed = parse({"m", "--threads", text});
        EXPECT_TRUE(std::holds_alternative<Options>(parsed.result)) << parsed.err;
        const auto* options = std::get_if<Options>(&parsed.result);
        return options == nullptr ? UINT32_MAX : options->threads;
    };
    EXPECT_EQ(threads("4"), 4U);
    EXPECT_EQ(threads("010"), 10U);
    EXPECT_EQ(threads("auto"), 0U);
}

TEST(ParseOptions, refusesWhatMakesNoSense) {
    const std::vector<std::vector<const char*>> wrong = {
        {},
        {"m", "--via", "pigeon"},
        {"m", "--repeat", "0"},
        {"m", "--repeat", "x"},
        {"m", "--threads", "0x4"},
        {"m", "--threads", "0"},
        {"m", "--top", "0"},
        {"m", "--labels", "l.txt"},
        {"m", "--tolerance", "1"},
        {"m", "--expect", "g", "--tolerance", "-1"},
        {"m", "--colour"},
    };
    for (const auto& arguments : wrong) {
        const Parsed parsed = parse(arguments);
        EXPECT_EQ(statusOf(parsed), ExitStatus::USAGE);
        EXPECT_NE(parsed.err, "");
        EXPECT_EQ(parsed.out, "");
    }
}

TEST(ParseOptions, refusesValuesThatAreNoNumbers) {
    const std::vector<std::vector<const char*>> options = {
        {"m", "--expect", "g", "--tolerance"}, {"m", "--dataset", "d", "--expect-top1"},
        {"m", "--dataset", "d", "--crop"},     {"m", "--dataset", "d", "--mean"},
        {"m", "--dataset", "d", "--std"},
    };
    for (std::vector<const char*> arguments : options) {
        const std::string option = arguments.back();
        for (const char* value : {"nan", "-nan", "x"}) {
            arguments.push_back(value);
            EXPECT_EQ(statusOf(parse(arguments)), ExitStatus::USAGE) << option << ' ' << value;
            arguments.pop_back();
        }
        arguments.push_back("0.5");
        EXPECT_EQ(statusOf(parse(arguments)), ExitStatus::SUCCESS) << option;
    }
}

TEST(ParseOptions, takesShapesOfInputs) {
    const Parsed parsed = parse({"m", "--shape", "image=1x192x192x3", "--shape", "a=b=7"});
    const auto* options = std::get_if<Options>(&parsed.result);
    ASSERT_NE(options, nullptr) << parsed.err;
    EXPECT_EQ(options->shapes, (InputDimensions{{"image", {1, 192, 192, 3}}, {"a=b", {7}}}));
    for (const char* shape : {"image", "=1", "image=", "image=1x", "image=x1", "image=1x0",
                              "image=1,2", "image=-1", "image=4294967296"}) {
        EXPECT_EQ(statusOf(parse({"m", "--shape", shape})), ExitStatus::USAGE) << shape;
    }
}

TEST(ParseOptions, printsHelp) {
    const Parsed parsed = parse({"--help"});
    ASSERT_TRUE(std::holds_alternative<ExitStatus>(parsed.result));
    EXPECT_EQ(statusOf(parsed), ExitStatus::SUCCESS);
    EXPECT_NE(parsed.out.find("--tolerance"), std::string::npos);
    EXPECT_NE(parsed.out.find("builtin:lstm"), std::string::npos);
    EXPECT_EQ(parsed.err, "");
}

}  // namespace
}  // namespace nnburst::run
