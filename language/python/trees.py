"""The parser's trees: what ast has, without what ast loads.

That is enum, functools, contextlib and what those load, and takes longer than to read
most tests. What is seldom asked for comes from ast itself.
"""
from _ast import *
from _ast import PyCF_ONLY_AST
from _collections import deque


def __getattr__(name):
    import ast
    return getattr(ast, name)


def parse(source, filename="<unknown>", mode="exec"):
    return compile(source, filename, mode, PyCF_ONLY_AST, dont_inherit=True)


def iter_fields(node):
    for name in node._fields:
        try:
            yield name, getattr(node, name)
        except AttributeError:
            pass


def iter_child_nodes(node):
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, AST):
            yield value
        elif isinstance(value, list):
            for v in value:
                if isinstance(v, AST):
                    yield v


def walk(node):
    """Yields a node and all below it, level by level."""
    todo = deque([node])
    while todo:
        node = todo.popleft()
        todo.extend(iter_child_nodes(node))
        yield node


def copied(node):
    """A tree like another, that can be changed for itself. What is no tree is the same."""
    if isinstance(node, list):
        return [copied(n) for n in node]
    if not isinstance(node, AST):
        return node
    return copy_location(type(node)(**{name: copied(value) for name, value in iter_fields(node)}), node)


def copy_location(new, old):
    for name in "lineno", "col_offset", "end_lineno", "end_col_offset":
        if name in old._attributes and name in new._attributes:
            value = getattr(old, name, None)
            if value is not None or name.startswith("end_"):
                setattr(new, name, value)
    return new


class NodeTransformer:
    """Puts what a visit of a node returns in its place: a node, nodes, or None."""

    def visit(self, node):
        return getattr(self, "visit_" + type(node).__name__, self.generic_visit)(node)

    def generic_visit(self, node):
        for name, old in iter_fields(node):
            if isinstance(old, list):
                new = []
                for value in old:
                    if isinstance(value, AST):
                        value = self.visit(value)
                        if value is None:
                            continue
                        if not isinstance(value, AST):
                            new.extend(value)
                            continue
                    new.append(value)
                old[:] = new
            elif isinstance(old, AST):
                new = self.visit(old)
                if new is None:
                    delattr(node, name)
                else:
                    setattr(node, name, new)
        return node
