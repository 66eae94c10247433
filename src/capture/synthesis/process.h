// Side-band of what already runs: COMM, FORK and MMAP2 records of processes and threads that /proc shows.
//
// Records are appended in linux-perf's order: of each process in ascending pid, threads in ascending tid. Processes are
// read in parallel; one that ends meanwhile is left out. Executable maps only, unless data maps are asked for.
#pragma once
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/concurrency/worker_pool.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

// --synth: which records are made up at all. Maps come with tasks only.
struct SynthesisScope {
  bool tasks = true, maps = true, cgroups = true;
};

struct ProcessSynthesis {
  std::size_t trailer_size = 0;  // sample-id trailer of the first event
  bool maps = true;              // MMAP2 records
  bool data_maps = false;        // -d: readable maps that hold no code, too
  u32 map_timeout_ms = 0;        // --proc-map-timeout: reading one process's maps ends then, and says so; 0: never
  bool namespaces = false;       // NAMESPACES records
  bool build_ids = false;        // --buildid-mmap: the file's build-id in place of its inode
};

// Both give the processes that are there but whose maps could not be read, for want of permission mostly.

// Every process: FORK and COMM per thread, maps of the process after its main thread's COMM.
std::vector<Pid> synthesize_all_processes(const Root& root, const ProcessSynthesis& what, WorkerPool& pool,
                                          ByteWriter& out);

// The given threads (of -p, -t): COMM each; maps once per process, and the COMM of a process whose main thread is not
// among them.
std::vector<Pid> synthesize_threads(const Root& root, const ProcessSynthesis& what, const std::vector<Pid>& threads,
                                    WorkerPool& pool, ByteWriter& out);

// A child that has not executed its command yet: its COMM, and its namespaces if they are asked for.
void synthesize_workload(const Root& root, const ProcessSynthesis& what, Pid pid, std::string_view comm,
                         ByteWriter& out);

}  // namespace peregrine
