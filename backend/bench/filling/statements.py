"""The SQL that multiplies templates into a history. Times in ns, rates per second.

Everything of one round (one run of every plan) is made in temporary tables first, so that a trial's metrics, its
point's band and its series' value all come from the same draw.
"""

PREPARE = """
CREATE FUNCTION pg_temp.normal() RETURNS float8 LANGUAGE sql VOLATILE AS
  'SELECT (random() + random() + random() + random() - 2) * 1.7320508';
-- A UUIDv7 that sorts by `at`; kind and number make it unique.
CREATE FUNCTION pg_temp.id_at(at timestamptz, kind int, number bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS
  $$SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(kind), 3, '0')
            || '8' || lpad(to_hex(number), 15, '0'))::uuid$$;
CREATE TEMP TABLE template_plans (
  plan_no int PRIMARY KEY, plan_id uuid, name text, definition jsonb, definition_hash text, first_run int,
  point_count int, trial_count int);
CREATE TEMP TABLE template_points (
  plan_no int, ordinal int, parameters jsonb, target_index int, work jsonb, identity jsonb, identity_hash text,
  series_id uuid, title text, labels jsonb, operation text, store_kind text,
  rate_per_s float8, p50_ns float8, spread float8, step_run int,
  step float8, PRIMARY KEY (plan_no, ordinal));
CREATE TEMP TABLE template_trials (
  plan_no int, ordinal int, point_ordinal int, repetition int, block int, seed bigint, PRIMARY KEY (plan_no, ordinal));
CREATE TEMP TABLE template_stores (store_kind text, release int, id uuid, version text);
"""

ROUND_TABLES = """
DROP TABLE IF EXISTS round_runs, round_points, round_trials;
CREATE TEMP TABLE round_runs AS
  SELECT p.plan_no, %(round)s::bigint * 100000 + p.plan_no AS number, at,
         pg_temp.id_at(at, 1, %(round)s::bigint * 100000 + p.plan_no) AS id,
         -- One run in 40 has a trial that failed.
         (%(round)s + p.plan_no) %% 40 = 7 AS is_failed
  FROM template_plans p
  CROSS JOIN LATERAL (SELECT %(at)s::timestamptz + p.plan_no * interval '1 minute' AS at) AS t
  WHERE p.first_run <= %(round)s;
CREATE TEMP TABLE round_points AS
  SELECT r.plan_no, r.id AS run_id, r.at, r.number, t.ordinal, t.series_id, t.operation,
         pg_temp.id_at(r.at, 2, r.number * 1000 + t.ordinal) AS id, s.id AS store_id, s.version,
         -- What a session does to all of its trials.
         t.rate_per_s * exp(0.7 * t.spread * pg_temp.normal())
           * CASE WHEN %(round)s >= t.step_run THEN 1 + t.step ELSE 1 END AS rate_per_s,
         t.p50_ns * CASE WHEN %(round)s >= t.step_run THEN 1 / (1 + t.step) ELSE 1 END AS p50_ns, t.spread
  FROM round_runs r JOIN template_points t USING (plan_no)
  JOIN template_stores s ON s.store_kind = t.store_kind AND s.release = %(release)s;
CREATE TEMP TABLE round_trials AS
  SELECT p.id AS point_id, p.run_id, p.operation, p.store_id, t.ordinal, t.repetition, t.block, t.seed,
         pg_temp.id_at(p.at, 3, p.number * 1000 + t.ordinal) AS id,
         p.at + t.ordinal * interval '15 seconds' AS started_at,
         r.is_failed AND t.ordinal = 59 AS is_failed,
         -- 1 in 100 is void, 2 in 100 are doubtful.
         CASE WHEN draw < 0.01 THEN 'void' WHEN draw < 0.03 THEN 'warn' ELSE 'pass' END AS trust,
         p.rate_per_s * noise AS rate_per_s, p.p50_ns / noise AS p50_ns,
         exp(0.05 * pg_temp.normal()) AS tail, exp(0.3 * pg_temp.normal()) AS far_tail
  FROM round_points p
  JOIN round_runs r ON r.id = p.run_id
  JOIN template_trials t ON t.plan_no = p.plan_no AND t.point_ordinal = p.ordinal
  CROSS JOIN LATERAL (SELECT random() + 0 * p.ordinal * t.ordinal AS draw,
                             exp(0.3 * p.spread * pg_temp.normal()) + 0 * t.ordinal AS noise) AS drawn;
"""

