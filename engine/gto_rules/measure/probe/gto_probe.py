"""Rides along with a training run and records its steps. One file, Python 3.8 or later, no packages.

It is put on ``PYTHONPATH`` and started by ``sitecustomize``; no training code is edited. It hooks the
global optimiser-step hook, the loader's iterator, ``Tensor.backward`` and the functions that save,
writes one JSON line per step and rank, and ends the run after a number of steps. Whatever goes wrong
in here is noted and switches the probe off; it never reaches the training code.
"""

from __future__ import annotations

import atexit
import functools
import importlib.abc
import importlib.machinery
import json
import os
import sys
import time

CONFIG_VARIABLE = "GTO_PROBE"


class Probe:
    """State of the probe in one process.

    ``config`` holds: ``out`` folder, ``steps``, ``warmup``, ``profile``, ``active`` profiled steps,
    ``suppress`` canonical names of functions that must do nothing.
    """

    def __init__(self, config):
        self.config = config
        self.pid = os.getpid()
        self.alive = True
        self.rank = int(os.environ.get("RANK", os.environ.get("LOCAL_RANK", "0")) or 0)
        self.stream = None
        self.torch = None
        self.optimizer = None
        self.step = 0
        self.last = None
        self.window = None
        self.batch = {"wait": 0.0, "samples": 0, "tokens": 0, "padded": 0, "masked": 0, "batches": 0}
        self.losses = []
        self.pending = []
        self.profiler = None
        self.profile_seen = 0
        self.skipped_saves = 0

    # -- records ---------------------------------------------------------------------------

    def write(self, kind, **data):
        if self.stream is None:
            path = os.path.join(self.config["out"], "rank%d-%d.jsonl" % (self.rank, self.pid))
            self.stream = open(path, "a", encoding="utf-8")  # noqa: SIM115 - lives as long as the process
        data["kind"] = kind
        data["time"] = time.time()
        self.stream.write(json.dumps(data) + "\n")
        self.stream.flush()

    def guard(self, function):
        """``function`` that steps aside for good on any error."""

        @functools.wraps(function)
        def guarded(*args, **kwargs):
            if not self.alive or os.getpid() != self.pid:
                return None
            try:
                return function(*args, **kwargs)
            except Exception as error:
                self.alive = False
                try:
                    self.write("error", message="%s: %s" % (type(error).__name__, error))
                except Exception:
                    pass
                return None

        return guarded

    # -- hooks -----------------------------------------------------------------------------

    def hook_torch(self, torch):
        self.torch = torch
        self.write("start", pid=self.pid, argv=sys.argv[:3], torch=str(torch.__version__))
        self.hook_optimizer(torch)
        self.hook_loader()
        self.hook_backward(torch)
        self.replace(torch, "save", "torch.save")

    def hook_optimizer(self, torch):
        on_step = self.guard(self.on_step)
        try:
            from torch.optim.optimizer import register_optimizer_step_post_hook
        except ImportError:  # before 2.0
            init = torch.optim.Optimizer.__init__

            @functools.wraps(init)
            def patched(optimizer, *args, **kwargs):
                init(optimizer, *args, **kwargs)
                step = optimizer.step

                @functools.wraps(step)
                def counted(*a, **k):
                    result = step(*a, **k)
                    on_step(optimizer)
                    return result

                optimizer.step = counted

            torch.optim.Optimizer.__init__ = patched
        else:
            register_optimizer_step_post_hook(lambda optimizer, args, kwargs: on_step(optimizer))

    def hook_loader(self):
        from torch.utils.data.dataloader import _BaseDataLoaderIter

        original = _BaseDataLoaderIter.__next__
        on_batch = self.guard(self.on_batch)

        @functools.wraps(original)
        def timed(iterator):
            started = time.perf_counter()
            batch = original(iterator)
            on_batch(time.perf_counter() - started, batch)
            return batch

        _BaseDataLoaderIter.__next__ = timed

    def hook_backward(self, torch):
        original = torch.Tensor.backward
        on_loss = self.guard(self.on_loss)

        @functools.wraps(original)
        def watched(tensor, *args, **kwargs):
            on_loss(tensor)
            return original(tensor, *args, **kwargs)

        torch.Tensor.backward = watched

    def replace(self, owner, name, label):
        """Put a function that only counts in the place of one that saves."""
        original = getattr(owner, name, None)
        if original is None:
            return

        @functools.wraps(original)
        def nothing(*args, **kwargs):
            if os.getpid() == self.pid:
                self.skipped_saves += 1
                if self.skipped_saves == 1:
                    self.guard(self.write)("save_skipped", name=label)

        setattr(owner, name, nothing)

    def suppress(self, module):
        """Replace what the configuration names in a module that was just imported."""
        for label in self.config.get("suppress", ()):
            if not label.startswith(module.__name__ + "."):
                continue
            parts = label[len(module.__name__) + 1 :].split(".")
            owner = module
            for part in parts[:-1]:
                # Only what is there already: reading an attribute of a lazy module would import it.
                owner = vars(owner).get(part) if hasattr(owner, "__dict__") else None
            if owner is not None:
                self.replace(owner, parts[-1], label)

    # -- events ----------------------------------------------------------------------------

    def on_batch(self, waited, batch):
        counts = self.batch
        counts["wait"] += waited
        counts["batches"] += 1
        tensor = first_tensor(batch, self.torch)
        if tensor is not None and tensor.dim() > 0:
            counts["samples"] += int(tensor.shape[0])
        ids, mask = mapping_item(batch, "input_ids"), mapping_item(batch, "attention_mask")
        if ids is not None and getattr(ids, "dim", lambda: 0)() == 2:
            tokens = int(ids.numel())
            if mask is not None and mask.shape == ids.shape and mask.device.type == "cpu":
                padded = int((mask == 0).sum())
                counts["masked"] += tokens
                counts["padded"] += padded
                tokens -= padded  # padding is no work done
            counts["tokens"] += tokens

    def on_loss(self, tensor):
        if tensor.numel() == 1:
            self.losses.append(tensor.detach())

    def on_step(self, optimizer):
        if self.optimizer is None:
            self.optimizer = id(optimizer)
        if id(optimizer) != self.optimizer:  # a second optimiser is part of the same step
            return
        now = time.perf_counter()
        self.step += 1
        if self.step == 1:
            self.begin_profile()
        edge = self.step in (self.config["warmup"], self.config["steps"])
        if edge and self.on_gpu():
            self.torch.cuda.synchronize()  # only where the measured window begins and ends
            now = time.perf_counter()
        if self.step == self.config["warmup"]:
            self.window = (now, os.times())
        self.record(now)
        self.last = now
        self.advance_profile()
        if self.step >= self.config["steps"] and self.profiler is None:
            self.finish("steps")

    def record(self, now):
        counts, self.batch = self.batch, dict.fromkeys(self.batch, 0)
        data = {"n": self.step}
        if self.last is not None:
            data["ms"] = (now - self.last) * 1000.0
        if counts["batches"]:
            data["wait_ms"] = counts["wait"] * 1000.0
            data["samples"] = counts["samples"]
        if counts["tokens"]:
            data["tokens"] = counts["tokens"]
        if counts["masked"]:
            data["padding"] = counts["padded"] / counts["masked"]
        losses, self.losses = self.losses, []
        if losses and losses[0].device.type == "cpu":
            data["loss"] = sum(float(loss) for loss in losses) / len(losses)
        elif losses:  # reading it now would make the CPU wait for the GPU
            self.pending.append((self.step, losses))
        self.write("step", **data)

    def flush_losses(self):
        for step, losses in self.pending:
            self.write("loss", n=step, loss=sum(float(loss) for loss in losses) / len(losses))
        self.pending = []

    def on_gpu(self):
        cuda = getattr(self.torch, "cuda", None)
        return cuda is not None and cuda.is_available() and cuda.is_initialized()

    # -- profiler --------------------------------------------------------------------------

    def begin_profile(self):
        if not self.config.get("profile"):
            return
        from torch.profiler import ProfilerActivity, profile, schedule

        activities = [ProfilerActivity.CPU]
        if self.torch.cuda.is_available():
            activities.append(ProfilerActivity.CUDA)
        wait = max(self.config["warmup"] - 1, 0)
        self.profiler = profile(
            activities=activities,
            schedule=schedule(wait=wait, warmup=1, active=self.config["active"], repeat=1),
            record_shapes=True,
            profile_memory=True,
            with_stack=True,
        )
        self.profiler.start()

    def advance_profile(self):
        if self.profiler is None:
            return
        self.profile_seen += 1
        if self.profile_seen <= max(self.config["warmup"] - 1, 0) + 1 + self.config["active"]:
            self.profiler.step()
            return
        profiler, self.profiler = self.profiler, None
        profiler.stop()
        path = os.path.join(self.config["out"], "trace-rank%d.json" % self.rank)
        profiler.export_chrome_trace(path)
        self.write("trace", path=path)
        self.finish("profiled")

    # -- end -------------------------------------------------------------------------------

    def finish(self, reason):
        """Write the closing record and leave; every rank does so after the same step."""
        self.close(reason)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)

    def close(self, reason):
        if os.getpid() != self.pid or not self.alive or self.torch is None:
            return
        data = {"reason": reason, "steps": self.step, "saves_skipped": self.skipped_saves}
        self.flush_losses()
        if self.window is not None and self.last is not None and self.last > self.window[0]:
            now = os.times()
            spent = sum(now[:4]) - sum(self.window[1][:4])
            data["cpu_percent"] = 100.0 * spent / (self.last - self.window[0])
            data["window_s"] = self.last - self.window[0]
        data.update(peak_memory(self.torch if self.on_gpu() else None))
        self.write("end", **data)
        self.alive = False


