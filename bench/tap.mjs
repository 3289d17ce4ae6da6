// What `tap` costs, beside a plain pipe, two `tee`s, a Node.js process that only passes bytes, and a naive recorder.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { between, peer, timeToAnswer } from './between.mjs';
import { bareMemory, describeMachine, median, outcome } from './figures.mjs';

const node = process.execPath;
const wireproof = path.resolve('dist/wireproof.cjs');
const quote = (words) => words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');

/** How each subject is put before a server, recording into a folder. */
const subjects = {
  'plain pipe': (server) => server,
  'two tees': (server, folder) => ['sh', '-c', `tee '${folder}/up.log' | ${quote(server)} | tee '${folder}/down.log'`],
  'Node.js, passing only': (server) => [node, peer('pass'), ...server],
  'naive recorder': (server, folder) => [node, peer('naive'), `${folder}/naive.jsonl`, ...server],
  wireproof: (server, folder) => [node, wireproof, 'tap', '--trace', `${folder}/trace.jsonl`, '--', ...server],
};
const baseline = 'two tees';
const mebibyte = 1 << 20;
const echo = [node, peer('server'), 'echo'];
const sink = (bytes) => [node, peer('server'), 'sink', String(bytes)];

/** `better` says which way a ratio to the baseline is good; `target` is of wireproof. */
const measures = [
  {
    name: 'round trip, 200 B',
    server: echo,
    client: ['round-trips', 12000, 200],
    figures: [
      ['p50', 1.0],
      ['p99', 1.3],
    ],
  },
  {
    name: 'round trip, 200 B, 1 ms between',
    server: echo,
    client: ['round-trips', 1200, 200, 1],
    figures: [['p50', 0.6]],
  },
  { name: 'round trip, 1 MiB', server: echo, client: ['round-trips', 100, mebibyte], figures: [['p50', 0.5]] },
  { name: '64 in flight, 200 B', server: echo, client: ['window', 40000, 200, 64], figures: [['p50', 1.8]] },
  {
    name: 'one way, 200 B',
    server: sink(300_000 * 200),
    client: ['one-way', 300_000, 200],
    figures: [['each', 0.75]],
    isRate: true,
  },
  {
    name: 'one way, 1 MiB',
    server: sink(300 * mebibyte),
    client: ['one-way', 300, mebibyte],
    figures: [['each', 1.3]],
    isRate: true,
  },
  {
    name: 'one way, 1 MiB, the server stalls for 3 s',
    server: [...sink(64 * mebibyte), '3000'],
    client: ['one-way', 64, mebibyte],
    figures: [],
  },
];

/** Is the recording whole? */
function verify(folder, env) {
  const { status, stdout } = spawnSync(node, [wireproof, 'verify', `${folder}/trace.jsonl`], { encoding: 'utf8', env });
  return status === 0 ? undefined : stdout.trim();
}

async function once(measure, subject, folder, env) {
  const place = fs.mkdtempSync(path.join(folder, 'recording-'));
  const result = await between(subjects[subject](measure.server, place), measure.client, folder, env);
  const broken = subject === 'wireproof' ? verify(place, env) : undefined;
  fs.rmSync(place, { recursive: true });
  return { ...result, broken };
}

async function measureAll(rounds, folder, env, say) {
  const rows = [];
  for (const measure of measures) {
    const results = Object.fromEntries(Object.keys(subjects).map((subject) => [subject, []]));
    for (let round = 0; round < rounds; round++) {
      for (const subject of Object.keys(subjects)) {
        // It needs minutes for megabyte messages, so it has no figure there.
        if (subject === 'naive recorder' && (round > 0 || measure.name.includes('MiB'))) continue;
        results[subject].push(await once(measure, subject, folder, env));
      }
    }
    rows.push({ measure, results });
    say(
      `${measure.name}: ${measure.figures.map(([figure]) => `${figure} × ${ratio(measure, results, 'wireproof', figure)?.toFixed(2)}`).join(', ')}`,
    );
  }
  return rows;
}

/** Of the medians: of times, the subject's to the baseline's; of rates, the other way round. */
function ratio(measure, results, subject, figure) {
  if (results[subject].length === 0) return undefined;
  const [own, base] = [subject, baseline].map((name) => median(results[name].map((result) => result[figure])));
  return measure.isRate ? base / own : own / base;
}

