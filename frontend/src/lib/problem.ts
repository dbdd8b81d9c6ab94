import type { PathMessage } from './json-path';

/** Why a request failed, as the api said it (problem+json) or as the browser found it. */
export class RequestProblem extends Error {
  readonly code: string;
  /** 0 when no answer came. */
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors: readonly PathMessage[];
  /** The field at fault, where the whole refusal is about one. */
  readonly path: string | null;

  constructor(facts: {
    code: string;
    status: number;
    title: string;
    detail: string;
    errors?: readonly PathMessage[] | null;
    path?: string | null;
  }) {
    super(`${facts.title}: ${facts.detail}`);
    this.name = 'RequestProblem';
    this.code = facts.code;
    this.status = facts.status;
    this.title = facts.title;
    this.detail = facts.detail;
    this.errors = facts.errors ?? [];
    this.path = facts.path ?? null;
  }
}

/** Anything thrown, as a problem with a code and a sentence. */
export function toProblem(error: unknown): RequestProblem {
  if (error instanceof RequestProblem) return error;
  if (error instanceof TypeError) {
    return new RequestProblem({
      code: 'no_answer',
      status: 0,
      title: 'The server did not answer',
      detail:
        'It may be restarting, or the network is away. Nothing you typed is lost: try again in a moment.',
    });
  }
  const detail = error instanceof Error ? error.message : String(error);
  return new RequestProblem({ code: 'page_fault', status: 0, title: 'The page made a mistake', detail });
}
