"""Canonical names: every way that code reaches a thing."""

from __future__ import annotations

from pathlib import Path

import pytest
from python_case import call_named, make_index, make_module

LOADER = "torch.utils.data.DataLoader"

# (what, source with exactly one call ending in `target`, canonical name of it)
CASES: list[tuple[str, str, str | None]] = [
    ("import of a module", "import torch\ntorch.target()", "torch.target"),
    ("import of a submodule", "import torch.nn.functional\ntorch.nn.functional.target()", "torch.nn.functional.target"),
    ("alias of a submodule", "import torch.nn.functional as F\nF.target()", "torch.nn.functional.target"),
    ("from import", "from torch.utils.data import target\ntarget()", "torch.utils.data.target"),
    ("from import under an alias", "from torch.utils import data as d\nd.target()", "torch.utils.data.target"),
    ("inside a function", "def f():\n    import torch as t\n    t.target()", "torch.target"),
    ("alias by assignment", "import torch\nopt = torch.optim\nopt.target()", "torch.optim.target"),
    ("alias of an alias", "import torch\na = torch.optim\nb = a\nb.target()", "torch.optim.target"),
    (
        "method of an object",
        "from torch.utils.data import DataLoader\nx = DataLoader(d)\nx.target()",
        f"{LOADER}.target",
    ),
    (
        "method of an attribute of self",
        "import torch\nclass T:\n    def __init__(self):\n        self.opt = torch.optim.AdamW(p)\n"
        "    def go(self):\n        self.opt.target()",
        "torch.optim.AdamW.target",
    ),
    ("annotated parameter", "import torch\ndef f(x: torch.Tensor):\n    x.target()", "torch.Tensor.target"),
    (
        "optional parameter",
        "import torch\ndef f(x: torch.Tensor | None = None):\n    x.target()",
        "torch.Tensor.target",
    ),
    (
        "typing.Optional",
        "import torch\nfrom typing import Optional\ndef f(x: Optional[torch.Tensor]):\n    x.target()",
        "torch.Tensor.target",
    ),
    ("with ... as", "from a import Ctx\nwith Ctx() as c:\n    c.target()", "a.Ctx.target"),
    ("direct call", "import a\na.Thing(1).target()", "a.Thing.target"),
    ("both branches agree", "import a\nif x:\n    y = a.T(1)\nelse:\n    y = a.T(2)\ny.target()", "a.T.target"),
    ("branches differ", "import a\nif x:\n    y = a.T()\nelse:\n    y = a.U()\ny.target()", None),
    ("None first", "import a\ny = None\ny = a.T()\ny.target()", "a.T.target"),
    (
        "import that may fail",
        "try:\n    import apex\nexcept ImportError:\n    apex = None\napex.target()",
        "apex.target",
    ),
    ("name reassigned", "import a\na = f(a)\na.target()", None),
    ("parameter hides an import", "import a\ndef f(a):\n    a.target()", None),
    ("class body does not enclose methods", "class C:\n    import a\n    def f(self):\n        a.target()", None),
    ("builtin", "print(1)\nprint.target()", "builtins.print.target"),
    ("unknown name", "x.target()", None),
    ("super call", "import a\nclass C(a.Base):\n    def f(self):\n        super().target()", "a.Base.target"),
    ("inherited method", "import a\nclass C(a.Base):\n    def f(self):\n        self.target()", "a.Base.target"),
    (
        "own method",
        "import a\nclass C(a.Base):\n    def target(self): ...\n    def f(self):\n        self.target()",
        "main.C.target",
    ),
    ("object of an own class", "import a\nclass C(a.Base): ...\nC().target()", "a.Base.target"),
    ("call result of a function", "import a\nx = a.make()\nx.target()", None),
    ("loop variable", "import a\nx = a.T()\nfor x in y:\n    pass\nx.target()", None),
    ("unpacked", "import a\nx, y = a.T(), a.U()\ny.target()", "a.U.target"),
    ("walrus", "import a\nif (x := a.T()):\n    x.target()", "a.T.target"),
    ("refers to itself", "x = x.y\nx.target()", None),
    ("after a syntax error", "import a\ndef broken(:\n    pass\na.target()", "a.target"),
]


