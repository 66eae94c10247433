// The recipe language: a perf.data file as a few lines of text, for golden cases. One word, then key=value fields.
//
//   pipe                       a pipe instead of a file (first line)
//   big                        big-endian bytes (before the first attr)
//   attr freq=4000 sample=ip,tid,time flags=mmap,comm,sample_id_all ids=1
//   comm pid=7 tid=7 comm="my program" time=1000
//   sample ip=0x401000 pid=7 tid=7 time=2000 period=250000 times=100 time_step=1000
//   sample event=1 …           a record of the second attr
//   auxtrace_info type=4 priv=8,1
//   auxtrace on_tid=-1 on_cpu=0 payload="49 01"      (size: of the payload, in whole words)
//   feature hostname text=here     build_id id=00…13 file=/bin/true     data_size 0
//   record type=99 misc=0 hex=0011     hex 00112233 (bytes that are not a record)
//   cut 400    flip 120 bit=3    stretch 300 count=8    overwrite 8 value=0 width=8     (damage, applied at the end)
//
// Bytes behind the trailer of a side-band record: surplus=hex.
// `times=N` repeats a record, adding time_step to its time and ip_step to its ip. '#' starts a comment line.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

namespace peregrine::support {

// The bytes of a recipe. Throws std::invalid_argument, naming the invalid line.
std::vector<std::byte> compile_recipe(std::string_view text);

}  // namespace peregrine::support
