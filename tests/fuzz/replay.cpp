// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Runs a fuzzer without libFuzzer, so that every build and sanitizer runs it a little: each file
/// of the directories once, then changed copies of them.
///
///     NAME [-runs=N] [-seed=N] [DIRECTORY | FILE]...
///
/// The input that is under way lies in NAME.input in the working directory; it stays there if the
/// fuzzer does not return. Other options of libFuzzer are ignored.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

Input read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Input> readAll(const std::filesystem::path& path) {
    std::vector<Input> inputs;
    if (!std::filesystem::is_directory(path)) {
        inputs.push_back(read(path));
        return inputs;
    }
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
        files.push_back(entry.path());
    }
    std::ranges::sort(files);  // the same order everywhere
    std::ranges::transform(files, std::back_inserter(inputs), read);
    return inputs;
}

class Replay {
  public:
    Replay(const char* program, unsigned seed)
        : random_(seed), path_(std::filesystem::path(program).filename().string() + ".input") {}
    ~Replay() { std::filesystem::remove(path_); }
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;

    void run(const Input& input) {
        std::ofstream(path_, std::ios::binary)
            .write(reinterpret_cast<const char*>(input.data()),
                   static_cast<std::streamsize>(input.size()));
        (void)LLVMFuzzerTestOneInput(input.data(), input.size());
    }

    /// One of `inputs` with a few changes.
    Input change(const std::vector<Input>& inputs) {
        Input input = inputs.empty() ? Input(random_() % 512) : inputs[random_() % inputs.size()];
        for (std::uint32_t i = 1 + random_() % 4; i > 0; --i) {
            changeOnce(input, inputs);
        }
        return input;
    }

  private:
    void changeOnce(Input& input, const std::vector<Input>& inputs) {
        const std::size_t at = input.empty() ? 0 : random_() % input.size();
        const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
        const std::size_t length = std::min<std::size_t>(random_() % 32, input.size() - at);
        const auto end = place + static_cast<std::ptrdiff_t>(length);
        switch (random_() % 6) {
            case 0:
                input.erase(place, end);
                break;
            case 1:
                input.insert(place, static_cast<std::uint8_t>(random_()));
                break;
            case 2:
                std::generate(place, end, [&] { return static_cast<std::uint8_t>(random_()); });
                break;
            case 3:
                if (!inputs.empty()) {
                    const Input& other = inputs[random_() % inputs.size()];
                    std::copy_n(other.begin(),
                                static_cast<std::ptrdiff_t>(std::min(length, other.size())), place);
                }
                break;
            default:
                if (!input.empty()) {
                    *place ^= static_cast<std::uint8_t>(1U << (random_() % 8));
                }
        }
    }

    std::mt19937 random_;
    const std::string path_;
};

}  // namespace

int main(int argc, char** argv) {
    unsigned runs = 0;
    unsigned seed = std::random_device{}();
    std::vector<Input> inputs;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument.starts_with("-runs=")) {
            runs = static_cast<unsigned>(std::strtoul(argument.c_str() + 6, nullptr, 10));
        } else if (argument.starts_with("-seed=")) {
            seed = static_cast<unsigned>(std::strtoul(argument.c_str() + 6, nullptr, 10));
        } else if (!argument.starts_with("-")) {
            const std::vector<Input> more = readAll(argument);
            inputs.insert(inputs.end(), more.begin(), more.end());
        }
    }
    std::printf("%zu inputs, then %u changed ones with -seed=%u\n", inputs.size(), runs, seed);
    std::fflush(stdout);
    Replay replay(argv[0], seed);
    for (const Input& input : inputs) {
        replay.run(input);
    }
    for (unsigned i = 0; i < runs; ++i) {
        replay.run(replay.change(inputs));
    }
    std::fflush(stdout);
    return 0;
}
