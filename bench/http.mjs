// What `tap` costs on HTTP, beside a Node.js process that only passes, nginx, and bridges from npm.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { peer } from './between.mjs';
import { bareMemory, describeMachine, median, outcome, peakMemory } from './figures.mjs';
import { baseline, findSubjects, start } from './http-subjects.mjs';

const node = process.execPath;
const connectionCounts = [1, 16, 64];
const seconds = 2;
/** So long each subject is asked before it is measured: just-in-time compilers take their time. Seconds. */
const warmUp = 4;
const mebibyte = 1 << 20;
const targets = { perSecond: 0.85, p50: 1.2, p99: 1.5, eventDelay: 2, memory: 60, aim: 0.8 };

/** Runs a client to its end. */
async function run(command) {
  const child = spawn(command[0], command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  let complaint = '';
  child.stdout.on('data', (chunk) => (printed += chunk));
  child.stderr.on('data', (chunk) => (complaint += chunk));
  const status = await new Promise((resolve) => child.once('close', resolve));
  if (status !== 0) throw new Error(`${command.slice(1).join(' ')}: ${complaint.trim()}`);
  return JSON.parse(printed);
}

const client = (...words) => run([node, peer('http-client'), ...words.map(String)]);

/** Processor time that a process has used, in microseconds; nothing where the system does not say. */
function processorTime(pid) {
  try {
    const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch {
    return undefined;
  }
}

/** Everything that one bench needs: the server, a folder, and who is measured. */
class Ground {
  constructor(upstream, folder, subjects, say) {
    Object.assign(this, { upstream, folder, subjects, say });
    /** Why recordings are not whole. */
    this.broken = [];
    this.running = new Set();
  }

  async begin(name) {
    const folder = fs.mkdtempSync(path.join(this.folder, 'run-'));
    const started = { ...(await this.subjects[name].start(this.upstream.url, folder)), folder };
    this.running.add(started);
    return started;
  }

  async end(started) {
    this.running.delete(started);
    const broken = await started.stop();
    if (broken) this.broken.push(broken);
    fs.rmSync(started.folder, { recursive: true, force: true });
  }

  /** Those of which all is asked: they pass bodies and streams as they come. */
  get streaming() {
    return Object.keys(this.subjects).filter((name) => this.subjects[name].streams);
  }
}

async function loadOverHttp({ url, pid }, connections) {
  const before = processorTime(pid);
  const figures = await client('requests', url, connections, seconds);
  return { ...figures, processor: (processorTime(pid) - before) / figures.total };
}

const loadOverStdio = (command, connections) =>
  run([node, peer('stdio-client'), String(connections), String(seconds), ...command]);

/** In a round all subjects are started, and then measured in turn at each number of connections. */
async function measureRequests(ground, rounds) {
  const names = Object.keys(ground.subjects);
  const results = Object.fromEntries(
    names.map((name) => [name, Object.fromEntries(connectionCounts.map((count) => [count, []]))]),
  );
  const memory = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const started = {};
    for (const name of names) {
      if (!ground.subjects[name].start) continue;
      started[name] = await ground.begin(name);
      await client('requests', started[name].url, 64, warmUp);
    }
    for (const count of connectionCounts) {
      for (const name of names) {
        const { over } = ground.subjects[name];
        const load = over ? loadOverStdio(over(ground.upstream.url), count) : loadOverHttp(started[name], count);
        results[name][count].push(await load);
      }
    }
    for (const [name, one] of Object.entries(started)) {
      if (one.pid) memory[name].push(peakMemory(one.pid));
      await ground.end(one);
    }
    ground.say(`requests, round ${round + 1} of ${rounds}`);
  }
  return { results, memory };
}

async function measureEvents(ground, rounds) {
  const results = Object.fromEntries(['direct', ...ground.streaming].map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(results)) {
      const started = await ground.begin(name);
      results[name].push(await client('events', started.url, 16, seconds));
      await ground.end(started);
    }
  }
  ground.say('events');
  return results;
}

/** Starts a subject for one piece of work, and sees how much memory it has needed at the end. */
async function measureMemory(ground, rounds, work) {
  const results = Object.fromEntries(ground.streaming.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of ground.streaming) {
      const started = await ground.begin(name);
      const figures = await work(started.url);
      results[name].push({ ...figures, memory: peakMemory(started.pid) });
      await ground.end(started);
    }
  }
  return results;
}

/** The most connections that may be held open: a proxy has a second one for every other. */
function halfOpenCount() {
  const limits = fs.existsSync('/proc/self/limits') ? fs.readFileSync('/proc/self/limits', 'utf8') : '';
  const files = Number(/Max open files\s+\d+\s+(\d+)/.exec(limits)?.[1] ?? 4096);
  return Math.min(10_000, Math.floor((files - 500) / 1.5));
}

