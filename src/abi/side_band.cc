#include "abi/side_band.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/record_table.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine::abi {
namespace {

SideBandBody decode_map(SideBandInput& b, bool version2) {
  MmapRecord m;
  m.pid = b.in.get32();
  m.tid = b.in.get32();
  m.start = b.in.get64();
  m.length = b.in.get64();
  m.page_offset = b.in.get64();
  m.version2 = version2;
  m.data = b.misc(misc_bit::MmapData);
  if (version2) {
    m.has_build_id = b.misc(misc_bit::MmapBuildId);
    if (m.has_build_id) {
      const u8 size = b.in.get8();
      b.in.skip(3);
      m.build_id = b.in.take(20);
      m.build_id = m.build_id.first(std::min<std::size_t>(size, m.build_id.size()));
    } else {
      m.major = b.in.get32();
      m.minor = b.in.get32();
      m.inode = b.in.get64();
      m.inode_generation = b.in.get64();
    }
    m.protection = b.in.get32();
    m.flags = b.in.get32();
  }
  m.filename = b.text();
  return m;
}

template <class Task>
SideBandBody decode_task(SideBandInput& b) {
  Task t;
  t.pid = b.in.get32();
  t.parent_pid = b.in.get32();
  t.tid = b.in.get32();
  t.parent_tid = b.in.get32();
  t.time = b.in.get64();
  return t;
}

SideBandBody decode_switch(SideBandInput& b, bool cpu_wide) {
  SwitchRecord s;
  s.out = b.misc(misc_bit::SwitchOut);
  s.preempt = b.misc(misc_bit::SwitchOutPreempt);
  s.cpu_wide = cpu_wide;
  if (cpu_wide) {
    s.next_prev_pid = b.in.get32();
    s.next_prev_tid = b.in.get32();
  }
  return s;
}

}  // namespace

std::string_view SideBandInput::text() {
  const std::string_view text = in.terminated_text();
  if (!in.ok()) fault = "unterminated string";
  return text;
}

SideBandBody side_band_mmap(SideBandInput& b) { return decode_map(b, false); }
SideBandBody side_band_mmap2(SideBandInput& b) { return decode_map(b, true); }
SideBandBody side_band_exit(SideBandInput& b) { return decode_task<ExitRecord>(b); }
SideBandBody side_band_fork(SideBandInput& b) { return decode_task<ForkRecord>(b); }
SideBandBody side_band_switch(SideBandInput& b) { return decode_switch(b, false); }
SideBandBody side_band_switch_cpu_wide(SideBandInput& b) { return decode_switch(b, true); }

SideBandBody side_band_lost(SideBandInput& b) {
  const u64 id = b.in.get64(), lost = b.in.get64();
  return LostRecord{id, lost};
}

SideBandBody side_band_lost_samples(SideBandInput& b) { return LostSamplesRecord{b.in.get64()}; }

SideBandBody side_band_throttle(SideBandInput& b) {
  const u64 time = b.in.get64(), id = b.in.get64(), stream_id = b.in.get64();
  return ThrottleRecord{time, id, stream_id, b.record.type == RecordType::Throttle};
}

SideBandBody side_band_aux(SideBandInput& b) {
  const u64 offset = b.in.get64(), size = b.in.get64(), flags = b.in.get64();
  return AuxRecord{offset, size, flags};
}

SideBandBody side_band_itrace_start(SideBandInput& b) {
  const u32 pid = b.in.get32(), tid = b.in.get32();
  return ItraceStartRecord{pid, tid};
}

SideBandBody side_band_cgroup(SideBandInput& b) {
  CgroupRecord c;
  c.id = b.in.get64();
  c.path = b.text();
  return c;
}

SideBandBody side_band_aux_output_hw_id(SideBandInput& b) { return AuxOutputHwIdRecord{b.in.get64()}; }

SideBandBody side_band_comm(SideBandInput& b) {
  CommRecord c;
  c.pid = b.in.get32();
  c.tid = b.in.get32();
  c.comm = b.text();
  c.exec = b.misc(misc_bit::CommExec);
  return c;
}

SideBandBody side_band_read(SideBandInput& b) {
  ReadRecord r;
  r.pid = b.in.get32();
  r.tid = b.in.get32();
  if (!decode_read(b.in, b.attr.read_format, r.values, b.scratch.read)) b.fault = "too few counter values";
  return r;
}

SideBandBody side_band_namespaces(SideBandInput& b) {
  NamespacesRecord n;
  n.pid = b.in.get32();
  n.tid = b.in.get32();
  const u64 count = b.in.get64();
  if (count > b.in.left() / 16) {
    b.fault = "namespaces extend past the end of the record";
    return n;
  }
  b.scratch.links.resize(static_cast<std::size_t>(count));
  for (NamespaceLink& link : b.scratch.links) {
    link.device = b.in.get64();
    link.inode = b.in.get64();
  }
  n.links = b.scratch.links;
  return n;
}

SideBandBody side_band_ksymbol(SideBandInput& b) {
  KsymbolRecord k;
  k.address = b.in.get64();
  k.length = b.in.get32();
  k.type = b.in.get16();
  k.flags = b.in.get16();
  k.name = b.text();
  return k;
}

SideBandBody side_band_bpf_event(SideBandInput& b) {
  BpfEventRecord e;
  e.type = b.in.get16();
  e.flags = b.in.get16();
  e.id = b.in.get32();
  e.tag = b.in.take(8);
  return e;
}

SideBandBody side_band_text_poke(SideBandInput& b) {
  TextPokeRecord t;
  t.address = b.in.get64();
  const u16 old_size = b.in.get16(), new_size = b.in.get16();
  t.old_bytes = b.in.take(old_size);
  t.new_bytes = b.in.take(new_size);
  return t;
}

SideBandBody side_band_callchain_deferred(SideBandInput& b) {
  CallchainDeferredRecord c;
  c.cookie = b.in.get64();
  const u64 count = b.in.get64();
  if (count > b.in.left() / 8) {
    b.fault = "callchain extends past the end of the record";
    return c;
  }
  b.scratch.words.resize(static_cast<std::size_t>(count));
  for (u64& word : b.scratch.words) word = b.in.get64();
  c.chain = b.scratch.words;
  return c;
}

// Bytes past the end read as zero, and the record is refused afterwards. So decoders check nothing, except counts
// before they size a buffer.
Result<std::optional<SideBand>> decode_side_band(const RecordView& record, const EventAttr& attr,
                                                 SideBandScratch& scratch, std::span<const RecordRow> rows) {
  const RecordRow* row = find_record(record.type, rows);
  if (row == nullptr || row->side_band == nullptr) return std::nullopt;
  SideBandInput body{record, attr, scratch, ByteReader(record.body(), record.order)};
  const SideBandBody value = row->side_band(body);
  if (body.fault == nullptr && !body.in.ok()) body.fault = "the record is too short";
  if (body.fault != nullptr) {
    return fail(ErrorKind::Malformed, "{} record at offset {:#x}, {} bytes: {}", row->name, record.offset,
                record.bytes.size(), body.fault);
  }
  return SideBand{value, decode_sample_id(record, attr), record.misc, record.offset};
}

Result<std::optional<SideBand>> decode_side_band(const RecordView& record, const EventAttr& attr,
                                                 SideBandScratch& scratch) {
  return decode_side_band(record, attr, scratch, record_table());
}

}  // namespace peregrine::abi
