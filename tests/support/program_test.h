// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Tests of programs as their users see them: what they print and return.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/temporary_directory.h"

namespace nnburst::test {

struct ProgramResult {
    int status = -1;  ///< of exit; -1 if it was killed or could not be started
    std::string out;
    std::string err;
};

inline std::string contentsOf(const std::filesystem::path& path) {
    std::ostringstream contents;
    contents << std::ifstream(path, std::ios::binary).rdbuf();
    return contents.str();
}

inline void writeFile(const std::filesystem::path& path, const std::string& contents) {
    std::ofstream(path, std::ios::binary) << contents;
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// A directory of the test's own, and a program that is run with files there.
class ProgramTest : public testing::Test {
  protected:
    explicit ProgramTest(std::string program) : program_(std::move(program)) {}

    [[nodiscard]] std::filesystem::path file(const std::string& name) const {
        return directory_.path() / name;
    }

    /// Starts the program with its output and errors going to files, or its output to `output`.
    [[nodiscard]] pid_t start(std::vector<std::string> arguments,
                              const std::string& output = {}) const {
        arguments.insert(arguments.begin(), program_);
        std::vector<char*> argv;
        argv.reserve(arguments.size() + 1);
        for (std::string& argument : arguments) {
            argv.push_back(argument.data());
        }
        argv.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
        const std::string out = output.empty() ? file("stdout").string() : output;
        posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), kFlags, 0600);
        posix_spawn_file_actions_addopen(&actions, 2, file("stderr").c_str(), kFlags, 0600);
        pid_t child = 0;
        const int error =
            posix_spawn(&child, program_.c_str(), &actions, nullptr, argv.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        EXPECT_EQ(error, 0);
        return error == 0 ? child : -1;
    }

    /// Waits for the end of what start() has started.
    [[nodiscard]] ProgramResult finish(pid_t child) const {
        ProgramResult result;
        int status = 0;
        if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)) {
            result.status = WEXITSTATUS(status);
        }
        result.out = contentsOf(file("stdout"));
        result.err = contentsOf(file("stderr"));
        return result;
    }

    [[nodiscard]] ProgramResult run(std::vector<std::string> arguments) const {
        return finish(start(std::move(arguments)));
    }

  private:
    std::string program_;
    TemporaryDirectory directory_;
};

}  // namespace nnburst::test
