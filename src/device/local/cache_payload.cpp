// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/cache_payload.h"

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "device/rpc/conversion.h"
#include "device/rpc/rpc_limits.h"

namespace nnburst::device {

namespace {

using Bytes = std::span<const std::byte>;

tl::unexpected<Error> refused(const std::string& why) {
    return cacheFileRefused(CacheFileKind::MODEL, why);
}

/// Bytes of a pool of the model.
struct PoolRange {
    std::uint64_t pool = 0;
    std::uint64_t offset = 0;
    std::uint64_t sizeBytes = 0;
};

/// What is kept of a filter besides its bytes.
struct FilterRecord {
    std::uint64_t operation = 0;
    std::uint32_t activations = 0;
    std::int32_t correction = 0;
    std::uint64_t weightBytes = 0;
    std::uint64_t columns = 0;

    FilterRecord() = default;
    explicit FilterRecord(const exec::dot8::FilterOfOperation& filter) noexcept
        : operation(filter.first),
          activations(static_cast<std::uint32_t>(filter.second->form.activations)),
          correction(filter.second->form.correction),
          weightBytes(filter.second->form.weightBytes),
          columns(filter.second->form.columns) {}

    [[nodiscard]] exec::dot8::FilterForm form() const noexcept {
        return {.activations = static_cast<exec::dot8::Activations>(activations),
                .correction = correction,
                .weightBytes = weightBytes,
                .columns = columns};
    }
};

/// What is kept of a block of XNNPACK's besides its bytes.
struct BlockRecord {
    std::uint32_t operation = 0;
    std::uint32_t seed = 0;
    std::uint64_t sizeBytes = 0;

    BlockRecord() = default;
    explicit BlockRecord(const exec::xnnpack::BlockOfOperation& block) noexcept
        : operation(block.first),
          seed(block.second->seed),
          sizeBytes(block.second->memory.sizeBytes()) {}
};

/// Subgraph `index` of those of PackedModel::graphs.
const Subgraph& subgraphOf(const Model& model, std::size_t index) {
    return index == 0 ? model.main : model.referenced[index - 1];
}

// ---- Writing

/// Writes the tables in the order in which TableReader reads them.
class TableWriter {
  public:
    template <class T>
    void put(const T& value) {
        static_assert(std::has_unique_object_representations_v<T>);
        append(std::as_bytes(std::span(&value, 1)));
    }
    template <class T>
    void putAll(std::span<const T> values) {
        put(std::uint64_t{values.size()});
        append(std::as_bytes(values));
    }
    [[nodiscard]] Bytes bytes() const noexcept { return bytes_; }

