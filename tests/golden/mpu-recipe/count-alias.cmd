for alias in rd=rs rd=rt rt=rs rt=rs,rd=rs; do
    mpu-recipe count --op XOR,SHLI --width 8 --alias $alias --csv xor.recipe | tail -n +2
done
