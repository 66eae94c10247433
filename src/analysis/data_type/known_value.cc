#include "analysis/data_type/known_value.h"

#include "analysis/data_type/member_place.h"
#include "base/number/wrapping.h"
#include "base/types.h"
#include "probe/type/dwarf_types.h"
#include "probe/type/type_source.h"

namespace peregrine {

KnownValue value_of_type(const DwarfTypes& types, TypeRef type) {
  // A structure that only wraps a pointer (iterator, smart pointer) counts as that pointer.
  const MemberPlace innermost = member_at(types, type, 0);
  if (!innermost.type || innermost.offset != 0) return {};
  const TypeShape shape = types.shape(innermost.type);
  if (shape.kind != TypeKind::Pointer || shape.size != types.shape(type).size) return {};
  return {.kind = KnownValue::Kind::Object, .walked = false, .offset = 0, .type = shape.target};
}

KnownValue moved(const DwarfTypes& types, KnownValue value, i64 distance) {
  if (value.kind == KnownValue::Kind::Unknown) return value;
  const bool object = value.kind == KnownValue::Kind::Object;
  const u64 size = object ? object_size(types, value.type) : 0;
  if (distance != 0 && size != 0 && distance % static_cast<i64>(size) == 0) {
    value.walked = true;
    return value;
  }
  value.offset = wrapping_sum(value.offset, distance);
  return value;
}

KnownValue either(const DwarfTypes& types, const KnownValue& a, const KnownValue& b) {
  if (a == b) return a;
  if (a.kind != KnownValue::Kind::Object || b.kind != a.kind || a.type != b.type) return {};
  const u64 size = object_size(types, a.type);
  if (size == 0 || wrapping_difference(a.offset, b.offset) % static_cast<i64>(size) != 0) return {};
  KnownValue walked = a;
  walked.walked = true;
  walked.offset = wrapped(a.offset, size);
  return walked;
}

}  // namespace peregrine
