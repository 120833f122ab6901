#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes everything that is committed and made from something else, each before what is made of it.
#   generate.sh BUILD      from the project's folder, whose BUILD is up to date
# A test for each says when it is stale; read the diff.
set -eu
build=$(cd "$1" && pwd)
target() { cmake --build "$build" --parallel "$(nproc)" --target "$@" >/dev/null; }
say() { printf '   %s\n' "$*"; }

say "least programs of gates: recipe/map/known_programs.inc"
target recipe-programs
target all
say "counts of recipes: isa-spec/costs.csv, ezpim/code/rows.csv, docs/recipe-counts.md, docs/published-counts.md"
target recipe-generate
say "the tools with these costs and rows"
target all
say "reference pages and editor files: docs/isa, editors"
target isa-generate
say "grammar: docs/ezpim-grammar.md"
sh tests/ezpim/grammar.sh . "$build/grammar" --write >/dev/null

MPU_WRITE_PAGE=1
export MPU_WRITE_PAGE
tables() {
    say "tables that a test computes: $*"
    "$build/tests/$@" >"$build/generate.log" 2>&1 || { cat "$build/generate.log" >&2; exit 1; }
}
tables test_examples machines
tables test_examples programs
tables test_examples "whole rows"
tables test_examples "made up"
tables test_crossbar
tables test_power
tables test_across
tables test_baseline
tables test_places examples
tables test_places programs
tables test_code
tables test_rows rows
tables test_statistics_page
tables test_np_costs
tables test_recipe_templates
tables test_recipe_lut_costs
tables test_recipe_routines
tables test_pypim_rows
tables test_pluto_published
unset MPU_WRITE_PAGE # commands of figures are tests, too, which are to print

for page in mpu-recipe technology trace; do
    say "what commands print: docs/$page.md"
    sh tests/docs/page.sh --rebase "docs/$page.md" "$build/bin" "$build/docs-$page" >/dev/null
done
say "what commands print: docs/new-machine.md"
MPU=$PWD MPU_BUILD=$build sh tests/docs/page.sh --rebase docs/new-machine.md "$build/bin" "$build/docs-new-machine" >/dev/null
say "figures: docs/figures.md"
"$build/tests/published-figures" write docs/figures.csv docs/figures.md "$build" "$PWD"
