"""Start the probe, then whatever ``sitecustomize`` this one stands in front of."""

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _start_probe():
    try:
        import gto_probe

        gto_probe.install()
    except Exception as error:
        sys.stderr.write("gto-rules probe: not installed (%s)\n" % error)


def _chain():
    """Run the environment's own ``sitecustomize``, which this folder hides."""
    import importlib.machinery
    import importlib.util

    others = [p for p in sys.path if os.path.abspath(p or ".") != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_start_probe()
_chain()
