// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "output_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "fail.h"

namespace nnburst::bench {

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
    if (path_.empty()) {
        return;
    }
    file_.reset(std::fopen(path_.c_str(), "we"));
    if (!file_) {
        fail("cannot open '" + path_ + "' for writing: " + std::strerror(errno) +
             "; name a file in a directory that you may write to");
    }
}

void OutputFile::write(const std::string& text) {
    if (!file_) {
        return;
    }
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() ||
        std::fflush(file_.get()) != 0) {
        fail("cannot write '" + path_ + "': " + std::strerror(errno));
    }
}

}  // namespace nnburst::bench
