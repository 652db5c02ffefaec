# cmake -DTRELLIS=PROGRAM -DOUTPUT=FOLDER -P: writes what the program prints of itself below FOLDER:
# the manual pages, and the completions under the names by which shells find them.

function(write file)
  cmake_path(GET file PARENT_PATH directory)
  file(MAKE_DIRECTORY "${OUTPUT}/${directory}")
  execute_process(COMMAND "${TRELLIS}" ${ARGN} OUTPUT_FILE "${OUTPUT}/${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${OUTPUT}")
write(bash-completion/completions/trellis completion bash)
write(zsh/vendor-completions/_trellis completion zsh)
write(fish/vendor_completions.d/trellis.fish completion fish)
write(man/man1/trellis.1 man)
file(STRINGS "${OUTPUT}/man/man1/trellis.1" pages REGEX "^\\.BR trellis.*\\(1\\)$")
foreach(page IN LISTS pages)
  string(REGEX REPLACE "^\\.BR trellis\\\\-([a-z]+) \\(1\\)$" "\\1" command "${page}")
  write(man/man1/trellis-${command}.1 man ${command})
endforeach()
