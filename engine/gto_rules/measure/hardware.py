"""This machine as facts: what is there, and in words what is not."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

SYS = Path("/sys")
PROC = Path("/proc")
GIB = 1024**3


def read_hardware(
    *, disk: Path | None = None, table: Iterable[Mapping[str, Any]] = (), sys: Path = SYS, proc: Path = PROC
) -> dict[str, Any]:
    """Processor, memory, GPUs, disks, network; whatever is missing is absent and said in ``notes``.

    Args:
        disk: A folder whose file system matters (default: the current one).
        table: Rows of the packs' GPU tables (``match`` a regular expression over the name), which
            add what the driver does not say: architecture and peak rates.
        sys: Where sysfs is mounted (tests give their own).
        proc: Where procfs is mounted.

    Returns:
        ``cuda``, ``gpu_count``, ``gpus`` (name, memory_gib, capability, ...), ``min_capability`` and
        ``min_memory_gib`` over the GPUs, ``cpu``, ``memory``, ``disks``, ``network``, ``notes``.
    """
    notes: list[str] = []
    gpus = read_gpus(notes, list(table))
    facts: dict[str, Any] = {
        "cuda": bool(gpus),
        "gpu_count": len(gpus),
        "gpus": gpus,
        "cpu": _cpu(sys, proc),
        "memory": _memory(proc),
        "disks": _disks(disk or Path.cwd(), sys),
        "network": _network(sys, notes),
        "system": {"kernel": platform.release(), "machine": platform.machine(), "python": platform.python_version()},
        "tools": {name: shutil.which(name) for name in ("nsys", "nvidia-smi", "git", "numactl")},
        "notes": notes,
    }
    capabilities = [g["capability"] for g in gpus if "capability" in g]
    if capabilities:
        facts["min_capability"] = min(capabilities)
    sizes = [g["memory_gib"] for g in gpus if "memory_gib" in g]
    if sizes:
        facts["min_memory_gib"] = min(sizes)
    if facts["tools"]["nsys"] is None:
        notes.append("nsys is not installed; timelines come from the profiler of the framework alone")
    return facts


def _cpu(sys: Path, proc: Path) -> dict[str, Any]:
    import psutil

    facts: dict[str, Any] = {"threads": psutil.cpu_count(logical=True), "cores": psutil.cpu_count(logical=False)}
    with contextlib.suppress(OSError):
        found = re.search(r"^model name\s*:\s*(.+)$", (proc / "cpuinfo").read_text(), re.M)
        if found:
            facts["model"] = found[1].strip()
    with contextlib.suppress(AttributeError, OSError):
        facts["usable"] = len(os.sched_getaffinity(0))
    limit = _cgroup_cpus(sys)
    if limit is not None:
        facts["limit"] = limit
    nodes = sorted((sys / "devices/system/node").glob("node[0-9]*"))
    if nodes:
        facts["numa"] = [{"node": node.name, "cpus": _line(node / "cpulist")} for node in nodes]
    usable = facts.get("usable") or facts["threads"] or 1
    facts["usable"] = max(1, min(usable, int(limit)) if limit else usable)
    return facts


def _cgroup_cpus(sys: Path) -> float | None:
    """CPUs that the container may use, if it is limited."""
    with contextlib.suppress(OSError, ValueError):
        quota, period = (sys / "fs/cgroup/cpu.max").read_text().split()
        return None if quota == "max" else int(quota) / int(period)
    with contextlib.suppress(OSError, ValueError):
        allowed = int((sys / "fs/cgroup/cpu/cpu.cfs_quota_us").read_text())
        return None if allowed < 0 else allowed / int((sys / "fs/cgroup/cpu/cpu.cfs_period_us").read_text())
    return None


def _line(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _memory(proc: Path) -> dict[str, Any]:
    import psutil

    memory = psutil.virtual_memory()
    facts = {"total_gib": memory.total / GIB, "available_gib": memory.available / GIB}
    with contextlib.suppress(OSError):
        shared = os.statvfs("/dev/shm")
        facts["shared_gib"] = shared.f_blocks * shared.f_frsize / GIB
    return facts


def _disks(folder: Path, sys: Path) -> dict[str, Any]:
    usage = shutil.disk_usage(folder)
    blocks = []
    for device in sorted((sys / "block").glob("*")):
        if device.name.startswith(("loop", "ram", "zram", "dm-", "sr")):
            continue
        size = _line(device / "size")
        kind = "rotating" if _line(device / "queue/rotational") == "1" else "solid state"
        blocks.append(
            {
                "name": device.name,
                "kind": "NVMe" if device.name.startswith("nvme") else kind,
                "size_gib": int(size) * 512 / GIB if size.isdigit() else None,
            }
        )
    return {"folder": str(folder), "free_gib": usage.free / GIB, "total_gib": usage.total / GIB, "devices": blocks}


def _network(sys: Path, notes: list[str]) -> list[dict[str, Any]]:
    found = []
    for device in sorted((sys / "class/net").glob("*")):
        if device.name == "lo":
            continue
        speed = _line(device / "speed")
        row: dict[str, Any] = {"name": device.name, "state": _line(device / "operstate")}
        if speed.lstrip("-").isdigit() and int(speed) > 0:
            row["speed_mbit"] = int(speed)
        found.append(row)
    ports = sorted((sys / "class/infiniband").glob("*/ports/*"))
    for port in ports:
        found.append(
            {
                "name": f"{port.parent.parent.name}/{port.name}",
                "state": _line(port / "state"),
                "rdma": _line(port / "rate"),
            }
        )
    if not ports:
        notes.append("there is no RDMA device")
    return found


def read_gpus(notes: list[str], table: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Every NVIDIA GPU through NVML; an empty list and a note where there is none."""
    try:
        import pynvml
    except ImportError:
        notes.append("NVML is not installed, so GPUs were not looked for")
        return []
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        notes.append(f"there is no NVIDIA GPU or driver here (NVML: {error})")
        return []
    try:
        driver = _text(pynvml.nvmlSystemGetDriverVersion())
        count = pynvml.nvmlDeviceGetCount()
        return [_gpu(pynvml, index, driver, table, count) for index in range(count)]
    except pynvml.NVMLError as error:
        notes.append(f"NVML stopped answering: {error}")
        return []
    finally:
        with contextlib.suppress(pynvml.NVMLError):
            pynvml.nvmlShutdown()


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _gpu(nvml: Any, index: int, driver: str, table: list[Mapping[str, Any]], count: int) -> dict[str, Any]:
    handle = nvml.nvmlDeviceGetHandleByIndex(index)
    name = _text(nvml.nvmlDeviceGetName(handle))
    facts: dict[str, Any] = {"index": index, "name": name, "driver": driver}

    def ask(key: str, question: Any) -> None:
        with contextlib.suppress(nvml.NVMLError, AttributeError):
            facts[key] = question()

    # A GPU that shares the memory of the processor has no answer to this.
    ask("memory_gib", lambda: nvml.nvmlDeviceGetMemoryInfo(handle).total / GIB)
    ask("capability", lambda: _capability(nvml.nvmlDeviceGetCudaComputeCapability(handle)))
    ask("utilisation_percent", lambda: nvml.nvmlDeviceGetUtilizationRates(handle).gpu)
    ask("memory_used_gib", lambda: nvml.nvmlDeviceGetMemoryInfo(handle).used / GIB)
    ask("temperature_c", lambda: nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU))
    ask("power_w", lambda: nvml.nvmlDeviceGetPowerUsage(handle) / 1000)
    ask("power_limit_w", lambda: nvml.nvmlDeviceGetEnforcedPowerLimit(handle) / 1000)
    ask("pcie_generation", lambda: nvml.nvmlDeviceGetMaxPcieLinkGeneration(handle))
    ask("pcie_width", lambda: nvml.nvmlDeviceGetMaxPcieLinkWidth(handle))
    ask("numa_cpus", lambda: list(nvml.nvmlDeviceGetCpuAffinity(handle, 2)))
    ask("links", lambda: _links(nvml, handle, index, count))
    for row in table:
        if re.search(row["match"], name, re.I):
            facts |= {key: value for key, value in row.items() if key not in ("match", *facts)}
            break
    return facts