RUNS = """
INSERT INTO runs (id, team_id, name, plan_id, plan_version, definition, definition_hash, seed, status, priority,
  agent_selector, agent_id, point_count, trial_count, status_counts, estimated_s, last_event_seq, created_by,
  created_at, started_at, finished_at, analysed_at, error_code, error_detail)
SELECT r.id, %(team)s, p.name, p.plan_id, 1, p.definition, p.definition_hash, 1,
  CASE WHEN r.is_failed THEN 'failed' ELSE 'succeeded' END, 0, '{}', %(agent)s, p.point_count, p.trial_count,
  jsonb_build_object('queued', 0, 'claimed', 0, 'running', 0, 'cancelling', 0, 'cancelled', 0, 'crashed', 0,
    'failed', r.is_failed::int, 'succeeded', p.trial_count - r.is_failed::int),
  p.trial_count * 15, 0, %(user)s, r.at, r.at, ended_at, ended_at,
  CASE WHEN r.is_failed THEN 'store_died' END,
  CASE WHEN r.is_failed THEN '1 of ' || p.trial_count || ' trials failed; the first one: The store ended.' END
FROM round_runs r JOIN template_plans p USING (plan_no)
CROSS JOIN LATERAL (SELECT r.at + p.trial_count * interval '15 seconds' AS ended_at) AS e ORDER BY r.at
"""

POINTS = """
INSERT INTO points (id, team_id, run_id, ordinal, parameters, target_index, work, identity, identity_hash, series_id)
SELECT p.id, %(team)s, p.run_id, p.ordinal, t.parameters, t.target_index, t.work, t.identity, t.identity_hash,
  t.series_id
FROM round_points p JOIN template_points t USING (plan_no, ordinal) ORDER BY p.id
"""

TRIALS = """
INSERT INTO trials (id, team_id, run_id, point_id, ordinal, repetition, block, seed, group_size, status, attempt,
  claimed_at, started_at, finished_at, engine, engine_version, engine_elapsed_s, error_code, error_message, warnings,
  trust, trust_reasons, is_counted, environment_id, store_configuration_id, histogram_digits, command_lines)
SELECT id, %(team)s, run_id, point_id, ordinal, repetition, block, seed, 1,
  CASE WHEN is_failed THEN 'failed' ELSE 'succeeded' END, 1, started_at, started_at, started_at + interval '13 s',
  'native', '0.1.0', 12.5, CASE WHEN is_failed THEN 'store_died' END,
  CASE WHEN is_failed THEN 'The store ended.' END, '[]', CASE WHEN NOT is_failed THEN trust END,
  CASE WHEN is_failed OR trust = 'pass' THEN '[]'::jsonb ELSE jsonb_build_array(jsonb_build_object(
    'code', 'competing_load', 'message', 'Something else was busy on the host.', 'evidence', '{}'::jsonb)) END,
  NOT is_failed AND trust <> 'void', %(environment)s, store_id, 3, '[]'
FROM round_trials ORDER BY id
"""

VALUES = """(VALUES
  ('throughput_per_s', t.rate_per_s), ('response_time_p50_ns', t.p50_ns), ('response_time_p90_ns', t.p50_ns * 1.4),
  ('response_time_p95_ns', t.p50_ns * 1.8), ('response_time_p99_ns', t.p50_ns * 3 * t.tail),
  ('response_time_p999_ns', t.p50_ns * 9 * t.far_tail), ('response_time_max_ns', t.p50_ns * 60 * t.far_tail),
  ('service_time_p99_ns', t.p50_ns * 2.9 * t.tail), ('error_share', 0.0), ('elapsed_s', 10.0)) AS v (metric, value)"""

