"""Views and macros of the database that give an interval, each over a table of simulated replicates.

The SQL is the package's own: only the tables that it reads are made here, from a table `draws` of experiment,
replicate, x (the quantity of known mean) and common (what two schedulers have in common; 2 to 3).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckdb
import numpy as np
import polars as pl

from pipeline import tables
from pipeline.studies.hpc_memory import intervals as hpc_memory_intervals
from pipeline.studies.hpc_memory.replay import DEFAULTS
from pipeline.warehouse.definitions import Definition, files_of
from pipeline.warehouse.load import create_student_t
from pipeline.warehouse.schemas import Scenario

MEAN, GEOMETRIC, RELATIVE, PERCENT = "mean", "geometric mean", "geometric mean less 1", "percent"
"""What an interval is of, where x has the mean m: m, exp(m), exp(m) - 1, or 100 m."""


@dataclass(frozen=True)
class Interval:
    """Ends of one interval in a view, and how they come about from draws.

    made: statements that make what the view reads; needs: other definitions, in order; ends: columns of the lower and
    the upper end; experiment: expression for the number of the experiment; recommended: expression that is true where
    the interval is of the first scheduler less the second, null where it is not of a recommendation.
    """

    view: str
    ends: tuple[str, str]
    of: str
    made: Sequence[str]
    experiment: str
    needs: Sequence[str] = ()
    source: str = ""
    recommended: str | None = None

    @property
    def name(self) -> str:
        """View and lower end."""
        return f"{self.view}.{self.ends[0]}"

    def estimates(self, x: np.ndarray, common: np.ndarray) -> np.ndarray:
        """Lower and upper end for x and common (experiments, replicates): (experiments, 2), sign turned to x's."""
        experiments, replicates = x.shape
        draws = pl.DataFrame(
            {
                "experiment": np.repeat(np.arange(experiments), replicates),
                "replicate": np.tile(np.arange(replicates), experiments),
                "x": x.ravel(),
                "common": common.ravel(),
            }
        )
        with duckdb.connect() as connection:
            connection.execute("SET threads = 1")
            connection.register("given", draws.to_arrow())
            connection.execute("CREATE TABLE draws AS FROM given")
            create_student_t(connection)
            for statement in self.made:
                connection.execute(statement)
            for name in (*self.needs, self.view):
                connection.execute(_definition(name).text)
            turned = "true" if self.recommended is None else self.recommended
            found = connection.execute(
                f"SELECT ({self.experiment})::BIGINT AS experiment, {', '.join(self.ends)}, {turned} AS as_drawn "
                f"FROM {self.source or self.view} ORDER BY experiment"
            ).fetchnumpy()
        if found["experiment"].tolist() != list(range(experiments)):
            raise ValueError(f"{self.view} gives no single interval for each of {experiments} experiments")
        ends = np.column_stack([np.ma.filled(found[end], np.nan) for end in self.ends])
        return np.where(np.asarray(found["as_drawn"], dtype=bool)[:, None], ends, self.turned(ends))

    def turned(self, ends: np.ndarray) -> np.ndarray:
        """Ends (experiments, 2) of the opposite comparison."""
        lower, upper = ends[:, 1], ends[:, 0]
        if self.of == MEAN:
            return np.column_stack([-lower, -upper])
        if self.of == GEOMETRIC:
            return np.column_stack([1 / lower, 1 / upper])
        return np.column_stack([1 / (1 + lower) - 1, 1 / (1 + upper) - 1])

    def truth(self, mean: np.ndarray | float) -> np.ndarray | float:
        """What the interval should hold where x has the mean; likewise of the ends of an interval of x."""
        if self.of == MEAN:
            return mean
        if self.of == PERCENT:
            return 100 * mean
        return np.exp(mean) - (1 if self.of == RELATIVE else 0)


def _definition(name: str) -> Definition:
    return Definition(files_of(name)[-1])


TWO_SCHEDULERS = """CREATE TABLE scheduler AS
    FROM (VALUES ('{study}', 'a', 1), ('{study}', 'b', 2)) AS of_study (study, scheduler, complexity)"""
EITHER = "(SELECT *, 'a' AS scheduler, x AS gain FROM draws UNION ALL SELECT *, 'b', 0 FROM draws)"
"""A row per scheduler: a has x more than b."""
SCORE = f"""CREATE TABLE score AS SELECT 'any' AS study, experiment AS question, scheduler, replicate, true AS drawn,
    common + gain AS score FROM {EITHER}"""

