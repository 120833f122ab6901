# SPDX-License-Identifier: MIT
"""Makes a kernel that fails smaller, by its syntax tree, as long as it still fails: statements go,
expressions become parts of them, numbers become smaller."""
import ast
import copy

TRIES = 3000


def lists_of(tree):
    """All lists of statements."""
    for node in ast.walk(tree):
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def without_statements(tree):
    """Trees without one statement, or with the body of a block instead of it; the last first."""
    sizes = [len(block) for block in lists_of(tree)]
    for b in reversed(range(len(sizes))):
        for i in reversed(range(sizes[b])):
            for way in ("gone", "body", "orelse"):
                other = copy.deepcopy(tree)
                block = list(lists_of(other))[b]
                inside = [] if way == "gone" else getattr(block[i], way, None)
                if inside is None or (way != "gone" and (not inside or isinstance(block[i], ast.FunctionDef))):
                    continue
                block[i:i + 1] = inside
                if block:
                    yield other


def places(tree):
    """Where expressions stand: (node, field, index or None)."""
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if field in ("func", "ctx", "annotation", "returns") or isinstance(node, ast.arg):
                continue
            if isinstance(value, ast.expr):
                yield node, field, None
            elif isinstance(value, list):
                yield from ((node, field, i) for i, x in enumerate(value) if isinstance(x, ast.expr))


def at(place):
    node, field, i = place
    return getattr(node, field) if i is None else getattr(node, field)[i]


def put(place, value):
    node, field, i = place
    if i is None:
        setattr(node, field, value)
    else:
        getattr(node, field)[i] = value


def parts(e):
    """What an expression may become."""
    found = [x for x in ast.iter_child_nodes(e) if isinstance(x, ast.expr) and not isinstance(x, ast.Slice)]
    if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute):
        found.append(e.func.value)
    if isinstance(e, ast.Constant) and type(e.value) is int:
        return [ast.Constant(n) for n in (0, 1, e.value // 2, e.value - 1) if 0 <= n < e.value]
    if isinstance(e, ast.Tuple) and len(e.elts) > 1:
        found += [ast.Tuple(e.elts[:i] + e.elts[i + 1:], ast.Load()) for i in range(len(e.elts))]
    if isinstance(e, ast.Slice):
        found = [ast.Slice()] if e.lower or e.upper or e.step else []
    return found


def with_parts(tree):
    n = len(list(places(tree)))
    for p in range(n):
        here = list(places(tree))[p]
        if isinstance(getattr(at(here), "ctx", None), ast.Store):
            continue
        for i in range(len(parts(at(here)))):
            other = copy.deepcopy(tree)
            place = list(places(other))[p]
            put(place, parts(at(place))[i])
            yield other


def without_parameters(tree):
    for f, node in enumerate(tree.body):
        for i in range(len(node.args.args) if isinstance(node, ast.FunctionDef) else 0):
            other = copy.deepcopy(tree)
            del other.body[f].args.args[i]
            yield other


def candidates(tree):
    yield from without_statements(tree)
    yield from without_parameters(tree)
    yield from with_parts(tree)


def text_of(tree):
    try:
        return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    except (ValueError, AttributeError):
        return None


def smaller(source, fails):
    """The smallest text for which fails(text)."""
    tried, tree, changed = {source}, ast.parse(source), True
    while changed:
        changed = False
        for other in candidates(tree):
            text = text_of(other)
            if not text or text in tried or len(tried) > TRIES:
                continue
            tried.add(text)
            if fails(text):
                tree, source, changed = ast.parse(text), text, True
                break
    return source
