"""A probed card through every stage."""

import duckdb


def test_x(card_database):
    with duckdb.connect(str(card_database), read_only=True) as c:
        for q in (
            "FROM gpu_card_kernel",
            "FROM gpu_card_pair LIMIT 20",
            "SELECT id, quantity, origin, paper_value, value, lo, hi, replicates, verdict FROM claim_measured",
        ):
            print(c.sql(q))
        for v in (
            "recommended_gpu_sharing",
            "best_gpu_partner",
            "recommended_sm_assignment",
            "recommended_corun_scheduler",
            "recommended_gpu_partition",
            "sms_for_qos",
        ):
            print(v, c.execute(f"SELECT origin, count(*) FROM {v} GROUP BY ALL").fetchall())
    assert 0
