// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Writes the inputs from which fuzzers start: make_seeds DIRECTORY makes DIRECTORY/FUZZER/NAME.

#include <capnp/message.h>
#include <capnp/rpc.capnp.h>
#include <capnp/serialize.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "burst/request_frame.h"
#include "device/local/cache_file.h"
#include "device/local/compilation_cache.h"
#include "device/rpc/conversion.h"
#include "exec/xnnpack/random_graph.h"
#include "nnburst/unique_fd.h"
#include "stress/raw_messages.h"
#include "support/temporary_directory.h"
#include "support/test_request.h"
#include "vectors/vector_file.h"

namespace nnburst::fuzz {
namespace {

using Bytes = std::vector<std::byte>;

template <class T>
void append(Bytes& bytes, const T& value) {
    const auto more = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), more.begin(), more.end());
}

class Seeds {
  public:
    explicit Seeds(std::filesystem::path directory) : directory_(std::move(directory)) {}

    void write(const std::string& fuzzer, std::span<const std::byte> contents) {
        std::filesystem::create_directories(directory_ / fuzzer);
        std::ofstream file(directory_ / fuzzer / ("seed_" + std::to_string(count_++)),
                           std::ios::binary);
        file.write(reinterpret_cast<const char*>(contents.data()),
                   static_cast<std::streamsize>(contents.size()));
    }

  private:
    std::filesystem::path directory_;
    int count_ = 0;
};

/// A message as message_fuzz takes it: without its segment table.
void appendMessage(Bytes& seed, std::span<const std::byte> message) {
    constexpr std::size_t kTableBytes = 8;
    append(seed, static_cast<std::uint16_t>(message.size() - kTableBytes));
    seed.insert(seed.end(), message.begin() + kTableBytes, message.end());
}

void writeMessageSeeds(Seeds& seeds) {
    Bytes seed;
    for (std::uint32_t question = 2; question < 6; ++question) {
        appendMessage(seed, stress::capabilitiesCall(question));
    }
    seeds.write("message_fuzz", seed);
    Bytes repeated;
    constexpr auto kUnsupported = static_cast<std::uint16_t>(capnp::rpc::Message::OBSOLETE_SAVE);
    appendMessage(repeated, stress::messageOfRepeatedBytes(kUnsupported, 1000, 1 << 15));
    seeds.write("message_fuzz", repeated);
    for (std::uint32_t graph = 1; graph < 20; ++graph) {
        Bytes calls;
        for (const bool isPreparation : {false, true}) {
            const Bytes call = stress::modelCall(2, exec::makeRandomGraph(graph), isPreparation);
            if (call.size() < UINT16_MAX) {
                appendMessage(calls, call);
            }
        }
        seeds.write("message_fuzz", calls);
    }
}

Bytes payloadOf(int fd) {
    Bytes bytes(static_cast<std::size_t>(::lseek(fd, 0, SEEK_END)));
    (void)!::pread(fd, bytes.data(), bytes.size(), 0);
    return {bytes.begin() + sizeof(device::CacheFileHeader), bytes.end()};
}

void writeCacheSeeds(Seeds& seeds) {
    const test::TemporaryDirectory directory;
    const device::CompilationCache cache(directory.path() / "cache.key");
    const auto engine = exec::makeEngine(true);
    for (std::uint32_t graph = 1; graph < 20; ++graph) {
        const Model model = exec::makeRandomGraph(graph);
        const auto compiled = exec::CompiledModel::compile(engine, model);
        auto snapshot = device::ModelSnapshot::take(model);
        device::CacheFiles files;
        files.model.emplace_back(::memfd_create("model", MFD_CLOEXEC));
        files.data.emplace_back(::memfd_create("data", MFD_CLOEXEC));
        if (!compiled || !snapshot || !cache.save(*snapshot, (*compiled)->packed(), files)) {
            continue;
        }
        constexpr std::size_t kDigestBytes = 32;
        Bytes payload = payloadOf(files.model[0].get());
        payload.erase(payload.begin() + kDigestBytes,
                      payload.begin() + kDigestBytes + sizeof(device::CacheCode));
        Bytes seed;
        append(seed, static_cast<std::uint32_t>(payload.size()));
        seed.insert(seed.end(), payload.begin(), payload.end());
        const Bytes data = payloadOf(files.data[0].get());
        seed.insert(seed.end(), data.begin(), data.end());
        seeds.write("cache_fuzz", seed);
    }
}

void writeVectorSeeds(Seeds& seeds) {
    for (std::uint32_t graph = 1; graph < 20; ++graph) {
        std::ostringstream text;
        VectorExample example;
        example.name = "seed";
        example.halVersionWire = "1.3";
        example.model = exec::makeRandomGraph(graph);
        writeVectorFile(text, example);
        const std::string contents = text.str();
        seeds.write("vector_fuzz", std::as_bytes(std::span(contents)));
    }
}

void writeFrameSeeds(Seeds& seeds) {
    Request request;
    request.inputs.resize(2);
    request.inputs[0].dimensions = {1, 2, 3};
    request.outputs.resize(1);
    std::vector<burst::FrameLine> lines(burst::requestLineCount(request));
    burst::encodeRequest(1, {.number = 1, .generation = 1}, request, {}, {}, lines);
    seeds.write("frame_fuzz", std::as_bytes(std::span(lines)));
}

/// Bytes that mean something wherever they are.
void writeRandomSeeds(Seeds& seeds, const std::string& fuzzer) {
    std::mt19937 random(1);
    for (std::size_t size = 64; size <= 1024; size *= 2) {
        for (int i = 0; i < 8; ++i) {
            Bytes bytes(size);
            std::ranges::generate(bytes, [&] { return static_cast<std::byte>(random()); });
            seeds.write(fuzzer, bytes);
        }
    }
}

void writeSeeds(const std::string& directory) {
    Seeds seeds(directory);
    writeMessageSeeds(seeds);
    writeCacheSeeds(seeds);
    writeVectorSeeds(seeds);
    writeFrameSeeds(seeds);
    for (const char* fuzzer : {"call_fuzz", "model_fuzz", "channel_fuzz", "answer_fuzz"}) {
        writeRandomSeeds(seeds, fuzzer);
    }
}

}  // namespace
}  // namespace nnburst::fuzz

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: make_seeds DIRECTORY\n");
        return 2;
    }
    nnburst::fuzz::writeSeeds(argv[1]);
    return 0;
}
