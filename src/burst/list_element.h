// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Lists of owners that join and leave without allocating.

#include <list>

namespace nnburst::burst {

/// The element of a std::list for `owner`, which is in one list or in none. Made beforehand, so
/// that joining a list allocates nothing.
template <class T>
class ListElement {
  public:
    explicit ListElement(T& owner) : unused_{&owner} {}
    ListElement(const ListElement&) = delete;
    ListElement& operator=(const ListElement&) = delete;

    [[nodiscard]] bool isInList() const noexcept { return unused_.empty(); }
    /// As the last one.
    void join(std::list<T*>& list) noexcept { list.splice(list.end(), unused_, element_); }
    /// The list that it is in.
    void leave(std::list<T*>& list) noexcept { unused_.splice(unused_.end(), list, element_); }

  private:
    std::list<T*> unused_;  // the element while it is in no list
    const typename std::list<T*>::iterator element_ = unused_.begin();
};

}  // namespace nnburst::burst
