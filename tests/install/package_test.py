#!/usr/bin/env python3
"""Makes the packages of a build and looks at them.

package_test.py tgz BUILD MODEL C_PROGRAM   unpacks the archive elsewhere, builds examples/c by pkg-config, runs it
package_test.py deb BUILD VERSION           the fields and the files of each Debian package
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def output(command, env=None):
    """What a command prints; the test fails with the command."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **(env or {})})
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done.stdout


def packages(build, generator, folder):
    """The files that cpack makes."""
    output(["cpack", "-G", generator, "--config", f"{build}/CPackConfig.cmake", "-B", folder / "made"])
    return sorted(path for path in (folder / "made").iterdir() if path.is_file() and path.suffix in (".gz", ".deb"))


def check_archive(build, model, reference, folder):
    (archive,) = packages(build, "TGZ", folder)
    (folder / "elsewhere").mkdir()
    output(["tar", "-xzf", archive, "-C", folder / "elsewhere", "--strip-components=1"])
    (pc,) = (folder / "elsewhere").glob("**/pkgconfig/ilt.pc")
    env = {"PKG_CONFIG_PATH": str(pc.parent)}
    flags = output(["pkg-config", "--cflags", "--libs", "ilt"], env).split()
    assert f"-I{folder}/elsewhere/" in flags[0].replace(f"{pc.parent}/../..", f"{folder}/elsewhere"), flags
    program = folder / "finetune"
    output([os.environ.get("CC", "cc"), "-std=c99", ROOT / "examples/c/finetune.c", "-o", program, *flags])
    env = {"LD_LIBRARY_PATH": str(pc.parent.parent)}
    output([sys.executable, ROOT / "tests/examples/same_run.py", model, reference, program], env)
    loaded = re.search(r"libilt\.so\S* => (\S+)", output(["ldd", program], env))
    assert loaded and pathlib.Path(loaded[1]).is_relative_to(folder), loaded
    # The command finds the library beside it.
    assert "train" in output([folder / "elsewhere/bin/ilt", "--help"])


def fields(package):
    return dict(re.findall(r"^([\w-]+): (.*)$", output(["dpkg-deb", "-f", package]), re.MULTILINE))


def files(package):
    """Paths and link targets; folders left out."""
    listed = [line.split(maxsplit=5) for line in output(["dpkg-deb", "-c", package]).splitlines()]
    return {entry[5].removeprefix("./") for entry in listed if not entry[0].startswith("d")}


def check_debian(build, version, folder):
    found = {fields(package)["Package"]: package for package in packages(build, "DEB", folder)}
    abi = ".".join(version.split(".")[:2])
    library, command, development = names = [f"libilt{abi}", "ilt", "libilt-dev"]
    assert sorted(found) == sorted(names), found
    architecture = output(["dpkg", "--print-architecture"]).strip()
    for name, package in found.items():
        about = fields(package)
        assert about["Version"] == version and about["Architecture"] == architecture, about
        assert package.name == f"{name}_{version}_{architecture}.deb", package
        depends = about["Depends"]
        if name == library:
            for other in ("libc6", "libstdc++6", "libspdlog", "libfmt", "zlib1g", "libzstd1"):
                assert re.search(rf"(^|, ){re.escape(other)}", depends), (other, depends)
        else:
            assert f"{library} (= {version})" in depends, depends
        assert "torch" not in depends, depends

    expected = {
        library: {f"libilt.so.{version}", f"libilt.so.{abi} -> libilt.so.{version}"},
        command: {"ilt"},
        development: {"ilt.h", "ilt.hpp", "session.hpp", "ilt.pc", "ilt-config.cmake", "ilt-config-version.cmake",
                      "ilt-targets.cmake", f"libilt.so -> libilt.so.{abi}"},
    }
    listed = {name: files(package) for name, package in found.items()}
    for name, want in expected.items():
        assert all(path.startswith("usr/") for path in listed[name]), listed[name]
        have = {re.sub(r"^\S*/(?=[^/ ]+( -> |$))", "", path) for path in listed[name]}
        assert want <= have, f"{name}: {want - have} missing in {listed[name]}"
    paths = [path for name in names for path in listed[name]]
    assert len(paths) == len(set(paths)), f"a file in two packages: {sorted(paths)}"
    assert sum("libilt.so" in path for path in paths) == 3 and not any("torch" in path for path in paths), paths


def main():
    kind, *arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        {"tgz": check_archive, "deb": check_debian}[kind](*arguments, pathlib.Path(scratch).resolve())
    print("as it should be")


if __name__ == "__main__":
    main()
