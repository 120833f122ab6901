# What is beside tools and library in an installation, and packages of it (./dev package).
include(GNUInstallDirs)

# Pages lie as in the sources, so that a link from one to another file holds: docs/, examples/ and
# the few files elsewhere that pages name.
set(pages ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md LICENSE DESTINATION ${pages} COMPONENT docs)
install(DIRECTORY docs DESTINATION ${pages} COMPONENT docs PATTERN man EXCLUDE)
install(DIRECTORY examples DESTINATION ${pages} COMPONENT docs PATTERN CMakeLists.txt EXCLUDE)
install(DIRECTORY ezpim/lib DESTINATION ${pages}/ezpim COMPONENT docs FILES_MATCHING PATTERN *.ez)
install(FILES bench/README.md DESTINATION ${pages}/bench COMPONENT docs)
install(FILES isa-spec/README.md DESTINATION ${pages}/isa-spec COMPONENT docs)
install(FILES runtime/include/mpu/mpu.h DESTINATION ${pages}/runtime/include/mpu COMPONENT docs)

# Editor files where Vim and Emacs look, those of the extension of VS Code where they can be linked.
install(DIRECTORY editors/vim/ DESTINATION ${CMAKE_INSTALL_DATADIR}/vim/vimfiles COMPONENT editors)
install(DIRECTORY editors/emacs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/emacs/site-lisp COMPONENT editors)
install(DIRECTORY editors/vscode DESTINATION ${CMAKE_INSTALL_DATADIR}/mpu-toolchain COMPONENT editors)
install(FILES editors/README.md DESTINATION ${pages}/editors COMPONENT editors)

# One package of everything: for Debian with what its programs need, and as an archive for others.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME mpu-toolchain)
set(CPACK_PACKAGE_VERSION ${MPU_VERSION})
set(CPACK_PACKAGE_CONTACT "mpu-toolchain developers <mpu-toolchain@localhost>")
set(CPACK_PACKAGE_VENDOR mpu-toolchain)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Assembler, compiler, linker and emulator for memory processing units")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_MONOLITHIC_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-numpy")
include(CPack)
