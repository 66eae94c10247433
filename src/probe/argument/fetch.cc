#include "probe/argument/fetch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "base/types.h"

namespace peregrine {
namespace {

constexpr u64 kWidestBits = 64;

struct Bits {
  u64 size = 0;   // 0: not a bit field
  u64 start = 0;  // from the start of the current memory
};

// The current place and type while the fields of an argument are followed.
class Walk {
 public:
  Walk(const ProbeArgument& argument, VariablePlace place, TypeRef type, const TypeSource& types,
       const FetchAbilities& abilities)
      : argument_(argument),
        place_(std::move(place)),
        type_(type),
        types_(types),
        abilities_(abilities),
        path_(argument.variable) {}

  Result<TraceArgument> run() {
    if (!argument_.cast.empty()) PEREGRINE_TRY(cast());
    for (const FieldStep& step : argument_.fields) {
      PEREGRINE_TRY(step.index ? take_element(*step.index) : take_member(step));
      path_ += step.index ? step.name : (step.arrow ? "->" : ".") + step.name;
    }
    TraceArgument result{.name = name(), .value = {}, .type = {}};
    PEREGRINE_TRY(choose_type(result));
    result.value = value();
    return result;
  }

 private:
  std::unexpected<Error> wrong(std::string_view what) const {
    return fail(ErrorKind::Usage, "cannot fetch '{}': {}", argument_.text(), what);
  }
  std::string type_text() const { return types_.text(type_); }

  Result<> cast() {
    const auto stars = static_cast<std::size_t>(std::ranges::count(argument_.cast, '*'));
    const TypeRef target = types_.find(argument_.cast);
    if (!target) return wrong(fmt::format("unknown type '{}'", argument_.cast));
    if (stars > 1) return wrong("casts must be to a type or a pointer to one");
    cast_pointer_ = stars == 1;
    type_ = target;
    return {};
  }

  // Follows the current pointer; from here on the memory it points to is current.
  Result<> follow(std::string_view towards) {
    if (place_.is_constant()) return wrong(fmt::format("{} is a constant and has no {}", path_, towards));
    place_.dereferences.push_back(0);
    return {};
  }

  Result<> take_element(i64 index) {
    const TypeShape shape = types_.shape(type_);
    if (cast_pointer_ || shape.kind == TypeKind::Pointer) {
      PEREGRINE_TRY(follow("element"));
      if (!cast_pointer_) type_ = shape.target;
      cast_pointer_ = false;
    } else if (shape.kind == TypeKind::Array) {
      if (place_.dereferences.empty()) return wrong(fmt::format("{} is an array that is not in memory here", path_));
      type_ = shape.target;
    } else {
      return wrong(fmt::format("{} ({}) is neither a pointer nor an array", path_, type_text()));
    }
    const auto size = types_.shape(type_).size;
    if (!size) return wrong(fmt::format("the elements of {} have no known size", path_));
    place_.dereferences.back() += index * static_cast<i64>(*size);
    return {};
  }

  Result<> take_member(const FieldStep& step) {
    TypeShape shape = types_.shape(type_);
    const bool pointer = cast_pointer_ || shape.kind == TypeKind::Pointer;
    if (pointer && !cast_pointer_) {
      type_ = shape.target;
      shape = types_.shape(type_);
    }
    if (shape.kind != TypeKind::Structure && shape.kind != TypeKind::Union)
      return wrong(fmt::format("{} is a {}, which has no members", path_, type_text()));
    if (pointer && !step.arrow) return wrong(fmt::format("{} is a pointer: write {}->{}", path_, path_, step.name));
    if (!pointer && step.arrow) return wrong(fmt::format("{} is not a pointer: write {}.{}", path_, path_, step.name));
    cast_pointer_ = false;
    const auto member = find_member(type_, step.name, 0, 0);
    if (!member) return no_member(step.name);
    if (pointer) PEREGRINE_TRY(follow("member"));
    if (place_.dereferences.empty()) return wrong(fmt::format("{} is a structure held in registers", path_));
    place_.dereferences.back() += static_cast<i64>(member->offset);
    bits_ = {member->bit_size, member->bit_start - (member->bit_size == 0 ? 0 : member->offset * 8)};
    type_ = member->type;
    return {};
  }

  static constexpr unsigned kDeepest = 32;
  // Limits look-ups, because a hostile type may contain itself many times.
  static constexpr unsigned kMostLooks = 20000;
  // Searches unnamed members too, and adds their offset.
  std::optional<TypeMember> find_member(TypeRef type, std::string_view name, u64 offset, unsigned depth) const {
    if (depth > kDeepest || ++looked_at_ > kMostLooks) return std::nullopt;
    for (TypeMember& member : types_.members(type)) {
      if (member.name == name) {
        member.offset += offset;
        member.bit_start += offset * 8;
        return std::move(member);
      }
      if (!member.name.empty()) continue;
      if (auto inner = find_member(member.type, name, offset + member.offset, depth + 1)) return inner;
    }
    return std::nullopt;
  }

  void collect_names(TypeRef type, std::vector<std::string>& names, unsigned depth) const {
    if (depth > kDeepest || ++looked_at_ > kMostLooks) return;
    for (const TypeMember& member : types_.members(type)) {
      if (member.name.empty())
        collect_names(member.type, names, depth + 1);
      else
        names.push_back(member.name);
    }
  }

