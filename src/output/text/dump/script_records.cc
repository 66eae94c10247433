#include "output/text/dump/script_records.h"

#include <fmt/format.h>

#include <iterator>

#include "base/build_id.h"
#include "output/text/dump/raw_dump_session.h"
#include "output/text/field/script_frames.h"
#include "output/text/field/script_values.h"
#include "output/text/format/printable.h"

namespace peregrine {
namespace {

using std::back_inserter;

i32 as_int(u32 value) { return static_cast<i32>(value); }

struct RecordWriter {
  std::string& out;
  std::string_view symbol;  // of the address in the record

  void operator()(const abi::MmapRecord& r) const {
    auto to = fmt::format_to(back_inserter(out), " {}/{}: [{}({}) @ {}", as_int(r.pid), as_int(r.tid),
                             prefixed_hex(r.start), prefixed_hex(r.length), prefixed_hex(r.page_offset));
    if (!r.version2) {
      fmt::format_to(to, "]: {} {}\n", r.data ? 'r' : 'x', printable(r.filename));
      return;
    }
    if (r.has_build_id)
      to = fmt::format_to(to, " <{}>", BuildId::from_bytes(r.build_id).hex());
    else
      to = fmt::format_to(to, " {:02x}:{:02x} {} {}", r.major, r.minor, r.inode, r.inode_generation);
    fmt::format_to(to, "]: {}{}{}{} {}\n", (r.protection & 1) != 0 ? 'r' : '-', (r.protection & 2) != 0 ? 'w' : '-',
                   (r.protection & 4) != 0 ? 'x' : '-', (r.flags & 1) != 0 ? 's' : 'p', printable(r.filename));
  }
  void operator()(const abi::CommRecord& r) const {
    fmt::format_to(back_inserter(out), "{}: {}:{}/{}\n", r.exec ? " exec" : "", printable(r.comm), as_int(r.pid),
                   as_int(r.tid));
  }
  void operator()(const abi::ForkRecord& r) const { put_task(r.pid, r.tid, r.parent_pid, r.parent_tid); }
  void operator()(const abi::ExitRecord& r) const { put_task(r.pid, r.tid, r.parent_pid, r.parent_tid); }
  void put_task(u32 pid, u32 tid, u32 parent_pid, u32 parent_tid) const {
    fmt::format_to(back_inserter(out), "({}:{}):({}:{})\n", as_int(pid), as_int(tid), as_int(parent_pid),
                   as_int(parent_tid));
  }
  void operator()(const abi::LostRecord& r) const { fmt::format_to(back_inserter(out), " lost {}\n", r.lost); }
  void operator()(const abi::LostSamplesRecord&) const { out += '\n'; }
  void operator()(const abi::ThrottleRecord&) const { out += '\n'; }
  void operator()(const abi::ReadRecord&) const { out += '\n'; }
  void operator()(const abi::AuxRecord& r) const {
    fmt::format_to(back_inserter(out), " offset: {} size: {} flags: {} [{}{}{}]\n", prefixed_hex(r.offset),
                   prefixed_hex(r.size), prefixed_hex(r.flags), (r.flags & 1) != 0 ? "T" : "",
                   (r.flags & 2) != 0 ? "O" : "", (r.flags & 4) != 0 ? "P" : "");
  }
  void operator()(const abi::ItraceStartRecord& r) const {
    fmt::format_to(back_inserter(out), " pid: {} tid: {}\n", r.pid, r.tid);
  }
  void operator()(const abi::SwitchRecord& r) const {
    out += r.out ? (r.preempt ? " OUT preempt" : " OUT        ") : " IN         ";
    if (r.cpu_wide) {
      fmt::format_to(back_inserter(out), "  {} pid/tid: {:>5}/{:<5}", r.out ? "next" : "prev", as_int(r.next_prev_pid),
                     as_int(r.next_prev_tid));
    }
    out += '\n';
  }
  void operator()(const abi::NamespacesRecord& r) const {
    constexpr std::string_view kNames[] = {"net", "uts", "ipc", "pid", "user", "mnt", "cgroup"};
    fmt::format_to(back_inserter(out), " {}/{} - nr_namespaces: {}\n\t\t[", as_int(r.pid), as_int(r.tid),
                   r.links.size());
    for (std::size_t i = 0; i < r.links.size(); ++i) {
      if (i != 0 && i % 4 == 0) out += "\n\t\t ";
      fmt::format_to(back_inserter(out), "{}/{}: {}/{:#x}{}", i, i < std::size(kNames) ? kNames[i] : "unknown",
                     r.links[i].device, r.links[i].inode, i + 1 == r.links.size() ? "]\n" : ", ");
    }
  }
  void operator()(const abi::KsymbolRecord& r) const {
    fmt::format_to(back_inserter(out), " addr {:x} len {} type {} flags 0x{:x} name {}\n", r.address, r.length, r.type,
                   r.flags, printable(r.name));
  }
  void operator()(const abi::BpfEventRecord& r) const {
    fmt::format_to(back_inserter(out), " type {}, flags {}, id {}\n", r.type, r.flags, r.id);
  }
  void operator()(const abi::CgroupRecord& r) const {
    fmt::format_to(back_inserter(out), " cgroup: {} {}\n", r.id, printable(r.path));
  }
  void operator()(const abi::TextPokeRecord& r) const {
    fmt::format_to(back_inserter(out), " {:x} {} old len {} new len {}\n", r.address, symbol, r.old_bytes.size(),
                   r.new_bytes.size());
    put_bytes("            Old bytes:", r.old_bytes);
    put_bytes("            New bytes:", r.new_bytes);
  }
  // Prints sixteen bytes per line, with the title on each line.
  void put_bytes(std::string_view title, Bytes bytes) const {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (i % 16 == 0) out += title;
      fmt::format_to(back_inserter(out), " {:02x}", static_cast<unsigned>(bytes[i]));
      if (i % 16 == 15 || i + 1 == bytes.size()) out += '\n';
    }
  }
  void operator()(const abi::AuxOutputHwIdRecord& r) const {
    fmt::format_to(back_inserter(out), " hw_id: {}\n", prefixed_hex(r.hw_id));
  }
  void operator()(const abi::CallchainDeferredRecord&) const { out += '\n'; }
};

}  // namespace

