// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The extensions of this process, and models that use them. A model names types of extensions with
/// prefixes of its own choice. Resolving it replaces these by the prefixes that the process uses,
/// so that all later code knows a type by its number. Prefixes of the process have the highest bit,
/// which prefixes of clients must not have.

#include <cstdint>
#include <string_view>
#include <vector>

#include "nnburst/extension.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// The first prefix of resolved models; clients use lower ones.
inline constexpr std::uint16_t kFirstResolvedPrefix = 0x8000;

/// HAL 1.2 Extension::name: lower-case letters, digits, periods and underscores, with a period.
[[nodiscard]] bool isExtensionName(std::string_view name) noexcept;

/// The registered extensions in the form of Device::getSupportedExtensions.
[[nodiscard]] std::vector<Extension> registeredExtensions();

/// The type's description; null unless it is a resolved type of an extension.
[[nodiscard]] const ExtensionOperandTypeInformation* findExtensionType(OperandType type) noexcept;
/// The operation's description; null unless it is a resolved type of an extension.
[[nodiscard]] const ExtensionOperation* findExtensionOperation(OperationType type) noexcept;

/// Where the prefixes of a model come from.
enum class PrefixSource : std::uint8_t { CLIENT, CACHE };

/// Replaces the prefixes of the extensions that the process knows, in types and in
/// extensionNameToPrefix. Prefixes of other extensions stay. INVALID_ARGUMENT if two extensions
/// have one prefix, if one has prefix 0, or if a client uses prefixes of resolved models;
/// GENERAL_FAILURE if a cached model has one for an extension that the process does not know.
[[nodiscard]] Result<> resolveExtensions(Model& model, PrefixSource source);

/// GENERAL_FAILURE if a resolved model uses an extension that the process does not know, naming it.
[[nodiscard]] Result<> checkExtensionsKnown(const Model& model);

}  // namespace nnburst
