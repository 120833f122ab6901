# SPDX-License-Identifier: MIT
"""The operations of the Python array API standard (data-apis.org/array-api, 2023.12), and which of
them the package has under that name."""

OPERATIONS = {
    "Creation": "arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid "
                "ones ones_like tril triu zeros zeros_like",
    "Data types": "astype broadcast_arrays broadcast_to can_cast finfo iinfo isdtype result_type",
    "Element by element": "abs acos acosh add asin asinh atan atan2 atanh bitwise_and "
    "bitwise_left_shift bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil clip conj "
    "copysign cos cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot imag "
    "isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and logical_not "
    "logical_or logical_xor maximum minimum multiply negative not_equal positive pow real remainder "
    "round sign signbit sin sinh square sqrt subtract tan tanh trunc",
    "Indices": "take",
    "Linear algebra": "matmul matrix_transpose tensordot vecdot",
    "Shapes": "concat expand_dims flip moveaxis permute_dims repeat reshape roll squeeze stack tile "
              "unstack",
    "Searching": "argmax argmin nonzero searchsorted where",
    "Sets": "unique_all unique_counts unique_inverse unique_values",
    "Sorting": "argsort sort",
    "Statistics": "cumulative_sum max mean min prod std sum var",
    "Truth": "all any",
}


def page(package):
    """docs/array-api.md."""
    lines = ["# The array API standard", "",
             "Made by a test from the names of the package [mpusim](python.md): operations of the "
             "Python array API standard, version 2023.12,", "and which of them it has. NumPy's own "
             "conformance suite comes from a registry that this project does not use, so each of "
             "these is compared", "with NumPy by random programs instead (`tests/python`).", "",
             "| part | there | not there |", "|---|---|---|"]
    count = total = 0
    for part, names in OPERATIONS.items():
        there = [n for n in names.split() if hasattr(package, n)]
        absent = [n for n in names.split() if not hasattr(package, n)]
        count, total = count + len(there), total + len(there) + len(absent)
        lines.append(f"| {part} | {' '.join(there) or '-'} | {' '.join(absent) or '-'} |")
    lines += ["", f"{count} of {total}. Exponentials, logarithms and trigonometric functions have no "
              "instruction on any machine; what is not there works on", "`np.asarray(a)`.", ""]
    return "\n".join(lines)
