// What it costs to be a host with wireproof: to list the tools of a server once, and to call a tool many times.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { peer, timeToAnswer } from './between.mjs';
import { findListers, run, server } from './call-subjects.mjs';
import { describeMachine, median, outcome } from './figures.mjs';
import { MemoryWatch } from './process-memory.mjs';

const node = process.execPath;
const wireproof = path.resolve('dist/wireproof.cjs');
const calls = 1000;
/** In a round, so often: a process is short, and the machine does other things too. */
const listsPerRound = 3;
const callsPerRound = 3;
const targets = { bareStarts: 1.4, p50: 1.3 };
const bare = '`node -e 0`';
const alone = 'the server alone';

const callers = {
  'a minimal client': 'minimal',
  wireproof: 'wireproof',
  '@modelcontextprotocol/sdk': 'sdk',
  '@modelcontextprotocol/client': 'sdk2',
};

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Where a subject works: nothing is there of what others have kept. */
function makePlace(folder) {
  const cwd = fs.mkdtempSync(path.join(folder, 'place-'));
  const homes = { HOME: cwd, WIREPROOF_HOME: path.join(cwd, 'wireproof'), MCPC_HOME_DIR: path.join(cwd, 'mcpc') };
  const env = { ...process.env, ...homes };
  delete env.XDG_CONFIG_HOME;
  return { cwd, env };
}

/** @throws what is no list of the tools */
async function list(subject, place) {
  const printed = await subject.list(place);
  if (!printed.includes('echo')) throw new Error(`It did not list the tool: ${printed.trim().slice(0, 200)}`);
}

/** Once each, not measured: what does not list is left out, and what is kept between runs is there. */
async function tryAll({ subjects, skipped }, places) {
  const first = await timed(() => list(subjects.wireproof, places.wireproof));
  for (const [name, subject] of Object.entries(subjects)) {
    try {
      await list(subject, places[name]);
    } catch (error) {
      if (!subject.isPeer) throw error;
      skipped.push(`${name} did not list the tools of this server: skipped. ${error.message.split('\n')[0]}`);
      delete subjects[name];
    }
  }
  return first;
}

async function measureTimes(subjects, places, rounds, say) {
  const times = Object.fromEntries([bare, alone, ...Object.keys(subjects)].map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < listsPerRound; turn++) {
      times[bare].push(await timed(() => run([node, '-e', '0'], places.wireproof)));
      times[alone].push(await timeToAnswer(server));
      for (const [name, subject] of Object.entries(subjects)) {
        if (turn === 0 || !subject.isSlow) times[name].push(await timed(() => list(subject, places[name])));
      }
    }
    say(`lists, round ${round + 1} of ${rounds}`);
  }
  return Object.fromEntries(Object.entries(times).map(([name, found]) => [name, median(found)]));
}

/** Apart from the times, which looking at memory would spoil. */
async function measureMemory(subjects, places, rounds) {
  if (!MemoryWatch.isPossible) return {};
  const bareOne = { list: (place) => run([node, '-e', 'setTimeout(() => {}, 50)'], place) };
  const watched = { [bare]: bareOne, ...subjects };
  const peaks = Object.fromEntries(Object.keys(watched).map((name) => [name, []]));
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    for (const [name, subject] of Object.entries(watched)) {
      if (round > 0 && subject.isSlow) continue;
      const place = places[name] ?? places.wireproof;
      const watch = new MemoryWatch(server);
      await subject.list({ ...place, env: { ...place.env, ...watch.env } });
      peaks[name].push(watch.end());
    }
  }
  return Object.fromEntries(Object.entries(peaks).map(([name, found]) => [name, median(found)]));
}

/** @returns the figures of each client, and why a recording is not whole */
async function measureCalls(folder, rounds, say) {
  const results = Object.fromEntries(Object.keys(callers).map((name) => [name, []]));
  const broken = [];
  const place = makePlace(folder);
  for (let round = 0; round < rounds * callsPerRound; round++) {
    for (const [name, which] of Object.entries(callers)) {
      const command = [node, peer('tool-calls'), which, String(calls), ...server];
      const figures = JSON.parse(await run(command, { env: place.env }));
      results[name].push(figures);
      if (which === 'wireproof') broken.push(...verify(figures.trace, place));
    }
  }
  say('calls');
  const of = (found, what) => median(found.map((one) => one[what]));
  const medians = Object.entries(results).map(([name, found]) => [
    name,
    { p50: of(found, 'p50'), p99: of(found, 'p99') },
  ]);
  return { figures: Object.fromEntries(medians), broken };
}

function verify(trace, { env }) {
  const { status, stdout, stderr } = spawnSync(node, [wireproof, 'verify', trace], { encoding: 'utf8', env });
  return status === 0 ? [] : [`${stdout}${stderr}`.trim()];
}

const tableHead = (cells) => [`| ${cells.join(' | ')} |`, `|${'---|'.repeat(cells.length)}`];
const megabytes = (value) => (value === undefined ? '–' : value.toFixed(0));
const ratio = (value, base) => (value === undefined ? '–' : (value / base).toFixed(2));

