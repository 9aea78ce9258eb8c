// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace nnburst::tools {

namespace {

tl::unexpected<Error> cannotWrite(const std::string& path) {
    return failure(ErrorStatus::INVALID_ARGUMENT,
                   fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

}  // namespace

Result<OutputFile> OutputFile::open(const std::string& path) {
    OutputFile file;
    if (path.empty()) {
        return file;
    }
    constexpr mode_t kMode = 0666;  // less the umask
    file.path_ = path;
    file.file_ = UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kMode));
    if (!file.file_) {
        return cannotWrite(path);
    }
    return file;
}

Result<> OutputFile::write(std::string_view contents) {
    if (!file_) {
        return {};
    }
    // Pipes and terminals have no length.
    if (::ftruncate(file_.get(), 0) != 0 && errno != EINVAL) {
        return cannotWrite(path_);
    }
    while (!contents.empty()) {
        const ssize_t written = ::write(file_.get(), contents.data(), contents.size());
        if (written < 0 && errno != EINTR) {
            return cannotWrite(path_);
        }
        contents.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
    return {};
}

}  // namespace nnburst::tools
