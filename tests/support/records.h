// The layouts of the records that PerfDataBuilder writes: one table row per record, and a function for samples. Each
// type that abi/record_rows.h gives a decoder has a row (abi/record_table_test.cc), since tests must be able to write
// it.
//
// Field names are those of the recipe language (recipe.h). Numbers come from <linux/perf_event.h>.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "support/byte_buffer.h"
#include "support/perf_data_builder.h"

namespace peregrine::support {

struct RecordShape {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint16_t misc = 0;   // unless the test gives one
  std::string_view fields;  // "name:width …"; width s is text padded to 8, x is raw bytes in hex, l a list of 8-byte
                            // numbers
};

std::span<const RecordShape> record_shapes();
const RecordShape& record_shape(std::string_view name);
void encode_body(const RecordShape& shape, const Fields& fields, ByteBuffer& out);

// Sample-id trailer: pid tid time id stream_id cpu, as far as sample_type includes them.
void encode_trailer(std::uint64_t sample_type, const Fields& fields, ByteBuffer& out);

struct SampleContext {
  std::uint64_t sample_type = 0, read_format = 0, branch_sample_type = 0;
  Endian endian = Endian::Little;
};
// The body of a sample. Fields: ip pid tid time addr id stream_id cpu period, read (values: value,id[,lost] of each,
// after time_enabled and time_running where asked for), chain, raw (hex), branches (from,to,predicted,cycles of each),
// regs_user_abi regs_user, stack (hex) stack_size, weight, data_src, transaction, regs_intr_abi regs_intr, phys_addr,
// cgroup, data_page, code_page.
std::vector<std::byte> encode_sample(const SampleContext& context, const Fields& fields);

// "ip,tid,time" → PERF_SAMPLE_*; "id,group" → PERF_FORMAT_*; "mmap,comm" → bits of the flags. Numbers are
// unchanged.
std::uint64_t sample_type_of(const Value& names);
std::uint64_t read_format_of(const Value& names);
std::uint64_t attr_flags_of(const Value& names);

// A value of C bit-fields: in a big-endian file, the bits of each byte are mirrored.
void put_bit_fields(ByteBuffer& out, std::uint64_t bits);

}  // namespace peregrine::support
