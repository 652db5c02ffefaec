# `make install` and `make package`: the program, what it prints of itself, and the documents.
include(GNUInstallDirs)

if(NOT TARGET trellis)
  return()
endif()

install(TARGETS trellis RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
# kubectl's plugin is the program by another name.
install(CODE "file(CREATE_LINK trellis
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/kubectl-trellis\" SYMBOLIC)")

# Written here, so that they are those of the program that is installed.
set(texts "${PROJECT_BINARY_DIR}/texts")
install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DTRELLIS=$<TARGET_FILE:trellis>\"
  \"-DOUTPUT=${texts}\" -P \"${PROJECT_SOURCE_DIR}/cmake/WriteTexts.cmake\" COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY "${texts}/" DESTINATION "${CMAKE_INSTALL_DATADIR}")

install(FILES "${PROJECT_SOURCE_DIR}/packaging/trellis.service" DESTINATION lib/systemd/system)
foreach(document IN ITEMS README.md ARCHITECTURE.md CHANGELOG.md NOTICE docs deploy examples)
  if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/${document}")
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/${document}" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
      PATTERN "__pycache__" EXCLUDE)
  else()
    install(FILES "${PROJECT_SOURCE_DIR}/${document}" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
  endif()
endforeach()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT "The Trellis authors <trellis@trellis.invalid>")
set(CPACK_PACKAGE_DESCRIPTION "It reads Kubernetes objects, decides where the pods of every gang go (close together,
 all or nothing), says why, and serves a live cluster as its scheduler.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  "${PROJECT_SOURCE_DIR}/packaging/debian/postinst"
  "${PROJECT_SOURCE_DIR}/packaging/debian/prerm"
  "${PROJECT_SOURCE_DIR}/packaging/debian/postrm")
include(CPack)
