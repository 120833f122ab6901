# cmake -DNAME=MACRO -DOUT=HEADER -DFILES=LIST -P source_hash.cmake: a header whose macro is the
# hash of the files, in their order.
set(all "")
foreach(file IN LISTS FILES)
  file(SHA256 ${file} hash)
  string(APPEND all ${hash})
endforeach()
string(SHA256 hash "${all}")
file(WRITE ${OUT} "#define ${NAME} \"${hash}\"\n")
