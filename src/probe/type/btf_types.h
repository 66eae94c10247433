// BtfTypes: the types and functions of a kernel, as it describes them itself in /sys/kernel/btf/vmlinux, and those of a
// module, which continue its numbers (split BTF).
//
// Read when there is no DWARF: types with all their members and the arguments of functions, but no places of variables.
// Types are decoded when they are asked for; an index of where each begins is made at parse(). Untrusted bytes.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "event/field/trace_format.h"
#include "probe/type/type_source.h"

namespace peregrine {

struct BtfParameter {
  std::string name;
  TypeRef type;
};

class BtfTypes final : public TypeSource {
 public:
  // `base`: the kernel's, for a module's; outlives this.
  static Result<BtfTypes> parse(std::string bytes, std::string_view name, const BtfTypes* base = nullptr);

  TypeShape shape(TypeRef type) const override;
  std::vector<TypeMember> members(TypeRef type) const override;
  std::string text(TypeRef type) const override;
  TypeRef find(std::string_view spelled) const override;
  // Among the types here, not those of `base`.
  TypeRef find_enum(std::string_view name) const;
  // The names of an enum's values; nothing for other types.
  std::vector<Enumerator> enumerators(TypeRef type) const;

  // The arguments of a function; nothing when it is not known.
  std::optional<std::vector<BtfParameter>> parameters(std::string_view function) const;
  // What it returns.
  TypeRef result_type(std::string_view function) const;
  std::size_t type_count() const { return first_ + places_.size(); }

 private:
  struct Type {
    u32 name = 0, kind = 0, count = 0, size = 0;
    bool flag = false;
    std::size_t rest = 0;  // offset of what follows
  };
  BtfTypes() = default;
  Result<> index(std::string_view name);
  // Through base_ where the number is the kernel's.
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
  std::vector<u32> places_;  // where each type begins, from types_ on
  std::unordered_map<std::string_view, u64> functions_;
};

}  // namespace peregrine
