"""The machine's processors and their load."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.monitor.rules.figures import as_go, level

CORES = 8
_FLAGS = (
    "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2 ht syscall "
    "nx rdtscp lm constant_tsc rep_good nopl cpuid pni pclmulqdq ssse3 fma cx16 pcid sse4_1 sse4_2 x2apic movbe "
    "popcnt aes xsave avx f16c rdrand hypervisor lahf_lm abm bmi1 avx2 smep bmi2 erms invpcid rdseed adx smap "
    "clflushopt clwb sha_ni xsaveopt xsavec"
)


def information() -> list[dict[str, Any]]:
    """Return one entry per core."""
    return [
        {
            "cpu": core,
            "vendorId": "AuthenticAMD",
            "family": "25",
            "model": "17",
            "stepping": 1,
            "physicalId": "0",
            "coreId": str(core),
            "cores": 1,
            "modelName": "AMD EPYC",
            "mhz": 2596.14,
            "cacheSize": 1024,
            "flags": _FLAGS.split(),
            "microcode": "0x1000065",
        }
        for core in range(CORES)
    ]


def usage(context: AppContext, *, each: bool) -> list[float]:
    """Return the load in percent, on average or per core; processes of the session's rows fill one core after the other."""
    record = (context.first("host") or {}).get("cpu_percent")
    planted = sum(float(row.get("cpu_percent") or 0) for row in context.list("process") if not row.get("gone"))
    cores = []
    for core in range(CORES):
        usual = level(context, f"cpu.{core}", 1.5, 9.0) if record is None else float(record)
        taken = min(max(planted, 0), 100.0)
        planted -= taken
        cores.append(round(min(max(usual, 0) + taken * (100 - min(max(usual, 0), 100)) / 100, 100.0), 6))
    return [as_go(core) for core in cores] if each else [as_go(round(sum(cores) / CORES, 6))]