  private:
    void append(Bytes bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

    std::vector<std::byte> bytes_;
};

/// Where constants lie in pools whose values are needed beside what is packed. Ordered.
std::vector<PoolRange> neededRanges(const Model& model, const exec::PackedModel& packed) {
    std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> ranges;
    for (std::size_t index = 0; index <= model.referenced.size(); ++index) {
        const Subgraph& subgraph = subgraphOf(model, index);
        std::vector<bool> isPacked(subgraph.operands.size(), false);
        if (!packed.graphs.empty()) {
            for (const std::uint32_t operand : packed.graphs[index].packedConstants) {
                isPacked[operand] = true;
            }
        }
        for (std::size_t i = 0; i < subgraph.operands.size(); ++i) {
            const Operand& operand = subgraph.operands[i];
            if (operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE && !isPacked[i]) {
                const DataLocation& location = operand.location;
                ranges.emplace(location.poolIndex, location.offset, location.length);
            }
        }
    }
    std::vector<PoolRange> needed;
    needed.reserve(ranges.size());
    for (const auto& [pool, offset, length] : ranges) {
        needed.push_back({.pool = pool, .offset = offset, .sizeBytes = length});
    }
    return needed;
}

/// The tables of the model file; `pieces` becomes the payload of the data file.
void writeTables(const ModelSnapshot& snapshot, const exec::PackedModel& packed,
                 std::span<const Mapping> pools, TableWriter& tables, std::vector<Bytes>& pieces) {
    const Model& model = snapshot.model;
    std::vector<std::uint64_t> poolSizes;
    for (const SharedRegion& pool : model.pools) {
        poolSizes.push_back(pool->sizeBytes());
    }
    const std::vector<PoolRange> ranges = neededRanges(model, packed);
    tables.put(std::uint64_t{model.operandValues.size()});
    tables.putAll(std::span<const std::uint64_t>(poolSizes));
    tables.putAll(std::span<const PoolRange>(ranges));
    pieces.push_back(std::as_bytes(std::span(model.operandValues)));
    for (const PoolRange& range : ranges) {
        pieces.emplace_back(pools[range.pool].bytes().subspan(range.offset, range.sizeBytes));
    }
    tables.putAll(std::span<const char>(packed.packing));
    tables.put(std::uint64_t{packed.graphs.size()});
    for (const exec::PackedGraph& graph : packed.graphs) {
        const std::vector<FilterRecord> records(graph.filters.begin(), graph.filters.end());
        tables.putAll(std::span<const FilterRecord>(records));
        const std::vector<BlockRecord> blocks(graph.blocks.begin(), graph.blocks.end());
        tables.putAll(std::span<const BlockRecord>(blocks));
        tables.putAll(std::span<const std::uint32_t>(graph.packedConstants));
        for (const auto& [operation, filter] : graph.filters) {
            pieces.emplace_back(filter->memory.data(), filter->form.totalBytes());
        }
        for (const auto& [operation, block] : graph.blocks) {
            pieces.emplace_back(block->memory.data(), block->memory.sizeBytes());
        }
    }
}

// ---- Reading

/// Tables, already authenticated, but perhaps inconsistent with the model: drivers of other builds
/// may have the same key.
class TableReader {
  public:
    explicit TableReader(Bytes bytes) noexcept : bytes_(bytes) {}

    template <class T>
    Result<T> take() {
        T value{};
        NNBURST_TRY(copy(std::as_writable_bytes(std::span(&value, 1))));
        return value;
    }
    template <class T>
    Result<std::vector<T>> takeAll() {
        NNBURST_TRY_ASSIGN(const std::uint64_t count, take<std::uint64_t>());
        if (count > bytes_.size() / sizeof(T)) {
            return refused("it is incomplete");
        }
        std::vector<T> values(count);
        NNBURST_TRY(copy(std::as_writable_bytes(std::span(values))));
        return values;
    }
    [[nodiscard]] Bytes rest() const noexcept { return bytes_; }

  private:
    Result<> copy(std::span<std::byte> destination) {
        if (bytes_.size() < destination.size()) {
            return refused("it is incomplete");
        }
        if (!destination.empty()) {
            std::memcpy(destination.data(), bytes_.data(), destination.size());
        }
        bytes_ = bytes_.subspan(destination.size());
        return {};
    }

    Bytes bytes_;
};

/// Reads the filters and blocks that the tables list from the data file.
class DataReader {
  public:
    DataReader(TableReader& tables, CacheFileReader& data) : tables_(tables), data_(data) {}

    Result<> readConstants(std::vector<std::uint8_t>& operandValues,
                           std::vector<SharedRegion>& pools) {
        NNBURST_TRY_ASSIGN(const std::uint64_t valueBytes, tables_.take<std::uint64_t>());
        NNBURST_TRY_ASSIGN(const auto poolSizes, tables_.takeAll<std::uint64_t>());
        NNBURST_TRY_ASSIGN(const auto ranges, tables_.takeAll<PoolRange>());
        NNBURST_TRY(checkRoom(valueBytes));
        operandValues.resize(valueBytes);
        NNBURST_TRY(data_.read(std::as_writable_bytes(std::span(operandValues))));
        std::vector<Mapping> mappings;
        for (const std::uint64_t sizeBytes : poolSizes) {
            NNBURST_TRY_ASSIGN(SharedRegion region, Region::create(sizeBytes));
            NNBURST_TRY_ASSIGN(mappings.emplace_back(), Mapping::map(region));
            pools.push_back(std::move(region));
        }
        for (const PoolRange& range : ranges) {
            if (range.pool >= pools.size() || range.offset > poolSizes[range.pool] ||
                range.sizeBytes > poolSizes[range.pool] - range.offset) {
                return refused("a constant lies outside its pool");
            }
            NNBURST_TRY(
                data_.read(mappings[range.pool].bytes().subspan(range.offset, range.sizeBytes)));
        }
        return {};
    }