  // The path to a nested member of that name, at most two levels further in, for a hint: "in.x".
  std::string find_deeper(TypeRef type, std::string_view name, unsigned depth) const {
    if (depth > 2) return {};
    for (const TypeMember& member : types_.members(type)) {
      TypeShape shape = types_.shape(member.type);
      const bool pointer = shape.kind == TypeKind::Pointer;
      const TypeRef inner = pointer ? shape.target : member.type;
      if (pointer) shape = types_.shape(inner);
      if (shape.kind != TypeKind::Structure && shape.kind != TypeKind::Union) continue;
      const std::string head = member.name.empty() ? "" : member.name + (pointer ? "->" : ".");
      if (find_member(inner, name, 0, 0)) return head + std::string(name);
      if (const std::string found = find_deeper(inner, name, depth + 1); !found.empty()) return head + found;
    }
    return {};
  }

  std::unexpected<Error> no_member(const std::string& name) const {
    auto error = wrong(fmt::format("{} ({}) has no member {}", path_, type_text(), name));
    std::vector<std::string> names;
    collect_names(type_, names, 0);
    const std::vector<std::string_view> views(names.begin(), names.end());
    if (const std::string deeper = find_deeper(type_, name, 0); !deeper.empty())
      error.error().hint = fmt::format("it has {}", deeper);
    else if (const auto near = nearest(name, views))
      error.error().hint = fmt::format("did you mean '{}'?", *near);
    else if (!names.empty() && names.size() <= 24)
      error.error().hint = fmt::format("its members are {}", fmt::join(names, ", "));
    return error;
  }

  std::string name() const {
    if (!argument_.name.empty()) return argument_.name;
    for (auto step = argument_.fields.rbegin(); step != argument_.fields.rend(); ++step)
      if (!step->index) return step->name;
    std::string plain = argument_.variable;
    if (argument_.type.empty() || !argument_.fields.empty()) return plain;
    plain += '_' + argument_.type;
    std::ranges::replace_if(plain, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
    return plain;
  }

  Result<> choose_type(TraceArgument& result) {
    if (argument_.type == "string" || argument_.type == "ustring") return choose_string(result);
    const bool only_sign = argument_.type == "u" || argument_.type == "s" || argument_.type == "x";
    if (!argument_.type.empty() && !only_sign) {
      result.type = argument_.type;
      return {};
    }
    if (bits_.size != 0) return choose_bits(result);
    const TypeShape shape = types_.shape(type_);
    u64 bits = (cast_pointer_ ? 8 : shape.kind == TypeKind::Array ? 0 : shape.size.value_or(0)) * 8;
    if (bits == 0) return {};
    bits = std::min(bits, kWidestBits);
    // The kernel only has widths 8, 16, 32 and 64: round down to one of them.
    while ((bits & (bits - 1)) != 0) bits &= bits - 1;
    const bool is_signed = shape.is_signed && !cast_pointer_;
    const char plain = abilities_.hexadecimal ? 'x' : 'u';
    result.type = fmt::format("{}{}", only_sign ? argument_.type[0] : is_signed ? 's' : plain, bits);
    return {};
  }

  Result<> choose_string(TraceArgument& result) {
    const TypeShape shape = types_.shape(type_);
    if (shape.kind != TypeKind::Pointer && shape.kind != TypeKind::Array)
      return wrong(fmt::format("{} ({}) is not a string: neither a pointer nor an array", path_, type_text()));
    if (!types_.shape(shape.target).is_character)
      return wrong(fmt::format("{} ({}) is not a string: it does not point to characters", path_, type_text()));
    if (shape.kind == TypeKind::Pointer) PEREGRINE_TRY(follow("string"));
    result.type = argument_.user && argument_.type == "string" && abilities_.kernel_probe ? "ustring" : argument_.type;
    return {};
  }

  // Expresses the bit field as bits of the aligned 8- to 64-bit number that contains it.
  Result<> choose_bits(TraceArgument& result) {
    u64 width = types_.shape(type_).size.value_or(4) * 8;
    if (width == 0 || width > kWidestBits) width = 32;
    u64 first = bits_.start / width * width;
    while (bits_.start + bits_.size > first + width && width < kWidestBits) {
      width *= 2;
      first = bits_.start / width * width;
    }
    if (bits_.start + bits_.size > first + width)
      return wrong(fmt::format("{} has {} bits that span two words", path_, bits_.size));
    place_.dereferences.back() += static_cast<i64>(first / 8);
    result.type = fmt::format("b{}@{}/{}", bits_.size, bits_.start - first, width);
    return {};
  }

  std::string value() const {
    std::string text = place_.base;
    bool first = true;
    for (const i64 offset : place_.dereferences) {
      if (first && place_.base.starts_with('@')) {
        text = fmt::format("{}{:+}", place_.base, offset);
        if (place_.base == "@+") text = fmt::format("@+{:#x}", offset);
      } else {
        text = fmt::format("{}{}{}({})", offset < 0 ? '-' : '+', argument_.user && abilities_.kernel_probe ? "u" : "",
                           offset < 0 ? -offset : offset, text);
      }
      first = false;
    }
    return text;
  }

  const ProbeArgument& argument_;
  VariablePlace place_;
  TypeRef type_;
  const TypeSource& types_;
  const FetchAbilities& abilities_;
  std::string path_;  // the part followed so far
  Bits bits_;
  mutable unsigned looked_at_ = 0;
  bool cast_pointer_ = false;  // type_ is the target of a pointer
};

}  // namespace

Result<TraceArgument> fetch_variable(const ProbeArgument& argument, VariablePlace place, TypeRef type,
                                     const TypeSource& types, const FetchAbilities& abilities) {
  return Walk(argument, std::move(place), type, types, abilities).run();
}

TraceArgument fetch_as_written(const ProbeArgument& argument) {
  return {.name = argument.name, .value = argument.variable, .type = argument.type};
}

}  // namespace peregrine
