# What `cmake --install` puts where: the library with its headers, for find_package(kvproof) and pkg-config, and the
# executables with their manual page and completion. The installed tree may be moved. Included after every target is there.
include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kvproof)

install(TARGETS kvproof_lib EXPORT kvproof ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/lib DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kvproof
    FILES_MATCHING PATTERN *.hpp)
install(EXPORT kvproof NAMESPACE kvproof:: FILE kvproofTargets.cmake DESTINATION ${config_dir})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/kvproofConfig.cmake.in
    ${PROJECT_BINARY_DIR}/kvproofConfig.cmake INSTALL_DESTINATION ${config_dir})
# before 1.0 a minor version may break
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kvproofConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kvproofConfig.cmake ${PROJECT_BINARY_DIR}/kvproofConfigVersion.cmake
    DESTINATION ${config_dir})

# the prefix, seen from the folder in which kvproof.pc lies
file(RELATIVE_PATH KVPROOF_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/kvproof.pc.in ${PROJECT_BINARY_DIR}/kvproof.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/kvproof.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET kvproof-mpi)
    install(TARGETS kvproof-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET kvproof)
    install(TARGETS kvproof kvproof-check RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES ${PROJECT_BINARY_DIR}/kvproof.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${PROJECT_BINARY_DIR}/kvproof.bash RENAME kvproof
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
