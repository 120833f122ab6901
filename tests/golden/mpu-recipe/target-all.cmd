mpu-recipe count --op AND,OR --csv --target all | cut -d, -f2,3 | sed 1d | sort | uniq -c | awk "{ print (\$1 >= 2 ? \"several\" : \"one\"), \$2 }"
