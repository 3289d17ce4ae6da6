// What can stand before the server on HTTP: how each is started, and what it is called.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { peer } from './between.mjs';
import { NpmPeers } from './npm-peers.mjs';

const node = process.execPath;
const wireproof = path.resolve('dist/wireproof.cjs');
const nginx = process.env.NGINX ?? 'nginx';
const peers = new NpmPeers('bench-peers');
const peerVersions = { 'mcp-proxy': '6.7.19', supergateway: '4.0.0', 'mcp-remote': '0.15.1' };

/**
 * Starts a process in a group of its own, and waits until it says its URL on stdout or stderr.
 *
 * @param saysUrl where it does not say it: the URL at which it will answer
 */
export async function start(command, { saysUrl, env = process.env } = {}) {
  const child = spawn(command[0], command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  let said = '';
  const url = await new Promise((resolve, reject) => {
    for (const output of [child.stdout, child.stderr]) {
      output.setEncoding('utf8').on('data', (text) => {
        if (said.length < 10_000) said += text;
        const found = /http:\/\/127\.0\.0\.1:\d+\/mcp\b/.exec(said);
        if (found && !saysUrl) resolve(found[0]);
      });
    }
    child.once('error', reject).once('exit', () => reject(new Error(`${command.join(' ')} ended: ${said}`)));
    if (saysUrl) untilItListens(saysUrl).then(() => resolve(saysUrl), reject);
  });
  const stop = async (signal = 'SIGTERM') => {
    child.kill(signal);
    await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 5000).unref())]);
    killGroup(child.pid);
  };
  return { url, pid: child.pid, stop };
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

async function untilItListens(url) {
  const { hostname, port } = new URL(url);
  const patience = performance.now() + 20_000;
  while (performance.now() < patience) {
    const isThere = await new Promise((resolve) => {
      const socket = net.connect({ host: hostname, port });
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
      socket.on('close', () => resolve(false)).on('connect', () => socket.destroy());
    });
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing listens at ${url}`);
}

const freePort = () =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

async function startWireproof(upstream, folder) {
  const trace = path.join(folder, 'trace.jsonl');
  const env = { ...process.env, WIREPROOF_HOME: folder };
  const command = [node, wireproof, 'tap', '--trace', trace, '--listen', '0', '--to', upstream];
  const started = await start(command, { env });
  /** @returns why the recording is not whole; nothing where it is */
  const stop = async () => {
    await started.stop('SIGINT');
    const { status, stdout, stderr } = spawnSync(node, [wireproof, 'verify', trace], { encoding: 'utf8', env });
    return status === 0 ? undefined : `${stdout}${stderr}`.trim();
  };
  return { ...started, stop };
}

/** One process, as the others are; nothing is buffered whole, nothing logged. */
const nginxConfiguration = (port, upstream, folder) => `
daemon off;
master_process off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_rlimit_nofile 20000;
pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections 20000; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  keepalive_requests 100000000;
  client_max_body_size 0;
  upstream server { server ${upstream.host}; keepalive 128; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://server;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host ${upstream.host};
      proxy_buffering off;
      proxy_request_buffering off;
    }
  }
}
`;

async function startNginx(upstream, folder) {
  const port = await freePort();
  const file = path.join(folder, 'nginx.conf');
  fs.writeFileSync(file, nginxConfiguration(port, new URL(upstream), folder));
  return start([nginx, '-e', 'stderr', '-p', folder, '-c', file], { saysUrl: `http://127.0.0.1:${port}/mcp` });
}

const inPeers = (file) => peers.file(file);
const stdioServer = [node, peer('mcp-server'), 'stdio'];

async function startMcpProxy() {
  const port = await freePort();
  const options = ['--host', '127.0.0.1', '--port', String(port), '--server', 'stream'];
  const command = [node, inPeers('mcp-proxy/dist/bin/mcp-proxy.mjs'), ...options, '--', ...stdioServer];
  return start(command, { saysUrl: `http://127.0.0.1:${port}/mcp` });
}

async function startSupergateway() {
  const port = await freePort();
  const options = ['--outputTransport', 'streamableHttp', '--stateful', '--port', String(port), '--logLevel', 'none'];
  const command = [node, inPeers('supergateway/dist/index.js'), '--stdio', stdioServer.join(' '), ...options];
  return start(command, { saysUrl: `http://127.0.0.1:${port}/mcp` });
}

export const baseline = 'Node.js, passing only';

const everywhere = {
  direct: { start: async (upstream) => ({ url: upstream, stop: async () => undefined }) },
  [baseline]: { start: (upstream) => start([node, peer('http-pass'), upstream]), streams: true },
  wireproof: { start: startWireproof, streams: true },
};

const npmPeers = {
  'mcp-proxy': { start: startMcpProxy, isBridge: true },
  supergateway: { start: startSupergateway, isBridge: true },
  'mcp-remote': {
    /** It is started by its client, anew for each measurement. */
    over: (upstream) => [
      node,
      inPeers('mcp-remote/dist/proxy.js'),
      upstream,
      '--allow-http',
      '--transport',
      'http-only',
    ],
    isBridge: true,
  },
};

/**
 * Those that are here, with their versions.
 *
 * @returns `skipped` says of each that is not why
 */
export function findSubjects(say) {
  const subjects = { ...everywhere };
  const skipped = [];
  const versions = [];
  const { status, stderr } = spawnSync(nginx, ['-v'], { encoding: 'utf8' });
  if (status === 0) {
    subjects.nginx = { start: startNginx, streams: true };
    versions.push(/nginx\/(\S+)/.exec(stderr)?.[0].replace('/', ' '));
  } else skipped.push('nginx is not installed (`apt-get install nginx-light`): skipped.');
  for (const [name, version] of Object.entries(peerVersions)) {
    const why = peers.install(name, version, say);
    if (why) skipped.push(`${name} ${version} could not be installed: skipped. ${why}`);
    else {
      subjects[name] = npmPeers[name];
      versions.push(`${name} ${version}`);
    }
  }
  return { subjects, skipped, versions };
}
