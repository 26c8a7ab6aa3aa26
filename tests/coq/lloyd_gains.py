"""Writes the Coq files that hold the gains of the exact Lloyd tree to depth DEPTH, cell by cell, into a folder: LloydAreas.v,
LloydCells1.v and LloydCells2.v (the halves of its right half: two files, so that two processors share the work), Lemma7Gains.v.

usage: lloyd_gains.py DEPTH FOLDER

Only rational points, and rational bounds of what Coq is to enclose there, are chosen here, with mpmath; each is a little wider
than need be. Whether they are right is for coqc to say: a wrong one is an error there.
"""
import os
import sys

from mpmath import erf, exp, floor, inf, iv, mp, mpf, nint, pi, sqrt

mp.dps = iv.dps = 40
PLACES, AREA_PLACES, CENTROID_PLACES, GAIN_PLACES = 12, 20, 13, 18
SLACK = 50                                     # of a centroid: what area's own width costs in the outermost cell
WHOLE = 125331413731550025120, 125331413731550025121
# what is printed, but for depth 2, where the printed interval does not hold Delta_2: this one does
PRINTED = {2: ("0.24589837", "0.24589838"), 3: ("0.08264372", "0.08264373"), 4: ("0.02504228", "0.02504229"), 5: ("0.00713273", "0.00713274"),
           6: ("0.00195518", "0.00195519"), 7: ("0.00052264", "0.00052265"), 8: ("0.0001373218", "0.0001373220")}


def bell(x):
    return exp(-x * x / 2)


def area(x):
    return sqrt(pi / 2) * (1 if x == inf else erf(x / sqrt(2)))


def centroid(a, b):
    return (bell(a) - (0 if b == inf else bell(b))) / (area(b) - area(a))


def split_of(l, u):
    """The zero of stat, which rises, between l and u."""
    a, b = l, u if u != inf else l + 6
    for _ in range(110):
        m = (a + b) / 2
        a, b = (m, b) if 2 * m < centroid(l, m) + centroid(m, u) else (a, m)
    return (a + b) / 2


def scaled(x, places):
    return int(floor(x * mpf(10) ** places))


def text(n, places):
    return f"{'-' if n < 0 else ''}{abs(n) // 10 ** places}.{abs(n) % 10 ** places:0{places}d}"


class Cell:
    """A cell of the right half, the box of its split, and the cells that the split leaves."""

    def __init__(self, below, above, level, depth):
        self.below, self.above, self.level = below, above, level       # the cells whose splits are its ends
        self.m = split_of(below.m if below else mpf(0), above.m if above else inf)
        radius = 50 * (level + 1)                                      # a child's box is wider than its parents'
        middle = int(nint(self.m * 10 ** PLACES))
        self.a, self.b = middle - radius, middle + radius
        self.parts = [Cell(below, self, level + 1, depth), Cell(self, above, level + 1, depth)] if level < depth - 1 else []

    def all(self):
        return [self] + [cell for part in self.parts for cell in part.all()]


def point(n):
    return mpf(n) / 10 ** PLACES


def areas(cells):
    """Area at both points of every box, from left to right."""
    out, last, low, high, known = [], 0, 0, 0, "area_0_box"
    for cell in cells:
        a, b, name, ends = text(cell.a, PLACES), text(cell.b, PLACES), f"area_a{cell.number}", ("0" if last == 0 else text(last, PLACES))
        step = scaled(area(point(cell.a)) - area(point(last)), AREA_PLACES)
        cell.area_a = low + step - 5, high + step + 6
        width = point(cell.b) - point(cell.a)
        tiny = scaled(bell(point(cell.b)) * width, AREA_PLACES) - 2, scaled(bell(point(cell.a)) * width, AREA_PLACES) + 3
        cell.area_b = cell.area_a[0] + tiny[0], cell.area_a[1] + tiny[1]
        for suffix, at, box, proof in (("a", a, cell.area_a, f"onward {known} {ends} {a} {text(step - 5, AREA_PLACES)} {text(step + 6, AREA_PLACES)}"),
                                       ("b", b, cell.area_b, f"step {name} {a} {b}")):
            out.append(f"Lemma area_{suffix}{cell.number} : {text(box[0], AREA_PLACES)} <= area {at} <= {text(box[1], AREA_PLACES)}.\n"
                       f"Proof. {proof}. Qed.")
        last, low, high, known = cell.a, *cell.area_a, name
    return out


