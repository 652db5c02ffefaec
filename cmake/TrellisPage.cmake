# trellis_page(TARGET DIRECTORY)
#
# Compiles the page's files in DIRECTORY into TARGET, plain and gzipped, as the generated header
# server/page/page_files.h. Needs gzip, which Debian always has.
function(trellis_page target directory)
  set(files)
  foreach(suffix IN ITEMS html css js)
    file(GLOB found CONFIGURE_DEPENDS "${directory}/*.${suffix}")
    list(APPEND files ${found})
  endforeach()
  find_program(GZIP_PROGRAM gzip REQUIRED)
  set(header "${PROJECT_BINARY_DIR}/generated/server/page/page_files.h")
  set(script "${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake")
  add_custom_command(OUTPUT "${header}"
    COMMAND "${CMAKE_COMMAND}" "-DFILES=${files}" "-DGZIP_PROGRAM=${GZIP_PROGRAM}"
      "-DOUTPUT=${header}" -P "${script}"
    DEPENDS ${files} "${script}"
    COMMENT "Page"
    VERBATIM)
  add_custom_target(${target}_page DEPENDS "${header}")
  add_dependencies(${target} ${target}_page)
endfunction()
