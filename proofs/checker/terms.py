"""Terms: nodes (op, arguments, payload), made once for each different machine form.

A shared subterm is one object, and two terms of a formula are equal iff they are identical. The ops are those of
docs/formulas.md, two operands each, and `neg`, `number`, `variable`, `quantity`; the last three carry a payload.
"""
from dataclasses import dataclass
from fractions import Fraction


class Term:
    __slots__ = ("op", "args", "payload", "constant", "order")

    def __init__(self, op, args, payload):
        self.op, self.args, self.payload = op, args, payload
        self.constant = op != "variable" and all(a.constant for a in args)
        self.order = None


@dataclass(eq=False)
class Variable:
    name: str
    integer: bool
    low: Fraction
    high: Fraction


def postorder(term):
    """The nodes of the term, each once, arguments before what uses them."""
    if term.order is None:
        order, stack = {}, [(term, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                order[node] = True
            elif node not in order:
                stack += [(node, True), *((a, False) for a in reversed(node.args))]
        term.order = list(order)
    return term.order
