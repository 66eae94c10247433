#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {
namespace {

void get_list(ByteReader& in, std::vector<std::string>& list) {
  for (u32 left = get_count(in, 4); left > 0; --left) list.push_back(get_string(in));
}

void put_list(const std::vector<std::string>& list, ByteWriter& out) {
  out.put32(static_cast<u32>(list.size()));
  for (const std::string& text : list) put_string(out, text);
}

}  // namespace

// CPU_TOPOLOGY: list of core siblings, list of thread siblings; since 3.19 per available CPU u32 core, u32 socket;
// since 5.3 list of die siblings, per CPU u32 die. The number of CPUs is in NRCPUS, which precedes this feature.
bool decode_cpu_topology(ByteReader& in, Features& features) {
  CpuTopology topology;
  get_list(in, topology.core_siblings);
  get_list(in, topology.thread_siblings);
  if (!in.ok()) return false;
  const std::size_t cpus = features.cpus ? features.cpus->available : 0;
  if (cpus != 0 && in.left() / 8 >= cpus) {
    topology.cpus.resize(cpus);
    for (auto& cpu : topology.cpus) {
      cpu.core = static_cast<i32>(in.get32());
      cpu.socket = static_cast<i32>(in.get32());
    }
    if (in.left() >= 4) {
      get_list(in, topology.die_siblings);
      topology.has_dies = in.ok() && in.left() / 4 >= cpus;
      for (auto& cpu : topology.cpus) {
        if (topology.has_dies) cpu.die = static_cast<i32>(in.get32());
      }
    }
  }
  features.cpu_topology = std::move(topology);
  return true;
}

bool encode_cpu_topology(const Features& features, ByteWriter& out) {
  if (!features.cpu_topology) return false;
  const CpuTopology& topology = *features.cpu_topology;
  put_list(topology.core_siblings, out);
  put_list(topology.thread_siblings, out);
  for (const auto& cpu : topology.cpus) out.put32(static_cast<u32>(cpu.core)).put32(static_cast<u32>(cpu.socket));
  if (!topology.has_dies) return true;
  put_list(topology.die_siblings, out);
  for (const auto& cpu : topology.cpus) out.put32(static_cast<u32>(cpu.die));
  return true;
}

}  // namespace peregrine::data