TRIAL_METRICS = f"""
INSERT INTO trial_metrics (point_id, operation, metric, trial_id, value)
SELECT t.point_id, 'all', v.metric, t.id, v.value FROM round_trials t CROSS JOIN LATERAL {VALUES}
WHERE NOT t.is_failed ORDER BY 1, 2, 3, 4
"""

TIMES = """jsonb_build_object('p50', {0}(p50_ns)::bigint, 'p90', ({0}(p50_ns) * 1.4)::bigint,
  'p95', ({0}(p50_ns) * 1.8)::bigint, 'p99', {0}(p50_ns * 3 * tail)::bigint,
  'p999', {0}(p50_ns * 9 * far_tail)::bigint, 'max', {0}(p50_ns * 60 * far_tail)::bigint)"""
SPAN = "jsonb_build_object('low', min({0})::bigint, 'high', max({0})::bigint)"
BAND_TIMES = (
    "jsonb_build_object("
    + ", ".join(
        f"'{name}', {SPAN.format(value)}"
        for name, value in (
            ("p50", "p50_ns"),
            ("p90", "p50_ns * 1.4"),
            ("p95", "p50_ns * 1.8"),
            ("p99", "p50_ns * 3 * tail"),
            ("p999", "p50_ns * 9 * far_tail"),
            ("max", "p50_ns * 60 * far_tail"),
        )
    )
    + ")"
)

POINT_OPERATIONS = f"""
INSERT INTO point_operations (point_id, operation, run_id, trials_counted, count, error_count, errors,
  throughput_per_s, response_time_ns, service_time_ns, band)
SELECT c.point_id, o.operation, c.run_id, c.trials, c.trials * (c.rate_per_s * 10)::bigint, 0, '{{}}', c.rate_per_s,
  c.times, c.times, jsonb_build_object('throughput_per_s', c.rate_band, 'response_time_ns', c.time_band,
    'service_time_ns', c.time_band)
FROM (SELECT point_id, run_id, operation, count(*) AS trials, avg(rate_per_s) AS rate_per_s,
        {TIMES.format("avg")} AS times, {SPAN.format("rate_per_s")} AS rate_band, {BAND_TIMES} AS time_band
      FROM round_trials WHERE NOT is_failed AND trust <> 'void' GROUP BY point_id, run_id, operation) AS c
CROSS JOIN LATERAL (VALUES ('all'), (c.operation)) AS o (operation) ORDER BY 1, 2
"""

SERIES_POINTS = """
INSERT INTO series_points (series_id, at, point_id, team_id, run_id, store_version, engine_version, environment_id,
  store_configuration_id)
SELECT p.series_id, min(t.started_at), p.id, %(team)s, p.run_id, p.version, '0.1.0', %(environment)s, p.store_id
FROM round_points p JOIN round_trials t ON t.point_id = p.id AND NOT t.is_failed
GROUP BY p.series_id, p.id, p.run_id, p.version, p.store_id ORDER BY 1, 2
"""

SERIES_VALUES = f"""
INSERT INTO series_values (series_id, operation, metric, at, point_id, value, low, high, trials_counted)
SELECT p.series_id, 'all', v.metric, s.at, p.id, avg(v.value), min(v.value), max(v.value), count(*)
FROM round_points p JOIN series_points s ON s.point_id = p.id
JOIN round_trials t ON t.point_id = p.id AND NOT t.is_failed AND t.trust <> 'void'
CROSS JOIN LATERAL {VALUES}
GROUP BY p.series_id, v.metric, s.at, p.id ORDER BY 1, 2, 3, 4
"""

ROUND = (RUNS, POINTS, TRIALS, TRIAL_METRICS, POINT_OPERATIONS, SERIES_POINTS, SERIES_VALUES)

SERIES = """
INSERT INTO series (id, team_id, identity_hash, identity, agent_class, created_at, title, labels)
SELECT series_id, %(team)s, identity_hash, identity, %(agent_class)s, %(at)s, title, labels FROM template_points
"""

