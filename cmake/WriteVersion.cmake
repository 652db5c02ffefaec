# Run with cmake -P; see TrellisVersion.cmake.

set(COMMIT "")
find_program(GIT_PROGRAM git)
if(GIT_PROGRAM AND EXISTS "${SOURCE_DIR}/.git")
  execute_process(
    COMMAND "${GIT_PROGRAM}" --no-optional-locks describe --always --dirty
    WORKING_DIRECTORY "${SOURCE_DIR}"
    OUTPUT_VARIABLE COMMIT
    OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET)
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
