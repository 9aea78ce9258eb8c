// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/compilation_cache.h"

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <fmt/format.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "device/local/cache_key.h"
#include "device/local/state_file.h"
#include "device/rpc/conversion.h"
#include "device/rpc/rpc_limits.h"
#include "nnburst/version.h"

namespace nnburst::device {

namespace {

constexpr std::array<char, 8> kMagic{'n', 'n', 'b', 'c', 'a', 'c', 'h', 'e'};
constexpr std::uint32_t kFormatVersion = 1;

/// f_type of statfs(2) for FUSE (linux/magic.h lacks it).
constexpr long kFuseMagic = 0x65735546;

enum class FileKind : std::uint32_t { MODEL = 1, DATA = 2 };

using Code = std::array<std::uint8_t, 32>;

/// The first bytes of each file. Little-endian, as in memory.
struct FileHeader {
    std::array<char, 8> magic = kMagic;
    std::uint32_t formatVersion = kFormatVersion;
    FileKind kind = FileKind::MODEL;
    std::uint64_t payloadBytes = 0;
    CacheToken token{};
    Code code{};  ///< of all above, the version of nnburst and the payload
};
static_assert(sizeof(FileHeader) == 88);

tl::unexpected<Error> refused(FileKind kind, const std::string& why) {
    return failure(ErrorStatus::GENERAL_FAILURE,
                   fmt::format("{} cache: {}; prepare from the model again",
                               kind == FileKind::MODEL ? "model" : "data", why));
}

/// HMAC-SHA256 over pieces that follow each other.
class Authentication {
  public:
    explicit Authentication(const CacheKey& key)
        : algorithm_(EVP_MAC_fetch(nullptr, "HMAC", nullptr)),
          context_(EVP_MAC_CTX_new(algorithm_.get())) {
        std::array<char, 7> digest{"SHA256"};
        const std::array parameters{
            OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
            OSSL_PARAM_construct_end()};
        isGood_ = context_ != nullptr &&
                  EVP_MAC_init(context_.get(), key.data(), key.size(), parameters.data()) == 1;
    }

    void add(std::span<const std::byte> bytes) {
        isGood_ = isGood_ && EVP_MAC_update(context_.get(),
                                            reinterpret_cast<const unsigned char*>(bytes.data()),
                                            bytes.size()) == 1;
    }

    /// What the header says of its file, without the code.
    void add(const FileHeader& header) {
        add(std::as_bytes(std::span(&header, 1)).first(offsetof(FileHeader, code)));
        add(std::as_bytes(std::span(std::string_view(NNBURST_VERSION))));
    }

    [[nodiscard]] Result<Code> finish() {
        Code code{};
        std::size_t size = 0;
        if (!isGood_ || EVP_MAC_final(context_.get(), code.data(), &size, code.size()) != 1 ||
            size != code.size()) {
            return failure(ErrorStatus::GENERAL_FAILURE, "cannot compute an HMAC-SHA256");
        }
        return code;
    }

  private:
    struct Free {
        void operator()(EVP_MAC* algorithm) const noexcept { EVP_MAC_free(algorithm); }
        void operator()(EVP_MAC_CTX* context) const noexcept { EVP_MAC_CTX_free(context); }
    };
    std::unique_ptr<EVP_MAC, Free> algorithm_;
    std::unique_ptr<EVP_MAC_CTX, Free> context_;
    bool isGood_ = false;
};

// ---- Saving

Result<> writeAll(int fd, std::uint64_t offset, std::span<const std::byte> bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count = ::pwrite(fd, bytes.data() + done, bytes.size() - done,
                                       static_cast<off_t>(offset + done));
        if (count < 0 && errno != EINTR) {
            return failure(ErrorStatus::GENERAL_FAILURE,
                           fmt::format("cannot write a cache file: {}", std::strerror(errno)));
        }
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    return {};
}

/// Writes header and payload; gives the authentication code. The header comes last: until then
/// there is nothing valid in the file.
Result<Code> writeFile(const CacheKey& key, int fd, FileKind kind, const CacheToken& token,
                       std::span<const std::span<const std::byte>> pieces) {
    FileHeader header{.kind = kind, .token = token};
    for (const auto& piece : pieces) {
        header.payloadBytes += piece.size();
    }
    Authentication authentication(key);
    authentication.add(header);
    std::uint64_t offset = sizeof(header);
    for (const auto& piece : pieces) {
        authentication.add(piece);
        NNBURST_TRY(writeAll(fd, offset, piece));
        offset += piece.size();
    }
    NNBURST_TRY_ASSIGN(header.code, authentication.finish());
    NNBURST_TRY(writeAll(fd, 0, std::as_bytes(std::span(&header, 1))));
    return header.code;
}

Result<> truncate(int fd) {
    if (::ftruncate(fd, 0) != 0) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("cannot empty a cache file: {}", std::strerror(errno)));
    }
    return {};
}

