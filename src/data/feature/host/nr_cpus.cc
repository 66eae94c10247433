#include "base/bytes.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"
#include "sys/hardware/cpu.h"

namespace peregrine::data {

// NRCPUS: u32 available, u32 online.
bool decode_nr_cpus(ByteReader& in, Features& features) {
  CpuCount count;
  count.available = in.get32();
  count.online = in.get32();
  // Tables have an entry for each CPU, so reject a section with more CPUs than any kernel supports.
  if (!in.ok() || count.available > kHighestCpu + 1 || count.online > kHighestCpu + 1) return false;
  features.cpus = count;
  return true;
}

bool encode_nr_cpus(const Features& features, ByteWriter& out) {
  if (!features.cpus) return false;
  out.put32(features.cpus->available).put32(features.cpus->online);
  return true;
}

}  // namespace peregrine::data
