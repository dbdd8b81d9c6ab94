/** The public API, to hold what the page shows against what it says. */

export function makeApi({ url, api_token }) {
  const headers = { Authorization: `Bearer ${api_token}`, 'Content-Type': 'application/json' };
  const call = async (method, path, body) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers,
      body: body && JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return { get: (path) => call('GET', path), post: (path, body) => call('POST', path, body) };
}

/** A small plan that runs for `seconds` a trial. */
export function smallPlan(name, seconds, connections = [2]) {
  return {
    name,
    targets: [{ kind: 'redis', profile: 'none', name: 'Redis' }],
    workload: {
      dataset: { key_count: 1000, value_size: { kind: 'fixed', bytes: 100 } },
      operations: [{ kind: 'get', weight: 1 }],
    },
    load: { kind: 'closed', connections: 1 },
    axes: [{ parameter: 'connections', values: connections }],
    trials_per_point: 1,
    stop: { seconds },
  };
}