template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
    const auto piece = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), piece.begin(), piece.end());
}

// ---- Loading

/// A file, read once.
class CacheFile {
  public:
    static Result<CacheFile> open(int fd, FileKind kind, const CacheToken& token) {
        CacheFile file;
        file.kind_ = kind;
        struct stat status {};
        if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
            return refused(kind, "it is no regular file");
        }
        const auto sizeBytes = static_cast<std::uint64_t>(status.st_size);
        if (sizeBytes < sizeof(FileHeader)) {
            return refused(kind, fmt::format("it has {} bytes", sizeBytes));
        }
        NNBURST_TRY_ASSIGN(UniqueFd owned, UniqueFd::duplicate(fd));
        auto region = Region::receive(std::move(owned), sizeBytes);
        if (!region) {
            return refused(kind, region.error().message);
        }
        file.region_ = std::move(*region);
        NNBURST_TRY(file.read(0, std::as_writable_bytes(std::span(&file.header_, 1))));
        const FileHeader& header = file.header_;
        if (header.magic != kMagic || header.formatVersion != kFormatVersion ||
            header.kind != kind || header.payloadBytes != sizeBytes - sizeof(FileHeader)) {
            return refused(kind, "it is not one of this version of nnburst, or is damaged");
        }
        if (header.token != token) {
            return refused(kind, "it was saved for another token");
        }
        return file;
    }

    [[nodiscard]] const FileHeader& header() const noexcept { return header_; }

    Result<> read(std::uint64_t offset, std::span<std::byte> destination) const {
        if (Result<> result = region_->read(offset, destination); !result) {
            return refused(kind_, result.error().message);
        }
        return {};
    }

    /// Compares the code of what was read with that of the header.
    Result<> check(Authentication& authentication) const {
        NNBURST_TRY_ASSIGN(const Code code, authentication.finish());
        if (CRYPTO_memcmp(code.data(), header_.code.data(), code.size()) != 0) {
            return refused(kind_, "it was changed, or written with another key or version");
        }
        return {};
    }

  private:
    FileKind kind_ = FileKind::MODEL;
    SharedRegion region_;
    FileHeader header_;
};

/// The payload of a model file, which is authentic by now, piece by piece.
class PayloadReader {
  public:
    explicit PayloadReader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

    template <class T>
    Result<T> take() {
        T value{};
        if (bytes_.size() < sizeof(T)) {
            return refused(FileKind::MODEL, "it is incomplete");
        }
        std::memcpy(&value, bytes_.data(), sizeof(T));
        bytes_ = bytes_.subspan(sizeof(T));
        return value;
    }
    [[nodiscard]] std::span<const std::byte> rest() const noexcept { return bytes_; }

  private:
    std::span<const std::byte> bytes_;
};

Result<Model> structureFromBytes(std::span<const std::byte> bytes) {
    if (bytes.size() % sizeof(capnp::word) != 0) {
        return refused(FileKind::MODEL, "it is incomplete");
    }
    std::vector<capnp::word> words(bytes.size() / sizeof(capnp::word));
    std::memcpy(words.data(), bytes.data(), bytes.size());
    Result<Model> model;
    KJ_IF_MAYBE (exception, kj::runCatchingExceptions([&] {
                     capnp::FlatArrayMessageReader message(
                         kj::ArrayPtr<const capnp::word>(words.data(), words.size()),
                         readerOptions());
                     model = structureFromMessage(message.getRoot<rpc::Model>());
                 })) {
        return refused(FileKind::MODEL, exception->getDescription().cStr());
    }
    return model;
}

}  // namespace

Result<> checkCacheFileKind(int file) {
    struct stat status {};
    if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       "cache file: it is no regular file; prepare from the model again");
    }
    struct statfs fileSystem {};
    if (::fstatfs(file, &fileSystem) != 0 || fileSystem.f_type == kFuseMagic) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       "cache file: it is a file of FUSE, whose owner decides when an access ends; "
                       "keep the cache in another file system");
    }
    return {};
}

CompilationCache::CompilationCache(std::string keyFile)
    : keyFile_(keyFile.empty() ? stateFile("cache.key") : std::move(keyFile)) {}

