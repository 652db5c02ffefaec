# Generates server/version.h: the project's version and, in a git work tree, its commit.
# Rewritten at build time, and only when its text changes. Works without git.

set(TRELLIS_GENERATED_DIR "${PROJECT_BINARY_DIR}/generated")
set(write_version
  "${CMAKE_COMMAND}"
  "-DVERSION=${PROJECT_VERSION}"
  "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}"
  "-DTEMPLATE=${PROJECT_SOURCE_DIR}/cmake/version.h.in"
  "-DOUTPUT=${TRELLIS_GENERATED_DIR}/server/version.h"
  -P "${PROJECT_SOURCE_DIR}/cmake/WriteVersion.cmake")

execute_process(COMMAND ${write_version} COMMAND_ERROR_IS_FATAL ANY)
add_custom_target(trellis_version
  COMMAND ${write_version}
  BYPRODUCTS "${TRELLIS_GENERATED_DIR}/server/version.h"
  COMMENT "Version"
  VERBATIM)