def _capability(pair: Any) -> float:
    return float(f"{pair[0]}.{pair[1]}")


def _links(nvml: Any, handle: Any, index: int, count: int) -> dict[str, str]:
    """How each other GPU is reached: over a direct link, or the nearest common point of PCIe."""
    names = {
        nvml.NVML_TOPOLOGY_INTERNAL: "same board",
        nvml.NVML_TOPOLOGY_SINGLE: "one PCIe switch",
        nvml.NVML_TOPOLOGY_MULTIPLE: "several PCIe switches",
        nvml.NVML_TOPOLOGY_HOSTBRIDGE: "host bridge",
        nvml.NVML_TOPOLOGY_NODE: "same NUMA node",
        nvml.NVML_TOPOLOGY_SYSTEM: "across NUMA nodes",
    }
    found = {}
    for other in range(count):
        if other == index:
            continue
        peer = nvml.nvmlDeviceGetHandleByIndex(other)
        direct = False
        with contextlib.suppress(nvml.NVMLError):
            status = nvml.nvmlDeviceGetP2PStatus(handle, peer, nvml.NVML_P2P_CAPS_INDEX_NVLINK)
            direct = status == nvml.NVML_P2P_STATUS_OK
        if direct:
            found[str(other)] = "NVLink"
            continue
        level = nvml.nvmlDeviceGetTopologyCommonAncestor(handle, peer)
        found[str(other)] = names.get(level, str(level))
    return found
