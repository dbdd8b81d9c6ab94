// A wire that can be cut, between the browser and the stack (switching the browser to offline leaves open streams alive),
// or slowed, between an engine and its target.
import net from 'node:net';

/**
 * Forwards bytes from a free loopback port to `url`; `cut()` breaks every connection and refuses new ones until `mend()`;
 * after `slow(ms)` every answer is that much later.
 */
export async function startProxy(url) {
  const { hostname, port } = new URL(url);
  const sockets = new Set();
  let isCut = false;
  let delayMs = 0;
  const server = net.createServer((inner) => {
    if (isCut) return inner.destroy();
    const outer = net.connect(Number(port || 80), hostname);
    for (const [socket, other] of [
      [inner, outer],
      [outer, inner],
    ]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    inner.pipe(outer);
    outer.on('data', (answer) => {
      if (delayMs === 0) inner.write(answer);
      else setTimeout(() => inner.writable && inner.write(answer), delayMs);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    url: `http://127.0.0.1:${server.address().port}`,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      isCut = false;
    },
    slow(ms) {
      delayMs = ms;
    },
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
