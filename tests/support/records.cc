#include "support/records.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/byte_buffer.h"

namespace peregrine::support {
namespace {

constexpr std::array kShapes = std::to_array<RecordShape>({
    {"mmap", 1, 2, "pid:4 tid:4 addr:8 len:8 pgoff:8 file:s"},
    {"lost", 2, 0, "lost_id:8 lost:8"},
    {"comm", 3, 0, "pid:4 tid:4 comm:s"},
    {"exit", 4, 0, "pid:4 ppid:4 tid:4 ptid:4 at:8"},
    {"throttle", 5, 0, "at:8 event_id:8 event_stream_id:8"},
    {"unthrottle", 6, 0, "at:8 event_id:8 event_stream_id:8"},
    {"fork", 7, 0, "pid:4 ppid:4 tid:4 ptid:4 at:8"},
    {"read", 8, 0, "pid:4 tid:4 values:x"},
    {"sample", 9, 2, ""},
    {"mmap2", 10, 2, "pid:4 tid:4 addr:8 len:8 pgoff:8 major:4 minor:4 inode:8 generation:8 prot:4 flags:4 file:s"},
    {"mmap2_build_id", 10, 2 | 1 << 14,
     "pid:4 tid:4 addr:8 len:8 pgoff:8 build_id_size:1 pad:1 pad:2 build_id:x prot:4 flags:4 file:s"},
    {"aux", 11, 0, "aux_offset:8 aux_size:8 flags:8"},
    {"itrace_start", 12, 0, "pid:4 tid:4"},
    {"lost_samples", 13, 0, "lost:8"},
    {"switch", 14, 0, ""},
    {"switch_cpu_wide", 15, 0, "next_prev_pid:4 next_prev_tid:4"},
    {"namespaces", 16, 0, "pid:4 tid:4 count:8 links:x"},
    {"ksymbol", 17, 1, "addr:8 len:4 kind:2 flags:2 symbol:s"},
    {"bpf_event", 18, 1, "kind:2 flags:2 bpf_id:4 tag:8"},
    {"cgroup", 19, 0, "cgroup:8 path:s"},
    {"text_poke", 20, 1, "addr:8 old_len:2 new_len:2 poked:x"},
    {"aux_output_hw_id", 21, 0, "hw_id:8"},
    {"callchain_deferred", 22, 2, "cookie:8 count:8 chain_bytes:x"},
    {"tracing_data", 66, 0, "size:4 pad:4"},
    {"finished_round", 68, 0, ""},
    {"id_index", 69, 0, "count:8 entries:x"},
    {"auxtrace_info", 70, 0, "type:4 pad:4 priv:l"},
    {"auxtrace", 71, 0, "size:8 offset:8 reference:8 index:4 on_tid:4 on_cpu:4 pad:4"},
    {"auxtrace_error", 72, 0, "kind:4 code:4 on_cpu:4 of_pid:4 of_tid:4 format:4 ip:8 at:8 message:s"},
    {"thread_map", 73, 0, "count:8 entries:x"},
    {"cpu_map", 74, 0, "kind:2 cpus:x"},
    {"stat_config", 75, 0, "count:8 entries:x"},
    {"stat", 76, 0, "of_id:8 on_cpu:4 thread:4 count:8 enabled:8 running:8"},
    {"stat_round", 77, 0, "last:8 at:8"},
    {"event_update", 78, 0, "kind:8 of_id:8 name:s"},
    {"time_conv", 79, 0, "shift:8 mult:8 zero:8"},
    {"time_conv_caps", 79, 0, "shift:8 mult:8 zero:8 cycles:8 mask:8 cap_zero:1 cap_short:1 pad:6"},
    {"compressed", 81, 0, "zstd:x"},
    {"finished_init", 82, 0, ""},
    {"bpf_metadata", 84, 0, "program:x count:8 entries:x"},
    {"schedstat_cpu", 85, 0, "at:8 on_cpu:4 version:2 pad:2 counters:x"},
    {"schedstat_domain", 86, 0, "at:8 on_cpu:4 version:2 domain:2 counters:x"},
});

struct BitName {
  std::string_view name;
  unsigned bit;
};

// clang-format off
constexpr std::array kSampleBits = std::to_array<BitName>(
    {{"ip", 0}, {"tid", 1}, {"time", 2}, {"addr", 3}, {"read", 4}, {"callchain", 5}, {"id", 6}, {"cpu", 7}, {"period", 8},
     {"stream_id", 9}, {"raw", 10}, {"branch_stack", 11}, {"regs_user", 12}, {"stack_user", 13}, {"weight", 14},
     {"data_src", 15}, {"identifier", 16}, {"transaction", 17}, {"regs_intr", 18}, {"phys_addr", 19}, {"aux", 20},
     {"cgroup", 21}, {"data_page_size", 22}, {"code_page_size", 23}, {"weight_struct", 24}});

constexpr std::array kReadBits =
    std::to_array<BitName>({{"enabled", 0}, {"running", 1}, {"id", 2}, {"group", 3}, {"lost", 4}});

constexpr std::array kFlagBits = std::to_array<BitName>(
    {{"disabled", 0}, {"inherit", 1}, {"pinned", 2}, {"exclusive", 3}, {"exclude_user", 4}, {"exclude_kernel", 5},
     {"exclude_hv", 6}, {"exclude_idle", 7}, {"mmap", 8}, {"comm", 9}, {"freq", 10}, {"inherit_stat", 11},
     {"enable_on_exec", 12}, {"task", 13}, {"watermark", 14}, {"mmap_data", 17}, {"sample_id_all", 18},
     {"exclude_host", 19}, {"exclude_guest", 20}, {"mmap2", 23}, {"comm_exec", 24}, {"use_clockid", 25},
     {"context_switch", 26}, {"write_backward", 27}, {"namespaces", 28}, {"ksymbol", 29}, {"bpf_event", 30},
     {"aux_output", 31}, {"cgroup", 32}, {"text_poke", 33}, {"build_id", 34}, {"inherit_thread", 35}});
// clang-format on

std::uint64_t bits_of(const Value& names, std::span<const BitName> known) {
  std::string_view rest;
  try {
    return names.number();
  } catch (const std::invalid_argument&) {
    rest = names.text();
  }
  std::uint64_t bits = 0;
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find(','));
    const auto found = std::ranges::find(known, name, &BitName::name);
    if (found == known.end()) throw std::invalid_argument("no bit is named '" + std::string(name) + "'");
    bits |= 1ull << found->bit;
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
  }
  return bits;
}