/** Requests of others, while so many connections are held half open. */
async function whileHalfOpen(url, count) {
  const holder = spawn(node, [peer('http-client'), 'half-open', url, String(count)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const next = () => new Promise((resolve) => holder.stdout.once('data', (text) => resolve(JSON.parse(text))));
  await next();
  const figures = await client('requests', url, 16, seconds);
  const after = next();
  holder.stdin.end();
  return { ...figures, open: (await after).open };
}

/** A column for each subject, the baseline's figure in the row's name. */
class Table {
  constructor(names) {
    this.names = names.filter((name) => name !== baseline);
    this.lines = tableHead([`× ${baseline}`, ...this.names, 'target for wireproof']);
  }

  /** @param figure gives a subject's figure, or nothing */
  row(what, figure, unit, target, isAtLeast) {
    const base = figure(baseline);
    const ratios = this.names.map((name) => figure(name) / base);
    const own = ratios[this.names.indexOf('wireproof')];
    const goal = target === undefined ? '–' : `${isAtLeast ? '≥' : '≤'} ${target}: ${outcome(own, target, isAtLeast)}`;
    const cells = ratios.map((ratio) => (Number.isFinite(ratio) ? ratio.toFixed(2) : '–'));
    this.lines.push(`| ${what} (${spell(base)}${unit}) | ${cells.join(' | ')} | ${goal} |`);
  }
}

const tableHead = (cells) => [`| ${cells.join(' | ')} |`, `|${'---|'.repeat(cells.length)}`];

const spell = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

const plural = (count) => (count === 1 ? '1 connection' : `${count} connections`);

function requestTable({ results }) {
  const table = new Table(Object.keys(results));
  const figureOf = (count, what) => (name) => median(results[name][count].map((one) => one[what]));
  for (const count of connectionCounts) {
    table.row(`requests/s, ${plural(count)}`, figureOf(count, 'perSecond'), '', targets.perSecond, true);
  }
  for (const what of ['p50', 'p99']) {
    for (const count of connectionCounts) {
      table.row(`${what}, ${plural(count)}`, figureOf(count, what), ' ms', targets[what]);
    }
  }
  for (const count of connectionCounts) {
    table.row(`its own processor time for a request, ${plural(count)}`, figureOf(count, 'processor'), ' µs');
  }
  return table.lines;
}

/** How wireproof stands to those that the targets name beside the baseline. */
function standings({ results }, subjects) {
  const rate = (name, count) => median(results[name][count].map(({ perSecond }) => perSecond));
  const lines = [];
  const bridges = Object.keys(subjects).filter((name) => subjects[name].isBridge);
  if (bridges.length > 0) {
    const ahead = connectionCounts.map((count) => {
      const best = Math.max(...bridges.map((name) => rate(name, count)));
      const isAhead = rate('wireproof', count) > best;
      return `${isAhead ? 'ahead' : 'behind'} at ${count} (× ${(rate('wireproof', count) / best).toFixed(2)} the fastest)`;
    });
    lines.push('', `Target: more requests/s than each of the bridges from npm: ${ahead.join(', ')}.`);
  }
  if (subjects.nginx) {
    const ratios = connectionCounts.map((count) => {
      const ratio = rate('wireproof', count) / rate('nginx', count);
      return `${ratio.toFixed(2)} at ${count} (${outcome(ratio, targets.aim, true)})`;
    });
    lines.push('', `Aim beyond: ${targets.aim} × the requests/s of nginx: ${ratios.join(', ')}.`);
  }
  return lines;
}

function eventTable(results) {
  const lines = tableHead(['delay of an event, ms', 'p50', 'p99', 'target']);
  for (const [name, found] of Object.entries(results)) {
    const [p50, p99] = ['p50', 'p99'].map((what) => median(found.map((one) => one[what])));
    const goal = name === 'wireproof' ? `p99 ≤ ${targets.eventDelay}: ${outcome(p99, targets.eventDelay)}` : '–';
    lines.push(`| ${name} | ${p50.toFixed(2)} | ${p99.toFixed(2)} | ${goal} |`);
  }
  return lines;
}

/** @param rows what was done, the peaks of each subject, and the most that wireproof may need, if that is said */
function memoryTable(rows, names, bare) {
  const lines = tableHead(['peak memory over a bare `node -e 0`, MB', ...names, 'target for wireproof']);
  for (const [what, peaks, target] of rows) {
    const over = names.map((name) => Math.max(...peaks[name]) - (name === 'nginx' ? 0 : bare));
    const goal = target === undefined ? '–' : `≤ ${target}: ${outcome(over[names.indexOf('wireproof')], target)}`;
    lines.push(`| ${what} | ${over.map((value) => value.toFixed(0)).join(' | ')} | ${goal} |`);
  }
  return lines;
}

function halfOpenTable(results, count) {
  const held = `while ${count} connections are half open`;
  const lines = tableHead([held, 'still open at the end', 'requests/s of 16 others', 'their p99, ms']);
  for (const [name, found] of Object.entries(results)) {
    const of = (what) => median(found.map((one) => one[what]));
    lines.push(`| ${name} | ${of('open')} | ${of('perSecond').toFixed(0)} | ${of('p99').toFixed(1)} |`);
  }
  return lines;
}

const intro = [
  '# Benchmarks of a tap on HTTP',
  '',
  'Made by `npm run bench -- http`, which overwrites this page; for stdio see [benchmarks.md](benchmarks.md). All',
  'subjects stand before the same small server on `node:http`, with the same client (bare sockets, a process of its own),',
  'side by side in one run; what counts are the ratios to “Node.js, passing only”. Requests are a `tools/call` of 200',
  'bytes with a JSON answer of about as many, each connection asking the next when it has its answer, after four seconds',
  'to warm up. Of requests/s and of MB/s more is better, of all else less.',
  '',
  '“Node.js, passing only” is [bench/peers/http-pass.mjs](../bench/peers/http-pass.mjs): `node:http` on both sides,',
  'streams piped, connections kept, nothing recorded. wireproof records everything to a file. nginx is one process that',
  'keeps its connections to the server, buffers nothing and logs nothing.',
  '',
  'The bridges from npm do other work: `mcp-proxy` and `supergateway` (stateful) put the same server, run over stdio,',
  'behind HTTP, so there is no HTTP server behind them; `mcp-remote` is asked over stdio and reaches the same HTTP server,',
  'with as many requests open as the others have connections. One session is shared by all connections.',
  '',
];

const gibibytes = (bytes) => (bytes >= 1024 * mebibyte ? `${bytes / mebibyte / 1024} GiB` : `${bytes / mebibyte} MiB`);

async function measureAll(ground, rounds, isFull) {
  const requests = await measureRequests(ground, rounds);
  const events = await measureEvents(ground, rounds);
  const few = Math.min(rounds, 3);
  const bodyLength = isFull ? 2048 * mebibyte : 256 * mebibyte;
  const eventCount = isFull ? 1_000_000 : 200_000;
  const bodies = await measureMemory(ground, isFull ? 1 : few, (url) => client('bodies', url, bodyLength));
  ground.say('bodies');
  const slow = await measureMemory(ground, isFull ? 1 : few, (url) => client('slow', url, eventCount));
  ground.say('slow readers');
  const count = halfOpenCount();
  const halfOpen = await measureMemory(ground, few, (url) => whileHalfOpen(url, count));
  ground.say('half-open connections');

  const { streaming } = ground;
  const peaks = (results) =>
    Object.fromEntries(streaming.map((name) => [name, results[name].map(({ memory }) => memory)]));
  const rows = [
    ['requests, up to 64 connections', requests.memory],
    [`a body of ${gibibytes(bodyLength)} there, then one back`, peaks(bodies), targets.memory],
    [`${eventCount} events, read slowly`, peaks(slow), targets.memory],
    [`${count} connections half open`, peaks(halfOpen)],
  ];
  const speed = new Table(streaming);
  for (const way of ['there', 'back']) {
    speed.row(
      `a body of ${gibibytes(bodyLength)} ${way}`,
      (name) => median(bodies[name].map((one) => one[way])),
      ' MB/s',
    );
  }
  return {
    Requests: [...requestTable(requests), ...standings(requests, ground.subjects)],
    Events: [
      '16 streams with an event every 5 ms on each; from just before the server writes it until the client has it, on one clock.',
      '',
      ...eventTable(events),
    ],
    Memory: [...memoryTable(rows, streaming, bareMemory()), '', 'Of nginx it is all of its memory.'],
    'Long bodies': speed.lines,
    'Half-open connections': [
      'Every second one has sent its head and half of its body, the others half of their head.',
      '',
      ...halfOpenTable(halfOpen, count),
    ],
  };
}

/** Measures everything and gives the page. */
export async function benchHttp({ rounds, isFull, say }) {
  const [load] = os.loadavg();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wireproof-bench-'));
  const { subjects, skipped, versions } = findSubjects(say);
  for (const line of skipped) say(line);
  const upstream = await start([node, peer('mcp-server'), 'http']);
  const ground = new Ground(upstream, folder, subjects, say);
  try {
    const sections = await measureAll(ground, rounds, isFull);
    const tables = Object.entries(sections).flatMap(([title, lines]) => [`## ${title}`, '', lines, ''].flat());
    const proof =
      ground.broken.length === 0
        ? 'Every recording was complete by `wireproof verify`.'
        : `Recordings that were not complete: ${ground.broken.length}. ${ground.broken[0]}`;
    const conditions = `Medians of ${rounds} rounds, all subjects in turn in each; of memory, the most. On ${[describeMachine(), ...versions].join(', ')}. The load of the machine just before was ${load.toFixed(1)}.`;
    return [...intro, ...tables, ...skipped.flatMap((line) => [line, '']), proof, '', conditions];
  } finally {
    for (const started of ground.running) await started.stop();
    await upstream.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