void append_side_band(std::string& out, const abi::SideBand& record, std::string_view symbol) {
  std::visit(RecordWriter{out, symbol}, record.body);
}

std::string poked_symbol(const abi::SideBand* record, Moment moment, Resolver& resolver) {
  std::string name;
  const auto* poke = record != nullptr ? std::get_if<abi::TextPokeRecord>(&record->body) : nullptr;
  if (poke == nullptr) return name;
  const Frame& frame =
      resolver.at(resolver.frame(resolver.context(0, 0, moment), poke->address, abi::misc_bit::Kernel));
  if (frame.symbol) append_symbol(name, resolver, frame, true);
  return name;
}

void put_side_band(ScriptText& out, const ReplaySideBand& record, std::string_view symbol) {
  if (record.record.type == abi::RecordType::AuxtraceError) {
    std::string error;
    append_raw_session_record(error, record.record);
    out.room(error.size());
    return out.put(error);
  }
  std::string text = "PERF_RECORD_";
  text += abi::record_type_name(record.record.type);
  if (record.side_band != nullptr)
    append_side_band(text, *record.side_band, symbol);
  else
    text += '\n';
  out.room(text.size());
  out.put(text);
}

RecordThread record_thread(const abi::SideBand& record) {
  return std::visit(
      [&](const auto& body) {
        if constexpr (
            requires { body.filename; } || requires { body.comm; } || requires { body.parent_pid; } ||
            requires { body.links; } || std::is_same_v<decltype(body), const abi::ItraceStartRecord&>) {
          return RecordThread{body.pid, body.tid};
        } else {
          return RecordThread{record.id.pid, record.id.tid};
        }
      },
      record.body);
}

}  // namespace peregrine
