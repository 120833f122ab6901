  MARK 0
  PRINT 3
  ASSERT 1
  PRINT "x" r3
  PRINT "x" r3:u65
.loc 3
.file ""
.error "this program needs -D N=..."