def interval(low, high, places):
    return iv.mpf([mpf(low) / mpf(10) ** places, mpf(high) / mpf(10) ** places])


def ends_of(cell):
    """Texts, numbers, area boxes and lemmas of both ends of a cell."""
    below, above = cell.below, cell.above
    low = ((text(below.a, PLACES), text(below.b, PLACES)), (point(below.a), point(below.b)), (below.area_a[0], below.area_b[1]),
           [f"area_a{below.number}", f"area_b{below.number}"]) if below else (("0", "0"), (mpf(0), mpf(0)), (0, 0), ["area_0_box"])
    high = ((f"(At {text(above.a, PLACES)})", f"(At {text(above.b, PLACES)})"), (point(above.a), point(above.b)),
            (above.area_a[0], above.area_b[1]), [f"area_a{above.number}", f"area_b{above.number}"]) if above else \
        (("Infinity", "Infinity"), (inf, inf), WHOLE, ["whole_box"])
    return low, high


def lemmas(cell, depth):
    """The box and the gain of a cell; then those of its parts; then the gains of all that it is split into."""
    low, high = ends_of(cell)
    a, b, box = point(cell.a), point(cell.b), (cell.area_a[0], cell.area_b[1])
    x = scaled(centroid(low[1][0], a), CENTROID_PLACES) - SLACK, scaled(centroid(low[1][1], b), CENTROID_PLACES) + SLACK
    y = scaled(centroid(a, high[1][0]), CENTROID_PLACES) - SLACK, scaled(centroid(b, high[1][1]), CENTROID_PLACES) + SLACK
    unit = 10 ** (CENTROID_PLACES - PLACES)
    assert x[0] + y[0] > 2 * cell.a * unit and x[1] + y[1] < 2 * cell.b * unit, f"cell {cell.number}: the box is too narrow"
    left, right, both = (interval(p[0] - q[1], p[1] - q[0], AREA_PLACES)
                         for p, q in ((box, low[2]), (high[2], box), (high[2], low[2])))
    gain = left * right / both / (2 * interval(*WHOLE, AREA_PLACES)) * interval(y[0] - x[1], y[1] - x[0], CENTROID_PLACES) ** 2
    cell.gains = [(scaled(mpf(gain.a), GAIN_PLACES) - 1000, scaled(mpf(gain.b), GAIN_PLACES) + 1000)]
    numbers = [text(n, CENTROID_PLACES) for n in (x[0], y[0], x[1], y[1])] + [text(n, AREA_PLACES) for n in (*low[2], *box, *high[2])]
    facts = ". ".join(f"pose proof {name}" for name in (*low[3], f"area_a{cell.number}", f"area_b{cell.number}", *high[3]))
    where = f"l U : {low[0][0]} <= l <= {low[0][1]} -> within {high[0][0]} U {high[0][1]}"
    points = f"{text(cell.a, PLACES)} {text(cell.b, PLACES)}"
    out = [f"Lemma node_{cell.number} {where} ->\n  encloses l U {points} {text(cell.gains[0][0], GAIN_PLACES)} {text(cell.gains[0][1], GAIN_PLACES)}.\n"
           f"Proof.\n  {facts}.\n  cell {low[0][0]} {low[0][1]} {high[0][0]} {high[0][1]} {points}\n    {' '.join(numbers)}.\nQed."]
    if cell.level > 1:                                                 # the root's parts have files of their own
        for part in cell.parts:
            out += lemmas(part, depth)
    if cell.parts:
        one, two = cell.parts
        cell.gains += [(p[0] + q[0], p[1] + q[1]) for p, q in zip(one.gains, two.gains)]
        proof = f"inner node_{cell.number} sub_{one.number} sub_{two.number}"
    else:
        proof = f"last node_{cell.number}"
    sums = " /\\\n  ".join(f"{text(g[0], GAIN_PLACES)} <= gains {d} l U t <= {text(g[1], GAIN_PLACES)}" for d, g in enumerate(cell.gains))
    splits = f"splits {depth - cell.level} l U t"
    out.append(f"Lemma sub_{cell.number} {where} ->\n  (exists t, {splits}) /\\ forall t, {splits} ->\n  {sums}.\nProof. {proof}. Qed.")
    return out


