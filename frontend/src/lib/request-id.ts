/** A fresh name for one request that may be repeated. `crypto.randomUUID` is missing on plain http outside loopback. */
export function requestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
