// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Cache files whose codes are right and whose contents are anything, as of a driver of another
/// build with the same key: they are loaded and compiled, or refused.
///
///     input: length of the model payload without the code of the data (32 bits) | it | data
///     payload

#include <sys/mman.h>

#include <array>

#include "byte_source.h"
#include "changed_model.h"
#include "device/local/cache_file.h"
#include "device/local/cache_key.h"
#include "device/local/compilation_cache.h"
#include "exec/run/compiled_model.h"
#include "support/temporary_directory.h"
#include "support/test_request.h"

namespace nnburst::fuzz {
namespace {

using namespace device;

/// The digest of the model, after which the code of the data comes.
constexpr std::size_t kDigestBytes = 32;

struct KeyFile {
    std::string path;
    CacheKey key;
};

const KeyFile& keyFile() {
    static const KeyFile file = [] {
        static const test::TemporaryDirectory directory;
        const std::string path = directory.path() / "cache.key";
        return KeyFile{path, *readCacheKey(path, true)};
    }();
    return file;
}

UniqueFd emptyFile() {
    return UniqueFd(::memfd_create("cache", MFD_CLOEXEC));
}

void load(ByteSource bytes) {
    static const CompilationCache cache(keyFile().path);
    static const auto engine = exec::makeEngine(true);
    const auto modelBytes = bytes.takeBytes(bytes.take<std::uint32_t>());
    const auto dataBytes = bytes.takeRest();
    CacheFiles files;
    files.model.push_back(emptyFile());
    files.data.push_back(emptyFile());
    const std::array<std::span<const std::byte>, 1> data{dataBytes};
    const auto code =
        writeCacheFile(keyFile().key, files.data[0].get(), CacheFileKind::DATA, files.token, data);
    if (!code) {
        return;
    }
    const auto digest = modelBytes.first(std::min(kDigestBytes, modelBytes.size()));
    const std::array<std::span<const std::byte>, 3> pieces{digest, std::as_bytes(std::span(*code)),
                                                           modelBytes.subspan(digest.size())};
    (void)writeCacheFile(keyFile().key, files.model[0].get(), CacheFileKind::MODEL, files.token,
                         pieces);
    const bool hasKernels = dataBytes.size() % 2 == 0;
    const auto cached = cache.load(files, hasKernels ? engine->packedFor() : exec::PackedFor());
    if (cached && validateModel(cached->snapshot.model) && !isTooLarge(cached->snapshot.model) &&
        hasKernels) {
        (void)exec::CompiledModel::compile(engine, cached->snapshot.model, cached->packed);
    }
}

}  // namespace
}  // namespace nnburst::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    nnburst::fuzz::load({data, size});
    return 0;
}
