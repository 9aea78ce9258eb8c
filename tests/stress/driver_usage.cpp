// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "driver_usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

namespace nnburst::stress {

namespace {

std::uint64_t entryCount(const std::string& directory) {
    std::error_code error;
    std::uint64_t count = 0;
    for (auto entry = std::filesystem::directory_iterator(directory, error);
         !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        ++count;
    }
    return count;
}

std::uint64_t sharedMappingCount(const std::string& process) {
    std::ifstream maps(process + "/maps");
    std::uint64_t count = 0;
    for (std::string line; std::getline(maps, line);) {
        count += line.find("memfd:nnburst") != std::string::npos ? 1 : 0;
    }
    return count;
}

}  // namespace

std::uint64_t sharedMemoryFileCount() {
    std::error_code error;
    std::uint64_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", error)) {
        count += entry.path().filename().string().starts_with("nnburst") ? 1 : 0;
    }
    return count;
}

Usage usageOf(pid_t pid) {
    constexpr std::uint64_t kKibibyte = 1024;
    const std::string process = "/proc/" + std::to_string(pid);
    Usage usage;
    std::ifstream status(process + "/status");
    for (std::string key; status >> key;) {
        if (key == "RssAnon:") {
            status >> usage.memoryBytes;
            usage.memoryBytes *= kKibibyte;
        } else if (key == "VmSize:") {
            status >> usage.addressBytes;
            usage.addressBytes *= kKibibyte;
        } else if (key == "Threads:") {
            status >> usage.threads;
        }
    }
    usage.descriptors = entryCount(process + "/fd");
    usage.sharedMappings = sharedMappingCount(process);
    return usage;
}

std::string excess(const Usage& before, const Usage& after) {
    std::string text;
    const auto check = [&text](const char* what, std::uint64_t was, std::uint64_t is,
                               std::uint64_t limit) {
        if (is > limit) {
            text += fmt::format("{}{} {} -> {}, at most {}", text.empty() ? "" : "; ", what, was,
                                is, limit);
        }
    };
    check("memory bytes", before.memoryBytes, after.memoryBytes,
          before.memoryBytes + before.memoryBytes / 10 + kMemorySlackBytes);
    check("mapped bytes", before.addressBytes, after.addressBytes,
          before.addressBytes + kAddressSlackBytes);
    check("descriptors", before.descriptors, after.descriptors, before.descriptors + kCountSlack);
    check("threads", before.threads, after.threads, before.threads + kThreadSlack);
    check("mappings of clients' memory", before.sharedMappings, after.sharedMappings,
          before.sharedMappings + kCountSlack);
    return text;
}

UsageWatch::UsageWatch(pid_t pid)
    : thread_([this, pid] {
          while (!isDone_) {
              const Usage usage = usageOf(pid);
              for (auto figure : {&Usage::memoryBytes, &Usage::addressBytes, &Usage::descriptors,
                                  &Usage::threads, &Usage::sharedMappings}) {
                  largest_.*figure = std::max(largest_.*figure, usage.*figure);
              }
              std::this_thread::sleep_for(std::chrono::milliseconds(50));
          }
      }) {}

UsageWatch::~UsageWatch() {
    (void)largest();
}

Usage UsageWatch::largest() {
    isDone_ = true;
    if (thread_.joinable()) {
        thread_.join();
    }
    return largest_;
}

}  // namespace nnburst::stress