    Result<exec::PackedModel> readPacked(const exec::PackedFor& packedFor) {
        exec::PackedModel packed;
        NNBURST_TRY_ASSIGN(const auto packing, tables_.takeAll<char>());
        packed.packing.assign(packing.begin(), packing.end());
        if (!packed.packing.empty() && packed.packing != packedFor.packing) {
            return refused(fmt::format("its weights are packed for '{}', and this device has '{}'",
                                       packed.packing, packedFor.packing));
        }
        NNBURST_TRY_ASSIGN(const std::uint64_t graphs, tables_.take<std::uint64_t>());
        if (graphs != 0 && packed.packing.empty()) {
            return refused("it has weights that are packed for no kernels");
        }
        for (std::uint64_t graph = 0; graph < graphs; ++graph) {
            NNBURST_TRY_ASSIGN(exec::PackedGraph read, readGraph(packedFor.kernels));
            packed.graphs.push_back(std::move(read));
        }
        return packed;
    }

  private:
    /// What is to be allocated is in the file.
    Result<> checkRoom(std::uint64_t sizeBytes) {
        if (sizeBytes > data_.header().payloadBytes) {
            return refused("it belongs to another data file");
        }
        return {};
    }

    Result<exec::PackedGraph> readGraph(const exec::dot8::Microkernels* kernels) {
        exec::PackedGraph graph;
        NNBURST_TRY_ASSIGN(const auto records, tables_.takeAll<FilterRecord>());
        NNBURST_TRY_ASSIGN(const auto blocks, tables_.takeAll<BlockRecord>());
        if (!records.empty() && kernels == nullptr) {
            return refused("it has weights that are packed for no kernels");
        }
        NNBURST_TRY_ASSIGN(graph.packedConstants, tables_.takeAll<std::uint32_t>());
        for (const FilterRecord& record : records) {
            NNBURST_TRY(checkRoom(record.weightBytes));
            NNBURST_TRY(checkRoom(record.columns));
            NNBURST_TRY(checkRoom(record.form().totalBytes()));
            NNBURST_TRY_ASSIGN(auto filter,
                               exec::dot8::PackedFilter::allocate(*kernels, record.form()));
            NNBURST_TRY(data_.read({filter->memory.data(), filter->form.totalBytes()}));
            graph.filters.emplace_back(static_cast<std::uint32_t>(record.operation),
                                       std::move(filter));
        }
        for (const BlockRecord& record : blocks) {
            NNBURST_TRY(checkRoom(record.sizeBytes));
            auto block = std::make_shared<exec::xnnpack::PackedBlock>();
            block->seed = record.seed;
            NNBURST_TRY_ASSIGN(block->memory, AlignedBuffer::allocate(record.sizeBytes));
            NNBURST_TRY(data_.read({block->memory.data(), record.sizeBytes}));
            graph.blocks.emplace_back(record.operation, std::move(block));
        }
        return graph;
    }

