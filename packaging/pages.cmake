# Run at install time with `program`, `man_folder` and `data_folder` set: man pages and shell completions come from the
# option tables, so they cannot be older than the program.
set(prefix "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")

function(write_output file)
  execute_process(COMMAND ${program} ${ARGN} OUTPUT_VARIABLE text RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${program} ${ARGN} ended with ${failed}")
  endif()
  message(STATUS "Installing: ${prefix}/${file}")
  file(WRITE "${prefix}/${file}" "${text}")
endfunction()

execute_process(COMMAND ${program} help OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n   [a-z0-9-]+  +[^ ,\n]+ " commands "${listing}")
foreach(line IN LISTS commands)
  string(REGEX MATCH "[a-z0-9-]+" command "${line}")
  write_output(${man_folder}/man1/peregrine-${command}.1 help ${command} --troff)
endforeach()
write_output(${data_folder}/bash-completion/completions/peregrine completion bash)
write_output(${data_folder}/zsh/site-functions/_peregrine completion zsh)
write_output(${data_folder}/fish/vendor_completions.d/peregrine.fish completion fish)
