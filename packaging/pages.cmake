# Run at install time, with the folders below set by CMakeLists.txt: man pages and shell completions come from the option
# tables, so they cannot be older than the program. All are written below `written_folder` and installed from there, so
# that CMake lists them in its manifest.
file(REMOVE_RECURSE ${written_folder})

function(write_output file)
  execute_process(COMMAND ${emulator} ${program} ${ARGN} OUTPUT_VARIABLE text RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${program} ${ARGN} ended with ${failed}")
  endif()
  file(WRITE "${written_folder}/${file}" "${text}")
endfunction()

execute_process(COMMAND ${emulator} ${program} help OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n   [a-z0-9-]+  +[^ ,\n]+ " commands "${listing}")
write_output(${man_folder}/man1/peregrine.1 help peregrine --troff)
foreach(line IN LISTS commands)
  string(REGEX MATCH "[a-z0-9-]+" command "${line}")
  write_output(${man_folder}/man1/peregrine-${command}.1 help ${command} --troff)
endforeach()
file(READ ${CMAKE_CURRENT_LIST_DIR}/peregrine.service.in unit)
string(REPLACE "@PROGRAM@" "${CMAKE_INSTALL_PREFIX}/bin/peregrine" unit "${unit}")
file(WRITE ${written_folder}/lib/systemd/system/peregrine.service "${unit}")
write_output(${data_folder}/bash-completion/completions/peregrine completion bash)
write_output(${data_folder}/zsh/site-functions/_peregrine completion zsh)
write_output(${data_folder}/fish/vendor_completions.d/peregrine.fish completion fish)
execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/copy_documents ${source_folder} ${written_folder}/${doc_folder}
  COMMAND_ERROR_IS_FATAL ANY)
file(INSTALL DESTINATION ${CMAKE_INSTALL_PREFIX} TYPE DIRECTORY FILES ${written_folder}/)
