# no pipe: the suffix matters
cp axpy.ez axpy.txt; ezpim axpy.txt; code=$?; rm -f axpy.txt; exit $code