    TableReader& tables_;
    CacheFileReader& data_;
};

/// `packed` is for the operations and operands of `model`.
Result<> checkPacked(const Model& model, const exec::PackedModel& packed) {
    if (!packed.graphs.empty() && packed.graphs.size() != model.referenced.size() + 1) {
        return refused("its packed weights belong to another model");
    }
    for (std::size_t index = 0; index < packed.graphs.size(); ++index) {
        const Subgraph& subgraph = subgraphOf(model, index);
        const exec::PackedGraph& graph = packed.graphs[index];
        const auto isOfOperation = [&](const auto& packedOf) {
            return packedOf.first < subgraph.operations.size();
        };
        const bool areOperations = std::ranges::all_of(graph.filters, isOfOperation) &&
                                   std::ranges::all_of(graph.blocks, isOfOperation);
        const bool areOperands =
            std::all_of(graph.packedConstants.begin(), graph.packedConstants.end(),
                        [&](std::uint32_t operand) { return operand < subgraph.operands.size(); });
        if (!areOperations || !areOperands) {
            return refused("its packed weights belong to another model");
        }
    }
    return {};
}

Result<Model> structureFromBytes(std::span<const std::byte> bytes) {
    if (bytes.size() % sizeof(capnp::word) != 0) {
        return refused("it is incomplete");
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
        return refused(exception->getDescription().cStr());
    }
    return model;
}

}  // namespace

Result<> writePayloads(const CacheKey& key, const CacheFiles& files, const ModelSnapshot& snapshot,
                       const exec::PackedModel& packed) {
    std::vector<Mapping> pools;
    for (const SharedRegion& pool : snapshot.model.pools) {
        NNBURST_TRY_ASSIGN(pools.emplace_back(), Mapping::map(pool, MappingAccess::READ_ONLY));
    }
    TableWriter tables;
    std::vector<Bytes> pieces;
    writeTables(snapshot, packed, pools, tables, pieces);
    NNBURST_TRY_ASSIGN(
        const CacheCode dataCode,
        writeCacheFile(key, files.data[0].get(), CacheFileKind::DATA, files.token, pieces));

    capnp::MallocMessageBuilder message;
    NNBURST_TRY(structureToMessage(snapshot.model, message.initRoot<rpc::Model>()));
    const auto words = capnp::messageToFlatArray(message);
    const std::array<Bytes, 4> modelPieces{std::as_bytes(std::span(snapshot.digest)),
                                           std::as_bytes(std::span(dataCode)), tables.bytes(),
                                           std::as_bytes(std::span(words.begin(), words.size()))};
    NNBURST_TRY(
        writeCacheFile(key, files.model[0].get(), CacheFileKind::MODEL, files.token, modelPieces));
    return {};
}

Result<CachedModel> readPayloads(CacheFileReader& modelFile, CacheFileReader& dataFile,
                                 const exec::PackedFor& packedFor, const SharedAccount& account) {
    // Sizes are believed only after the codes were compared; until then they are bounded.
    if (modelFile.header().payloadBytes > 2 * kMaximumMessageBytes) {
        return refused("it is too large");
    }
    CachedModel cached;
    NNBURST_TRY_ASSIGN(cached.structure,
                       chargeTo(account, Resource::MEMORY, modelFile.header().payloadBytes));
    NNBURST_TRY_ASSIGN(cached.snapshot.charge,
                       chargeTo(account, Resource::MEMORY, dataFile.header().payloadBytes));
    std::vector<std::byte> payload(modelFile.header().payloadBytes);
    NNBURST_TRY(modelFile.read(payload));
    NNBURST_TRY(modelFile.check());

    TableReader reader(payload);
    NNBURST_TRY_ASSIGN(cached.snapshot.digest, reader.take<Digest>());
    NNBURST_TRY_ASSIGN(const CacheCode dataCode, reader.take<CacheCode>());
    if (dataCode != dataFile.header().code) {
        return cacheFileRefused(CacheFileKind::DATA, "it belongs to another model");
    }
    std::vector<std::uint8_t> operandValues;
    std::vector<SharedRegion> pools;
    DataReader data(reader, dataFile);
    NNBURST_TRY(data.readConstants(operandValues, pools));
    NNBURST_TRY_ASSIGN(cached.packed, data.readPacked(packedFor));
    NNBURST_TRY(dataFile.check());
    Model& model = cached.snapshot.model;
    NNBURST_TRY_ASSIGN(model, structureFromBytes(reader.rest()));
    NNBURST_TRY(checkPacked(model, cached.packed));
    model.operandValues = std::move(operandValues);
    model.pools = std::move(pools);
    return cached;
}

}  // namespace nnburst::device
