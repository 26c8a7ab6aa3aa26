"""What the tests of the report know of HTML: a strict reader with the standard library."""

import html.parser
import re
import xml.etree.ElementTree

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(html.parser.HTMLParser):
    """Refuses tags that do not balance, ids that stand twice and scripts; keeps texts of claims and of table rows."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.stack = []
        self.ids = set()
        self.links = []
        self.claims = {}  # id: text of its <details>
        self.rows = []  # texts of the cells
        self.headings = []
        self.faults = []
        self._row = None
        self._cell = None
        self._claim = None
        self._heading = None
        self.feed(text)
        self.close()
        if self.stack:
            self.faults.append(f"not closed: {self.stack}")
        for link in self.links:
            if link.startswith("#") and link[1:] not in self.ids:
                self.faults.append(f"a link to nowhere: {link}")
        self.text = text

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in ("script", "iframe", "object", "embed", "img"):
            self.faults.append(f"found <{tag}>")
        for name in attributes:
            if name.startswith("on"):
                self.faults.append(f"found {name}= in <{tag}>")
        if "id" in attributes:
            if attributes["id"] in self.ids:
                self.faults.append(f"id {attributes['id']} stands twice")
            self.ids.add(attributes["id"])
        for name in ("href", "src"):
            if name in attributes:
                self.links.append(attributes[name])
        if tag not in VOID:
            self.stack.append(tag)
        if tag == "details" and "claim" in attributes.get("class", "").split():
            self._claim = attributes["id"]
            self.claims[self._claim] = ""
        if tag == "tr":
            self._row = []
        if tag in ("td", "th") and self._row is not None:
            self._cell = ""
        if tag in ("h1", "h2", "h3", "h4"):
            self._heading = ""

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.stack.pop()

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()} closes something else")
        if tag == "details":
            self._claim = None
        if tag in ("td", "th") and self._row is not None:
            self._row.append(self._cell)
            self._cell = None
        if tag == "tr":
            self.rows.append(self._row)
            self._row = None
        if tag in ("h1", "h2", "h3", "h4"):
            self.headings.append((tag, self._heading))
            self._heading = None

    def handle_data(self, data):
        if self._claim is not None:
            self.claims[self._claim] += data
        if self._cell is not None:
            self._cell += data
        if self._heading is not None:
            self._heading += data


def drawings(text):
    """All <svg> and <math> elements, read as XML: a fault in one raises."""
    found = {"svg": [], "math": []}
    for tag in found:
        for element in re.findall(rf"<{tag}\b.*?</{tag}>", text, re.S):
            found[tag].append(xml.etree.ElementTree.fromstring(element))
    return found


def plain(text):
    return " ".join(text.split())


def claim_faults(page, claims):
    """What of the claims the page does not say."""
    faults = []
    for claim in claims:
        said = plain(page.claims.get(claim["id"], ""))
        if not said:
            faults.append(f"{claim['id']} is missing")
            continue
        wanted = [claim["statement"], claim["note"], claim["rule"], claim["scope"], claim["sha256"], claim["slack"]]
        if claim["why"] != "effort":
            wanted.append(claim["verdict"])
        if claim["enclosure"]:
            wanted += claim["enclosure"].values()
        for name, values in claim["witness"].items():
            values = [values] if isinstance(values, str) else values
            wanted += [value for value in values if len("; ".join(values)) < 1000]
        wanted += [f"{claim['cases']} case"]
        for part in wanted:
            if part and plain(str(part)) not in said:
                faults.append(f"{claim['id']} lacks {part!r}")
    return faults
