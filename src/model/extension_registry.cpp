// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "model/extension_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <set>
#include <utility>

#include "model/invalid.h"
#include "nnburst/type_queries.h"
#include "system/mutex.h"

namespace nnburst {

namespace {

/// Limit on extensions of the process.
constexpr std::size_t kMaximumExtensions = 256;

/// Entries are never moved or removed, so readers need no lock.
struct Registry {
    system::Mutex mutex;  // held while an extension is registered; readers do not need it
    std::array<std::atomic<const VendorExtension*>, kMaximumExtensions> extensions{};
    std::atomic<std::size_t> count{0};
};

Registry& registry() {
    static Registry& instance = *new Registry;  // outlives every thread
    return instance;
}

const VendorExtension* extensionAt(std::uint32_t code) noexcept {
    const std::uint32_t prefix = code >> kExtensionTypeBits;
    if (prefix < kFirstResolvedPrefix || prefix - kFirstResolvedPrefix >= kMaximumExtensions) {
        return nullptr;
    }
    // sync [extension-registered]
    return registry().extensions[prefix - kFirstResolvedPrefix].load(std::memory_order_acquire);
}

constexpr std::uint16_t typeOf(std::uint32_t code) noexcept {
    return static_cast<std::uint16_t>(code);
}

/// The prefix of the extension with this name; 0 if there is none.
std::uint16_t prefixOf(const std::string& name) {
    // sync [extension-registered]
    const std::size_t count = registry().count.load(std::memory_order_acquire);
    for (std::size_t index = 0; index < count; ++index) {
        if (registry().extensions[index].load(std::memory_order_relaxed)->name == name) {
            return static_cast<std::uint16_t>(kFirstResolvedPrefix + index);
        }
    }
    return 0;
}

Result<> checkExtension(const VendorExtension& extension) {
    if (!isExtensionName(extension.name)) {
        return invalid(
            "extension \"{}\": its name must have lower-case letters, digits, "
            "underscores and at least one period, nothing else",
            extension.name);
    }
    std::set<std::uint16_t> types;
    for (const ExtensionOperandTypeInformation& type : extension.operandTypes) {
        if (!types.insert(type.type).second) {
            return invalid("extension \"{}\": operand type {} is there twice", extension.name,
                           type.type);
        }
        if (type.byteSize == 0) {
            return invalid("extension \"{}\": operand type {} has elements of 0 bytes",
                           extension.name, type.type);
        }
    }
    std::set<std::uint16_t> operations;
    for (const auto& operation : extension.operations) {
        if (!operation || !operations.insert(operation->type()).second) {
            return invalid("extension \"{}\": an operation is null or there twice", extension.name);
        }
    }
    return {};
}

/// Every type of a model, by reference.
template <class Visit>
void visitTypes(Model& model, Visit visit) {
    const auto visitSubgraph = [&](Subgraph& subgraph) {
        for (Operand& operand : subgraph.operands) {
            visit(operand.type);
        }
        for (Operation& operation : subgraph.operations) {
            visit(operation.type);
        }
    };
    visitSubgraph(model.main);
    std::for_each(model.referenced.begin(), model.referenced.end(), visitSubgraph);
}

template <class Type>
std::uint16_t prefixIn(Type type) noexcept {
    return static_cast<std::uint16_t>(static_cast<std::uint32_t>(type) >> kExtensionTypeBits);
}

}  // namespace

bool isExtensionName(std::string_view name) noexcept {
    const auto isAllowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
    };
    return std::all_of(name.begin(), name.end(), isAllowed) &&
           name.find('.') != std::string_view::npos;
}

Result<> registerExtension(VendorExtension extension) {
    NNBURST_TRY(checkExtension(extension));
    Registry& all = registry();
    const system::MutexLock lock(all.mutex);
    if (prefixOf(extension.name) != 0) {
        return invalid("extension \"{}\" is registered already", extension.name);
    }
    const std::size_t index = all.count.load(std::memory_order_relaxed);
    if (index == kMaximumExtensions) {
        return invalid("extension \"{}\": {} are registered already, which is the limit",
                       extension.name, kMaximumExtensions);
    }
    // sync [extension-registered]: the extension is whole
    all.extensions[index].store(new VendorExtension(std::move(extension)),
                                std::memory_order_release);
    all.count.store(index + 1, std::memory_order_release);
    return {};
}

