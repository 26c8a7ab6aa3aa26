"""Reads a formula of the registry: s-expressions, `let` replaced, terms shared.

Each different term is made once, see terms.py. A part of a formula is one of the dataclasses below.
"""
import re
from dataclasses import dataclass, field
from fractions import Fraction

import exact
from evaluate import Evaluator
from fixed import Undefined
from terms import Term, Variable, postorder

RELATIONS = ("<", "<=", ">", ">=", "=")
MANY = ("+", "-", "*", "/", "min", "max")
UNARY = ("sqrt", "exp", "log", "erf", "erfc", "tanh", "abs", "floor")
NUMBER = re.compile(r"(-?)(?:(\d+)/(\d+)|(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?|0x([0-9a-f]+)(?:\.([0-9a-f]+))?(?:p([+-]?\d+))?)")
QUANTITY = re.compile(r"(lloyd|float32|codebook|lloydmax)\.([a-z]+)\.(\d+)(?:\.(-?\d+))?")
QUANTITIES = {"lloyd": ("distortion", "gain", "epsilon", "boundary", "centroid", "value"),
              "float32": ("gain", "epsilon", "boundary", "centroid", "value"),
              "codebook": ("distortion", "gain"), "lloydmax": ("distortion",)}


class FormulaError(Exception):
    """The registry's formula does not follow the grammar."""


@dataclass
class Relation:
    op: str
    terms: list
    variables: list                            # bound around it, outermost first


@dataclass
class And:
    parts: list


@dataclass
class Forall:
    variables: list
    body: object


@dataclass
class Named:
    """part, pending, lloyd-tree, lloyd-symmetric, lloyd-max"""
    what: str
    arguments: list


@dataclass
class Formula:
    body: object
    relations: list = field(default_factory=list)
    quantities: set = field(default_factory=set)   # first words: lloyd, float32, ...
    names: set = field(default_factory=set)        # of Named parts


def number(token):
    m = NUMBER.fullmatch(token)
    if not m:
        raise FormulaError(f"not a number: {token}")
    sign, p, q, whole, decimals, exponent, hexa, hexdecimals, two = m.groups()
    if p:
        if int(q) == 0:
            raise FormulaError("zero denominator")
        value = Fraction(int(p), int(q))
    elif whole:
        value = int(whole + (decimals or "")) * Fraction(10) ** (int(exponent or 0) - len(decimals or ""))
    else:
        value = int(hexa + (hexdecimals or ""), 16) * Fraction(2) ** (int(two or 0) - 4 * len(hexdecimals or ""))
    return -value if sign else value


def s_expression(text):
    """Nested lists of tokens, without recursion."""
    stack = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) == 1:
                raise FormulaError("unbalanced parentheses")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    if len(stack) != 1 or len(stack[0]) != 1:
        raise FormulaError("not one formula")
    return stack[0][0]


