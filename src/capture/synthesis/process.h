// Side-band of running processes: COMM, FORK and MMAP2 records of the processes and threads in /proc.
//
// Records are in linux-perf's order: processes by pid, threads by tid. Processes are read in parallel; one that ends
// meanwhile is skipped. Only executable maps, unless data maps are requested.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/concurrency/worker_pool.h"
#include "base/types.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

// --synth: which records to synthesize. Maps require tasks.
struct SynthesisScope {
  bool tasks = true, maps = true, cgroups = true;
};

struct ProcessSynthesis {
  std::size_t trailer_size = 0;  // sample-id trailer of the first event
  bool maps = true;              // MMAP2 records
  bool data_maps = false;        // -d: also readable maps without code
  u32 map_timeout_ms = 0;        // --proc-map-timeout: limit for reading one process's maps; 0: none
  bool namespaces = false;       // NAMESPACES records
  bool build_ids = false;        // --buildid-mmap: the file's build-id instead of its inode
};

// Both return the existing processes with unreadable maps, usually for lack of permission.

// All processes: FORK and COMM per thread, and the maps after the main thread's COMM.
std::vector<Pid> synthesize_all_processes(const Root& root, const ProcessSynthesis& what, WorkerPool& pool,
                                          ByteWriter& out);

// The given threads (-p, -t): a COMM for each; maps once per process, plus its COMM if its main thread is not among
// them.
std::vector<Pid> synthesize_threads(const Root& root, const ProcessSynthesis& what, const std::vector<Pid>& threads,
                                    WorkerPool& pool, ByteWriter& out);

// A child that has not executed its command yet: its COMM, and its namespaces if requested.
void synthesize_workload(const Root& root, const ProcessSynthesis& what, Pid pid, std::string_view comm,
                         ByteWriter& out);

}  // namespace peregrine
