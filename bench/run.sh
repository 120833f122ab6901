#!/bin/sh
# SPDX-License-Identifier: MIT
# Every benchmark of the repository, one JSON object a line.  README.md says how to read them.
#   run.sh BUILD_DIR
set -eu
"$1/bench/bench_engine"
"$1/bench/bench_fused"
"$1/bench/bench_slot"
"$1/bench/bench_crossbar"
"$1/bench/bench_dpu"
"$1/bench/bench_simt"
"$1/bench/bench_recipes"
"$1/bench/bench_tables"
"$1/bench/bench_control"
"$1/bench/bench_threads" "$1/bin/mpu-run" "$1/bench/chip.s"
"$1/bench/bench_launches"
"$1/bench/bench_device"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1/bench/bench_pipeline" "$1/bench/bench_dpu" "$folder"
"$1/bench/bench_host" "$1/bin/mpu-run" "$1/bench/host_reference" "$folder"
sh "$(dirname "$0")/assembler.sh" "$1"
sh "$(dirname "$0")/compiler.sh" "$1"
sh "$(dirname "$0")/start.sh" "$1"
sh "$(dirname "$0")/report.sh" "$1"
