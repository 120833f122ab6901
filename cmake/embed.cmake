# cmake -DOUT=FILE -DFILES=a;b -P embed.cmake: the texts of files as rows {name, text, size} of a C
# table, to be included.  A text is an array of characters: a compiler need not take long strings.
set(rows "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${hex}")
  string(REGEX REPLACE "('\\\\x0a',)" "\\1\n     " bytes "${bytes}")
  string(APPEND rows "    {\"${name}\",\n     (const char[]){${bytes}0},\n     ${size}},\n")
endforeach()
file(WRITE ${OUT} "${rows}")
