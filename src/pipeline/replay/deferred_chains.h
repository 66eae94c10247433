// DeferredChains: user stacks that the kernel walks on return to user mode (linux 6.19, defer_callchain).
//
//   sample    kernel frames…, USER_DEFERRED, cookie          ┐ same thread, same cookie: the stack replaces
//   later     CALLCHAIN_DEFERRED cookie, USER, user frames…  ┘ marker and cookie
//
// Filled in a batch's first pass, read in its second by any number of threads. Several samples within one kernel entry
// share a stack. A stack in a later batch than its sample is not found.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "abi/record.h"
#include "base/types.h"

namespace peregrine {

// The cookie at the end of a sample's chain if its user part was deferred.
inline std::optional<u64> deferred_cookie(std::span<const u64> chain) {
  if (chain.size() < 2 || chain[chain.size() - 2] != abi::kContextUserDeferred) return std::nullopt;
  return chain.back();
}

class DeferredChains {
 public:
  enum class Merged { NotDeferred, Whole, Missing };

  void clear();
  void add(u32 tid, u64 cookie, std::span<const u64> chain);
  // Completes `chain`, which then borrows `scratch`. Missing: the chain ends before the marker.
  Merged merge(u32 tid, std::span<const u64>& chain, std::vector<u64>& scratch) const {
    const std::optional<u64> cookie = deferred_cookie(chain);
    return cookie ? complete(Key{*cookie, tid}, chain, scratch) : Merged::NotDeferred;
  }

 private:
  struct Key {
    u64 cookie;
    u32 tid;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const { return (key.cookie ^ key.tid) * 0x9e3779b97f4a7c15ull; }
  };
  struct Range {
    std::size_t first, count;
  };
  Merged complete(const Key& key, std::span<const u64>& chain, std::vector<u64>& scratch) const;

  std::unordered_map<Key, Range, Hash> ranges_;
  std::vector<u64> words_;
};

}  // namespace peregrine