// Returns fields one by one and remembers which were requested, so that misspelt fields are detected.
class FieldReader {
 public:
  explicit FieldReader(const Fields& fields) : fields_(fields) {}

  const Value* find(std::string_view name) {
    asked_.push_back(name);
    const auto found = fields_.find(name);
    return found == fields_.end() ? nullptr : &found->second;
  }
  std::uint64_t number(std::string_view name) {
    const Value* value = find(name);
    return value ? value->number() : 0;
  }
  std::vector<std::uint64_t> list(std::string_view name) {
    const Value* value = find(name);
    return value ? value->list() : std::vector<std::uint64_t>();
  }
  std::vector<std::byte> hex(std::string_view name) {
    const Value* value = find(name);
    return value ? from_hex(value->text()) : std::vector<std::byte>();
  }
  void done(std::string_view what) const {
    for (const auto& [name, value] : fields_)
      if (std::ranges::find(asked_, name) == asked_.end())
        throw std::invalid_argument(std::string(what) + " has no field '" + name + "' here");
  }

 private:
  const Fields& fields_;
  std::vector<std::string_view> asked_;
};

// value[,id[,lost]] of each counter, after the two times: the list as given by the test, preceded by the group's
// count.
void put_read(ByteBuffer& out, std::uint64_t format, const std::vector<std::uint64_t>& values) {
  std::size_t per_value = 1;
  for (const std::uint64_t bit : {PERF_FORMAT_ID, PERF_FORMAT_LOST}) per_value += (format & bit) != 0;
  std::size_t times = 0;
  for (const std::uint64_t bit : {PERF_FORMAT_TOTAL_TIME_ENABLED, PERF_FORMAT_TOTAL_TIME_RUNNING})
    times += (format & bit) != 0;
  std::vector<std::uint64_t> words = values;
  if (format & PERF_FORMAT_GROUP) {
    words.insert(words.begin(), values.size() < times ? 0 : (values.size() - times) / per_value);
  } else if (times != 0 && !words.empty()) {  // a single counter: its value precedes the times
    words.resize(std::max(words.size(), times + per_value));
    std::rotate(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(times),
                words.begin() + static_cast<std::ptrdiff_t>(times) + 1);
  }
  for (const std::uint64_t word : words) out.put64(word);
}

