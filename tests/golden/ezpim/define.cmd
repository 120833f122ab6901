# input: define.ez
ezpim -x ez -D K=5 -D L -S -o - "$IN" | grep LI