def peak_memory(torch):
    """Peak memory of the process in MB, and of the GPU where it was used."""
    data = {}
    try:
        import resource

        scale = 1024.0 if sys.platform != "darwin" else 1024.0 * 1024.0
        data["peak_rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale
    except ImportError:
        pass
    if torch is not None:
        data["cuda_peak_mb"] = torch.cuda.max_memory_allocated() / 2**20
        data["cuda_reserved_mb"] = torch.cuda.max_memory_reserved() / 2**20
        data["cuda_total_mb"] = torch.cuda.get_device_properties(torch.cuda.current_device()).total_memory / 2**20
    return data


def first_tensor(value, torch, depth=0):
    """The first tensor in a batch of nested mappings and sequences."""
    if isinstance(value, torch.Tensor):
        return value
    if depth > 4:
        return None
    items = value.values() if hasattr(value, "values") and callable(value.values) else value
    if isinstance(items, (str, bytes)):
        return None
    try:
        for item in items:
            found = first_tensor(item, torch, depth + 1)
            if found is not None:
                return found
    except TypeError:
        pass
    return None


def mapping_item(batch, name):
    """``batch[name]`` of a mapping-like batch, or None."""
    if hasattr(batch, "keys") and name in batch.keys():  # noqa: SIM118 - not every batch is a dict
        return batch[name]
    return None


class AfterImport(importlib.abc.MetaPathFinder):
    """Calls a function once a module has been imported."""

    def __init__(self, callbacks):
        self.callbacks = callbacks

    def find_spec(self, name, path=None, target=None):
        callback = self.callbacks.get(name)
        if callback is None:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                break
        else:
            return None
        loader = spec.loader
        if loader is not None and hasattr(loader, "exec_module"):
            execute = loader.exec_module

            def run(module):
                execute(module)
                # Only now: a mere look-up (``importlib.util.find_spec``) imports nothing.
                if self.callbacks.pop(name, None) is not None:
                    callback(module)

            try:
                loader.exec_module = run
            except AttributeError:
                pass
        return spec


def install():
    """Start the probe if the environment asks for it and this process is not a helper of another."""
    path = os.environ.get(CONFIG_VARIABLE)
    if not path or "--multiprocessing-fork" in sys.argv:
        return
    with open(path, encoding="utf-8") as stream:
        config = json.load(stream)
    probe = Probe(config)
    callbacks = {"torch": probe.guard(probe.hook_torch)}
    for label in config.get("suppress", ()):
        parts = label.split(".")
        for end in range(1, len(parts)):
            name = ".".join(parts[:end])
            if name != "torch":
                callbacks.setdefault(name, probe.guard(probe.suppress))
    sys.meta_path.insert(0, AfterImport(callbacks))
    atexit.register(probe.guard(lambda: probe.close("ended")))