HPC_RUN = """
    NULL::VARCHAR AS scenario_id, experiment::VARCHAR AS workload, 'phased' AS kind, NULL::VARCHAR AS trace,
    NULL::VARCHAR AS shapes, replicate AS batch, 105.0 AS memory_per_node_gb, 0.03 AS alpha, 1.0 AS tau_s,
    'serial' AS reconfiguration, 'easy' AS backfilling, '' AS dialect, false AS free_start, 'memory' AS largest_by,
    'own' AS knowledge, true AS knows_as_usual, true AS is_default,
    common * x AS mean_response_s, common AS unlimited_response_s, common * x AS mean_wait_s,
    common AS unlimited_wait_s, 0.0 AS reconfigurations"""
HPC_RESULT = (
    f"CREATE TABLE hpc_memory_result AS SELECT {HPC_RUN}, 'a' AS scheduler, x AS utilisation, x AS loss FROM draws"
)
HPC_PAPER = """CREATE TABLE hpc_memory_paper AS SELECT 'default' AS setting, 'phased' AS kind, replicate AS batch,
    'a' AS scheduler, experiment::DOUBLE AS memory_per_node_gb, 0.03 AS alpha, 1.0 AS tau_s, x AS utilisation,
    x AS normalised FROM draws"""
HPC_PAPER_PAIRS = f"""CREATE TABLE hpc_memory_paper AS SELECT 'default' AS setting, 'phased' AS kind,
    replicate AS batch, scheduler, experiment::DOUBLE AS memory_per_node_gb, 0.03 AS alpha, 1.0 AS tau_s,
    CASE scheduler WHEN 'a' THEN common * x ELSE common END AS utilisation, NULL::DOUBLE AS normalised FROM {EITHER}"""
PIM_CLAIM = """CREATE TABLE pim_ranks_claim AS
    SELECT 'tables' AS setting, false AS pooled, 'measured_shapes' AS evidence, experiment AS jobs, 'W1' AS set_name,
        'a' AS scheduler, 'batch ' || replicate AS replicate, exp(x + spread) AS throughput, exp(x - spread) AS att
    FROM draws CROSS JOIN (VALUES (0.5), (-0.5)) AS of_table (spread)
    UNION ALL SELECT DISTINCT 'tables', true, 'measured_shapes', experiment, 'W1', 'a', 'table', 1.0, 1.0 FROM draws"""
PIM_VIRTUAL = """CREATE TABLE pim_ranks_virtual AS SELECT 'measured_shapes' AS evidence, 'default' AS reading,
    experiment::VARCHAR AS set_name, 'all' AS requests, 'a' AS scheduler, 0.1 AS host_share, replicate AS batch,
    spread AS member, 14 AS ranks,
    24 AS jobs, exp(x + spread) AS throughput_ratio, exp(x - spread) AS att_ratio
    FROM draws CROSS JOIN (VALUES (0.5), (-0.5)) AS of_table (spread)"""
GRAPH_RESULT = (
    """CREATE TABLE pim_graph_result AS SELECT experiment::VARCHAR AS graph, 'stand_in' AS kind,
    'generated' AS origin, true AS whole, 'bfs' AS algorithm, 4 AS stacks, 1 AS qr, 'default' AS setting,
    {queue} AS queue, 1 AS roots, replicate AS batch, {scheduler} AS scheduler, {cycles} AS cycles,
    1.0 AS local_accesses, 1.0 AS remote_accesses, 1.0 AS energy_1x, 1.0 AS energy_5x, 1.0 AS energy_10x,
    1.0 AS imbalance FROM """
    + EITHER
)
PARTITION_RESULT = """CREATE TABLE gpu_partition_result AS SELECT experiment::VARCHAR AS workload, 'generated' AS kind,
    NULL::VARCHAR AS trace, replicate AS batch, experiment AS tasks, 8.0 AS utilisation, 0.5 AS memory_share,
    68 AS sms, 'sms' AS scheduler, 'paper' AS setting, 'inactive' AS forbidden, (x > 0)::DOUBLE AS schedulable,
    1.0 AS sms_needed, 1.0 AS partitions, 1.0 AS tasks_per_partition, x AS scheduled_workload,
    1.0 AS workload_lower, 1.0 AS workload_upper, x AS tests FROM draws"""
COMPARED = (
    """INSERT INTO scenario BY NAME SELECT scheduler || experiment || '/' || replicate AS scenario_id,
        'gpu_corun' AS study, scheduler, 1 AS seed, experiment || '/' || replicate AS workload_id, 30 AS sms
    FROM """
    + EITHER,
    """CREATE TABLE comparable_run AS SELECT scenario_id, study, scheduler, workload_id,
        split_part(workload_id, '/', 1) AS workload, 'batch ' || split_part(workload_id, '/', 2) AS replicate
    FROM scenario""",
    f"""CREATE TABLE metric AS SELECT scheduler || experiment || '/' || replicate AS scenario_id,
        'makespan_s' AS metric, common + gain AS value FROM {EITHER}""",
)


