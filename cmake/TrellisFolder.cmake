# trellis_folder(NAME [LINKS target...] [EXCLUDE file...] [UNITY])
#
# Makes the library trellis_NAME of every .cc under the calling folder. Sources are globbed again at
# each build, so a new file needs no edit here. A folder without sources is a library of headers.
# UNITY: under TRELLIS_UNITY, sources are compiled three dozen at once, in less than half of the time: a
# name of theirs is then one of the whole folder. The preset tsan takes them one by one, so each must
# include what it uses.
function(trellis_folder name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "UNITY" "" "LINKS;EXCLUDE")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cc")
  foreach(excluded IN LISTS arg_EXCLUDE)
    list(REMOVE_ITEM sources "${CMAKE_CURRENT_SOURCE_DIR}/${excluded}")
  endforeach()

  if(sources)
    add_library(trellis_${name} STATIC ${sources})
    target_link_libraries(trellis_${name} PUBLIC trellis_options ${arg_LINKS})
    if(arg_UNITY AND TRELLIS_UNITY)
      set_target_properties(trellis_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 36)
      # gcc takes a source that is included for a header.
      target_compile_options(trellis_${name} PRIVATE
                             $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    endif()
  else()
    add_library(trellis_${name} INTERFACE)
    target_link_libraries(trellis_${name} INTERFACE trellis_options ${arg_LINKS})
  endif()

  if(TRELLIS_COVERAGE AND sources)
    target_compile_options(trellis_${name} PRIVATE --coverage -O0)
    target_link_options(trellis_${name} PUBLIC --coverage)
  endif()

  # Column kernels are worth the size; everything else is not.
  set(kernels ${sources})
  list(FILTER kernels INCLUDE REGEX "_kernels\\.cc$")
  if(kernels AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT TRELLIS_COVERAGE)
    set_source_files_properties(${kernels} PROPERTIES COMPILE_OPTIONS "-O3")
  endif()
endfunction()
