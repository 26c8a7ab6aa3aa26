"""Reads a formula of the registry (docs/formulas.md): s-expressions, `let` replaced, each different term made once."""
import re
from dataclasses import dataclass, field
from fractions import Fraction

import functions
import probe_part
from evaluate import Evaluator
from ranges import Undefined
from terms import Term, Variable, postorder

RELATIONS = ("<", "<=", ">", ">=", "=")
OPERANDS = {**dict.fromkeys(("+", "-", "*", "/", "min", "max"), range(2, 1000)), "^": range(2, 3),
            **dict.fromkeys(functions.NAMES, range(2, 1000)),
            **dict.fromkeys(("sqrt", "exp", "log", "erf", "erfc", "tanh", "abs", "floor", "neg"), range(1, 2))}
DECIMAL = re.compile(r"-?[0-9]+(/[0-9]+|(\.[0-9]+)?(e[+-]?[0-9]+)?)")
PRINTED = re.compile(r"(-?[0-9]+)(?:\.([0-9]+))?(?:e([+-]?[0-9]{1,4}))?")
HEX = re.compile(r"(-?)0x([0-9a-f]+)(?:\.([0-9a-f]+))?(?:p([+-]?[0-9]+))?")
NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
QUANTITY = re.compile(r"(?:lloyd\.(?:distortion|gain|epsilon)|float32\.(?:gain|epsilon)|codebook\.(?:distortion|gain)"
                      r"|lloydmax\.distortion)\.[0-9]+|(?:lloyd|float32)\.(?:boundary|centroid|value)\.[0-9]+\.-?[0-9]+")
NAMED = {"part": 1, "pending": 1, "reader": 3, "codebook": 0, "lloyd-tree": 2, "lloyd-symmetric": 1, "lloyd-max": 2}   # operands


class FormulaError(Exception):
    """The registry's formula does not follow the grammar."""


@dataclass
class Relation:
    op: str
    terms: list
    variables: list                            # bound around it, outermost first


@dataclass
class Forall:
    variables: list
    body: object


@dataclass
class Printed(Forall):
    """Its variables are what was rounded to printed digits; outermost."""


@dataclass
class Part:
    what: str                                  # and, a word of NAMED or of probe_part.WORDS
    arguments: list


@dataclass
class Formula:
    body: object = None
    relations: list = field(default_factory=list)
    quantities: set = field(default_factory=set)   # first words: lloyd, float32, ...
    words: set = field(default_factory=set)        # of its parts
    quantifiers: int = 0


def require(truth, message):
    if not truth:
        raise FormulaError(message)


def number(token):
    if DECIMAL.fullmatch(token):
        return Fraction(token)
    match = HEX.fullmatch(token)
    require(match, f"not a number or a known name: {token}")
    sign, whole, part, two = match.groups("")
    value = int(whole + part, 16) * Fraction(2) ** (int(two or 0) - 4 * len(part))
    return -value if sign else value


def s_expression(text):
    """Nested lists of tokens, without recursion."""
    stack = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token != ")":
            stack[-1].append(token)
        else:
            require(len(stack) > 1, "unbalanced parentheses")
            done = stack.pop()
            stack[-1].append(done)
    require(len(stack) == 1 and len(stack[0]) == 1, "not one formula")
    return stack[0][0]


