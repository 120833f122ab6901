.sub outer
.sub inner
  RETURN
.endsub
.endsub
.sub open
  RETURN
