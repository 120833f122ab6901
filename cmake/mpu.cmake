# Helpers that every folder's CMakeLists.txt uses.

add_library(mpu_warnings INTERFACE)
target_compile_options(mpu_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wconversion -Wshadow -Wpedantic -Wstrict-prototypes
    -Wmissing-prototypes -Wvla>
  # What gcc's flags of these names do not mean.
  $<$<C_COMPILER_ID:Clang>:-Wno-sign-conversion -Wno-missing-field-initializers>
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -fno-exceptions -fno-rtti>
  $<$<BOOL:${MPU_WERROR}>:-Werror>
  "$<$<NOT:$<BOOL:${MPU_SANITIZE}>>:-ffunction-sections;-fdata-sections>" -fno-strict-aliasing)
if(MPU_SANITIZE)
  # Without UBSan's looks at null and at sizes of objects, which stand at every access and are a quarter of
  # the time of compiling: what reads or writes there ends by ASan, with its line; steps from a null
  # pointer are pointer-overflow, indices beyond an array bounds, and both stay.
  # -g1: lines for traces; compiles in four fifths of the time
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=null,object-size -fno-sanitize-recover=undefined
    -fno-omit-frame-pointer -g1 -O1)
  # gcc leaves --as-needed to others where it sanitizes; LLVM names libz3, which nothing here calls, and
  # loading it is a sixth of the start of each program.
  add_link_options(-fsanitize=address,undefined -Wl,--as-needed)
  add_compile_definitions(MPU_SANITIZED=1)
endif()
# What libFuzzer follows; programs without a fuzz target run as ever.
if(MPU_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
# Data races; cannot be had together with the other sanitizers.
if(MPU_TSAN)
  # Calls that the sanitizer puts in make gcc think that parameters change behind setjmp.
  add_compile_options(-fsanitize=thread -g -O1 $<$<C_COMPILER_ID:GNU>:-Wno-clobbered>)
  add_link_options(-fsanitize=thread)
  add_compile_definitions(MPU_SANITIZED=1)
endif()
# Programs of the build find libmpu.so beside them, wherever the checkout lies: a path with a comma would be
# several words of -Wl.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
# What a program does not need is left out.  Under sanitizers it is little, and looking for it takes
# a third of the time of linking.
if(NOT MPU_SANITIZE)
  add_link_options(-Wl,--gc-sections)
endif()
# Hundreds of test programs are linked, which takes most of the time with GNU ld, half of that with gold,
# which comes with binutils, and half again with lld, where somebody has it.  (A shared library would
# show names of gold's own.)
include(CheckLinkerFlag)
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  check_linker_flag(C -fuse-ld=lld MPU_HAS_LLD)
  check_linker_flag(C -fuse-ld=gold MPU_HAS_GOLD)
  if(MPU_HAS_LLD)
    set(linker lld)
  elseif(MPU_HAS_GOLD)
    set(linker gold)
  endif()
  if(linker)
    add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-fuse-ld=${linker}>)
  endif()
endif()

