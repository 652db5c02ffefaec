include(GNUInstallDirs)

if(TARGET trellis)
  install(TARGETS trellis RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

foreach(document IN ITEMS README.md ARCHITECTURE.md CHANGELOG.md LICENSE NOTICE)
  install(FILES "${PROJECT_SOURCE_DIR}/${document}" DESTINATION "${CMAKE_INSTALL_DOCDIR}" OPTIONAL)
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  PATTERN "__pycache__" EXCLUDE)

# Completions are named after the place each shell looks for them.
foreach(completion IN ITEMS
    bash:bash-completion/completions/trellis
    zsh:zsh/vendor-completions/_trellis
    fish:fish/vendor_completions.d/trellis.fish)
  string(REPLACE ":" ";" completion "${completion}")
  list(GET completion 0 shell)
  list(GET completion 1 place)
  cmake_path(GET place PARENT_PATH directory)
  cmake_path(GET place FILENAME file)
  install(FILES "${PROJECT_SOURCE_DIR}/completions/trellis.${shell}"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/${directory}" RENAME "${file}" OPTIONAL)
endforeach()
