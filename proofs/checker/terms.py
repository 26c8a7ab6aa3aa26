"""Terms: nodes (op, arguments, payload), made once for each different machine form.

A shared subterm is one object, and two terms of a formula are equal iff they are identical. The ops are those of
docs/formulas.md, two operands each, and `neg`, `number`, `variable`, `quantity`, which carry a payload.
"""
from dataclasses import dataclass
from fractions import Fraction


class Term:
    __slots__ = ("op", "args", "payload", "constant", "order")

    def __init__(self, op, args, payload):
        self.op, self.args, self.payload = op, args, payload
        self.constant = op != "variable" and all(a.constant for a in args)
        self.order = None                      # see postorder()


def postorder(term):
    """The nodes of the term, each once, arguments before what uses them."""
    if term.order is None:
        order, seen, stack = [], set(), [(term, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                order.append(node)
            elif id(node) not in seen:
                seen.add(id(node))
                stack.append((node, True))
                stack.extend((a, False) for a in reversed(node.args))
        term.order = order
    return term.order


@dataclass(eq=False)
class Variable:
    name: str
    integer: bool
    low: Fraction
    high: Fraction
