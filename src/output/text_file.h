// The files that commands write, other than recordings: pages, pictures, tables, lists of samples.
//
// New files are as private as recordings, because they contain the same data: names, addresses, command lines.
// create_output() defines how existing files are handled; recordings, programs and archives are never overwritten.
#pragma once
#include <functional>
#include <string>

#include "base/fd.h"
#include "base/file/output_file.h"
#include "base/result.h"
#include "output/sink.h"

namespace peregrine {

// Like create_output(), for a file that others may read while it grows.
Result<Fd> create_text_file(const std::string& path, OutputRequest request = {});
// Like OutputFile: the file appears complete or not at all.
Result<OutputFile> create_whole_file(const std::string& path, OutputRequest request = {});
// Whether such a file could be written; call before starting the work.
Result<> check_whole_file(const std::string& path);

// Writes the output of `print` to a complete file, or to `standard_output` for "-". A failure leaves nothing behind.
Result<> write_whole_file(const std::string& path, Sink& standard_output, const std::function<void(Sink&)>& print,
                          const OutputRequest& request = {});

// Calls Sink::flush(); an error names the file.
Result<> flush_file(Sink& out, const std::string& path);

// The file's name in messages; "-" is standard output.
std::string shown_path(const std::string& path);

}  // namespace peregrine