SERIES_SUMS = """
UPDATE series SET value_count = v.points, first_at = v.first_at, last_at = v.last_at, store_versions = v.versions
FROM (SELECT series_id, count(*) AS points, min(at) AS first_at, max(at) AS last_at,
        jsonb_agg(DISTINCT store_version) AS versions
      FROM series_points WHERE team_id = %(team)s GROUP BY series_id) AS v
WHERE series.id = v.series_id
"""

SERIES_FACETS = """
INSERT INTO series_facets (team_id, label, value, series_count)
SELECT team_id, l.key, l.value, count(*) FROM series CROSS JOIN LATERAL jsonb_each_text(labels) AS l
WHERE team_id = %(team)s GROUP BY team_id, l.key, l.value
"""

RESULTS = """
INSERT INTO operation_results (trial_id, agent_id, attempt, phase, operation, elapsed_ns, count, late, error_count,
  errors, hits, misses, bytes_sent, bytes_received, throughput_per_s, response_time_ns, service_time_ns,
  response_histogram, service_histogram, totals)
SELECT t.id, %(agent)s, 1, 'measure', t.operation, 10000000000, n.count, 0, 0, '{}', n.count, 0, n.count * 30,
  n.count * 120, t.rate_per_s, n.times, n.times, %(histogram)s, %(histogram)s,
  jsonb_build_object('phase', 'measure', 'started_at_unix_ns', (extract(epoch FROM t.started_at) * 1e9)::bigint,
    'elapsed_ns', 10000000000, 'sent', n.count, 'answered', n.count, 'failed', 0, 'in_flight', 0, 'offered', n.count,
    'late_share', 0, 'engine_cpu_ns', 3000000000, 'engine_busy_share', 0.3, 'littles_law_residual', 0.01,
    'saturated', false)
FROM round_trials t CROSS JOIN LATERAL (SELECT (t.rate_per_s * 10)::bigint AS count,
  jsonb_build_object('p50', t.p50_ns::bigint, 'p90', (t.p50_ns * 1.4)::bigint, 'p95', (t.p50_ns * 1.8)::bigint,
    'p99', (t.p50_ns * 3)::bigint, 'p999', (t.p50_ns * 9)::bigint, 'max', (t.p50_ns * 60)::bigint) AS times) AS n
WHERE NOT t.is_failed
"""

SAMPLES = """
INSERT INTO samples (trial_id, agent_id, attempt, seq, operation, phase, at, elapsed_ns, duration_ns, in_flight, count,
  late, error_count, errors, hits, misses, bytes_sent, bytes_received, response_time_ns, service_time_ns,
  response_histogram, service_histogram)
SELECT t.id, %(agent)s, 1, s.seq, t.operation, 'measure', t.started_at + s.seq * interval '1 second',
  (s.seq + 1) * 1000000000::bigint, 1000000000, 4, n.count, 0, 0, '{}', n.count, 0, n.count * 30, n.count * 120,
  n.times, n.times, %(histogram)s, %(histogram)s
FROM round_trials t CROSS JOIN generate_series(0, 9) AS s (seq)
CROSS JOIN LATERAL (SELECT exp(0.02 * pg_temp.normal()) + 0 * s.seq AS wobble) AS w
CROSS JOIN LATERAL (SELECT (t.rate_per_s * w.wobble)::bigint AS count,
  jsonb_build_object('p50', (t.p50_ns / w.wobble)::bigint, 'p90', (t.p50_ns * 1.4 / w.wobble)::bigint,
    'p95', (t.p50_ns * 1.8 / w.wobble)::bigint, 'p99', (t.p50_ns * 3 * t.tail / w.wobble)::bigint,
    'p999', (t.p50_ns * 9 * t.far_tail)::bigint, 'max', (t.p50_ns * 20 * t.far_tail)::bigint) AS times) AS n
WHERE NOT t.is_failed
"""

SAMPLED = (RESULTS, SAMPLES)
"""For the newest rounds only: their trials open with seconds and phases."""