async function measureStart(rounds, env, folder) {
  const server = [node, path.resolve('examples/one-exchange.mjs'), '--server'];
  const commands = {
    'node -e 0': [node, '-e', '0'],
    'the server alone': server,
    ...Object.fromEntries(
      Object.entries(subjects)
        .filter(([name]) => name !== 'plain pipe')
        .map(([name, make]) => [name, make(server, folder)]),
    ),
  };
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let round = 0; round < rounds * 5; round++) {
    for (const [name, command] of Object.entries(commands)) times[name].push(await timeToAnswer(command, env));
  }
  return Object.fromEntries(Object.entries(times).map(([name, found]) => [name, median(found)]));
}

function timesTable(rows) {
  const names = Object.keys(subjects);
  const lines = [
    `| × ${baseline} | ${names.filter((name) => name !== baseline).join(' | ')} | target |`,
    `|---|${'---|'.repeat(names.length)}`,
  ];
  for (const { measure, results } of rows) {
    for (const [figure, target] of measure.figures) {
      const base = median(results[baseline].map((result) => result[figure]));
      const cells = names
        .filter((name) => name !== baseline)
        .map((name) => ratio(measure, results, name, figure)?.toFixed(2) ?? '–');
      const own = ratio(measure, results, 'wireproof', figure);
      const what = measure.isRate
        ? `throughput, ${measure.name} (${base.toFixed(1)} µs each)`
        : `${measure.name}, ${figure} (${base.toFixed(0)} µs)`;
      lines.push(
        `| ${what} | ${cells.join(' | ')} | ${measure.isRate ? '≥' : '≤'} ${target}: ${outcome(own, target, measure.isRate)} |`,
      );
    }
  }
  return lines;
}

function memoryTable(rows, bare) {
  const lines = [
    '| peak memory over a bare `node -e 0`, MB | Node.js, passing only | wireproof | target |',
    '|---|---|---|---|',
  ];
  for (const { measure, results } of rows) {
    const most = (name) => Math.max(...results[name].map(({ memory }) => memory ?? NaN)) - bare;
    const target = measure.name.includes('MiB') ? 50 : 20;
    const own = most('wireproof');
    lines.push(
      `| ${measure.name} | ${most('Node.js, passing only').toFixed(0)} | ${own.toFixed(0)} | ≤ ${target}: ${outcome(own, target)} |`,
    );
  }
  return lines;
}

function startTable(start) {
  const limit = start['the server alone'] + 1.15 * start['node -e 0'];
  return [
    '| from the start to the first answer to `initialize` | ms | × the server alone |',
    '|---|---|---|',
    ...Object.entries(start).map(
      ([name, time]) => `| ${name} | ${time.toFixed(0)} | ${(time / start['the server alone']).toFixed(2)} |`,
    ),
    '',
    `Target for wireproof: the server alone and 1.15 × \`node -e 0\`, here ${limit.toFixed(0)} ms: ${outcome(start.wireproof, limit)}.`,
  ];
}

const intro = [
  '# Benchmarks',
  '',
  'Made by `npm run bench -- tap`, which overwrites this page. All subjects run side by side in one run, with the same',
  'client and the same server, over pipes; what counts are the ratios. Times: less is better. Throughput: more is.',
  'The two tees are the shell pipeline `tee up | server | tee down`, which keeps both directions without times, order or',
  'proof. What a tap on HTTP costs stands in [benchmarks-http.md](benchmarks-http.md).',
  '',
];

/** Measures everything and gives the page. */
export async function benchTap({ rounds, say }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wireproof-bench-'));
  const env = { ...process.env, WIREPROOF_HOME: folder };
  try {
    const start = await measureStart(rounds, env, folder);
    say(`start: wireproof ${(start.wireproof / start['the server alone']).toFixed(2)} × the server alone`);
    const rows = await measureAll(rounds, folder, env, say);
    const broken = rows.flatMap(({ results }) => results.wireproof.flatMap((result) => result.broken ?? []));
    const proof =
      broken.length === 0
        ? 'Every recording was complete by `wireproof verify`.'
        : `Recordings that were not complete: ${broken.length}. ${broken[0]}`;
    const conditions = `Medians of ${rounds} rounds, all subjects in turn in each, on ${describeMachine()}.`;
    const sections = { Time: timesTable(rows), Memory: memoryTable(rows, bareMemory()), Start: startTable(start) };
    const tables = Object.entries(sections).flatMap(([title, lines]) => [`## ${title}`, '', lines, ''].flat());
    return [...intro, ...tables, proof, '', conditions];
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
