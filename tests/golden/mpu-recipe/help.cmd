mpu-recipe --help | sed '/^Common options/,$d'