def theorem(root, depth):
    gain = {t: f"distortion {t - 2} t - distortion {t - 1} t" for t in range(2, depth + 1)}
    printed = " /\\\n  ".join(f"{PRINTED[t][0]} < {gain[t]} < {PRINTED[t][1]}" for t in gain)
    falling = " /\\\n  ".join(f"{gain[t]} > {gain[t + 1]}" for t in range(2, depth))
    return f"""
(** There is such a tree, and every one has the printed gains; but Delta_2 is just below its printed interval. *)
Theorem gains_printed : (exists t, splits {depth - 1} 0 Infinity t) /\\ forall t, splits {depth - 1} 0 Infinity t ->
  {printed}.
Proof.
  destruct (sub_{root.number} 0 Infinity) as [Ex G]; [lra|exact I|]. split; [exact Ex|]. intros t T. specialize (G t T).
  repeat split; rewrite gain_of_tree by (apply splits_less with {depth - 1}%nat; auto; lia); lra.
Qed.

(** Delta_1 is 2/pi (Lemma7.v). *)
Theorem gains_decrease t : splits {depth - 1} 0 Infinity t ->
  2 / PI > {gain[2]} /\\
  {falling} /\\
  {gain[depth]} > 0.
Proof.
  intros T. destruct gains_printed as [_ G]. specialize (G t T). assert (2 / PI > 0.63) by interval with (i_prec 40).
  repeat split; lra.
Qed."""


def requires(*more):
    names = " ".join(("ExactInterval", "GaussianIntegral", "LloydSplit", "LloydTree", "LloydTactics", *more))
    return f"From Coq Require Import Reals Lra Lia.\nFrom Coquelicot Require Import Coquelicot.\nFrom KVProof Require Import {names}.\n" \
        "Open Scope R_scope.\n"


MADE = "Written by tests/coq/lloyd_gains.py, which chooses the\n    rational points and bounds; coqc checks them."


def files(depth):
    root = Cell(None, None, 1, depth)
    cells = sorted(root.all(), key=lambda cell: cell.m)
    for number, cell in enumerate(cells, 1):
        cell.number = number
    yield "LloydAreas.v", f"(** area at rational points around the splits of the Lloyd tree of depth {depth}, from each to the next by a short integral.\n" \
        f"    {MADE} *)\n" + requires() + "\n" + "\n".join(areas(cells)) + "\n"
    for number, (part, side) in enumerate(zip(root.parts, ("inner", "outer")), 1):
        yield f"LloydCells{number}.v", f"(** The cells of the {side} half of the right half of the Lloyd tree of depth {depth}: boxes of their splits, and their gains.\n" \
            f"    {MADE} *)\n" + requires("LloydAreas") + "\n" + "\n".join(lemmas(part, depth)) + "\n"
    yield "Lemma7Gains.v", f"""(** ReadKV, Lemma 7: the gains of the exact Lloyd tree to depth {depth}, as LloydTree.v defines them.
    {MADE}

    readkv.lemma7.gain.3.exact, ..., .{depth}.exact   Delta_t lies in the printed interval.
    readkv.lemma7.decreasing.exact               Delta_1 > ... > Delta_{depth} > 0.

    area is carried from point to point by short integrals (LloydAreas.v). Signs of stat at two points enclose each split
    (LloydTree.v), and so its children's centroids and its gain (LloydCells1.v, LloydCells2.v); the gains of all cells of a depth
    are added up. *)
{requires("LloydAreas", "LloydCells1", "LloydCells2")}
""" + "\n".join(lemmas(root, depth)) + "\n" + theorem(root, depth) + "\n"


def main(depth, folder):
    for name, content in files(depth):
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(content)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(int(sys.argv[1]), sys.argv[2])