class Reader:
    def __init__(self):
        self.nodes = {}
        self.formula = Formula(None)

    def node(self, op, args=(), payload=None):
        key = (op, tuple(id(a) for a in args), payload)
        if key not in self.nodes:
            self.nodes[key] = Term(op, tuple(args), payload)
        return self.nodes[key]

    def term(self, form, scope):
        if isinstance(form, list):
            if not form or not isinstance(form[0], str):
                raise FormulaError("a term begins with an operation")
            op, args = form[0], [self.term(f, scope) for f in form[1:]]
            if not (op in MANY and len(args) >= 2 or op in UNARY + ("-",) and len(args) == 1
                    or op == "^" and len(args) == 2):
                raise FormulaError(f"no such operation with {len(args)} operands: {op}")
            if op not in MANY or len(args) == 1:
                return self.node("neg" if op == "-" else op, args)
            result = args[0]                   # to the left
            for a in args[1:]:
                result = self.node(op, (result, a))
            return result
        if form in scope:
            return scope[form]
        if form in ("pi", "e"):
            return self.node(form)
        m = QUANTITY.fullmatch(form)
        if m:
            family, kind, level, index = m.groups()
            if kind not in QUANTITIES[family] or (index is None) == (kind in ("boundary", "centroid", "value")):
                raise FormulaError(f"no such quantity: {form}")
            self.formula.quantities.add(family)
            return self.node("quantity", (), (family, kind, int(level), None if index is None else int(index)))
        value = number(form)
        return self.node("number", (), value.numerator if value.denominator == 1 else value)

    def bound(self, form, scope):
        if not isinstance(form, list) or len(form) not in (3, 4) or (len(form) == 4) != (form[1:2] == ["int"]):
            raise FormulaError("a bound is (name lower upper) or (name int lower upper)")
        low, high = (self.rational(self.term(f, scope)) for f in form[-2:])
        variable = Variable(self.name(form[0], scope), len(form) == 4, low, high)
        if variable.integer:
            variable.low, variable.high = -(-low // 1), high // 1
        if variable.low > variable.high:
            raise FormulaError("an empty range")
        return variable

    def name(self, token, scope):
        if not isinstance(token, str) or not re.fullmatch(r"[A-Za-z_]\w*", token) or token in scope or token in ("pi", "e"):
            raise FormulaError(f"not a new name: {token}")
        return token

    @staticmethod
    def rational(term):
        try:
            value = Evaluator(64, None).value(term, {}) if term.constant else None
        except Undefined:
            value = None
        if value is None or not value.exact or any(t.op == "quantity" for t in postorder(term)):
            raise FormulaError("a bound is not a rational number")
        return value.low

    def part(self, form, scope, variables, outermost=False):
        if not isinstance(form, list) or not form or not isinstance(form[0], str):
            raise FormulaError("a formula begins with a word")
        word, rest = form[0], form[1:]
        if word in RELATIONS and len(rest) >= 2:
            relation = Relation(word, [self.term(f, scope) for f in rest], variables)
            self.formula.relations.append(relation)
            return relation
        if word == "and" and rest:
            return And([self.part(f, scope, variables) for f in rest])
        if word == "let" and len(rest) == 2 and isinstance(rest[0], list):
            inner = dict(scope)
            for pair in rest[0]:
                if not isinstance(pair, list) or len(pair) != 2:
                    raise FormulaError("let binds (name term)")
                inner[self.name(pair[0], inner)] = self.term(pair[1], inner)
            return self.part(rest[1], inner, variables, outermost)
        if word == "forall" and len(rest) == 2 and isinstance(rest[0], list) and rest[0]:
            inner, bound = dict(scope), []
            for b in rest[0]:
                bound.append(self.bound(b, inner))
                inner[bound[-1].name] = self.node("variable", (), bound[-1])
            everything = variables + bound
            if len({v.integer for v in everything}) != 1:
                raise FormulaError("real and integer variables are mixed")
            return Forall(bound, self.part(rest[1], inner, everything))
        if not variables:
            self.formula.names.add(word)
            if word == "part" and outermost and len(rest) == 1:
                return Named(word, [self.part(rest[0], scope, variables)])
            if word == "pending" and len(rest) == 1 and isinstance(rest[0], str):
                return Named(word, rest)
            if (word, len(rest)) in (("lloyd-tree", 2), ("lloyd-symmetric", 1), ("lloyd-max", 2)) and \
                    all(isinstance(r, str) and re.fullmatch(r"[1-9]\d{0,2}", r) for r in rest):
                return Named(word, [int(r) for r in rest])
        raise FormulaError(f"no such formula here: {word}")


def read(text):
    """The Formula of a machine form; FormulaError where it does not follow docs/formulas.md."""
    reader = Reader()
    try:
        reader.formula.body = reader.part(s_expression(text), {}, [], True)
    except RecursionError:
        raise FormulaError("too deep") from None
    return reader.formula
