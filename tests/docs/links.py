#!/usr/bin/env python3
"""Follows every relative link of the pages, to the file and to the heading.

usage: links.py ROOT

Afterwards a page with a link to no file and one to no heading must be refused.
"""
import pathlib
import re
import sys
import tempfile


def headings(path):
    """The anchors that a page's headings get where it is shown."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    titles = re.findall(r"^#+ +(.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken(page):
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        file, _, anchor = target.partition("#")
        there = page.parent / file if file else page
        if "://" in target:
            continue
        if not there.exists():
            yield f"{page}: no file {target}"
        elif anchor and (there.suffix != ".md" or anchor not in headings(there)):
            yield f"{page}: no heading {target}"


def main(root):
    pages = [root / "README.md", *root.glob("docs/**/*.md"), *root.glob("[a-z]*/README.md"), *root.glob("[a-z]*/*/README.md")]
    pages = [page for page in pages if "build" not in page.relative_to(root).parts]
    found = [line for page in pages for line in broken(page)]
    with tempfile.TemporaryDirectory() as folder:
        mutant = pathlib.Path(folder) / "page.md"
        mutant.write_text("# A heading: it's `one`\n[a](nowhere.md) [b](#another) [c](#a-heading-its-one)\n")
        if len(list(broken(mutant))) != 2:
            found.append("a broken link was not noticed, or a good one refused")
    print("\n".join(found))
    return bool(found) or len(pages) < 20


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
