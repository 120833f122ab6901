# What is beside tools and library in an installation, and packages of it (./dev package).
include(GNUInstallDirs)

# Pages lie as in the sources, so that a link from one to another file holds: docs/, examples/ and
# the few files elsewhere that pages name.
set(pages ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${pages} COMPONENT docs)
install(DIRECTORY docs DESTINATION ${pages} COMPONENT docs PATTERN man EXCLUDE)
install(DIRECTORY examples DESTINATION ${pages} COMPONENT docs PATTERN CMakeLists.txt EXCLUDE)
install(DIRECTORY ezpim/lib DESTINATION ${pages}/ezpim COMPONENT docs FILES_MATCHING PATTERN *.ez)
install(DIRECTORY machines/core/dpu/runtime DESTINATION ${pages}/machines/core/dpu COMPONENT docs FILES_MATCHING PATTERN *.s)
install(FILES bench/README.md DESTINATION ${pages}/bench COMPONENT docs)
install(FILES isa-spec/README.md DESTINATION ${pages}/isa-spec COMPONENT docs)
install(FILES runtime/include/mpu/mpu.h runtime/include/mpu/pipeline.h runtime/include/mpu/dappa.hpp
  DESTINATION ${pages}/runtime/include/mpu COMPONENT docs)
install(FILES runtime/include/mpu/pimeval/libpimeval.h DESTINATION ${pages}/runtime/include/mpu/pimeval COMPONENT docs)

# Of a page the parts <!-- sources --> .. <!-- installed are of a tree of sources; behind each, up to
# -->, stands what an installed page says instead.
function(mpu_installed_page page)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${page})
  file(READ ${CMAKE_SOURCE_DIR}/${page} text)
  set(begin "<!-- sources -->\n")
  set(middle "<!-- installed\n")
  set(end "-->\n")
  set(out "")
  while(TRUE)
    string(FIND "${text}" "${begin}" at)
    if(at EQUAL -1)
      break()
    endif()
    string(SUBSTRING "${text}" 0 ${at} before)
    string(FIND "${text}" "${middle}" at)
    string(LENGTH "${middle}" length)
    math(EXPR at "${at} + ${length}")
    string(SUBSTRING "${text}" ${at} -1 text)
    string(FIND "${text}" "${end}" at)
    string(SUBSTRING "${text}" 0 ${at} instead)
    string(LENGTH "${end}" length)
    math(EXPR at "${at} + ${length}")
    string(SUBSTRING "${text}" ${at} -1 text)
    string(APPEND out "${before}${instead}")
  endwhile()
  set(path ${CMAKE_BINARY_DIR}/installed-pages/${page})
  file(WRITE ${path} "${out}${text}")
  get_filename_component(folder ${page} DIRECTORY)
  install(FILES ${path} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder} COMPONENT docs)
endfunction()
foreach(page README.md docs/technology.md examples/README.md)
  mpu_installed_page(${page})
endforeach()

# Editor files where Vim and Emacs look, those of the extension of VS Code where they can be linked.
install(DIRECTORY editors/vim/ DESTINATION ${CMAKE_INSTALL_DATADIR}/vim/vimfiles COMPONENT editors)
install(DIRECTORY editors/emacs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/emacs/site-lisp COMPONENT editors)
install(DIRECTORY editors/vscode DESTINATION ${CMAKE_INSTALL_DATADIR}/mpu-toolchain COMPONENT editors)
install(FILES editors/README.md DESTINATION ${pages}/editors COMPONENT editors)

# What an installation holds of what is built: the tests are not needed for it.
add_custom_target(all-installed DEPENDS all-tools mpu mpu_static mpu_pimeval_shared mpu_pimeval_static man-pages completions)

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
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib) # one of its libraries needs another
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-numpy")
include(CPack)
