// A wire between the browser and the stack that can be cut: switching the browser to offline leaves open streams alive.
import net from 'node:net';

/** Forwards bytes from a free loopback port to `url`; `cut()` breaks every connection and refuses new ones until `mend()`. */
export async function startProxy(url) {
  const { hostname, port } = new URL(url);
  const sockets = new Set();
  let isCut = false;
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
      socket.pipe(other);
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      isCut = false;
    },
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
