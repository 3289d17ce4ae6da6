// Who lists the tools of a server on the command line: how each is asked, and on which Node.js.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { peer } from './between.mjs';
import { bringNode, NpmPeers } from './npm-peers.mjs';

const node = process.execPath;
const wireproof = path.resolve('dist/wireproof.cjs');
const peers = new NpmPeers('bench-call');
const inspectorNode = '22';

/** The server of every subject, on the same Node.js for all of them. */
export const server = [node, peer('mcp-server'), 'stdio'];

/**
 * Runs a command to its end.
 *
 * @param leaveAt what it prints when it has listed the tools, where it then waits to be left by Ctrl-C
 * @returns what it printed
 */
export async function run(command, { env, cwd, leaveAt }) {
  const child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'pipe'], env, cwd });
  let printed = '';
  let complaint = '';
  let isLeaving = false;
  child.stdin.on('error', () => {});
  if (!leaveAt) child.stdin.end();
  child.stdout.on('data', (chunk) => {
    printed += chunk;
    if (!leaveAt || isLeaving || !printed.includes(leaveAt)) return;
    isLeaving = true;
    child.stdin.write('\x03');
  });
  child.stderr.on('data', (chunk) => (complaint += chunk));
  const limit = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const status = await new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject));
  clearTimeout(limit);
  if (status !== 0) throw new Error(`${command.slice(1).join(' ')} ended with ${status}: ${complaint.trim()}`);
  return printed;
}

/** One command that lists and ends. */
const one = (command, more = {}) => ({ list: (place) => run(command, { ...place, ...more }) });

const wireproofOn = (program) => one([program, wireproof, 'call', '--quiet', '--', ...server]);

const always = {
  'a minimal client': one([node, peer('minimal-client'), '--', ...server]),
  wireproof: wireproofOn(node),
};

const [program, ...args] = server;

/** It has sessions: one is opened, asked and closed, with a process of its own behind it. */
async function listByMcpc(place) {
  const mcpc = (...words) => run([node, peers.file('@apify/mcpc/bin/mcpc'), ...words], place);
  const config = path.join(place.cwd, 'mcp.json');
  fs.writeFileSync(config, JSON.stringify({ mcpServers: { bench: { command: program, args } } }));
  await mcpc('connect', `${config}:bench`, '@bench');
  const printed = await mcpc('@bench', 'tools-list');
  await mcpc('close', '@bench');
  return printed;
}

const npmPeers = [
  {
    name: 'mcporter',
    version: '0.12.3',
    make: () => {
      const words = ['--stdio', program, ...args.flatMap((word) => ['--stdio-arg', word])];
      return one([node, peers.file('mcporter/dist/cli.js'), 'list', ...words]);
    },
  },
  { name: '@apify/mcpc', version: '0.2.6', make: () => ({ list: listByMcpc, isSlow: true }) },
  {
    name: '@wong2/mcp-cli',
    version: '2.0.0',
    make: () => one([node, peers.file('@wong2/mcp-cli/src/cli.js'), ...server], { leaveAt: 'tool(' }),
  },
  {
    name: '@modelcontextprotocol/inspector',
    version: '2.12.0',
    needs: inspectorNode,
    make: (itsNode) => {
      const cli = peers.file('@modelcontextprotocol/inspector/clients/launcher/build/index.js');
      return one([itsNode, cli, '--cli', ...server, '--method', 'tools/list']);
    },
  },
];

/**
 * Those that are here, with their versions.
 *
 * @returns `skipped` says of each that is not why
 */
export function findListers(say) {
  const subjects = { ...always };
  const skipped = [];
  const versions = [];
  for (const { name, version, needs, make } of npmPeers) {
    const brought = needs ? bringNode(needs, say) : { node };
    const why = brought.why ?? peers.install(name, version, say);
    if (why) {
      skipped.push(
        `${name} ${version} could not be ${brought.why ? `run, it needs Node.js ${needs}` : 'installed'}: skipped. ${why}`,
      );
      continue;
    }
    const what = needs ? `${name}, on Node.js ${needs}` : name;
    if (needs) {
      subjects[`wireproof, on Node.js ${needs}`] = wireproofOn(brought.node);
      versions.push(`Node.js ${brought.version}`);
    }
    subjects[what] = { ...make(brought.node), isPeer: true };
    versions.push(`${name} ${version}`);
  }
  return { subjects, skipped, versions };
}