void put_registers(ByteBuffer& out, std::uint64_t abi, const std::vector<std::uint64_t>& values) {
  const std::uint64_t written = values.empty() ? abi : std::max<std::uint64_t>(abi, PERF_SAMPLE_REGS_ABI_64);
  out.put64(written);
  for (const std::uint64_t value : values) out.put64(value);
}

// from,to,predicted,cycles of each entry; bits 16 to 19 of its cycles are its type. The flags are C bit-fields: the
// first field is lowest in little-endian files, highest in big-endian ones.
void put_branches(ByteBuffer& out, std::uint64_t branch_sample_type, std::uint64_t hw_index,
                  const std::vector<std::uint64_t>& list) {
  out.put64(list.size() / 4);
  if (branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX) out.put64(hw_index);
  for (std::size_t i = 0; i + 3 < list.size(); i += 4) {
    const std::uint64_t predicted = list[i + 2] != 0, cycles = list[i + 3] & 0xffff, type = list[i + 3] >> 16 & 15;
    out.put64(list[i]).put64(list[i + 1]);
    if (out.endian() == Endian::Little) {
      out.put64((predicted ? 2u : 1u) | cycles << 4 | type << 20);
    } else {
      out.put64((predicted ? 1ull << 62 : 1ull << 63) | cycles << 44 | type << 40);
    }
  }
}

}  // namespace

std::uint64_t sample_type_of(const Value& names) { return bits_of(names, kSampleBits); }
std::uint64_t read_format_of(const Value& names) { return bits_of(names, kReadBits); }
std::uint64_t attr_flags_of(const Value& names) { return bits_of(names, kFlagBits); }

void put_bit_fields(ByteBuffer& out, std::uint64_t bits) {
  for (unsigned i = 0; i < 8; ++i) {
    auto byte = static_cast<std::uint8_t>(bits >> (8 * i));
    if (out.endian() == Endian::Big) {
      std::uint8_t mirrored = 0;
      for (unsigned bit = 0; bit < 8; ++bit)
        if (byte >> bit & 1) mirrored = static_cast<std::uint8_t>(mirrored | 0x80u >> bit);
      byte = mirrored;
    }
    out.put(byte, 1);
  }
}

std::span<const RecordShape> record_shapes() { return kShapes; }

const RecordShape& record_shape(std::string_view name) {
  const auto found = std::ranges::find(kShapes, name, &RecordShape::name);
  if (found == kShapes.end()) throw std::invalid_argument("no record is named '" + std::string(name) + "'");
  return *found;
}

void encode_body(const RecordShape& shape, const Fields& fields, ByteBuffer& out) {
  FieldReader in(fields);
  for (std::string_view rest = shape.fields; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const std::string_view name = word.substr(0, word.find(':'));
    const char width = word.back();
    if (width == 's') {
      const Value* value = in.find(name);
      out.ended_text(value ? value->text() : "", 8);
    } else if (width == 'x') {
      out.append(in.hex(name));
    } else if (width == 'l') {
      for (const std::uint64_t number : in.list(name)) out.put64(number);
    } else {
      out.put(name == "pad" ? 0 : in.number(name), static_cast<unsigned>(width - '0'));
    }
  }
  for (const std::string_view name : {"time", "id", "stream_id", "cpu", "pid", "tid"}) in.find(name);
  in.done(shape.name);
}

void encode_trailer(std::uint64_t sample_type, const Fields& fields, ByteBuffer& out) {
  FieldReader in(fields);
  if (sample_type & PERF_SAMPLE_TID) out.put32(in.number("pid")).put32(in.number("tid"));
  if (sample_type & PERF_SAMPLE_TIME) out.put64(in.number("time"));
  if (sample_type & PERF_SAMPLE_ID) out.put64(in.number("id"));
  if (sample_type & PERF_SAMPLE_STREAM_ID) out.put64(in.number("stream_id"));
  if (sample_type & PERF_SAMPLE_CPU) out.put32(in.number("cpu")).put32(0);
  if (sample_type & PERF_SAMPLE_IDENTIFIER) out.put64(in.number("id"));
}

