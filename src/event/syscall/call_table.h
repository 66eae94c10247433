// call_table: the signatures of system calls, one per line: the name in unistd.h, arguments as NAME:KIND, and =RESULT
// if the result is more than a number. Constant text, parsed by signature.cc.
//
//   i u  signed, unsigned of 32 bits      path    a string of the caller's      #WORDS   a table of word_table.h
//   l n  of 64                            in@K    bytes, as many as argument K  <LAYOUT  a struct of struct_layout.h
//   p x o  pointer, hexadecimal, octal    ret     bytes that it fills in, as many as it returns
//   fd dfd pid sig                        addr@K, getaddr@K  a socket address, given or filled in
//   >LAYOUT a struct that it fills in;  ~LAYOUT one that it reads and changes
//   <LAYOUT@K, >LAYOUT@K  an array of them, of K's length (ret: of the result's)
//   texts, vars  an array of strings: these, or how many;  vectors@K, getvectors@K, msg, getmsg  what iovecs name
//   option@K, getoption@K  a socket's;  fds@K, cpus@K, getcpus  bits, K of them or in so many bytes
//
// Sources: the kernel's declarations as its syscalls: tracepoints show them, and the manual pages.
#pragma once
#include <span>
#include <string_view>

namespace peregrine {

std::span<const std::string_view> call_table();

}  // namespace peregrine
