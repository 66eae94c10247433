#include <utility>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {
namespace {

constexpr u32 kNamedVersion = 17;  // first schedstat version with domain names

}  // namespace

// CPU_DOMAIN_INFO: u32 schedstat version, u32 most domains of a CPU. Then, to the end: u32 cpu, u32 count, each: u32
// number, string name (since version 17), string mask, string cpus.
bool decode_scheduling_domains(ByteReader& in, Features& features) {
  SchedulingDomains all;
  all.schedstat_version = in.get32();
  all.most_domains = in.get32();
  while (in.ok() && in.left() >= 8) {
    CpuDomains cpu;
    cpu.cpu = in.get32();
    for (u32 left = get_count(in, 12); left > 0 && in.ok(); --left) {
      CpuDomains::Domain domain;
      domain.number = in.get32();
      if (all.schedstat_version >= kNamedVersion) domain.name = get_string(in);
      domain.mask = get_string(in);
      domain.cpus = get_string(in);
      cpu.domains.push_back(std::move(domain));
    }
    all.cpus.push_back(std::move(cpu));
  }
  if (in.ok()) features.scheduling_domains = std::move(all);
  return in.ok();
}

bool encode_scheduling_domains(const Features& features, ByteWriter& out) {
  if (!features.scheduling_domains) return false;
  const SchedulingDomains& all = *features.scheduling_domains;
  out.put32(all.schedstat_version).put32(all.most_domains);
  for (const CpuDomains& cpu : all.cpus) {
    out.put32(cpu.cpu).put32(static_cast<u32>(cpu.domains.size()));
    for (const CpuDomains::Domain& domain : cpu.domains) {
      out.put32(domain.number);
      if (all.schedstat_version >= kNamedVersion) put_string(out, domain.name);
      put_string(out, domain.mask);
      put_string(out, domain.cpus);
    }
  }
  return true;
}

}  // namespace peregrine::data
