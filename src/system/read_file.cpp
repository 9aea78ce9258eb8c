// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "nnburst/unique_fd.h"

namespace nnburst::system {

namespace {

tl::unexpected<Error> cannotRead(const std::string& path, const std::string& why) {
    return failure(ErrorStatus::INVALID_ARGUMENT, "cannot read " + path + ": " + why);
}

tl::unexpected<Error> systemError(const std::string& path, int code) {
    return cannotRead(path, std::system_category().message(code));
}

}  // namespace

Result<std::vector<std::byte>> readFile(const std::string& path, std::size_t maximumBytes) {
    const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (!fd || fstat(fd.get(), &status) != 0) {
        return systemError(path, errno);
    }
    // The file's size is only a hint: pipes have none, and files may grow.
    constexpr std::size_t kBlockBytes = std::size_t{64} * 1024;
    const auto guess = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
    std::vector<std::byte> contents(std::min<std::uint64_t>(guess, maximumBytes) + 1);
    std::size_t sizeBytes = 0;
    while (true) {
        const ssize_t count =
            ::read(fd.get(), contents.data() + sizeBytes, contents.size() - sizeBytes);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return systemError(path, errno);
        }
        if (count == 0) {
            break;
        }
        sizeBytes += static_cast<std::size_t>(count);
        if (sizeBytes > maximumBytes) {
            return cannotRead(path,
                              "it holds more than " + std::to_string(maximumBytes) + " bytes");
        }
        if (sizeBytes == contents.size()) {
            contents.resize(sizeBytes + std::max(sizeBytes, kBlockBytes));
        }
    }
    contents.resize(sizeBytes);
    return contents;
}

}  // namespace nnburst::system