# mpu_library(NAME SOURCES ... [LIBS ...]): the static library of one folder.
# Includes are written from the top of the repository ("support/arena.h");
# generated headers lie under build/generated/.
function(mpu_library name)
  cmake_parse_arguments(A "" "" "SOURCES;LIBS" ${ARGN})
  add_library(${name} STATIC ${A_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
  target_link_libraries(${name} PUBLIC ${A_LIBS} PRIVATE mpu_warnings)
endfunction()

# What only tests run is compiled with -O1, which takes less long than -O3: the time of a test is that
# of what it tests.
add_library(mpu_test_code INTERFACE)
target_compile_options(mpu_test_code INTERFACE $<$<CONFIG:Release>:-O1>)

# mpu_test_sources(OUT SOURCES ...): what tests share is compiled once; test_*.c, and files outside
# of tests/, belong to one program.
function(mpu_test_sources out)
  set(sources "")
  foreach(source ${ARGN})
    get_filename_component(path ${source} ABSOLUTE)
    get_filename_component(file ${path} NAME)
    file(RELATIVE_PATH below ${CMAKE_SOURCE_DIR}/tests ${path})
    if(below MATCHES "^\\.\\." OR file MATCHES "^test_")
      list(APPEND sources ${source})
      continue()
    endif()
    string(MAKE_C_IDENTIFIER "tests_${below}" objects)
    if(NOT TARGET ${objects})
      file(RELATIVE_PATH here ${CMAKE_CURRENT_SOURCE_DIR} ${path})
      add_library(${objects} OBJECT ${here})
      target_include_directories(${objects} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated
        ${CMAKE_SOURCE_DIR}/runtime/include)
      target_link_libraries(${objects} PRIVATE mpu_warnings mpu_test_code)
      # An object links no library, so that nothing else says that the headers are made first.
      add_dependencies(${objects} isa-generated)
      target_compile_definitions(${objects} PRIVATE MPU_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
        MPU_BINARY_DIR="${CMAKE_BINARY_DIR}")
    endif()
    list(APPEND sources $<TARGET_OBJECTS:${objects}>)
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# Limits are for hangs: ten times what a test takes on two quiet cores in the slower of the release
# and the sanitizer build, so that a busy machine meets none.  ${quiet} is twice that time, in
# seconds; what may take long is begun first, so that nothing long is left for one core at the end.
function(mpu_test_limit name quiet)
  math(EXPR limit "5 * ${quiet}")
  if(limit LESS 600)
    set(limit 600)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${limit} COST ${quiet})
endfunction()

# What the sanitizer build never runs is not built there unless it is asked for by name.
function(mpu_leave_out_unrun name)
  get_test_property(${name} LABELS labels)
  if("release-only" IN_LIST labels)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# mpu_test(NAME SOURCES ... [LIBS ...] [LONG s]): one cmocka program, one ctest; LONG is
# the time that mpu_test_limit asks for.  Tests of damaged inputs carry the label hostile: ./dev test runs them under the
# sanitizers only.
function(mpu_test name)
  cmake_parse_arguments(A "" "LONG" "SOURCES;LIBS" ${ARGN})
  mpu_test_sources(sources ${A_SOURCES})
  add_executable(${name} ${sources})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
  target_link_libraries(${name} PRIVATE ${A_LIBS} mpu_warnings mpu_test_code cmocka)
  target_compile_definitions(${name} PRIVATE MPU_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
    MPU_BINARY_DIR="${CMAKE_BINARY_DIR}")
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
  if(name MATCHES "hostile|mutants")
    set_property(TEST ${name} APPEND PROPERTY LABELS hostile)
  endif()
  # By this label `./dev fuzz` finds what has more to draw than the suite does.
  list(GET A_SOURCES 0 first)
  file(STRINGS ${first} draws REGEX "^#include \"tests/draws.h\"")
  if(draws)
    set_property(TEST ${name} APPEND PROPERTY LABELS draws)
    target_compile_definitions(${name} PRIVATE MPU_TEST_DRAWS=1)
  endif()
  if(A_LONG)
    mpu_test_limit(${name} ${A_LONG})
  endif()
  if(MPU_SANITIZE) # at the folder's end, when its test has all its labels
    cmake_language(EVAL CODE "cmake_language(DEFER CALL mpu_leave_out_unrun [[${name}]])")
  endif()
endfunction()

# mpu_archives(OUT LIBRARY): the library and the libraries of all folders that it needs, each once.
function(mpu_archives out library)
  set(found "")
  set(open ${library})
  while(open)
    list(POP_FRONT open lib)
    if(lib IN_LIST found OR NOT lib MATCHES "^mpu_[a-z_]+$" OR lib STREQUAL "mpu_warnings")
      continue()
    endif()
    list(APPEND found ${lib})
    get_target_property(needs ${lib} LINK_LIBRARIES)
    list(APPEND open ${needs})
  endwhile()
  set(${out} ${found} PARENT_SCOPE)
endfunction()
