"""Closed forms of the reads and capacity cells of ReadKV's Tables 2, 3, 6, 7 and 8, as terms of docs/formulas.md.

Written from the rules, not from lib/account: a whole causal pass is one quotient of integers here. A term is text; its
names are abbreviations that `let` binds, and `value` computes it in exact fractions.
"""
from fractions import Fraction

MODELS = {  # layers, KV heads, and the name of what a formula says of the model
    "qwen2.5-3b": (36, 2, "q3"),
    "qwen2.5-7b": (28, 4, "q7"),
    "qwen2.5-14b": (48, 8, "q14"),
    "yi-1.5-6b": (32, 4, "yi"),
    "deepseek-llm-7b": (30, 32, "ds"),
    "mistral-7b-v0.3": (32, 8, "mi"),
}


def abbreviations():
    """name -> term, each from those before it. All heads have d = 128 channels; `dense` is a token of one KV head."""
    out = {
        "d": "128",
        "dense": "(* 2 d 16)",
        "tables": "(* 2 511 32)",
        # A causal pass: T calls, S cached tokens over all of them, and how many of those are at 16 bits or whole.
        "T": "2048",
        "S": "(/ (* T (+ T 1)) 2)",
        "block": "(/ (* 128 129) 2)",
        "full": "(+ (* (/ T 128) block) (+ block (* 128 (- T 128))))",
        "seen65": "(+ (/ (* 65 66) 2) (* 65 (- T 65)))",
        "seen129": "(+ (/ (* 129 130) 2) (* 129 (- T 129)))",
        # KIVI at one length: waiting keys and recent values.
        "open2048": "(+ 128 128)", "open3500": "(+ 44 128)", "open4096": "(+ 128 128)",
        "open7500": "(+ 76 128)", "open8192": "(+ 128 128)",
    }
    for heads in (2, 4, 8, 32):
        out[f"load{heads}"] = f"(/ (* T (+ (* {heads} 4 d 16) tables)) (* {heads} dense S))"
        out[f"load2bit{heads}"] = f"(/ (* T (+ (* {heads} 4 d 16) (* 2 4 32))) (* {heads} dense S))"
    for length in (2048, 3500, 4096, 7500, 8192):
        out[f"means{length}"] = f"(/ (* 4 d 16) (* dense {length}))"
        for layers, heads, name in MODELS.values():
            out[f"tables_{name}_{length}"] = f"(/ tables (* {layers} {heads} dense {length}))"
    return out


def reads(system, model):
    """Bits read by one layer over Dense's, of a causal pass over 2048 tokens."""
    heads = MODELS[model][1]
    family, _, rest = system.partition(":")
    numbers = rest.split(",")
    if family in ("readkv", "full"):
        return f"(+ {numbers[-1]}/16 load{heads})"
    if family == "kivi":
        return f"(/ (+ (* {numbers[0]} (- (* 2 S) full)) (- (* 2 S) full) (* 16 full)) (* 2 16 S))"
    if family == "turboquant":
        return "(/ (+ (* 4 d) 16 (* 4 d) 32) dense)"
    if family == "lloyd2":
        return f"(+ (/ (+ (* 2 2 d) 16) dense) load2bit{heads})"
    r, seen = numbers[0], f"seen{int(numbers[1]) + 1}"
    if family == "sparq":
        return f"(/ (+ (* 16 {r} S) (* dense {seen}) (* 16 d T)) (* dense S))"
    assert family == "sparq-nested", system
    return f"(+ (/ (+ (* 2 {r} S) (* 2 8 d {seen}) (* 16 d T)) (* dense S)) load{heads})"


def capacity(system, length):
    """Bits that one layer retains at this length over Dense's, without the tables."""
    family, _, rest = system.partition(":")
    numbers = rest.split(",")
    if family in ("readkv", "full"):
        return f"(+ {numbers[0]}/16 means{length})"
    if family == "kivi":
        full = f"open{length}"
        return f"(/ (+ (* (+ {numbers[0]} 1) (- (* 2 {length}) {full})) (* 16 {full})) (* 2 16 {length}))"
    if family == "turboquant":
        return "(/ (+ (* 4 d) 16 (* 4 d) 32) dense)"
    if family == "lloyd2":
        return f"(+ (/ (+ (* 2 2 d) 16) dense) means{length})"
    mean = f"(/ (* d 16) (* dense {length}))"
    if family == "sparq":
        return f"(+ 1 {mean})"
    assert family == "sparq-nested", system
    return f"(+ 8/16 means{length} {mean})"


def model_tables(system, model, length):
    """What the decoder tables add to capacity: once per model, nothing where there are none."""
    family = system.partition(":")[0]
    layers, heads, name = MODELS[model]
    if family in ("readkv", "full", "sparq-nested"):
        return f"tables_{name}_{length}"
    if family == "lloyd2":
        return f"(/ (* 2 4 32) (* {layers} {heads} dense {length}))"
    return ""


def percent(system, model, quantity, length):
    """The cell as a term. The dagger rows have four dense layers."""
    plain = system.removesuffix("+protect")
    layers = MODELS[model][0]
    term = reads(plain, model) if quantity == "reads" else capacity(plain, length)
    if plain != system:
        term = f"(+ (/ 4 {layers}) (* (/ {layers - 4} {layers}) {term}))"
    tables = model_tables(plain, model, length) if quantity == "capacity" else ""
    return f"(* 100 (+ {term} {tables}))" if tables else f"(* 100 {term})"


def parse(text):
    """A term as nested lists of words."""
    stack = [[]]
    for word in text.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    assert len(stack) == 1 and len(stack[0]) == 1, text
    return stack[0][0]


def value(term, names):
    """The exact value of a parsed term; `names` holds values."""
    if isinstance(term, str):
        return names[term] if term in names else Fraction(term)
    first, *rest = [value(part, names) for part in term[1:]]
    for other in rest:
        first = {"+": first + other, "-": first - other, "*": first * other,
                 "/": first / other if other else None}[term[0]]
    return first


def names_used(text, known):
    """The abbreviations of a text, in their order, with those that they need."""
    found, todo = set(), [text]
    while todo:
        for word in todo.pop().replace("(", " ").replace(")", " ").split():
            if word in known and word not in found:
                found.add(word)
                todo.append(known[word])
    return [name for name in known if name in found]
