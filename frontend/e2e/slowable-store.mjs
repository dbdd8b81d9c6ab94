// A memcached that is somebody else's, behind a wire that can be made slow.
import { spawn } from 'node:child_process';
import net from 'node:net';
import { startProxy } from './cuttable-proxy.mjs';
import { until } from './report.mjs';

export async function startSlowableStore() {
  const port = await freePort();
  const user = process.getuid() === 0 ? ['-u', 'nobody'] : [];
  const server = spawn('memcached', ['-l', '127.0.0.1', '-p', String(port), '-U', '0', '-m', '64', ...user]);
  await until('memcached', () => isListening(port), 10_000);
  const proxy = await startProxy(`http://127.0.0.1:${port}`);
  return {
    port: proxy.port,
    slow: proxy.slow,
    stop() {
      proxy.stop();
      server.kill('SIGKILL');
    },
  };
}

async function freePort() {
  const probe = net.createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function isListening(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
