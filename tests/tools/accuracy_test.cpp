// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/accuracy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "nnburst_run/accuracy_page.h"
#include "support/markup_check.h"
#include "support/temporary_directory.h"

namespace nnburst::run {
namespace {

namespace fs = std::filesystem;

class DatasetTest : public testing::Test {
  protected:
    void write(const std::string& name, const std::string& contents) const {
        std::ofstream(directory_ / name) << contents;
    }

    const test::TemporaryDirectory temporary_;
    const fs::path directory_ = temporary_.path();
};

TEST_F(DatasetTest, givesEachImageTheLineOfItsNumber) {
    for (int i = 0; i < 12; ++i) {
        write("image-" + std::to_string(i) + ".jpeg", "");
    }
    write("labels.txt", "cat\ndog\n");
    write("ground_truth_labels.txt",
          "cat\ncat\ndog\ncat\ncat\ncat\ncat\ncat\ncat\ncat\ndog\ncat\n");
    const auto dataset = readDataset(directory_, 0);
    ASSERT_TRUE(dataset) << dataset.error().message;
    ASSERT_EQ(dataset->images.size(), 12U);
    EXPECT_EQ(dataset->images[2].label, 1U);
    EXPECT_EQ(dataset->images[10].label, 1U);
    EXPECT_EQ(dataset->images[1].label, 0U);
    const auto limited = readDataset(directory_, 6);
    ASSERT_TRUE(limited);
    ASSERT_EQ(limited->images.size(), 6U);
    EXPECT_EQ(limited->images[5].path, (directory_ / "image-10.jpeg").string());
}

TEST_F(DatasetTest, refusesClassesWithoutNamesAndImagesWithoutClasses) {
    write("image-0.jpeg", "");
    write("labels.txt", "cat\n");
    write("ground_truth_labels.txt", "horse\n");
    EXPECT_FALSE(readDataset(directory_, 0));
    write("ground_truth_labels.txt", "");
    EXPECT_FALSE(readDataset(directory_, 0));
}

TEST_F(DatasetTest, findsSequencesAndRefusesThoseWithoutOutput) {
    write("b.input", "");
    write("b.output", "");
    write("a.input", "");
    write("a.output", "");
    write("x.output_mean_std_dev", "");
    const auto dataset = readDataset(directory_, 0);
    ASSERT_TRUE(dataset) << dataset.error().message;
    ASSERT_EQ(dataset->sequences.size(), 2U);
    EXPECT_EQ(dataset->sequences[0].name, "a");
    EXPECT_FALSE(dataset->statistics.empty());
    write("c.input", "");
    EXPECT_FALSE(readDataset(directory_, 0));
}

TEST_F(DatasetTest, refusesLinksThatLeadToThemselves) {
    const fs::path truth = directory_ / "ground_truth_labels.txt";
    fs::create_symlink(truth, truth);
    EXPECT_FALSE(readDataset(directory_, 0));
    write("a.input", "");
    fs::create_symlink(directory_ / "a.output", directory_ / "a.output");
    EXPECT_FALSE(readDataset(directory_, 0));
}

TEST_F(DatasetTest, leavesOutImagesThatAreLinksToThemselves) {
    fs::create_symlink(directory_ / "image-0.png", directory_ / "image-0.png");
    write("image-1.png", "");
    write("labels.txt", "cat\n");
    write("ground_truth_labels.txt", "cat\n");
    const auto dataset = readDataset(directory_, 0);
    ASSERT_TRUE(dataset) << dataset.error().message;
    EXPECT_EQ(dataset->images.size(), 1U);
}

TEST_F(DatasetTest, refusesADirectoryWithoutData) {
    EXPECT_FALSE(readDataset(directory_, 0));
    EXPECT_FALSE(readDataset(directory_ / "missing", 0));
}

TEST(SpeechErrors, compareAmplitudesAndLogF0OfVoicedFramesInNaturalUnits) {
    std::vector<float> expected(2 * 49, 0.0F);
    std::vector<float> statistics;
    for (std::size_t i = 0; i < 49; ++i) {
        statistics.insert(statistics.end(), {i == 48 ? 1.0F : 0.0F, 2.0F});
    }
    std::vector<float> actual = expected;
    for (std::size_t i = 0; i < 49; ++i) {
        actual[i] = 3.0F;  // 6 in natural units
    }
    const auto errors = speechErrors(actual, expected, statistics);
    ASSERT_TRUE(errors) << errors.error().message;
    EXPECT_NEAR(errors->melCepstral, std::sqrt(36.0 / 2), 1e-9) << "one of two frames differs";
    EXPECT_NEAR(errors->logF0, std::sqrt(36.0 / 2), 1e-9);
    actual[48 + 49] = -1.0F;  // unvoiced: its log F0 says nothing
    EXPECT_NEAR(speechErrors(actual, expected, statistics)->logF0, 6, 1e-9);
    actual.pop_back();
    EXPECT_FALSE(speechErrors(actual, expected, statistics));
}

ModelAccuracy accuracyOf(std::size_t top1, double p50) {
    ModelAccuracy accuracy{.model = "m<1>", .device = "local", .executions = 100};
    accuracy.classifier = ClassifierAccuracy{.images = 100, .top1 = top1, .top5 = 90};
    accuracy.classifier->predicted = std::vector<std::size_t>(100, top1);
    accuracy.latency = {.p50 = p50, .p99 = p50 * 2, .max = p50 * 3};
    accuracy.expectedTop1 = 0.5;
    return accuracy;
}

TEST(AccuracyDrift, isWorseIfTop1FallsByMoreThanOneAndAHalfPoints) {
    EXPECT_TRUE(driftBetween(accuracyOf(60, 10), accuracyOf(58, 10)).isWorse);
    EXPECT_FALSE(driftBetween(accuracyOf(60, 10), accuracyOf(59, 10)).isWorse);
    const AccuracyDrift drift = driftBetween(accuracyOf(60, 10), accuracyOf(70, 20));
    EXPECT_FALSE(drift.isWorse);
    EXPECT_EQ(drift.differentImages, 100U);
    EXPECT_DOUBLE_EQ(drift.latencyRatio, 2);
}

TEST(ModelAccuracy, isReadBackAsItWasWritten) {
    const auto read = readAccuracy(jsonOf(accuracyOf(60, 10)));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->classifier->top1, 60U);
    EXPECT_EQ(read->classifier->predicted.size(), 100U);
    EXPECT_EQ(read->latency.p50, 10);
    EXPECT_FALSE(readAccuracy(tools::Json{{"model", 7}}));
}

TEST(AccuracyPage, hasModelsTheirFiguresAndTheDrift) {
    const std::vector models{accuracyOf(40, 10)};
    const std::vector against{accuracyOf(60, 20)};
    const std::string page = accuracyPage(models, against, "a machine");
    EXPECT_EQ(test::firstWrongTag(page), "");
    EXPECT_NE(page.find("m&lt;1&gt;"), std::string::npos);
    EXPECT_NE(page.find("class=\"bad\" data-head=\"top-1\">40.0 %"), std::string::npos);
    EXPECT_NE(page.find(">-20.0<"), std::string::npos);
}

}  // namespace
}  // namespace nnburst::run
