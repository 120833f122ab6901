" Generated from isa-spec/ by isa-gen; edit the tables.
function! s:MpuAssembly()
  for line in getline(1, 200)
    if line =~? '^\s*\%(\d\+:\s*\)\=\%(COMPUTEG\=\|MOVE\)\s\+\%(@\|RFH\d\)'
      setlocal filetype=mpuasm
      return
    endif
  endfor
endfunction
autocmd BufNewFile,BufRead *.ez set filetype=ezpim
autocmd BufNewFile,BufRead *.recipe set filetype=mpurecipe
autocmd BufNewFile,BufRead *.s call s:MpuAssembly()