std::vector<Extension> registeredExtensions() {
    std::vector<Extension> extensions;
    const std::size_t count = registry().count.load(std::memory_order_acquire);
    for (std::size_t index = 0; index < count; ++index) {
        const VendorExtension& extension =
            *registry().extensions[index].load(std::memory_order_relaxed);
        extensions.push_back({.name = extension.name, .operandTypes = extension.operandTypes});
    }
    return extensions;
}

const ExtensionOperandTypeInformation* findExtensionType(OperandType type) noexcept {
    const auto code = static_cast<std::uint32_t>(type);
    const VendorExtension* extension = extensionAt(code);
    if (extension == nullptr) {
        return nullptr;
    }
    const auto found =
        std::find_if(extension->operandTypes.begin(), extension->operandTypes.end(),
                     [code](const auto& known) { return known.type == typeOf(code); });
    return found == extension->operandTypes.end() ? nullptr : &*found;
}

const ExtensionOperation* findExtensionOperation(OperationType type) noexcept {
    const auto code = static_cast<std::uint32_t>(type);
    const VendorExtension* extension = extensionAt(code);
    if (extension == nullptr) {
        return nullptr;
    }
    const auto found =
        std::find_if(extension->operations.begin(), extension->operations.end(),
                     [code](const auto& known) { return known->type() == typeOf(code); });
    return found == extension->operations.end() ? nullptr : found->get();
}

Result<> resolveExtensions(Model& model, PrefixSource source) {
    bool isResolved = false;
    visitTypes(model, [&](auto type) {
        isResolved = isResolved || prefixIn(type) >= kFirstResolvedPrefix;
    });
    for (const ExtensionNameAndPrefix& extension : model.extensionNameToPrefix) {
        isResolved = isResolved || extension.prefix >= kFirstResolvedPrefix;
    }
    if (isResolved && source == PrefixSource::CLIENT) {
        return invalid("extension prefix of {} or more: must have 15 bits", kFirstResolvedPrefix);
    }
    // Validation no longer sees prefixes that are replaced. 0 is that of the HAL's types.
    std::set<std::uint16_t> declared{0};
    for (std::size_t index = 0; index < model.extensionNameToPrefix.size(); ++index) {
        const std::uint16_t prefix = model.extensionNameToPrefix[index].prefix;
        if (!declared.insert(prefix).second) {
            return invalid("extension {}: prefix {}: must not be 0 or that of another extension",
                           index, prefix);
        }
    }
    std::map<std::uint16_t, std::uint16_t> prefixes;
    for (ExtensionNameAndPrefix& extension : model.extensionNameToPrefix) {
        if (const std::uint16_t resolved = prefixOf(extension.name); resolved != 0) {
            prefixes.try_emplace(extension.prefix, resolved);
            extension.prefix = resolved;
        } else if (extension.prefix >= kFirstResolvedPrefix) {
            // In this process another extension may have the prefix.
            return failure(ErrorStatus::GENERAL_FAILURE,
                           fmt::format("the cached model uses extension \"{}\", which is not known "
                                       "to this device: prepare from the model again",
                                       extension.name));
        }
    }
    visitTypes(model, [&](auto& type) {
        if (const auto found = prefixes.find(prefixIn(type)); found != prefixes.end()) {
            const auto code = static_cast<std::uint32_t>(type);
            type = static_cast<std::remove_reference_t<decltype(type)>>(
                (static_cast<std::uint32_t>(found->second) << kExtensionTypeBits) | typeOf(code));
        }
    });
    return {};
}

Result<> checkExtensionsKnown(const Model& model) {
    for (const Operation& operation : model.main.operations) {
        if (!isExtension(operation.type) || findExtensionOperation(operation.type) != nullptr) {
            continue;
        }
        const auto named = std::find_if(
            model.extensionNameToPrefix.begin(), model.extensionNameToPrefix.end(),
            [&](const auto& extension) { return extension.prefix == prefixIn(operation.type); });
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("operation {} of extension \"{}\" is not known to this device",
                                   typeOf(static_cast<std::uint32_t>(operation.type)),
                                   named == model.extensionNameToPrefix.end() ? "?" : named->name));
    }
    return {};
}

}  // namespace nnburst
