#!/usr/bin/env python3
"""Runs the notebooks of this folder, each in a new kernel, and keeps them without outputs.

usage: execute.py run OUT [NOTEBOOK...]   run them (all, if none is named); OUT/NAME.html and OUT/figures
       execute.py check [NOTEBOOK...]     exit status 1 where one is not as `strip` leaves it
       execute.py strip [NOTEBOOK...]     take outputs, counts and other traces of a run away

The executable is build/release/kvproof, or what KVPROOF names. KVPROOF_NOTEBOOKS=full takes more trials. A
notebook that fails says why; exit status 1.
"""
import json
import os
import pathlib
import re
import sys

here = pathlib.Path(__file__).resolve().parent
metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"}}


def stripped(text):
    """The one form in which a notebook is kept: no outputs, no counts, cells numbered in order."""
    cells = []
    for number, cell in enumerate(json.loads(text)["cells"], 1):
        kept = {"cell_type": cell["cell_type"], "id": f"cell-{number}", "metadata": {},
                "source": "".join(cell["source"]).splitlines(True)}
        cells.append(kept | {"execution_count": None, "outputs": []} if cell["cell_type"] == "code" else kept)
    book = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def run(path, out):
    """The first error of a notebook, as text; else None, and its page is written."""
    import nbclient
    import nbconvert
    import nbformat

    book = nbformat.read(path, as_version=4)
    error = None
    try:
        nbclient.NotebookClient(book, timeout=600, kernel_name="python3",
                                resources={"metadata": {"path": here}}).execute()
    except nbclient.exceptions.CellExecutionError as problem:
        # without colours and the cell's own text
        error = re.sub(r"\x1b\[[0-9;]*m", "", str(problem)).rpartition("-----\n")[2].strip()
    page, _ = nbconvert.HTMLExporter(template_name="lab").from_notebook_node(
        book, {"metadata": {"name": path.stem.replace("_", " ")}})
    # plots are in the page; without nbconvert's scripts, which it would fetch, it needs nothing else
    page = re.sub(r"<script\b.*?</script>", "", page, flags=re.S)
    (out / f"{path.stem}.html").write_text(page, encoding="utf-8")
    return error


def main(mode, rest):
    out = pathlib.Path(rest.pop(0)).resolve() if mode == "run" else None
    paths = [pathlib.Path(name) for name in rest] or sorted(here.glob("*.ipynb"))
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # else the kernel's debugger warns
    if out:
        (out / "figures").mkdir(parents=True, exist_ok=True)
        os.environ["KVPROOF_FIGURES"] = str(out / "figures")
    failed = 0
    for path in paths:
        text = path.read_text(encoding="utf-8")
        if mode == "strip":
            path.write_text(stripped(text), encoding="utf-8")
        elif mode == "check" and text != stripped(text):
            print(f"{path.name} holds outputs or other traces of a run: notebooks/execute.py strip")
            failed = 1
        elif mode == "run":
            error = run(path, out)
            print(f"{path.name}: " + ("as it says" if error is None else f"FAILED\n{error}"), flush=True)
            failed |= error is not None
    return int(failed)


if __name__ == "__main__":
    if sys.argv[1:2] not in (["run"], ["check"], ["strip"]) or (sys.argv[1] == "run" and len(sys.argv) < 3):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
