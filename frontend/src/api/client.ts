import createClient, { type Middleware } from 'openapi-fetch';
import { apiPath } from '@/lib/link';
import { RequestProblem } from '@/lib/problem';
import type { components, paths } from './schema';

export type Schemas = components['schemas'];

/** Every failed answer is thrown as a RequestProblem, so that callers only see data. */
const throwProblems: Middleware = {
  async onResponse({ response }) {
    if (!response.ok) throw await readProblem(response);
  },
};

/** Under a link the same pages read below its token. */
async function forWhoLooks(request: Request): Promise<Request> {
  const url = new URL(request.url);
  const path = apiPath(url.pathname);
  if (path === url.pathname) return request;
  url.pathname = path;
  const { method, headers, signal } = request;
  // Handing the request on as it is would stream its body, which browsers do over HTTP/2 only.
  const body = method === 'GET' || method === 'HEAD' ? undefined : await request.text();
  return new Request(url, { method, headers, signal, body });
}

async function readProblem(response: Response): Promise<RequestProblem> {
  const said: Partial<Schemas['Problem']> = await response.json().catch(() => ({}));
  return new RequestProblem({
    code: said.code ?? `http_${response.status}`,
    status: response.status,
    title: said.title ?? 'The request was refused',
    detail: said.detail ?? `The server answered ${response.status} without saying why.`,
    errors: said.errors,
    path: said.path,
  });
}

export const client = createClient<paths>({
  baseUrl: globalThis.location.origin,
  // Looked up at each call, so that tests can put another in its place.
  fetch: async (request) => globalThis.fetch(await forWhoLooks(request)),
});
client.use(throwProblems);

/** The data of an answer; openapi-fetch leaves it undefined for errors, which are thrown above. */
export async function dataOf<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data } = await answer;
  if (data === undefined) {
    throw new RequestProblem({
      code: 'empty_answer',
      status: 200,
      title: 'The answer was empty',
      detail: 'Reload the page; if it happens again, the server is older than this page.',
    });
  }
  return data;
}