class Reader:
    def __init__(self):
        self.nodes, self.formula = {}, Formula()

    def node(self, op, args=(), payload=None):
        key = op, args, payload
        if key not in self.nodes:
            self.nodes[key] = Term(op, args, payload)
        return self.nodes[key]

    def term(self, form, scope):
        if isinstance(form, str):
            return self.leaf(form, scope)
        require(form and isinstance(form[0], str), "a term begins with an operation")
        op, args = "neg" if form[0] == "-" and len(form) == 2 else form[0], [self.term(f, scope) for f in form[1:]]
        if probe_part.is_term(op):
            require(len(args) == 2, "a risk of two integers")
            self.formula.quantities.add("probe")
            return self.node(op, tuple(args))
        require(form[0] != "neg" and len(args) in OPERANDS.get(op, ()), f"no operation {op} of {len(args)} operands")
        if len(args) == 1 or op in functions.NAMES:
            return self.node(op, tuple(args))
        result = args[0]
        for a in args[1:]:                     # to the left
            result = self.node(op, (result, a))
        return result

    def leaf(self, token, scope):
        if token in scope:
            return scope[token]
        if token in ("pi", "e"):
            return self.node(token)
        if QUANTITY.fullmatch(token):
            family, kind, *numbers = token.split(".")
            self.formula.quantities.add(family)
            return self.node("quantity", (), (family, kind, *map(int, numbers)))
        value = number(token)
        return self.node("number", (), value.numerator if value.denominator == 1 else value)

    def bound(self, form, scope):
        require(isinstance(form, list) and len(form) == (4 if form[1:2] == ["int"] else 3), "(name [int] lower upper)")
        low, high = (self.rational(self.term(f, scope)) for f in form[-2:])
        if len(form) == 4:
            low, high = -(-low // 1), high // 1
        require(low <= high, "an empty range")
        return Variable(self.name(form[0], scope), len(form) == 4, low, high)

    def printed(self, form, scope):
        """(name digits): whatever was rounded to these digits, within half a unit of the last one."""
        require(isinstance(form, list) and len(form) == 2 and isinstance(form[1], str), "(name digits)")
        digits = PRINTED.fullmatch(form[1])
        require(digits, f"not a printed number: {form[1]}")
        whole, places, power = digits.groups("")
        value, half = Fraction(whole + "." + (places or "0")), Fraction(1, 2 * 10 ** len(places))
        scale = Fraction(10) ** int(power or 0)
        return Variable(self.name(form[0], scope), False, (value - half) * scale, (value + half) * scale)

    @staticmethod
    def name(token, scope):
        require(isinstance(token, str) and NAME.fullmatch(token) and token not in ("pi", "e", *scope), "not a new name")
        return token

    @staticmethod
    def rational(term):
        require(all(t.op not in ("variable", "quantity") and not probe_part.is_term(t.op) for t in postorder(term)), "a bound is a constant")
        try:
            value = Evaluator(64, None).value(term, {})
        except Undefined:
            value = None
        require(type(value) is tuple, "a bound is a rational number")
        return value[0]

    def part(self, form, scope, variables, outermost=False):
        require(isinstance(form, list) and form and isinstance(form[0], str), "a formula begins with a word")
        word, rest = form[0], form[1:]
        pairs = rest[0] if len(rest) == 2 and isinstance(rest[0], list) else []
        if word in RELATIONS and len(rest) >= 2:
            relation = Relation(word, [self.term(f, scope) for f in rest], variables)
            self.formula.relations.append(relation)
            return relation
        if word == "and" and rest:
            return Part(word, [self.part(f, scope, variables) for f in rest])
        if word == "let" and pairs:
            for pair in pairs:
                require(isinstance(pair, list) and len(pair) == 2, "let binds (name term)")
                scope = {**scope, self.name(pair[0], scope): self.term(pair[1], scope)}
            return self.part(rest[1], scope, variables, outermost)
        if word == "forall" and pairs:
            bound = []
            for pair in pairs:
                bound.append(self.bound(pair, scope))
                scope = {**scope, bound[-1].name: self.node("variable", (), bound[-1])}
            require(len({v.integer for v in variables + bound}) == 1, "real and integer variables are mixed")
            self.formula.quantifiers += 1
            return Forall(bound, self.part(rest[1], scope, variables + bound))
        if word in probe_part.WORDS and not variables:
            part = probe_part.read(word, rest)
            require(part, f"no such family, class or budget: {word}")
            self.formula.words.add(word)
            return Part(word, [part])
        if word == "printed" and pairs:
            require(outermost, "printed stands outermost")
            bound = []
            for pair in pairs:
                bound.append(self.printed(pair, scope))
                scope = {**scope, bound[-1].name: self.node("variable", (), bound[-1])}
            body = self.part(rest[1], scope, bound)
            require(self.formula.quantifiers == 0, "a quantifier under printed")
            return Printed(bound, body)
        require(len(rest) == NAMED.get(word) and not variables, f"no such formula here: {word} of {len(rest)}")
        self.formula.words.add(word)
        if word == "part":
            require(outermost, "part stands outermost")
            return Part(word, [self.part(rest[0], scope, variables)])
        if word in ("pending", "reader"):
            require(isinstance(rest[0], str), "the subject is a name")
            require(all(isinstance(r, str) and re.fullmatch("0|[1-9][0-9]{0,6}", r) for r in rest[1:]), "not a small number")
            return Part(word, rest)
        require(all(isinstance(r, str) and re.fullmatch("[1-9][0-9]{0,2}", r) for r in rest), "not a small number")
        return Part(word, [int(r) for r in rest])


def read(text):
    """The Formula of a machine form; FormulaError where it does not follow the grammar."""
    reader = Reader()
    try:
        reader.formula.body = reader.part(s_expression(text), {}, [], True)
    except (ArithmeticError, RecursionError, ValueError) as error:   # 1/0, deep nesting, thousands of digits
        raise FormulaError(f"{type(error).__name__}: {error}") from None
    return reader.formula
