# input: warn-all.ez
ezpim -x ez --diagnostics=json -o out.mpu "$IN"
