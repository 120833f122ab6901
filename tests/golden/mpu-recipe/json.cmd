mpu-recipe --diagnostics=json check expects.recipe