def scenario_table() -> str:
    """Statement that makes the table `scenario` as the database has it, without rows."""
    with duckdb.connect() as connection:
        connection.register("nothing", tables.empty(Scenario).to_arrow())
        columns = connection.execute("DESCRIBE FROM nothing").fetchall()
    return "CREATE TABLE scenario (" + ", ".join(f'"{name}" {kind}' for name, kind, *_ in columns) + ")"


def intervals() -> tuple[Interval, ...]:
    """Every interval that the database's SQL computes; other views show these."""
    hpc, paper = (HPC_RESULT,), (HPC_PAPER,)
    response = (
        HPC_RESULT.replace("NULL::VARCHAR AS scenario_id", "experiment || '/' || replicate AS scenario_id"),
        """CREATE TABLE hpc_memory_response AS SELECT experiment || '/' || replicate AS scenario_id, '1' AS size,
            1 AS smallest_nodes, x AS mean_response_s FROM draws""",
    )
    curve = GRAPH_RESULT.format(
        queue="'pim'", scheduler="CASE scheduler WHEN 'b' THEN 'baseline' ELSE 'a' END", cycles="common * exp(gain)",
    )  # fmt: skip
    software = GRAPH_RESULT.format(
        queue="CASE scheduler WHEN 'a' THEN 'software' ELSE 'pim' END", scheduler="'migration'",
        cycles="CASE scheduler WHEN 'a' THEN common * (1 + x) ELSE common END",
    )  # fmt: skip

    def of(view: str, column: str, what: str, made: Sequence[str], experiment: str, **further) -> Interval:
        return Interval(view, (f"{column}_lo", f"{column}_hi"), what, made, experiment, **further)

    return (
        *(of("hpc_memory_summary", c, MEAN, hpc, "workload")
          for c in ("utilisation", "loss", "response_ratio", "wait_ratio")),
        *(of("hpc_memory_paper_summary", c, MEAN, paper, "memory_per_node_gb") for c in ("utilisation", "normalised")),
        of("hpc_memory_paper_ratio", "ratio", MEAN, (HPC_PAPER_PAIRS,), "memory_per_node_gb",
           source="(FROM hpc_memory_paper_ratio WHERE scheduler = 'a' AND other = 'b')"),
        Interval("hpc_memory_response_by_size", ("mean_response_lo_s", "mean_response_hi_s"), MEAN, response,
                 "workload"),
        *(of("pim_ranks_speedup", c, GEOMETRIC, (PIM_CLAIM,), "jobs") for c in ("throughput", "att")),
        *(of("fig_pim_ranks_11", c, GEOMETRIC, (PIM_VIRTUAL,), "set_name") for c in ("throughput", "att")),
        of("recommend", "difference", MEAN, (TWO_SCHEDULERS.format(study="any"), SCORE), "question",
           needs=("tie_bound", "known_name"), recommended="scheduler = 'a'", source="recommend('any')"),
        of("pim_graph_curve", "time", GEOMETRIC, (curve,), "graph",
           source="(FROM pim_graph_curve WHERE scheduler = 'a')"),
        of("fig_pim_graph_25", "slower", PERCENT, (software,), "graph"),
        *(of("gpu_partition_point", c, MEAN, (PARTITION_RESULT,), "tasks") for c in ("scheduled_workload", "tests")),
        of("compare", "difference", MEAN,
           (scenario_table(), TWO_SCHEDULERS.format(study="gpu_corun"), *COMPARED), "workload",
           needs=("known_name",), source="compare('a', 'b')"),
    )  # fmt: skip


def wilson_of_point(successes: np.ndarray, count: int) -> np.ndarray:
    """Ends (experiments, 2) of gpu_partition_point's share, for numbers of successes among `count` sets."""
    share = Interval("gpu_partition_point", ("schedulable_lo", "schedulable_hi"), MEAN, (PARTITION_RESULT,), "tasks")
    x = (np.arange(count) < successes[:, None]).astype(float)
    return share.estimates(x, np.full(x.shape, 2.0))


