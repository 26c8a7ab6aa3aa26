#!/usr/bin/env python3
"""Each notebook fails when the results are not those that its sentences tell.

usage: mutants.py KVPROOF NOTEBOOKS

Every notebook is run with a kvproof that falsifies one result.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

# notebook, word of the command whose result is falsified, and what becomes of it
MUTANTS = [
    ("1_lloyd_code", "verify", "data['claims'][0]['verdict'] = 'undecided'"),
    ("1_lloyd_code", "table", "data['levels'][2]['boundaries'][1] = '0.5'"),
    ("2_reader_classes", "probe", "data['results'][-1]['deterministic']['risk'] = '1/7'"),
    ("2_reader_classes", "separation", "data['rows'][3]['certified'] = 'no'"),
    ("3_certificates", "certify", "data['violations'] = 1"),
    ("4_white_noise", "white-noise", "data['metrics']['ratio'] |= {'mean': 1.2, 'lower': 1.1, 'upper': 1.3}"),
    ("4_white_noise", "quantiser-noise", "data['references']['key_overload']['value'] = 0.01"),
]
LIAR = """#!/usr/bin/python3
import json, subprocess, sys
run = subprocess.run([{kvproof!r}, *sys.argv[1:]], stdout=subprocess.PIPE)
data = json.loads(run.stdout) if run.returncode == 0 else None
if data is not None and {word!r} in sys.argv:
    {change}
print(json.dumps(data))
sys.exit(run.returncode)
"""


def main(kvproof, notebooks):
    failed = 0
    for name, word, change in MUTANTS:
        with tempfile.TemporaryDirectory() as folder:
            liar = pathlib.Path(folder) / "kvproof"
            liar.write_text(LIAR.format(kvproof=kvproof, word=word, change=change))
            liar.chmod(0o755)
            run = subprocess.run([sys.executable, "-B", notebooks / "execute.py", "run", folder, notebooks / f"{name}.ipynb"],
                                 env=os.environ | {"KVPROOF": str(liar)}, capture_output=True, text=True)
        noticed = run.returncode == 1 and "AssertionError" in run.stdout
        print(f"{name}, {word} falsified: " + ("noticed" if noticed else f"NOT NOTICED ({run.returncode})\n{run.stdout}{run.stderr}"), flush=True)
        failed |= not noticed
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2])))
