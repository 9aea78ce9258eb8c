// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// serve-test-models FOLDER: writes the model repository that the tests of nnburst-serve use.

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "tflite/tflite_file.h"

namespace nnburst::tflite {
namespace {

using Code = schema::BuiltinOperator;
using schema::TensorType;

std::vector<std::uint8_t> bytesOf(const std::vector<float>& values) {
    std::vector<std::uint8_t> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

/// y = x + `summand`, of four elements.
FileSpec addFile(float summand) {
    FileSpec file;
    file.codes = {{.code = Code::ADD}};
    file.buffers = {{}, bytesOf(std::vector<float>(4, summand))};
    file.tensors = {{.shape = {4}, .name = "x"},
                    {.shape = {4}, .buffer = 1, .name = "summand"},
                    {.shape = {4}, .name = "y"}};
    file.operators = {{.inputs = {0, 1},
                       .outputs = {2},
                       .optionsType = schema::BuiltinOptions::AddOptions,
                       .options = [](flatbuffers::FlatBufferBuilder& builder) {
                           return schema::CreateAddOptions(builder).Union();
                       }}};
    file.inputs = {0};
    file.outputs = {2};
    return file;
}

/// sum = a + b and a + b + 10, of four elements. The names of both inputs, and of both outputs, are
/// the same if they are cut, as those of modules in modules are.
FileSpec alikeFile() {
    const std::string prefix(85, 'n');
    const auto options = [](flatbuffers::FlatBufferBuilder& builder) {
        return schema::CreateAddOptions(builder).Union();
    };
    FileSpec file;
    file.codes = {{.code = Code::ADD}};
    file.buffers = {{}, bytesOf(std::vector<float>(4, 10))};
    file.tensors = {{.shape = {4}, .name = prefix + "/a"},
                    {.shape = {4}, .name = prefix + "/b"},
                    {.shape = {4}, .buffer = 1, .name = "ten"},
                    {.shape = {4}, .name = prefix + "/sum"},
                    {.shape = {4}, .name = prefix + "/more"}};
    file.operators = {{.inputs = {0, 1},
                       .outputs = {3},
                       .optionsType = schema::BuiltinOptions::AddOptions,
                       .options = options},
                      {.inputs = {3, 2},
                       .outputs = {4},
                       .optionsType = schema::BuiltinOptions::AddOptions,
                       .options = options}};
    file.inputs = {0, 1};
    file.outputs = {3, 4};
    return file;
}

/// x + 1, x + 2 and x + 3, of four elements, with the names "a", "a" and "a:1".
FileSpec numberedFile() {
    FileSpec file = addFile(1);
    file.tensors[2].name = "a";
    file.tensors.push_back({.shape = {4}, .name = "a"});
    file.tensors.push_back({.shape = {4}, .name = "a:1"});
    for (const std::int32_t sum : {2, 3}) {
        file.operators.push_back(file.operators.front());
        file.operators.back().inputs = {sum, 1};
        file.operators.back().outputs = {sum + 1};
    }
    file.outputs = {2, 3, 4};
    return file;
}

/// values = 0.5 * (bytes - 128), of 2x3 elements.
FileSpec dequantizeFile() {
    FileSpec file;
    file.codes = {{.code = Code::DEQUANTIZE}};
    file.tensors = {{.shape = {2, 3},
                     .type = TensorType::UINT8,
                     .scales = {0.5F},
                     .zeroPoints = {128},
                     .name = "bytes"},
                    {.shape = {2, 3}, .name = "values"}};
    file.operators = {{.inputs = {0}, .outputs = {1}}};
    file.inputs = {0};
    file.outputs = {1};
    return file;
}

/// neither = not flags, of three elements.
FileSpec notFile() {
    FileSpec file;
    file.codes = {{.code = Code::LOGICAL_NOT}};
    file.tensors = {{.shape = {3}, .type = TensorType::BOOL, .name = "flags"},
                    {.shape = {3}, .type = TensorType::BOOL, .name = "neither"}};
    file.operators = {{.inputs = {0}, .outputs = {1}}};
    file.inputs = {0};
    file.outputs = {1};
    return file;
}

/// An RNN from 3 to 2 elements, all weights 1: each element of h = sum(x) + sum(h before) + 1.
FileSpec recurrentFile() {
    FileSpec file;
    file.codes = {{.code = Code::RNN}};
    file.buffers = {{},
                    bytesOf(std::vector<float>(6, 1.0F)),
                    bytesOf(std::vector<float>(4, 1.0F)),
                    bytesOf(std::vector<float>(2, 1.0F))};
    file.tensors = {{.shape = {1, 3}, .name = "x"},        {.shape = {2, 3}, .buffer = 1},
                    {.shape = {2, 2}, .buffer = 2},        {.shape = {2}, .buffer = 3},
                    {.shape = {1, 2}, .isVariable = true}, {.shape = {1, 2}, .name = "h"}};
    file.operators = {{.inputs = {0, 1, 2, 3, 4},
                       .outputs = {5},
                       .optionsType = schema::BuiltinOptions::RNNOptions,
                       .options = [](flatbuffers::FlatBufferBuilder& builder) {
                           return schema::CreateRNNOptions(builder).Union();
                       }}};
    file.inputs = {0};
    file.outputs = {5};
    return file;
}

/// `layers` products of a matrix with the identity: much to compute, with little to pack.
FileSpec productsFile(std::int32_t layers) {
    constexpr std::int32_t kSize = 512;
    std::vector<float> identity(kSize * kSize);
    for (std::size_t i = 0; i < kSize; ++i) {
        identity[i * (kSize + 1)] = 1.0F;
    }
    FileSpec file;
    file.codes = {{.code = Code::FULLY_CONNECTED}};
    file.buffers = {{}, bytesOf(identity)};
    file.tensors = {{.shape = {kSize, kSize}, .name = "x"},
                    {.shape = {kSize, kSize}, .buffer = 1, .name = "identity"}};
    for (std::int32_t layer = 0; layer < layers; ++layer) {
        file.tensors.push_back({.shape = {kSize, kSize}, .name = "y"});
        file.operators.push_back({.inputs = {layer == 0 ? 0 : layer + 1, 1, -1},
                                  .outputs = {layer + 2},
                                  .optionsType = schema::BuiltinOptions::FullyConnectedOptions,
                                  .options = [](flatbuffers::FlatBufferBuilder& builder) {
                                      return schema::CreateFullyConnectedOptions(builder).Union();
                                  }});
    }
    file.inputs = {0};
    file.outputs = {layers + 1};
    return file;
}

/// y = x + a row of zeros, of 2048 x 1024 elements: a large output of a small input.
FileSpec wideFile() {
    constexpr std::int32_t kRows = 2048;
    constexpr std::int32_t kColumns = 1024;
    FileSpec file = addFile(0);
    file.buffers = {{}, bytesOf(std::vector<float>(kColumns))};
    file.tensors = {{.shape = {kRows, 1}, .name = "x"},
                    {.shape = {1, kColumns}, .buffer = 1, .name = "row"},
                    {.shape = {kRows, kColumns}, .name = "y"}};
    return file;
}

void write(const std::filesystem::path& folder, const FileSpec& file) {
    std::filesystem::create_directories(folder);
    const std::vector<std::byte> bytes = serialize(file);
    std::ofstream stream(folder / "model.tflite", std::ios::binary);
    stream.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
}

}  // namespace
}  // namespace nnburst::tflite

int main(int argc, char** argv) {
    using namespace nnburst::tflite;
    if (argc != 2 || argv[1][0] == '-') {
        std::fprintf(stderr, "usage: serve-test-models FOLDER\n");
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    write(folder / "add" / "1", addFile(1));
    write(folder / "add" / "10", addFile(10));
    write(folder / "alike" / "1", alikeFile());
    write(folder / "dequantize" / "1", dequantizeFile());
    write(folder / "not" / "1", notFile());
    write(folder / "numbered" / "1", numberedFile());
    write(folder / "recurrent" / "1", recurrentFile());
    write(folder / "slow" / "1", productsFile(24));
    write(folder / "wide" / "1", wideFile());
    return 0;
}