Result<> CompilationCache::save(const ModelSnapshot& snapshot, const CacheFiles& files) const {
    if (!files.isComplete()) {
        return failure(
            ErrorStatus::INVALID_ARGUMENT,
            fmt::format("{} model and {} data cache files: must be {} and {}", files.model.size(),
                        files.data.size(), kCacheFiles.numModelCache, kCacheFiles.numDataCache));
    }
    const int modelFile = files.model[0].get();
    const int dataFile = files.data[0].get();
    NNBURST_TRY(truncate(modelFile));
    NNBURST_TRY(truncate(dataFile));
    NNBURST_TRY_ASSIGN(const CacheKey key, readCacheKey(keyFile_, true));

    std::vector<Mapping> mappings;
    std::vector<std::span<const std::byte>> pieces{
        std::as_bytes(std::span(snapshot.model.operandValues))};
    for (const SharedRegion& pool : snapshot.model.pools) {
        NNBURST_TRY_ASSIGN(Mapping mapping, Mapping::map(pool, MappingAccess::READ_ONLY));
        pieces.emplace_back(mapping.bytes());
        mappings.push_back(std::move(mapping));
    }
    NNBURST_TRY_ASSIGN(const Code dataCode,
                       writeFile(key, dataFile, FileKind::DATA, files.token, pieces));

    capnp::MallocMessageBuilder message;
    NNBURST_TRY(structureToMessage(snapshot.model, message.initRoot<rpc::Model>()));
    const auto words = capnp::messageToFlatArray(message);
    std::vector<std::byte> start;
    append(start, snapshot.digest);
    append(start, dataCode);
    append(start, std::uint64_t{pieces.size()});
    for (const auto& piece : pieces) {
        append(start, std::uint64_t{piece.size()});
    }
    const std::array<std::span<const std::byte>, 2> modelPieces{
        start, std::as_bytes(std::span(words.begin(), words.size()))};
    NNBURST_TRY(writeFile(key, modelFile, FileKind::MODEL, files.token, modelPieces));
    return {};
}

Result<ModelSnapshot> CompilationCache::load(const CacheFiles& files) const {
    if (!files.isComplete()) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("prepareModelFromCache with {} model and {} data cache files: "
                                   "must be {} and {} (getNumberOfCacheFilesNeeded)",
                                   files.model.size(), files.data.size(), kCacheFiles.numModelCache,
                                   kCacheFiles.numDataCache));
    }
    NNBURST_TRY_ASSIGN(const CacheKey key, readCacheKey(keyFile_, false));
    NNBURST_TRY_ASSIGN(const CacheFile modelFile,
                       CacheFile::open(files.model[0].get(), FileKind::MODEL, files.token));
    NNBURST_TRY_ASSIGN(const CacheFile dataFile,
                       CacheFile::open(files.data[0].get(), FileKind::DATA, files.token));

    // Sizes are believed only after the codes were compared; until then they are bounded.
    if (modelFile.header().payloadBytes > 2 * kMaximumMessageBytes) {
        return refused(FileKind::MODEL, "it is too large");
    }
    std::vector<std::byte> payload(modelFile.header().payloadBytes);
    NNBURST_TRY(modelFile.read(sizeof(FileHeader), payload));
    Authentication authentication(key);
    authentication.add(modelFile.header());
    authentication.add(payload);
    NNBURST_TRY(modelFile.check(authentication));

    PayloadReader reader(payload);
    ModelSnapshot snapshot;
    NNBURST_TRY_ASSIGN(snapshot.digest, reader.take<Digest>());
    NNBURST_TRY_ASSIGN(const Code dataCode, reader.take<Code>());
    if (dataCode != dataFile.header().code) {
        return refused(FileKind::DATA, "it belongs to another model");
    }
    NNBURST_TRY_ASSIGN(const std::uint64_t pieceCount, reader.take<std::uint64_t>());
    Authentication ofData(key);
    ofData.add(dataFile.header());
    std::uint64_t offset = sizeof(FileHeader);
    std::vector<std::uint8_t> operandValues;
    std::vector<SharedRegion> pools;
    for (std::uint64_t piece = 0; piece < pieceCount; ++piece) {
        NNBURST_TRY_ASSIGN(const std::uint64_t sizeBytes, reader.take<std::uint64_t>());
        if (piece == 0) {
            operandValues.resize(sizeBytes);
            const auto bytes = std::as_writable_bytes(std::span(operandValues));
            NNBURST_TRY(dataFile.read(offset, bytes));
            ofData.add(bytes);
        } else {
            NNBURST_TRY_ASSIGN(SharedRegion region, Region::create(sizeBytes));
            NNBURST_TRY_ASSIGN(const Mapping mapping, Mapping::map(region));
            NNBURST_TRY(dataFile.read(offset, mapping.bytes()));
            ofData.add(mapping.bytes());
            pools.push_back(std::move(region));
        }
        offset += sizeBytes;
    }
    NNBURST_TRY(dataFile.check(ofData));
    NNBURST_TRY_ASSIGN(snapshot.model, structureFromBytes(reader.rest()));
    snapshot.model.operandValues = std::move(operandValues);
    snapshot.model.pools = std::move(pools);
    return snapshot;
}

}  // namespace nnburst::device
