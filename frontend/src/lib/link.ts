const LINK_PAGE = /^\/(?:s|embed)\/([^/?#]+)/;
const API = '/api/v1/';
const SHARED = `${API}shared/`;

/** The token of the link that is open, where a link is: its visitor has no session and sees one thing only. */
export function linkToken(pathname = globalThis.location.pathname): string | null {
  return LINK_PAGE.exec(pathname)?.[1] ?? null;
}

/** Whoever came by a link reads and changes nothing: buttons that change something are left out. */
export function isVisitor(): boolean {
  return linkToken() !== null;
}

/** The api's address of `path` for whoever looks at this page: under a link, the same address lies below its token. */
export function apiPath(path: string, token = linkToken()): string {
  if (token === null || !path.startsWith(API) || path.startsWith(SHARED)) return path;
  return `${SHARED}${token}/${path.slice(API.length)}`;
}
