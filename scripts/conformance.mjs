// npm run conformance: every server scenario of the official suite, straight at a server and through wireproof before it.
// Each check has to get the same verdict, and the trace has to be complete. npm brings the suite, and the Node.js it needs.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { folder, node, prepare, start, stop, suite, wireproof } from './conformance/suite.mjs';

const results = join(folder, 'results');
const everything = ['node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'streamableHttp'];
const modern = ['test/servers/http/modern-server.ts'];
const legs = [
  { name: 'server-everything', server: everything, revision: '2025-11-25' },
  { name: 'modern-server', server: modern, revision: '2025-11-25' },
  { name: 'modern-server', server: modern, revision: '2026-07-28', hasExtensions: true },
];

const mayDiffer = {
  scenario: 'dns-rebinding-protection',
  check: 'localhost-host-rebinding-rejected',
  why: 'wireproof itself answers 403 where Host is not its own, before the server sees the request',
};

/** Looks again and again until a program is as far as it should be. */
async function until(program, what, look) {
  for (let tries = 0; tries < 600; tries++) {
    const seen = await look();
    if (seen) return seen;
    if (program.isOver) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return stop(`${what} did not come up:\n${program.said}`);
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const isListening = (port) =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

/** Runs the suite against a server of its own, and gives what it found: the checks of each scenario. */
async function run(leg, way, scenarios) {
  const place = join(results, `${leg.name}-${leg.revision}`, way);
  mkdirSync(place, { recursive: true });
  const port = await freePort();
  const server = start(node, leg.server, { PORT: String(port) });
  await until(server, leg.name, () => isListening(port));
  const url = `http://127.0.0.1:${port}/mcp`;
  const tap = way === 'tapped' ? await startTap(url, leg.trace) : undefined;
  const invocations = [
    ['--suite', 'all', '--spec-version', leg.revision],
    ...scenarios.filter(({ isExtension }) => isExtension).map(({ name }) => ['--scenario', name]),
  ];
  let printed = '';
  for (const words of invocations) {
    const judge = start(node, [suite, 'server', '--url', tap?.url ?? url, ...words, '-o', place]);
    await judge.ended;
    printed += judge.printed + judge.said;
  }
  writeFileSync(join(place, 'printed.txt'), printed);
  tap?.program.child.kill('SIGINT');
  await tap?.program.ended;
  server.child.kill('SIGKILL');
  await server.ended;
  return Object.fromEntries(scenarios.map(({ name }) => [name, checksOf(place, name)]));
}

async function startTap(url, trace) {
  const words = [wireproof, 'tap', '--listen', '0', '--to', url, '--trace', trace];
  const program = start(process.execPath, words, { WIREPROOF_HOME: join(results, 'home') });
  const listening = await until(program, 'wireproof tap', () => /(http:\S+) passes to/.exec(program.said));
  return { program, url: listening[1] };
}

/** The checks by what tells them apart: their id, their name, and which of that kind it is. */
function checksOf(place, scenario) {
  const found = readdirSync(place).find(
    (name) => name.replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '') === `server-${scenario}`,
  );
  const checks = new Map();
  if (found === undefined) return checks;
  for (const check of JSON.parse(readFileSync(join(place, found, 'checks.json'), 'utf8'))) {
    const kind = check.name === check.id ? check.id : `${check.id} (${check.name})`;
    let key = kind;
    for (let nth = 2; checks.has(key); nth++) key = `${kind} #${nth}`;
    checks.set(key, check);
  }
  return checks;
}

/** Which scenarios there are for a leg; the extensions belong to no revision. */
function scenariosOf({ revision, hasExtensions = false }) {
  const listed = (...words) => {
    const { stdout } = spawnSync(node, [suite, 'list', '--server', ...words], { encoding: 'utf8' });
    return [...stdout.matchAll(/^ {2}- (\S+) \[(.+)\]$/gm)].map(([, name, tags]) => ({ name, tags }));
  };
  const dated = listed('--spec-version', revision).map(({ name }) => ({ name, isExtension: false }));
  const extensions = hasExtensions ? listed().filter(({ tags }) => tags === 'extension') : [];
  return [...dated, ...extensions.map(({ name }) => ({ name, isExtension: true }))];
}

/** What a check was told with, without what is another in each run. */
const said = (check) =>
  (check?.errorMessage ?? '')
    .replace(/(127\.0\.0\.1|localhost|\[::1\]):\d+/g, 'HOST')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replace(/\d+ ?ms/g, 'MS');

/** Sorts the checks of all three runs. */
function compare(scenarios, direct, again, tapped) {
  const rows = { same: [], different: [], reason: [], flaky: [], allowed: [], missing: [] };
  for (const { name } of scenarios) {
    const runs = [direct[name], again[name], tapped[name]];
    const keys = new Set(runs.flatMap((checks) => [...checks.keys()]));
    if (keys.size === 0) rows.missing.push([name, 'the scenario gave no checks', '', '']);
    for (const key of keys) {
      const [first, second, through] = runs.map((checks) => checks.get(key));
      const [one, two, three] = [first, second, through].map((check) => check?.status ?? 'missing');
      const row = [name, key, one === two ? one : `${one}, then ${two}`, three];
      const id = (first ?? second ?? through).id;
      if (one === three && one === two) {
        const [before, repeated, after] = [first, second, through].map(said);
        rows.same.push(row);
        if (before === repeated && before !== after) rows.reason.push([name, key, before, after]);
      } else if (one !== two && [one, two].includes(three)) rows.flaky.push(row);
      else if (name === mayDiffer.scenario && id === mayDiffer.check && three === 'SUCCESS') rows.allowed.push(row);
      else rows.different.push(row);
    }
  }
  return rows;
}

function table(title, rows) {
  if (rows.length === 0) return;
  const all = [['scenario', 'check', 'direct', 'through the tap'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column].length)));
  process.stdout.write(`\n  ${title}\n`);
  for (const row of all) {
    process.stdout.write(
      `    ${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
}

function tally(rows) {
  const counts = {};
  for (const [, , verdict] of rows) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return Object.entries(counts)
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(', ');
}

/** True when nothing differs that may not, and the trace is complete. */
async function runLeg(leg) {
  const scenarios = scenariosOf(leg);
  process.stdout.write(`\n${leg.name} at ${leg.revision}: ${scenarios.length} scenarios\n`);
  const trace = join(results, `${leg.name}-${leg.revision}.wireproof`);
  const direct = await run({ ...leg, trace }, 'direct', scenarios);
  const again = await run({ ...leg, trace }, 'again', scenarios);
  const tapped = await run({ ...leg, trace }, 'tapped', scenarios);
  const rows = compare(scenarios, direct, again, tapped);
  const compared = rows.same.length + rows.different.length + rows.allowed.length;
  process.stdout.write(`  ${rows.same.length} of ${compared} checks agree (${tally(rows.same)})\n`);
  table('these differ', rows.different);
  table('these agree, for another reason', rows.reason);
  table('these were not compared', rows.missing);
  table('these are flaky: two direct runs differ', rows.flaky);
  table(`this may differ: ${mayDiffer.why}`, rows.allowed);
  const verified = spawnSync(process.execPath, [wireproof, 'verify', trace], { encoding: 'utf8' });
  process.stdout.write(`  the trace: ${verified.stdout.trim().split('\n').at(-1)}${verified.stderr}\n`);
  return (
    verified.status === 0 && compared > 0 && rows.different.length + rows.reason.length + rows.missing.length === 0
  );
}

prepare();
rmSync(results, { recursive: true, force: true });
let isRight = true;
for (const leg of legs) isRight = (await runLeg(leg)) && isRight;
process.stdout.write(`\n${isRight ? 'The tap changes no verdict' : 'FAILED'}; all of it is in ${results}\n`);
process.exit(isRight ? 0 : 1);
