"""Access classes, and protocols of the probe model: records of the sources and trees of addresses."""
import re
from dataclasses import dataclass

STAGED = re.compile("staged:([1-9][0-9]?)")
STOP = "-"


@dataclass(frozen=True)
class Access:
    sees_query: bool
    batches: int                               # 100 where any number is allowed: a tree has 16 levels at most


def access_class(text):
    """The class of this name, or None."""
    named = {"oblivious": Access(False, 1), "query-independent": Access(False, 100), "branching": Access(True, 100)}
    staged = STAGED.fullmatch(text)
    return Access(True, int(staged[1])) if staged else named.get(text)


class Protocol:
    """records[x]: an integer; trees: lists of addresses in heap order, None where nothing is read."""

    def __init__(self, records, trees):
        self.records, self.trees = records, trees

    def leaf(self, x, y):
        tree, record, node = self.trees[y if len(self.trees) > 1 else 0], self.records[x], 0
        while node < len(tree):
            node = 2 * node + (2 if tree[node] is not None and record >> tree[node] & 1 else 1)
        return node - len(tree)

    def leaves(self, y):
        """The sources in each leaf that has any."""
        found = {}
        for x in range(len(self.records)):
            found.setdefault(self.leaf(x, y), []).append(x)
        return found.values()


def read_protocol(records, family, access, w, r):
    table = []
    for _ in range(family.sources):
        table.append(records.scaled(records.record("record", 1)[0]))
        if not 0 <= table[-1] < 1 << w:
            raise records.malformed()
    depth = min(w, r)
    count = family.queries if access.sees_query else 1
    return Protocol(table, [read_tree(records, w, depth, access.batches) for _ in range(count)])


def read_tree(records, w, depth, batches):
    tree = []
    for node, field in enumerate(records.record("tree", 2 ** depth - 1)):
        address = None if field == STOP else records.integer(field)
        if address is not None and not 0 <= address < w or node and address is not None and tree[(node - 1) // 2] is None:
            raise records.malformed()
        tree.append(address)
    if batches < depth and fewest_batches(tree, depth) > batches:
        raise records.bad_witness()
    return tree


def fewest_batches(tree, depth):
    """In how many batches the tree can be read."""
    fewest = [0] * (2 * len(tree) + 1)         # from each node on; leaves read nothing
    for node in range(len(tree) - 1, -1, -1):
        if tree[node] is None:
            continue
        levels, best = depth + 1 - (node + 1).bit_length(), depth
        for level in range(levels):
            row = tree[((node + 1) << level) - 1:((node + 2) << level) - 1]
            if row[0] is None or row.count(row[0]) != len(row):
                break
            best = min(best, 1 + max(fewest[((node + 1) << level + 1) - 1:((node + 2) << level + 1) - 1]))
        fewest[node] = best
    return fewest[0]
