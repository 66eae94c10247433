#include "abi/side_band.h"

#include <algorithm>

namespace peregrine::abi {
namespace {

// A record body being decoded: the reader, and what the branches of the switch share.
struct Body {
  const RecordView& record;
  const EventAttr& attr;
  SideBandScratch& scratch;
  ByteReader in;
  const char* fault = nullptr;

  bool misc(u16 bit) const { return (record.misc & bit) != 0; }

  // Takes a string that must end within the record. Padding to 8 bytes follows, so the next field's offset is unknown.
  std::string_view text() {
    const Bytes rest = in.rest();
    const auto* chars = reinterpret_cast<const char*>(rest.data());
    const std::size_t length = rest.empty() ? 0 : ::strnlen(chars, rest.size());
    if (length == rest.size()) {
      fault = "a string without an end";
      return {};
    }
    in.skip(length + 1);
    return {chars, length};
  }
};

SideBandBody mmap(Body& b, bool version2) {
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

SideBandBody comm(Body& b) {
  CommRecord c;
  c.pid = b.in.get32();
  c.tid = b.in.get32();
  c.comm = b.text();
  c.exec = b.misc(misc_bit::CommExec);
  return c;
}

template <class Task>
SideBandBody task(Body& b) {
  Task t;
  t.pid = b.in.get32();
  t.parent_pid = b.in.get32();
  t.tid = b.in.get32();
  t.parent_tid = b.in.get32();
  t.time = b.in.get64();
  return t;
}

SideBandBody read(Body& b) {
  ReadRecord r;
  r.pid = b.in.get32();
  r.tid = b.in.get32();
  if (!decode_read(b.in, b.attr.read_format, r.values, b.scratch.read)) b.fault = "too few counter values";
  return r;
}

SideBandBody context_switch(Body& b, bool cpu_wide) {
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

SideBandBody namespaces(Body& b) {
  NamespacesRecord n;
  n.pid = b.in.get32();
  n.tid = b.in.get32();
  const u64 count = b.in.get64();
  if (count > b.in.left() / 16) {
    b.fault = "more namespaces than bytes";
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

SideBandBody ksymbol(Body& b) {
  KsymbolRecord k;
  k.address = b.in.get64();
  k.length = b.in.get32();
  k.type = b.in.get16();
  k.flags = b.in.get16();
  k.name = b.text();
  return k;
}

SideBandBody bpf_event(Body& b) {
  BpfEventRecord e;
  e.type = b.in.get16();
  e.flags = b.in.get16();
  e.id = b.in.get32();
  e.tag = b.in.take(8);
  return e;
}

SideBandBody text_poke(Body& b) {
  TextPokeRecord t;
  t.address = b.in.get64();
  const u16 old_size = b.in.get16(), new_size = b.in.get16();
  t.old_bytes = b.in.take(old_size);
  t.new_bytes = b.in.take(new_size);
  return t;
}

SideBandBody deferred_chain(Body& b) {
  CallchainDeferredRecord c;
  c.cookie = b.in.get64();
  const u64 count = b.in.get64();
  if (count > b.in.left() / 8) {
    b.fault = "more callchain entries than bytes";
    return c;
  }
  b.scratch.words.resize(static_cast<std::size_t>(count));
  for (u64& word : b.scratch.words) word = b.in.get64();
  c.chain = b.scratch.words;
  return c;
}

template <class Record>
SideBandBody three_words(Body& b) {
  const u64 first = b.in.get64(), second = b.in.get64(), third = b.in.get64();
  return Record{first, second, third};
}

std::optional<SideBandBody> decode_body(Body& b) {
  // clang-format off
  switch (b.record.type) {
    case RecordType::Mmap: return mmap(b, false);
    case RecordType::Mmap2: return mmap(b, true);
    case RecordType::Lost: {
      const u64 id = b.in.get64(), lost = b.in.get64();
      return LostRecord{id, lost};
    }
    case RecordType::Comm: return comm(b);
    case RecordType::Exit: return task<ExitRecord>(b);
    case RecordType::Fork: return task<ForkRecord>(b);
    case RecordType::Throttle:
    case RecordType::Unthrottle: {
      const u64 time = b.in.get64(), id = b.in.get64(), stream_id = b.in.get64();
      return ThrottleRecord{time, id, stream_id, b.record.type == RecordType::Throttle};
    }
    case RecordType::Read: return read(b);
    case RecordType::Aux: return three_words<AuxRecord>(b);
    case RecordType::ItraceStart: {
      const u32 pid = b.in.get32(), tid = b.in.get32();
      return ItraceStartRecord{pid, tid};
    }
    case RecordType::LostSamples: return LostSamplesRecord{b.in.get64()};
    case RecordType::Switch: return context_switch(b, false);
    case RecordType::SwitchCpuWide: return context_switch(b, true);
    case RecordType::Namespaces: return namespaces(b);
    case RecordType::Ksymbol: return ksymbol(b);
    case RecordType::BpfEvent: return bpf_event(b);
    case RecordType::Cgroup: {
      CgroupRecord c;
      c.id = b.in.get64();
      c.path = b.text();
      return c;
    }
    case RecordType::TextPoke: return text_poke(b);
    case RecordType::AuxOutputHwId: return AuxOutputHwIdRecord{b.in.get64()};
    case RecordType::CallchainDeferred: return deferred_chain(b);
    default: return std::nullopt;
  }
  // clang-format on
}

}  // namespace

Result<std::optional<SideBand>> decode_side_band(const RecordView& record, const EventAttr& attr,
                                                 SideBandScratch& scratch) {
  Body body{record, attr, scratch, ByteReader(record.body(), record.order)};
  auto value = decode_body(body);
  if (!value) return std::nullopt;
  if (body.fault == nullptr && !body.in.ok()) body.fault = "the record is too short";
  if (body.fault != nullptr) {
    return fail(ErrorKind::Malformed, "{} record at offset {:#x}, {} bytes: {}", record_type_name(record.type),
                record.offset, record.bytes.size(), body.fault);
  }
  return SideBand{*value, decode_sample_id(record, attr), record.misc, record.offset};
}

}  // namespace peregrine::abi
