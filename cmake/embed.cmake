# cmake -DOUT=FILE -DFILES=a;b -P embed.cmake: the texts of files as rows {name, text, size} of a C
# table, to be included.
set(rows "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${hex}")
  string(REGEX REPLACE "(\\\\x0a)" "\\1\"\n     \"" bytes "${bytes}")
  string(APPEND rows "    {\"${name}\",\n     \"${bytes}\",\n     ${size}},\n")
endforeach()
file(WRITE ${OUT} "${rows}")