@pytest.mark.parametrize(("source", "name"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_canonical_name_of_a_call(tmp_path: Path, source: str, name: str | None) -> None:
    assert call_named(make_module(tmp_path, source), "target").name == name


# (what, files, canonical name of the call in main.py)
PROJECTS: list[tuple[str, dict[str, str], str]] = [
    (
        "re-export",
        {
            "main.py": "from data import Loader\nLoader.target()",
            "data.py": "from torch.utils.data import DataLoader as Loader",
        },
        f"{LOADER}.target",
    ),
    (
        "package re-export",
        {
            "main.py": "from lib import make\nmake.target()",
            "lib/__init__.py": "from .inner import make",
            "lib/inner.py": "from torch import nn as make",
        },
        "torch.nn.target",
    ),
    (
        "star import",
        {
            "main.py": "from data import *\nLoader.target()",
            "data.py": "from torch.utils.data import DataLoader as Loader",
        },
        f"{LOADER}.target",
    ),
    (
        "subclass in another file",
        {"main.py": "from mine import Own\nOwn().target()", "mine.py": "import a\nclass Own(a.Base): ..."},
        "a.Base.target",
    ),
    (
        "instance in another file",
        {"main.py": "from mine import thing\nthing.target()", "mine.py": "import a\nthing = a.Thing()"},
        "a.Thing.target",
    ),
    (
        "source folder",
        {"main.py": "from lib.x import f\nf.target()", "src/lib/__init__.py": "", "src/lib/x.py": "def f(): ..."},
        "lib.x.f.target",
    ),
    (
        "a ring of re-exports ends",
        {"main.py": "from a import x\nx.target()", "a.py": "from b import x", "b.py": "from a import x"},
        "a.x.target",
    ),
]


@pytest.mark.parametrize(("files", "name"), [c[1:] for c in PROJECTS], ids=[c[0] for c in PROJECTS])
def test_names_across_files(tmp_path: Path, files: dict[str, str], name: str) -> None:
    module = make_index(tmp_path, files).module("main.py")
    assert module is not None
    assert call_named(module, "target").name == name


def test_relative_imports_are_resolved(tmp_path: Path) -> None:
    index = make_index(
        tmp_path,
        {
            "pkg/__init__.py": "",
            "pkg/sub/__init__.py": "",
            "pkg/sub/here.py": "from . import near\nfrom .near import f\nfrom ..top import g\nfrom ... import out",
            "pkg/sub/near.py": "",
            "pkg/top.py": "",
        },
    )
    module = index.module("pkg/sub/here.py")
    assert module is not None
    assert [i.name for i in module.imports] == ["pkg.sub.near", "pkg.sub.near.f", "pkg.top.g", "out"]


def test_an_installed_library_is_not_taken_for_a_module_inside_a_package(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/datasets.py": "def load(): ...",
        "pkg/main.py": "import datasets\ndatasets.load()",
    }
    module = make_index(tmp_path, files).module("pkg/main.py")
    assert module is not None
    assert call_named(module, "load").name == "datasets.load"


def test_transitive_subclasses(tmp_path: Path) -> None:
    index = make_index(
        tmp_path,
        {
            "a.py": "import t\nclass A(t.Trainer): ...",
            "b.py": "from a import A\nclass B(A): ...",
            "c.py": "class C: ...",
        },
    )
    assert index.is_subclass_of("b.B", ["t.Trainer"])
    assert not index.is_subclass_of("c.C", ["t.Trainer"])


def test_a_class_may_be_named_by_the_module_that_re_exports_it(tmp_path: Path) -> None:
    index = make_index(tmp_path, {"a.py": "from lib.inner.trainer import Trainer\nclass A(Trainer): ..."})
    assert index.is_subclass_of("a.A", ["lib.Trainer"])
    assert not index.is_subclass_of("a.A", ["lib.other.Trainer"])
    assert not index.is_subclass_of("a.A", ["other.Trainer"])