std::vector<std::byte> encode_sample(const SampleContext& context, const Fields& fields) {
  const auto has = [&](std::uint64_t bit) { return (context.sample_type & bit) != 0; };
  FieldReader in(fields);
  ByteBuffer out(context.endian);
  if (has(PERF_SAMPLE_IDENTIFIER)) out.put64(in.number("id"));
  if (has(PERF_SAMPLE_IP)) out.put64(in.number("ip"));
  if (has(PERF_SAMPLE_TID)) out.put32(in.number("pid")).put32(in.number("tid"));
  if (has(PERF_SAMPLE_TIME)) out.put64(in.number("time"));
  if (has(PERF_SAMPLE_ADDR)) out.put64(in.number("addr"));
  if (has(PERF_SAMPLE_ID)) out.put64(in.number("id"));
  if (has(PERF_SAMPLE_STREAM_ID)) out.put64(in.number("stream_id"));
  if (has(PERF_SAMPLE_CPU)) out.put32(in.number("cpu")).put32(0);
  if (has(PERF_SAMPLE_PERIOD)) out.put64(in.number("period"));
  if (has(PERF_SAMPLE_READ)) put_read(out, context.read_format, in.list("read"));
  if (has(PERF_SAMPLE_CALLCHAIN)) {
    const std::vector<std::uint64_t> chain = in.list("chain");
    out.put64(chain.size());
    for (const std::uint64_t address : chain) out.put64(address);
  }
  if (has(PERF_SAMPLE_RAW)) {  // the kernel pads so that size and data together are a multiple of 8 bytes
    std::vector<std::byte> raw = in.hex("raw");
    while ((raw.size() + 4) % 8 != 0) raw.push_back(std::byte{0});
    out.put32(raw.size()).append(raw);
  }
  if (has(PERF_SAMPLE_BRANCH_STACK))
    put_branches(out, context.branch_sample_type, in.number("hw_index"), in.list("branches"));
  if (has(PERF_SAMPLE_BRANCH_STACK) && (context.branch_sample_type & 1u << 19) != 0)  // counters, one word per branch
    for (const std::uint64_t word : in.list("counters")) out.put64(word);
  if (has(PERF_SAMPLE_REGS_USER)) put_registers(out, in.number("regs_user_abi"), in.list("regs_user"));
  if (has(PERF_SAMPLE_STACK_USER)) {
    std::vector<std::byte> stack = in.hex("stack");
    const std::uint64_t used = stack.size();
    stack.resize(std::max<std::size_t>((used + 7) / 8 * 8, in.number("stack_size")));
    out.put64(stack.size()).append(stack);
    if (!stack.empty()) out.put64(used);
  }
  if (has(PERF_SAMPLE_WEIGHT_TYPE)) out.put64(in.number("weight"));
  if (has(PERF_SAMPLE_DATA_SRC)) out.put64(in.number("data_src"));
  if (has(PERF_SAMPLE_TRANSACTION)) out.put64(in.number("transaction"));
  if (has(PERF_SAMPLE_REGS_INTR)) put_registers(out, in.number("regs_intr_abi"), in.list("regs_intr"));
  if (has(PERF_SAMPLE_PHYS_ADDR)) out.put64(in.number("phys_addr"));
  if (has(PERF_SAMPLE_CGROUP)) out.put64(in.number("cgroup"));
  if (has(PERF_SAMPLE_DATA_PAGE_SIZE)) out.put64(in.number("data_page"));
  if (has(PERF_SAMPLE_CODE_PAGE_SIZE)) out.put64(in.number("code_page"));
  if (has(PERF_SAMPLE_AUX)) {
    const std::vector<std::byte> aux = in.hex("aux");
    out.put64(aux.size()).append(aux).align(8);
  }
  in.done("sample");
  return out.bytes();
}

}  // namespace peregrine::support