def smallest_memory(losses: np.ndarray, sizes_gb: Sequence[float], bound: float) -> np.ndarray:
    """Ends (experiments, 2) in GB of the least memory that keeps a loss, from losses (experiments, sizes, batches).

    An end is nan where no size that was tried is one. Response times are those with unlimited memory.
    """
    runs = {("a", float(size)): 1 - losses[:, place] for place, size in enumerate(sizes_gb)}
    with _replayed(runs | {("unlimited", None): np.ones(losses.shape[::2])}) as connection:
        connection.execute("CREATE TABLE setting AS SELECT 'prices.memory_usd_per_gb' AS key, '7.8' AS value")
        connection.execute("""CREATE TABLE trace (trace VARCHAR, nodes BIGINT, node_memory_gb DOUBLE, jobs BIGINT,
            samples BIGINT, status VARCHAR, memory_origin VARCHAR)""")
        connection.execute("CREATE TABLE phase (trace VARCHAR)")
        connection.execute(_definition("smallest_memory_at").text)
        found = connection.execute(
            "SELECT memory_lo_gb, memory_hi_gb FROM smallest_memory_at([?], 0.1) WHERE scheduler = 'a' "
            "ORDER BY workload::BIGINT",
            [bound],
        ).fetchnumpy()
    return np.column_stack([np.ma.filled(found[end].astype(float), np.nan) for end in ("memory_lo_gb", "memory_hi_gb")])


def recommendations(values: np.ndarray) -> dict[str, np.ndarray]:
    """What recommended_hpc_memory says of utilisations (experiments, schedulers, batches), the first the simplest.

    Response times are all the same. Arrays over the experiments: scheduler and runner_up (numbers of schedulers),
    margin_lo, margin_hi.
    """
    names = [f"s{number}" for number in range(values.shape[1])]
    runs = {(name, 100.0): values[:, number] for number, name in enumerate(names)}
    with _replayed(runs | {("unlimited", None): np.ones(values.shape[::2])}) as connection:
        connection.execute("CREATE TABLE scheduler (study VARCHAR, scheduler VARCHAR, complexity BIGINT)")
        connection.executemany(
            "INSERT INTO scheduler VALUES ('hpc_memory', ?, ?)", [[name, place] for place, name in enumerate(names)]
        )
        macros = ("said_number", "size_number", "size_unit", "said_size")
        for name in (*macros, "recommended_hpc_memory"):
            connection.execute(_definition(name).text)
        return connection.execute(
            "SELECT scheduler[2:]::BIGINT AS scheduler, runner_up[2:]::BIGINT AS runner_up, margin_lo, margin_hi "
            "FROM recommended_hpc_memory ORDER BY workload::BIGINT"
        ).fetchnumpy()


def _replayed(runs: Mapping[tuple[str, float | None], np.ndarray]) -> duckdb.DuckDBPyConnection:
    """A database with what hpc_memory makes of replays: by scheduler and size utilisations (experiments, batches)."""
    scenarios, spans = [], []
    experiments, batches = next(iter(runs.values())).shape
    families = [str(number) for number in range(experiments)]
    workloads = pl.DataFrame(
        [{"workload_id": f"{family}/{b}", "family": family, "batch": b, "kind": "phased", "knowledge": "own",
          "tau_s": None}
         for family in families for b in range(batches)],
        schema_overrides={"tau_s": pl.Float64},
    )  # fmt: skip
    for (scheduler, memory), utilisation in runs.items():
        for family, batch in itertools.product(families, range(batches)):
            scenario_id = f"{scheduler} {memory} {family} {batch}"
            scenarios.append(
                {name: DEFAULTS[name] for name in DEFAULTS if name != "memory_gb"}
                | {"scenario_id": scenario_id, "scheduler": scheduler, "workload_id": f"{family}/{batch}",
                   "memory_per_node_gb": memory}
            )  # fmt: skip
            spans.append(
                {"scenario_id": scenario_id, "span": 0, "jobs": 1, "node_s": 1.0, "response_s": 1.0, "wait_s": 1.0,
                 "useful_node_s": float(utilisation[int(family), batch]), "slowdown": 1.0}
            )  # fmt: skip
    made = hpc_memory_intervals.tables(workloads, pl.DataFrame(scenarios), pl.DataFrame(spans))
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    for name, frame in made.items():
        connection.register("made", frame.to_arrow())
        connection.execute(f"CREATE TABLE {name} AS FROM made")
        connection.unregister("made")
    connection.execute("""CREATE TABLE hpc_memory_basis AS SELECT DISTINCT workload, 'phased' AS kind,
        NULL::VARCHAR AS trace, NULL::DOUBLE AS share_of_log, 10 AS nodes, NULL::VARCHAR AS nodes_origin,
        1.0 AS offered_load, 'synthetic' AS memory_origin, NULL::VARCHAR AS assumed, NULL::VARCHAR AS warnings,
        256.0 AS node_memory_gb FROM steady_hpc_memory""")
    connection.execute("""CREATE TABLE workload AS SELECT NULL::VARCHAR AS trace, NULL::VARCHAR AS shapes,
        workload AS family FROM hpc_memory_basis""")
    return connection
