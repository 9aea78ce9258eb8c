// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "nnburst/unique_fd.h"

namespace nnburst::tools {

namespace {

tl::unexpected<Error> cannotWrite(const std::string& path) {
    return failure(ErrorStatus::INVALID_ARGUMENT,
                   fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

/// Whether both are the same file or pipe.
bool areSame(const struct stat& one, const struct stat& other) {
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino && !S_ISCHR(one.st_mode);
}

}  // namespace

struct OutputFile::File {
    std::string path;
    UniqueFd fd;
    bool isNew = false;  ///< made by `open`, and nothing was written

    File(std::string name, UniqueFd opened, bool isMade)
        : path(std::move(name)), fd(std::move(opened)), isNew(isMade) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() {
        if (isNew) {
            ::unlink(path.c_str());
        }
    }
};

OutputFile::OutputFile() noexcept = default;
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;
OutputFile::~OutputFile() = default;

Result<OutputFile> OutputFile::open(const std::string& path) {
    OutputFile file;
    if (path.empty()) {
        return file;
    }
    constexpr mode_t kMode = 0666;  // less the umask
    constexpr int kFlags = O_WRONLY | O_CREAT | O_CLOEXEC;
    UniqueFd fd(::open(path.c_str(), kFlags | O_EXCL, kMode));
    const bool isNew = fd.get() >= 0;
    if (!isNew) {
        fd = UniqueFd(::open(path.c_str(), kFlags, kMode));
    }
    if (!fd) {
        return cannotWrite(path);
    }
    file.file_ = std::make_unique<File>(path, std::move(fd), isNew);
    return file;
}

Result<> OutputFile::write(std::string_view contents) {
    if (!file_) {
        return {};
    }
    file_->isNew = false;
    // Pipes and terminals have no length.
    if (::ftruncate(file_->fd.get(), 0) != 0 && errno != EINVAL) {
        return cannotWrite(file_->path);
    }
    while (!contents.empty()) {
        const ssize_t written = ::write(file_->fd.get(), contents.data(), contents.size());
        if (written < 0 && errno != EINTR) {
            return cannotWrite(file_->path);
        }
        contents.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
    return {};
}

Result<> checkSeparate(const std::vector<const OutputFile*>& files) {
    struct Opened {
        std::string path;
        struct stat status {};
    };
    std::vector<Opened> opened;
    if (struct stat status{}; ::fstat(STDOUT_FILENO, &status) == 0) {
        opened.push_back({.path = "standard output", .status = status});
    }
    for (const OutputFile* const file : files) {
        struct stat status {};
        if (!file->file_ || ::fstat(file->file_->fd.get(), &status) != 0) {
            continue;
        }
        for (const Opened& other : opened) {
            if (areSame(status, other.status)) {
                return failure(ErrorStatus::INVALID_ARGUMENT,
                               fmt::format("cannot write {}: {} is the same file; name another one",
                                           file->file_->path, other.path));
            }
        }
        opened.push_back({.path = file->file_->path, .status = status});
    }
    return {};
}

}  // namespace nnburst::tools
