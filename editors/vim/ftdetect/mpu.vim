" Generated from isa-spec/ by isa-gen; edit the tables.
let s:label = '^\s*\%([0-9A-Za-z_.$]\+:\s*\)*'
let s:header = '\%(COMPUTEG\=\|MOVE\)\s\+\%(@\|RFH\d\)'
let s:step = '\%(SEND\|RECV\)\s\+MPU\|GMOVE\s\+@\|COMPUTE_DONE\>\|MPU_SYNC\>'
let s:step .= '\|SETMASK\s\|UNMASK\>\|REPEAT\s\+\d\|[0-9A-Za-z_.]\+\s\+\%(-\=\d\|r\d\)\w*\s\+r\d'
let s:directive = '\.\%(geometry\s\+\w\+=\|group\s\+\w\+\[\|signature\s\|recipe\s\|sub\s'
let s:directive .= '\|width\s\+\d\|size\s\+\w\+\s*\%($\|//\|[=<]\)\)'
function! s:MpuAssembly()
  for line in getline(1, 200)
    if line =~? s:label . '\%(' . s:header . '\|' . s:step . '\|' . s:directive . '\)'
      setlocal filetype=mpuasm
      return
    endif
  endfor
endfunction
autocmd BufNewFile,BufRead *.ez set filetype=ezpim
autocmd BufNewFile,BufRead *.recipe set filetype=mpurecipe
autocmd BufNewFile,BufRead *.s call s:MpuAssembly()
