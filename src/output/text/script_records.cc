#include "output/text/script_records.h"

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "base/build_id.h"

namespace peregrine {
namespace {

using std::back_inserter;

i32 as_int(u32 value) { return static_cast<i32>(value); }

// "%#x": zero has no prefix.
std::string hex(u64 value) { return value == 0 ? "0" : fmt::format("{:#x}", value); }

struct Writer {
  std::string& out;
  u16 misc;

  void operator()(const abi::MmapRecord& r) const {
    auto to = fmt::format_to(back_inserter(out), " {}/{}: [{}({}) @ {}", as_int(r.pid), as_int(r.tid), hex(r.start),
                             hex(r.length), hex(r.page_offset));
    if (!r.version2) {
      fmt::format_to(to, "]: {} {}\n", r.data ? 'r' : 'x', r.filename);
      return;
    }
    if (r.has_build_id)
      to = fmt::format_to(to, " <{}>", BuildId::from_bytes(r.build_id).hex());
    else
      to = fmt::format_to(to, " {:02x}:{:02x} {} {}", r.major, r.minor, r.inode, r.inode_generation);
    fmt::format_to(to, "]: {}{}{}{} {}\n", (r.protection & 1) != 0 ? 'r' : '-', (r.protection & 2) != 0 ? 'w' : '-',
                   (r.protection & 4) != 0 ? 'x' : '-', (r.flags & 1) != 0 ? 's' : 'p', r.filename);
  }
  void operator()(const abi::CommRecord& r) const {
    fmt::format_to(back_inserter(out), "{}: {}:{}/{}\n", r.exec ? " exec" : "", r.comm, as_int(r.pid), as_int(r.tid));
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
    fmt::format_to(back_inserter(out), " offset: {} size: {} flags: {} [{}{}{}]\n", hex(r.offset), hex(r.size),
                   hex(r.flags), (r.flags & 1) != 0 ? "T" : "", (r.flags & 2) != 0 ? "O" : "",
                   (r.flags & 4) != 0 ? "P" : "");
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
                   r.flags, r.name);
  }
  void operator()(const abi::BpfEventRecord& r) const {
    fmt::format_to(back_inserter(out), " type {}, flags {}, id {}\n", r.type, r.flags, r.id);
  }
  void operator()(const abi::CgroupRecord& r) const {
    fmt::format_to(back_inserter(out), " cgroup: {} {}\n", r.id, r.path);
  }
  void operator()(const abi::TextPokeRecord& r) const {
    fmt::format_to(back_inserter(out), " addr 0x{:x} old len {} new len {}\n", r.address, r.old_bytes.size(),
                   r.new_bytes.size());
    put_bytes("    old bytes:", r.old_bytes);
    put_bytes("    new bytes:", r.new_bytes);
  }
  void put_bytes(std::string_view title, Bytes bytes) const {
    out += title;
    for (const std::byte byte : bytes) fmt::format_to(back_inserter(out), " {:02x}", static_cast<unsigned>(byte));
    out += '\n';
  }
  void operator()(const abi::AuxOutputHwIdRecord& r) const {
    fmt::format_to(back_inserter(out), " hw_id: {}\n", hex(r.hw_id));
  }
  void operator()(const abi::CallchainDeferredRecord&) const { out += '\n'; }
};

}  // namespace

void put_side_band(ScriptText& out, const ReplaySideBand& record) {
  std::string text = "PERF_RECORD_";
  text += abi::record_type_name(record.record.type);
  if (record.side_band != nullptr)
    std::visit(Writer{text, record.side_band->misc}, record.side_band->body);
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
