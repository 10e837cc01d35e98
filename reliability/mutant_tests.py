"""Which tests have to notice a mutant of which modules, the fastest first, and which are left out for being slow."""

from __future__ import annotations

from pathlib import Path

from pipeline.runtime.sources import ROOT

STUDIES = "pipeline/studies"
TESTS = "tests/studies"

KERNELS = {
    "hpc_memory": ("model", "expected_work", "rules", "admission", "arrays"),
    "pim_ranks": ("model", "rules", "care", "stages", "virtual_pim", "arrays", "search"),
    "gpu_corun": ("model/contention", "model/engine", "model/search", "rules", "replay", "arrays"),
    "gpu_sharing": (
        "rules", "model/__init__", "model/asking", "model/splits", "model/dynamic", "model/qos", "model/variation",
    ),
    "gpu_partition": (
        "rules", "model/__init__", "model/engine", "model/merging", "model/exact", "model/moving",
        "model/non_preemptive", "model/simulate", "model/processor_demand", "model/fixed_priority", "schedulability",
    ),
    "pim_graph": (
        "rules", "survey", "model/graph", "model/cores", "model/tasks", "model/queues", "model/traversal",
        "model/dependencies", "model/batch", "model/certificate",
    ),
    "memory_tiers": ("model/engine", "model/queue", "model/pool", "model/state", "rules", "arrays"),
}  # fmt: skip
"""Compiled modules of each study, and those that lay out their arrays."""

OF_STUDY = {
    "hpc_memory": (
        "test_easy_by_hand", "test_model_equations", "test_event_order", "test_memory_aware_easy", "test_expected_work",
        "test_easy_rounding", "test_hpc_memory_refusals", "test_hpc_memory_laws", "test_allocators_are_lp_optima",
        "test_against_slow_reference",
    ),
    "pim_ranks": (
        "test_algorithm_2_by_hand", "test_pim_ranks_against_slow_reference", "test_pim_ranks_optimal",
        "test_pim_ranks_tables", "test_pim_ranks_refusals", "test_care_floor_pays",
    ),
    "gpu_corun": (
        "test_gpu_corun_by_hand", "test_gpu_corun_against_slow_reference", "test_gpu_corun_optimal",
        "test_gpu_corun_refusals", "test_gpu_corun_own_rule",
    ),
    "gpu_sharing": (
        "test_splits_are_brute_force_optima", "test_dynamic_allocation", "test_qos_rounds", "test_sm_assignment",
        "test_sm_map", "test_table_6", "test_qos_scenarios", "test_variation_scenarios", "test_gpu_sharing_workloads",
    ),
    "gpu_partition": (
        "test_gpu_partition_against_slow_reference", "test_schedulability", "test_gpu_partition_optimal",
        "test_local_search_ends_at_an_optimum", "test_gpu_partition_slices",
    ),
    "pim_graph": (
        "test_pim_graph_against_slow_engine", "test_pim_graph_survey", "test_pim_graph_workload",
        "test_pim_graph_values_and_laws", "test_pim_graph_refusals", "test_pim_graph_trial", "test_pim_graph_own_rule",
    ),
    "memory_tiers": (
        "test_backfilling_by_brute_force", "test_memory_tiers_against_slow_reference", "test_memory_tiers_laws",
        "test_memory_tiers_is_the_papers_machine", "test_memory_tiers_workloads",
    ),
}  # fmt: skip

OF_MODULE = {
    "pipeline/simulation/easy.py": (
        "tests/studies/hpc_memory/test_easy_by_hand.py",
        "tests/studies/hpc_memory/test_event_order.py",
        "tests/studies/hpc_memory/test_memory_aware_easy.py",
        "tests/studies/hpc_memory/test_easy_rounding.py",
        "tests/studies/hpc_memory/test_against_slow_reference.py",
    ),
    "pipeline/simulation/table.py": (
        "tests/studies/gpu_corun/test_gpu_corun_refusals.py",
        "tests/studies/hpc_memory/test_hpc_memory_refusals.py",
        "tests/studies/gpu_corun/test_gpu_corun_by_hand.py",
    ),
    "pipeline/studies/gpu_partition/generate.py": ("tests/studies/gpu_partition/test_gpu_partition_workloads.py",),
    "pipeline/fit/phases.py": ("tests/fit/test_fit_phases.py",),
    "pipeline/fit/profiles.py": ("tests/fit/test_fit_profiles.py",),
    "pipeline/fit/perf_table.py": ("tests/fit/test_perf_table.py",),
    "pipeline/fit/sm_curve.py": ("tests/fit/test_sm_curve.py",),
    "pipeline/fit/kernel_class.py": ("tests/fit/test_kernel_class.py",),
    "pipeline/fit/levels.py": ("tests/fit/test_fit_levels.py",),
    "pipeline/fit/corun_choice.py": ("tests/fit/test_corun_choice.py",),
}

PARTITION = f"{TESTS}/gpu_partition"
SLOW = (
    f"{PARTITION}/test_gpu_partition_optimal.py::test_nothing_is_accepted_that_is_overloaded",
    f"{PARTITION}/test_local_search_ends_at_an_optimum.py::test_local_search_only_adds_to_what_sms_accepts",
    f"{PARTITION}/test_schedulability.py::test_quick_analysis_agrees_with_the_scan_on_large_random_sets",
    f"{PARTITION}/test_schedulability.py::test_the_bound_is_where_a_longer_look_finds_no_more",
    f"{PARTITION}/test_schedulability.py::test_more_work_never_helps_and_a_subset_never_hurts",
    f"{PARTITION}/test_schedulability.py::test_a_set_loaded_to_the_brim_with_an_endless_hyperperiod_does_not_hang",
)
"""Tests left out: without compilation they take as long as a mutant has."""


def tests_of(module: str) -> list[str]:
    """Test files for a module, both as paths from the root. Raises ValueError for a module that has none here."""
    if module in OF_MODULE:
        return list(OF_MODULE[module])
    for study, names in OF_STUDY.items():
        if module.startswith(f"{STUDIES}/{study}/"):
            return [f"{TESTS}/{study}/{name}.py" for name in names]
    raise ValueError(f"no tests are named for mutants of {module}; reliability/mutant_tests.py names those of others")


def modules() -> list[str]:
    """Modules that are mutated, as paths from the root: event loops, kernels, schedulers and fits."""
    kernels = [f"{STUDIES}/{study}/{name}.py" for study, names in KERNELS.items() for name in names]
    orders = [str(path.relative_to(ROOT)) for path in sorted(Path(ROOT, STUDIES).glob("*/schedulers/*.py"))]
    return sorted([*OF_MODULE, *kernels, *orders])
