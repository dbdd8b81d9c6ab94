import { apiPath } from '@/lib/link';
import { RequestProblem } from '@/lib/problem';
import type { Schemas } from './client';

interface ImportOptions {
  readonly joinSeries: boolean;
  /** 0 to 1, of what was sent. */
  readonly onProgress: (share: number) => void;
}

export interface ImportedRun {
  readonly run: Schemas['Run'];
  /** False when the same bundle was imported before. */
  readonly isNew: boolean;
}

/** By XMLHttpRequest: fetch tells nothing of how much was sent, and a bundle may take minutes. */
export function importBundle(file: File, { joinSeries, onProgress }: ImportOptions): Promise<ImportedRun> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', apiPath(`/api/v1/bundles?join_series=${joinSeries}`));
    request.setRequestHeader('Content-Type', 'application/zip');
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onerror = () => reject(new TypeError('no answer'));
    request.onload = () => {
      if (request.status < 300) resolve({ run: request.response, isNew: request.status === 201 });
      else reject(problemOf(request.status, request.response));
    };
    request.send(file);
  });
}

function problemOf(status: number, said: Partial<Schemas['Problem']> | null): RequestProblem {
  return new RequestProblem({
    code: said?.code ?? `http_${status}`,
    status,
    title: said?.title ?? 'The request was refused',
    detail: said?.detail ?? `The server answered ${status} without saying why.`,
    errors: said?.errors,
  });
}