function listTable({ times, memory, subjects, first }) {
  const lines = tableHead(['', 'wall time, ms', '× wireproof', 'peak memory, MB', '× wireproof']);
  for (const [name, time] of Object.entries(times)) {
    const cells = [
      time.toFixed(0),
      ratio(time, times.wireproof),
      megabytes(memory[name]),
      ratio(memory[name], memory.wireproof),
    ];
    lines.push(`| ${name} | ${cells.join(' | ')} |`);
  }
  const limit = times[alone] + targets.bareStarts * times[bare];
  const inPeers = Object.keys(subjects).filter((name) => subjects[name].isPeer);
  return [
    ...lines,
    '',
    `Target for wireproof: the server alone and ${targets.bareStarts} × ${bare}, here ${limit.toFixed(0)} ms: ${outcome(times.wireproof, limit)} (${times.wireproof.toFixed(0)} ms).`,
    '',
    `Target: faster than each of the others from npm: ${standing(times, inPeers)}.`,
    '',
    `Target: smaller in peak memory than each of them: ${standing(memory, inPeers)}.`,
    '',
    `A server that wireproof meets for the first time is asked in the modern way first: ${first.toFixed(0)} ms, once.`,
  ];
}

/** How wireproof stands to the best of the others. */
function standing(figures, names) {
  const others = names.map((name) => figures[name]).filter((value) => value !== undefined);
  if (others.length === 0) return 'nothing to compare with';
  const best = Math.min(...others);
  return `${figures.wireproof < best ? 'reached' : 'not reached'} (the best of them has × ${(best / figures.wireproof).toFixed(2)})`;
}

function callTable(figures) {
  const base = figures['a minimal client'];
  const lines = tableHead([
    `× a minimal client (p50 ${base.p50.toFixed(0)} µs, p99 ${base.p99.toFixed(0)} µs)`,
    'p50',
    'p99',
    'target for wireproof',
  ]);
  for (const [name, { p50, p99 }] of Object.entries(figures)) {
    const own = p50 / base.p50;
    const goal = name === 'wireproof' ? `p50 ≤ ${targets.p50}: ${outcome(own, targets.p50)}` : '–';
    lines.push(`| ${name} | ${own.toFixed(2)} | ${(p99 / base.p99).toFixed(2)} | ${goal} |`);
  }
  return lines;
}

const intro = [
  '# Benchmarks of being a host',
  '',
  'Made by `npm run bench -- call`, which overwrites this page; what a tap costs stands in [benchmarks.md](benchmarks.md).',
  'All subjects speak with the same small server over stdio ([bench/peers/mcp-server.mjs](../bench/peers/mcp-server.mjs)),',
  'side by side in one run; what counts are the ratios. Less is better.',
  '',
];

const aboutLists = [
  'Whole processes, from the start of the command to its end, the server started and ended by it. “The server alone” is from',
  'its start to its first answer. The minimal client is [bench/peers/minimal-client.mjs](../bench/peers/minimal-client.mjs),',
  'which checks and keeps nothing; wireproof records everything, and has met the server before. `@apify/mcpc` has sessions: one is',
  'opened, asked and closed, three commands; `@wong2/mcp-cli` asks what to do next when it has listed, and is left by Ctrl-C.',
  'All run on the Node.js of this page where they can (mcporter asks for 24, and runs on older ones all the same); the Inspector',
  'needs a newer one.',
  '',
  'Peak memory is of all processes but the server together, looked at every 4 ms in runs of their own. Of processes that run at',
  'once, what is of files is counted once, so that the program which they share is.',
  '',
];

const aboutCalls = [
  `One connection, ${calls} calls one after the other, nothing warmed up; a \`tools/call\` of 200 bytes and an answer of about as`,
  'many. wireproof is its library, `wireproof/client`, with its recording.',
  '',
];

/** Measures everything and gives the page. */
export async function benchCall({ rounds, say }) {
  const [load] = os.loadavg();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wireproof-bench-'));
  const listers = findListers(say);
  const { subjects, skipped, versions } = listers;
  try {
    const places = Object.fromEntries(Object.keys(subjects).map((name) => [name, makePlace(folder)]));
    const first = await tryAll(listers, places);
    for (const line of skipped) say(line);
    const times = await measureTimes(subjects, places, rounds, say);
    const memory = await measureMemory(subjects, places, rounds);
    const { figures, broken } = await measureCalls(folder, rounds, say);
    const proof =
      broken.length === 0
        ? 'Every recording of the calls was complete by `wireproof verify`.'
        : `Recordings that were not complete: ${broken.length}. ${broken[0]}`;
    const conditions = `Medians of ${rounds} rounds, all subjects in turn in each. On ${[describeMachine(), ...versions].join(', ')}. The load of the machine just before was ${load.toFixed(1)}.`;
    const lists = [...aboutLists, ...listTable({ times, memory, subjects, first })];
    const sections = { 'Listing tools once': lists, 'Calling a tool': [...aboutCalls, ...callTable(figures)] };
    const tables = Object.entries(sections).flatMap(([title, lines]) => [`## ${title}`, '', lines, ''].flat());
    return [...intro, ...tables, ...skipped.flatMap((line) => [line, '']), proof, '', conditions];
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
