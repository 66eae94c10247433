// The files that commands write, other than recordings: pages, pictures, tables, lists of samples.
//
// A new one is as private as a recording, because it contains the same: names, addresses, command lines.
// create_output() defines how existing files are handled; recordings, programs and archives are never overwritten.
#pragma once
#include <functional>
#include <string>

#include "base/fd.h"
#include "base/file/output_file.h"
#include "base/result.h"
#include "output/sink.h"

namespace peregrine {

// As create_output(): for what grows while it is read.
Result<Fd> create_text_file(const std::string& path, OutputRequest request = {});
// As OutputFile: whole or not at all.
Result<OutputFile> create_whole_file(const std::string& path, OutputRequest request = {});
// Whether such a file could be written, before the work for it begins.
Result<> check_whole_file(const std::string& path);

// A whole file of what `print` writes, but "-" is `standard_output`. Nothing of a failure is left.
Result<> write_whole_file(const std::string& path, Sink& standard_output, const std::function<void(Sink&)>& print,
                          const OutputRequest& request = {});

// Sink::flush() with an error that names the file.
Result<> flush_file(Sink& out, const std::string& path);

// How messages call it: "-" is standard output.
std::string shown_path(const std::string& path);

}  // namespace peregrine
