"""Builds the native half with CMake and puts it into the package; pyproject.toml says the rest.

KVPROOF_BUILD names a build folder of the whole project, configured with KVPROOF_PYTHON=ON, so that the libraries are
compiled once; without it there is one beside the package's other build files.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent.parent


def version():
    """The one that the project has."""
    return re.search(r"^project\(kvproof VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        folder = os.environ.get("KVPROOF_BUILD")
        if folder is None:
            folder = pathlib.Path(self.build_temp).resolve() / "cmake"
            subprocess.run(
                [
                    "cmake",
                    "-S",
                    ROOT,
                    "-B",
                    folder,
                    "-DCMAKE_BUILD_TYPE=Release",
                    "-DKVPROOF_PYTHON=ON",
                    f"-DPython_EXECUTABLE={sys.executable}",
                ],
                check=True,
            )
        subprocess.run(
            ["cmake", "--build", folder, "--target", "kvproof_python", "--parallel", str(os.cpu_count())],
            check=True,
        )
        (built,) = (pathlib.Path(folder) / "python").glob("_kvproof*.so")
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(built, target)


setup(version=version(), ext_modules=[Extension("kvproof._kvproof", [])], cmdclass={"build_ext": CMakeBuild})
