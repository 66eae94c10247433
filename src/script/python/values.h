// Values: the fields of a tracepoint as Python objects.
#pragma once
#include <cstddef>

#include "base/bytes.h"
#include "base/types.h"
#include "script/event_plan.h"
#include "script/field_bytes.h"
#include "script/python/object.h"
#include "script/python/text_cache.h"

namespace peregrine::script {

class Values {
 public:
  Values(TextCache& texts, ByteOrder order) : texts_(texts), order_(order) {}

  // None if the record lacks the field; else int, str, bytearray or list. Data beyond the record is 0 or empty. Null:
  // out of memory.
  Ref field(const FieldPlan& plan, Bytes record) const {
    if (is_unavailable(plan, record, order_)) return share(Py_None);
    const Bytes bytes = field_bytes(plan, record, order_);
    switch (plan.kind) {
      case FieldKind::Unsigned:
        return number_object(bytes.empty() ? 0 : load_number(bytes.data(), plan.size, order_));
      case FieldKind::Signed:
        return signed_object(bytes.empty() ? 0
                                           : sign_extended(load_number(bytes.data(), plan.size, order_), plan.size));
      case FieldKind::Text:
        return texts_.find(up_to_nul(bytes));
      case FieldKind::List:
        return list(plan, bytes);
      case FieldKind::Bytes:
        break;
    }
    return Ref(PyByteArray_FromStringAndSize(reinterpret_cast<const char*>(bytes.data()),
                                             static_cast<Py_ssize_t>(bytes.size())));
  }
  ByteOrder order() const { return order_; }

 private:
  Ref list(const FieldPlan& plan, Bytes bytes) const {
    const std::size_t count = bytes.size() / plan.element;
    Ref made(PyList_New(static_cast<Py_ssize_t>(count)));
    for (std::size_t i = 0; made && i < count; ++i) {
      const u64 value = load_number(bytes.data() + i * plan.element, plan.element, order_);
      Ref number = plan.is_signed ? signed_object(sign_extended(value, plan.element)) : number_object(value);
      if (!number) return nullptr;
      PyList_SET_ITEM(made.get(), static_cast<Py_ssize_t>(i), number.release());
    }
    return made;
  }

  TextCache& texts_;
  ByteOrder order_;
};

}  // namespace peregrine::script
