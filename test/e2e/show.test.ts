import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Host, server, shell, test, type Started, wireproof } from './support/host.ts';
import { until } from './support/until.ts';

const hello = [
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"example-host","version":"1.0.0"}}}',
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
];
const list = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}';
const call = (id: string, text: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{"text":"${text}"},"_meta":{"progressToken":"p"}}}`;
const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join('');

/** What the client says at first, and what when the server has said something. */
interface Turns {
  first: string;
  until: string;
  after: string;
}

/** Records one conversation with a server of test/servers; its input stays open until `through` has come out. */
async function record(host: Host, file: string, input: string | Turns, through: string): Promise<void> {
  const tap = host.tap(server(file), { words: ['--grace', '200ms'] });
  const { first, until: said, after } = typeof input === 'string' ? { first: input, until: '', after: '' } : input;
  tap.send(first);
  await until(`${file} says ${said}`, () => tap.stdout.tail.includes(said) || !tap.isRunning);
  if (after !== '') tap.send(after);
  await until(`${file} says ${through}`, () => tap.stdout.tail.includes(through) || !tap.isRunning);
  tap.endInput();
  await tap.ended;
}

const start = (host: Host, ...words: string[]): Started => host.start([process.execPath, wireproof, 'show', ...words]);

async function show(host: Host, ...words: string[]): Promise<{ code: number | null; out: string; said: string }> {
  const shown = start(host, ...words);
  const { code } = await shown.ended;
  return { code, out: shown.stdout.text, said: shown.stderr.text };
}

/** What stands in the columns, without numbers and times: direction, subject, id, state, outcome. */
const toldIn = (out: string): string[] =>
  out
    .split('\n')
    .filter((line) => /^ *\d* +\d+\.\d [<>|!-] /.test(line))
    .map((line) =>
      line
        .replace(/^ *\d* +\d+\.\d /, '')
        .replace(/(?:\d|,|\.)+ ms /, '')
        .replaceAll(/ +/g, ' '),
    )
    .filter((line) => !line.startsWith('- '));

// oxlint-disable-next-line no-control-regex -- none of them may come out
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2028\u2029\u{e0000}-\u{e007f}]/u;

interface Case {
  file: string;
  input: string | Turns;
  through: string;
  told: string[];
}

const opening = ['> initialize #1 ok test-server 1.0.0, speaks 2025-06-18', '> notifications/initialized'];
const cases: Case[] = [
  {
    file: 'carriage-returns.mjs',
    input: lines(...hello, list),
    through: '"id":2',
    told: [...opening, '> tools/list #2 ok 1 tool'],
  },
  {
    file: 'line-separators-in-string.mjs',
    input: lines(...hello, call('3', 'x')),
    through: '"id":3',
    told: [...opening, '> tools/call echo {"text":"x"} #3 ok a\\u2028b\\u2029c\\x85d'],
  },
  {
    file: 'pretty-printed-message.mjs',
    input: lines(...hello, list),
    through: '"id":2',
    told: [
      '> initialize #1 pending never answered',
      '> notifications/initialized',
      '> tools/list #2 ok 1 tool',
      "< one JSON value over 14 lines so it is no message; on one line it would be an answer to the client's request #1",
    ],
  },
  {
    file: 'answer-without-newline.mjs',
    input: lines(hello[0] as string),
    through: '"1.0.0"}}}',
    told: [
      '> initialize #1 pending never answered',
      '< the last line has no newline 148 bytes; it is JSON, with a newline it would be an answer to the client\'s request #1: {"jsonrpc":',
    ],
  },
  {
    file: 'dies-mid-message.mjs',
    input: lines(...hello, call('3', 'x')),
    through: 'nothing, it dies',
    told: [
      ...opening,
      '> tools/call echo {"text":"x"} #3 pending never answered',
      '< the last line has no newline 60 bytes; it is no JSON either: {"jsonrpc":',
      '! closed, the server exited with 3',
    ],
  },
  {
    file: 'progress-flood.mjs',
    input: lines(...hello, call('3', 'x')),
    through: '"id":3',
    told: [...opening, '> tools/call echo {"text":"x"} #3 ok done - 20,000 progress'],
  },
  {
    file: 'blank-lines.mjs',
    input: lines('', hello[0] as string, ' \t', '', list),
    through: '"id":2',
    told: [
      '> a blank line',
      '> initialize #1 ok test-server 1.0.0, speaks 2025-06-18',
      '> a blank line x2',
      '> tools/list #2 ok 1 tool',
      '< a blank line x6',
    ],
  },
  {
    file: 'answers-last-first.mjs',
    input: lines(...hello, call('5', 'A'), call('5', 'B')),
    through: 'echo: A',
    told: [
      ...opening,
      '> tools/call echo {"text":"A"} #5 ok echo: B - id used twice at once',
      '> tools/call echo {"text":"B"} #5 ok echo: A - id used twice at once',
    ],
  },
  {
    file: 'behaves.mjs',
    input: lines((hello[0] as string).replace('"id":1', '"id":0'), call('""', 'x')),
    through: '"id":""',
    told: ['> initialize #0 ok test-server 1.0.0, speaks 2025-06-18', '> tools/call echo {"text":"x"} #"" ok echo: x'],
  },
  {
    file: 'asks-back.mjs',
    input: {
      first: lines(...hello, call('3', 'x')),
      until: 'elicitation/create',
      after: lines('{"jsonrpc":"2.0","id":3,"result":{"action":"accept","content":{"name":"Kim"}}}'),
    },
    through: 'hello Kim',
    told: [
      ...opening,
      '> tools/call echo {"text":"x"} #3 ok hello Kim',
      '< elicitation/create Name? #3 ok accept {"name":"Kim"}',
    ],
  },
  {
    file: 'answers-batches.mjs',
    input: lines(
      ...hello,
      `[${list},${call('3', 'x')},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}]`,
    ),
    through: '"id":3',
    told: [
      ...opening,
      '> tools/list #2 ok 1 tool - in a batch',
      '> tools/call echo {"text":"x"} #3 ok echo: x - in a batch',
      '> notifications/cancelled no such request - in a batch',
    ],
  },
  {
    file: 'invalid-utf8.mjs',
    input: lines(...hello, list),
    through: 'dash',
    told: [
      ...opening,
      '> tools/list #2 pending never answered',
      '< not UTF-8, at byte 75 {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"echo","description":"en\\x97dash"',
    ],
  },
];

test.concurrent.for(cases)('the conversation with $file', async ({ file, input, through, told }, { host }) => {
  await record(host, file, input, through);
  const { code, out, said } = await show(host);
  expect({ code, said }).toEqual({ code: 0, said: '' });
  const seen = toldIn(out);
  // Which of two sides was quicker where they speak at once is not for this test.
  expect(seen.map((line, index) => line.slice(0, told[index]?.length)).sort()).toEqual(told.toSorted());
  expect(out).not.toMatch(control);
});

describe('what is hostile to terminals', () => {
  test.concurrent.for(['escapes-everywhere.mjs', 'hidden-characters.mjs', 'coloured-log-on-stdout.mjs'])(
    '%s: nothing of it comes out',
    async (file, { host }) => {
      await record(host, file, lines(...hello, list, call('3', '\\u001b[2J \u202e')), '"id":3');
      const { out: units } = await show(host, '--json');
      const numbers = [...units.matchAll(/"unit":"frame","c":1,"n":(\d+)/g)].map(([, n]) => n as string);
      expect(numbers.length).toBeGreaterThan(6);
      const all = [[], ['--full'], ['--json'], ...numbers.map((n) => [n])];
      for (const words of all) {
        const { code, out } = await show(host, ...words);
        expect({ words, code, control: control.exec(out)?.[0] }).toEqual({ words, code: 0, control: undefined });
      }
    },
  );
});

describe('one record whole', () => {
  test.concurrent('numbers keep their spelling, and its answer is named', async ({ host }) => {
    const exact = '{"jsonrpc":"2.0","id":1.0,"method":"ping","params":{"a":1.0,"b":1e400,"c":9007199254740993,"c":-0}}';
    await record(host, 'behaves.mjs', lines(exact), '"id":1');
    const { code, out } = await show(host, '2');
    expect(code).toBe(0);
    for (const part of ['"a": 1.0,\n', '"b": 1e400,\n', '"c": 9007199254740993,\n', '"c": -0\n', `${exact}\\n\n`]) {
      expect(out).toContain(part);
    }
    expect(out).toMatch(/A request: ping #1\.0, answered \(ok\) by record 3, /);
  });

  test.concurrent('bytes that are no UTF-8 come as hexadecimal', async ({ host }) => {
    await record(host, 'invalid-utf8.mjs', lines(...hello, list), 'dash');
    const n = JSON.parse((await show(host, '--json', '--filter', 'kind:stray')).out.split('\n')[1] as string).n;
    const { out } = await show(host, String(n));
    expect(out).toContain('00000040  69 70 74 69 6f 6e 22 3a 22 65 6e 97 64 61 73 68  iption":"en.dash\n');
  });

  test.concurrent('a long one is cut, and --full shows all of it', async ({ host }) => {
    await record(host, 'behaves.mjs', lines(call('1', 'x'.repeat(20_000))), 'x"}]}}');
    const longest = (out: string): number => Math.max(...out.split('\n').map(({ length }) => length));
    expect(longest((await show(host)).out)).toBe(160);
    expect(longest((await show(host, '--full')).out)).toBeGreaterThan(1000);
    const cut = await show(host, '2');
    expect(cut.out).toContain('more bytes; --full shows all)');
    expect(cut.out.length).toBeLessThan(10_000);
    expect((await show(host, '2', '--full')).out.length).toBeGreaterThan(40_000);
  });
});

test.concurrent('--json gives every unit as a line, messages exactly as they were', async ({ host }) => {
  await record(host, 'behaves.mjs', lines(...hello, call('2', 'x')), '"id":2');
  const { code, out } = await show(host, '--json');
  expect(code).toBe(0);
  const units = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(units[0]).toMatchObject({ unit: 'trace', transport: 'stdio' });
  expect(units.find(({ unit, tool }) => unit === 'exchange' && tool === 'echo')).toMatchObject({
    status: 'ok',
    id: 2,
    request: { msg: JSON.parse(call('2', 'x')) },
    answer: { msg: { result: { content: [{ text: 'echo: x' }] } } },
  });
  expect(units.at(-1)).toMatchObject({
    what: 'closed',
    facts: { server: 'test-server 1.0.0', revisions: ['2025-06-18'] },
  });
  expect(out).toContain(`"msg":${call('2', 'x')}`);
});

test.concurrent('--filter shows what fits, and says how much does not', async ({ host }) => {
  await record(
    host,
    'behaves.mjs',
    lines(...hello, call('2', 'x'), '{"jsonrpc":"2.0","id":3,"method":"no/such"}'),
    '"id":3',
  );
  const failed = await show(host, '--filter', 'status:error');
  expect(toldIn(failed.out)).toEqual(['> no/such #3 error -32601 Method not found']);
  expect(failed.out).toContain('left out by the filter');
  expect(toldIn((await show(host, '--filter', 'tool:echo id:2')).out)).toHaveLength(1);
  expect((await show(host, '--filter', 'tool:add')).out).toContain('Nothing fits the filter.');
});

test.concurrent.for([
  [['--filter', 'kind:foo'], 'kind:req, kind:resp'],
  [['nowhere.jsonl'], 'nowhere.jsonl'],
  [[wireproof], `${wireproof}: This is not a wireproof trace`],
  [[wireproof, '3'], `${wireproof}: This is not a wireproof trace`],
  [['4711'], 'no record 4711'],
  [['4711', 'x'], 'no record number'],
  [['1', '--follow'], '--follow is for a whole recording'],
] as const)('%j cannot be done, and it is said why', async ([words, why], { host }) => {
  await record(host, 'behaves.mjs', lines(list), '"id":2');
  const path = words[1] === 'x' ? [host.recordings()[0] as string] : [];
  const { code, out, said } = await show(host, ...path, ...words.slice(path.length));
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(said).toMatch(/^wireproof: /);
  expect(said).toContain(why);
});

test.concurrent('a folder where the newest recording should be is passed over, and no stack trace when it is named', async ({
  host,
}) => {
  await record(host, 'behaves.mjs', lines(list), '"id":2');
  const folder = join(host.home, 'traces', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ.jsonl');
  mkdirSync(folder);
  expect((await show(host)).out).toContain('tools/list');
  const { code, out, said } = await show(host, folder);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(said).toMatch(/^wireproof: .*(?:folder|EISDIR).*\n$/);
  expect(said).toContain(folder);
});

test.concurrent('when nobody reads on, it ends quietly', async ({ host }) => {
  await record(host, 'progress-flood.mjs', lines(call('3', 'x')), '"id":3');
  const piped = host.start(
    shell('{ "$@"; echo "code $?" >&2; } | head -n 1', process.execPath, wireproof, 'show', '--json'),
  );
  await piped.ended;
  expect(piped.stderr.text).toBe('code 0\n');
});

describe('--follow', () => {
  test.concurrent('shows what happens as it happens, and ends with the recording', async ({ host }) => {
    const tap = host.tap(server('asks-back.mjs'));
    await until('there is a recording', () => host.recorded('"opened"'));
    const shown = start(host, '--follow');
    tap.send(lines(...hello));
    await shown.line('initialize');
    tap.send(lines(call('3', 'x')));
    expect(await shown.line('asked')).toMatch(/> tools\/call echo +#3 +asked +\{"text":"x"\}|elicitation/);
    await shown.line('elicitation/create');
    tap.send(lines('{"jsonrpc":"2.0","id":3,"result":{"action":"accept","content":{"name":"Kim"}}}'));
    expect(await shown.line('hello Kim')).toMatch(/< tools\/call echo +#3 +[\d.,]+ ms ok +hello Kim/);
    tap.endInput();
    expect((await shown.ended).code).toBe(0);
    expect(shown.stdout.text).toContain('closed, the server exited with 0');
  });

  test.concurrent('a line that does not end is told of', async ({ host }) => {
    const tap = host.tap(server('answer-without-newline.mjs'));
    await until('there is a recording', () => host.recorded('"opened"'));
    const shown = start(host, '--follow');
    tap.send(lines(hello[0] as string));
    expect(await shown.line('without its end so far')).toContain(
      '148 bytes, and it is JSON: only the newline is missing',
    );
    tap.endInput();
    expect((await shown.ended).code).toBe(0);
  });

  test.concurrent('ends when the writer is gone without a word, and says so', async ({ host }) => {
    const tap = host.tap(server('behaves.mjs'));
    tap.send(lines(list));
    await until('the answer is recorded', () => host.recorded('"result"'));
    const shown = start(host, '--follow');
    await shown.line('tools/list');
    tap.child.kill('SIGKILL');
    expect((await shown.ended).code).toBe(0);
    expect(shown.stdout.text).toContain('The recording was cut off');
  });

  test.concurrent('Ctrl-C ends it with 130', async ({ host }) => {
    const tap = host.tap(server('behaves.mjs'));
    tap.send(lines(list));
    await until('the answer is recorded', () => host.recorded('"result"'));
    const shown = start(host, '--follow');
    await shown.line('tools/list');
    shown.child.kill('SIGINT');
    expect(await shown.ended).toEqual({ code: 130, signal: null });
    expect(shown.stdout.text).toContain('Still being recorded');
    tap.endInput();
    await tap.ended;
  });
});
