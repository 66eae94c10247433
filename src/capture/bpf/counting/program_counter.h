// ProgramCounter: counts one event while one BPF program runs, on whichever CPU (stat --bpf-prog): programs of our own
// at its entry and exit read the CPU's counter. One thread.
#pragma once
#include <memory>
#include <vector>

#include "capture/bpf/counting/cpu_event.h"

struct program_count;  // the skeleton that bpftool writes

namespace peregrine {

struct CounterReading;

class ProgramCounter {
 public:
  // `program`: the id that `bpftool prog` shows. Errors: NotFound, no such program; Unsupported, one without type data
  // (it names the functions that can be attached to), or one that calls may not be attached to.
  static Result<ProgramCounter> open(CpuEvent event, u32 program);
  ProgramCounter(ProgramCounter&&) noexcept;
  ProgramCounter& operator=(ProgramCounter&&) noexcept;
  ~ProgramCounter();

  void enable(bool on);
  // Adds a reading for each of `cpus`.
  void read(std::size_t event, const CpuList& cpus, std::vector<CounterReading>& readings) const;

 private:
  struct Destroy {
    void operator()(program_count* skeleton) const;
  };
  explicit ProgramCounter(CpuEvent event);

  CpuEvent event_;
  std::unique_ptr<program_count, Destroy> skeleton_;
};

}  // namespace peregrine
