// BtfTypes: the types and functions that a kernel describes in /sys/kernel/btf/vmlinux, and those of a module, which
// continue the kernel's numbering (split BTF).
//
// The fallback without DWARF: it has types with all members and the arguments of functions, but no locations of
// variables. parse() only indexes where each type begins; types are decoded on request. The bytes are untrusted.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "probe/type/type_source.h"

namespace peregrine {

struct BtfParameter {
  std::string name;
  TypeRef type;
};

class BtfTypes final : public TypeSource {
 public:
  // `base`: the kernel's types, if these are a module's. It must outlive this.
  static Result<BtfTypes> parse(std::string bytes, std::string_view name, const BtfTypes* base = nullptr);

  TypeShape shape(TypeRef type) const override;
  std::vector<TypeMember> members(TypeRef type) const override;
  std::string text(TypeRef type) const override;
  TypeRef find(std::string_view spelled) const override;
  // Searches these types only, not `base`.
  TypeRef find_enum(std::string_view name) const;
  // The values of an enum; empty for other types.
  std::vector<Enumerator> enumerators(TypeRef type) const;

  // The arguments of a function; nullopt if it is unknown.
  std::optional<std::vector<BtfParameter>> parameters(std::string_view function) const;
  // The function's return type.
  TypeRef result_type(std::string_view function) const;
  std::size_t type_count() const { return first_ + places_.size(); }

 private:
  struct Type {
    u32 name = 0, kind = 0, count = 0, size = 0;
    bool flag = false;
    std::size_t rest = 0;  // offset of the kind-specific data
  };
  BtfTypes() = default;
  Result<> index(std::string_view name);
  // Numbers below first_ belong to base_.
  std::optional<Type> type(u64 number) const;
  const BtfTypes& owner(u64 number) const { return base_ != nullptr && number < first_ ? *base_ : *this; }
  std::optional<Type> resolved(u64 number, bool names, u64& at) const;
  std::string_view string(u32 offset) const;
  u32 word(std::size_t offset) const;
  std::optional<u64> size_of(u64 number, unsigned depth = 0) const;
  TypeRef ref(u64 number) const { return {this, number, true}; }
  std::optional<u64> prototype(std::string_view function) const;

  std::string bytes_;
  std::size_t types_ = 0, types_end_ = 0, strings_ = 0, strings_end_ = 0;
  const BtfTypes* base_ = nullptr;
  u64 first_ = 1;            // number of the first type here
  std::vector<u32> places_;  // offset of each type from types_
  std::unordered_map<std::string_view, u64> functions_;
};

}  // namespace peregrine
