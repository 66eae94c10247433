// PackedSample: a sample as the words that process_event unpacks: the start of linux-perf's struct perf_sample, with
// the fields of abi/recorded_field.h at the offsets that their rows state, and added fields after it.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "abi/recorded_field.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::script {

class PackedSample {
 public:
  explicit PackedSample(std::span<const abi::RecordedField> fields) {
    std::size_t size = kStructSize;
    for (const abi::RecordedField& field : fields) {
      if (field.packed_at == abi::RecordedField::kNotPacked) continue;
      const bool is_appended = field.packed_at == abi::RecordedField::kAppended;
      fields_.push_back({&field, is_appended ? size : field.packed_at, !is_appended && field.width == sizeof(u32)});
      if (is_appended) size += sizeof(u64);
    }
    bytes_.resize(size);
  }

  // Valid until the next call.
  Bytes pack(const abi::Sample& sample) {
    for (const auto& [field, at, is_half] : fields_) {
      const u64 value = field->value_for_scripts(sample);
      if (is_half)
        store(bytes_.data() + at, static_cast<u32>(value));
      else
        store(bytes_.data() + at, value);
    }
    store(bytes_.data() + kRawSizeAt, static_cast<u32>(sample.raw.size()));
    return bytes_;
  }

 private:
  // Instruction and cycle counts, at 72 and 80, are 0.
  static constexpr std::size_t kRawSizeAt = 92, kStructSize = 112;
  struct Placed {
    const abi::RecordedField* field;
    std::size_t at;
    bool is_half;  // 4 bytes
  };
  std::vector<Placed> fields_;
  std::vector<std::byte> bytes_;
};

}  // namespace peregrine::script
