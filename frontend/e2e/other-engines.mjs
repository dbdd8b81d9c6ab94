// One run by our engine and three of others: every figure they have, and in words what each cannot measure.
import assert from 'node:assert/strict';
import { fact, step, until } from './report.mjs';

const RUN_LIMIT_MS = 60_000;
const PLAN = {
  name: 'four engines',
  targets: [
    { kind: 'redis', profile: 'none', name: 'Redis' },
    { kind: 'memcached', profile: 'default', name: 'memcached' },
  ],
  engines: [
    { name: 'native' },
    { name: 'redis-benchmark', targets: ['Redis'] },
    { name: 'python-redis', targets: ['Redis'] },
    { name: 'memslap', targets: ['memcached'] },
  ],
  workload: {
    dataset: { key_count: 500, key_size_bytes: 24, value_size: { kind: 'fixed', bytes: 100 } },
    operations: [{ kind: 'get', weight: 1 }],
  },
  load: { kind: 'closed', connections: 4, pipeline: 1 },
  trials_per_point: 1,
  stop: { operations: 2000 },
};

/** The run's id. */
export async function measureByOtherEngines(page, url, api) {
  let run;
  await step('one run by four engines succeeds', async () => {
    const startedAt = Date.now();
    run = await api.post('/runs', { plan: PLAN });
    await until(
      'the end of the run',
      async () => (await api.get(`/runs/${run.id}`)).finished_at,
      RUN_LIMIT_MS,
    );
    fact('run by four engines (ms)', Date.now() - startedAt);
    const trials = (await api.get(`/runs/${run.id}/trials`)).items;
    const told = trials.map(({ parameters, status, engine, engine_version: version }) =>
      [parameters.engine, status, engine, Boolean(version)].join(' '),
    );
    assert.deepEqual(told.sort(), [
      'memslap succeeded memslap true',
      'native succeeded loadstone-engine true',
      'native succeeded loadstone-engine true',
      'python-redis succeeded python-redis true',
      'redis-benchmark succeeded redis-benchmark true',
    ]);
  });
  await step('the page says which engine cannot give which figure, and shows no zero for it', async () => {
    await page.goto(`${url}/runs/${run.id}`);
    const limits = page.getByRole('region', { name: 'What an engine cannot measure' });
    await limits.getByText(/^memslap: .*measures no single request/).waitFor();
    await limits.getByText(/^redis-benchmark: .*few percentiles only/).waitFor();
    assert.equal(await limits.getByText(/native|loadstone-engine/).count(), 0);
    const cells = page.getByRole('row', { name: /memslap/ }).getByRole('cell');
    assert.equal(
      (await cells.allInnerTexts()).filter((text) => text === '–').length,
      6,
      'five times unknown, and no band over a single trial',
    );
  });
  return run.id;
}
