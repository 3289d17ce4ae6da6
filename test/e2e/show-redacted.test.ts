import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { type Host, server, shell, test as stdioTest, wireproof } from './support/host.ts';
import { tapTest } from './support/http-host.ts';
import { ask, type Lines, post } from './support/http-raw.ts';
import { peakMemory } from './support/marked.ts';
import { spellings } from './support/spellings.ts';
import { until } from './support/until.ts';

interface Ran {
  code: number | null;
  out: string;
  said: string;
}

async function run(host: Host, ...words: string[]): Promise<Ran> {
  const started = host.start([process.execPath, wireproof, ...words]);
  const { code } = await started.ended;
  return { code, out: started.stdout.text, said: started.stderr.text };
}

const show = (host: Host, ...words: string[]): Promise<Ran> => run(host, 'show', ...words);

const expectHidden = (text: string, secrets: readonly string[]): void => {
  expect(secrets.flatMap(spellings).filter((spelled) => text.includes(spelled))).toEqual([]);
};

/** The numbers of the records that the lines of a conversation stand for. */
const numbersIn = (out: string): number[] =>
  out
    .split('\n')
    .flatMap((line) => /^ +(\d+) +\d+\.\d /.exec(line)?.[1] ?? [])
    .map(Number);

interface UnitLine {
  unit: string;
  n?: number;
  note?: string;
  records?: number[];
  redacted?: string[];
  [member: string]: unknown;
}

const unitsIn = (out: string): UnitLine[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as UnitLine);

/** Units without the header, the note of a copy, and the numbers of records. */
const saidBy = (out: string): string[] =>
  unitsIn(out)
    .filter(({ unit, note }) => unit !== 'trace' && note !== 'redacted')
    .map((unit) => JSON.stringify(unit).replaceAll(/"(?:n|first)":\d+/g, '"n":0'));

const secret = 'hunter2/é"9';
const login = (id: number): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"login","arguments":{"user":"kim","password":${JSON.stringify(secret)}}}}\n`;
const rules = ['--redact-key', 'password', '--redact-value', 'token=\\S+'];

describe('a recording of stdio', () => {
  /** Records what `cat` gives back, and what it says on stderr. */
  async function record(host: Host): Promise<string> {
    const tap = host.tap(shell('cat; echo "token=abc-123 was used" >&2'));
    tap.send('{"jsonrpc":"2.0","id":1,"method":"initialize"}\n' + login(2));
    tap.endInput();
    await tap.ended;
    return host.recordings().at(-1) as string;
  }

  stdioTest('is shown as its copy would be, with its own numbers, and none is written', async ({ host }) => {
    const path = await record(host);
    const before = readFileSync(path);
    const plain = await show(host, '--full');
    expect(plain.out).toContain('hunter2');
    const shown = await show(host, '--full', ...rules);
    expect([shown.code, shown.said]).toEqual([0, '']);
    expectHidden(shown.out, [secret, 'token=abc-123']);
    expect(shown.out).toContain(
      'Redacted: replaced are the secrets of HTTP and OAuth, what is named password, what 1 expression matches\n',
    );
    expect(shown.out).toMatch(/"user":"kim","password":"redacted-key-[0-9a-f]{16}"/);
    expect(shown.out).toContain(` show ${basename(path, '.jsonl')} N, with the same --redact options\n`);
    expect(numbersIn(shown.out)).toEqual(numbersIn(plain.out));
    expect(numbersIn(plain.out).length).toBeGreaterThan(4);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(host.recordings()).toEqual([path]);
  });

  stdioTest('says in JSON what its copy says', async ({ host }) => {
    const path = await record(host);
    const copy = host.path('copy.jsonl');
    await run(host, 'export', '--format', 'trace', ...rules, '-o', copy);
    const [plain, shown, copied] = [
      await show(host, '--json'),
      await show(host, '--json', ...rules),
      await show(host, '--json', copy),
    ];
    expectHidden(shown.out, [secret, 'token=abc-123']);
    expect(saidBy(shown.out)).toEqual(saidBy(copied.out));
    const numbers = (out: string): unknown[] => unitsIn(out).map(({ unit, n, records }) => [unit, n, records]);
    expect(numbers(shown.out)).toEqual(numbers(plain.out));
    const [header, ...units] = unitsIn(shown.out);
    const [{ unit: _, ...recorded }] = unitsIn(plain.out) as [UnitLine];
    expect(header).toEqual({
      unit: 'trace',
      ...recorded,
      command: unitsIn(copied.out)[0]?.['command'],
      redaction: expect.stringContaining('named password') as string,
    });
    expect(units.filter(({ redacted }) => redacted).map(({ redacted }) => redacted)).toEqual([
      ['/params/arguments/password'],
      ['/params/arguments/password'],
      ['text'],
    ]);
    expect(basename(path)).toBe(`${String(header?.['id'])}.jsonl`);
  });

  stdioTest('one record of it is shown whole', async ({ host }) => {
    const path = await record(host);
    const n = unitsIn((await show(host, '--json', '--filter', 'kind:req login')).out).at(-1)?.['request'];
    const number = String((n as { n: number }).n);
    expect((await show(host, number)).out).toContain('hunter2');
    for (const words of [[number], [path, number], [path, number, '--full']]) {
      const { code, out, said } = await show(host, ...words, ...rules);
      expect([code, said]).toEqual([0, '']);
      expectHidden(out, [secret]);
      expect(out).toMatch(new RegExp(`^Record ${number} `));
      expect(out).toContain('A request: tools/call login #2,');
      expect(out).toContain('Replaced: /params/arguments/password.');
      expect(out).toMatch(/"password": "redacted-key-[0-9a-f]{16}"/);
      expect(out).toContain('Redacted, ');
      expect(out).not.toMatch(/In the recording|On the wire/);
    }
    const json = await show(host, number, '--json', ...rules);
    expectHidden(json.out, [secret]);
    expect(unitsIn(json.out)[0]).toMatchObject({ n: Number(number), redacted: ['/params/arguments/password'] });
  });

  stdioTest('is searched as it is shown', async ({ host }) => {
    await record(host);
    expect((await show(host, '--filter', 'hunter2')).out).toContain('login');
    for (const words of ['hunter2', 'abc-123', 'tool:login hunter2']) {
      const { out } = await show(host, '--filter', words, ...rules);
      expect(out).toContain('Nothing fits the filter.');
      expect(unitsIn((await show(host, '--json', '--filter', words, ...rules)).out)).toHaveLength(1);
    }
    const [standIn = ''] = /redacted-key-\w+/.exec((await show(host, '--full', ...rules)).out) ?? [];
    expect(numbersIn((await show(host, '--filter', standIn, ...rules)).out).length).toBeGreaterThan(0);
  });

  stdioTest(
    'is shown as it is where nothing has to be replaced, and it is said where rules find nothing',
    async ({ host }) => {
      await record(host);
      const plain = await show(host);
      expect(await show(host, '--no-redact-secrets')).toEqual(plain);
      const secrets = await show(host, '--redact-secrets');
      expect(secrets.said).toBe('');
      const none = await show(host, '--redact-key', 'pasword');
      expect([none.code, none.said]).toEqual([0, 'wireproof: nothing was found that had to be replaced\n']);
      for (const { out } of [secrets, none]) {
        const lines = out.split('\n').filter((line) => !line.startsWith('Redacted: ') && !line.includes('One record'));
        expect(lines).toEqual(plain.out.split('\n').filter((line) => !line.includes('One record')));
      }
    },
  );

  stdioTest('rules that are none are refused as export refuses them', async ({ host }) => {
    const path = await record(host);
    for (const words of [
      ['--redact-value', '(?=a)'],
      ['--redact-path', '$['],
      ['--redact-key', ''],
      ['--redact-key'],
    ]) {
      const exported = await run(host, 'export', path, '--format', 'trace', ...words);
      for (const more of [[], ['2'], ['--follow'], ['--json']]) {
        const { code, out, said } = await show(host, path, ...more, ...words);
        expect({ words, code, out }).toEqual({ words, code: 2, out: '' });
        expect(said.replace('show --help', 'export --help')).toBe(exported.said);
      }
    }
    const bytes = await run(host, 'bytes', path, '--from', 'client', ...rules);
    expect([bytes.code, bytes.said]).toEqual([2, expect.stringContaining('--redact-key')]);
  });

  stdioTest('is shown as it happens', async ({ host }) => {
    const tap = host.tap(server('answer-without-newline.mjs'));
    await until('there is a recording', () => host.recorded('"opened"'));
    const shown = host.start([process.execPath, wireproof, 'show', '--follow', ...rules]);
    tap.send(login(1).replace('tools/call', 'initialize'));
    expect(await shown.line('initialize')).toMatch(/> initialize/);
    expect(await shown.line('without its end so far')).toContain('and it is JSON: only the newline is missing');
    tap.send(`token=abc-123 ${'x'.repeat(20)}\n`);
    expect(await shown.line('xxx')).toMatch(/redacted-value-[0-9a-f]{16} xxx/);
    tap.endInput();
    expect((await shown.ended).code).toBe(0);
    expect(shown.stdout.text).toContain('closed, the server exited with 0');
    expectHidden(shown.stdout.text + shown.stderr.text, [secret, 'token=abc-123']);
  });

  stdioTest('what a copy leaves out has no page of its own', async ({ host }) => {
    const path = await record(host);
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    const held = '{"n":3,"at":0.900,"c":1,"from":"client","held":0,"text":"hunter2"}';
    const unknown = '{"n":4,"at":0.950,"c":1,"dreamt":"hunter2"}';
    writeFileSync(host.path('odd.jsonl'), [...lines.slice(0, 3), held, unknown, ''].join('\n'));
    const value = ['--redact-value', 'hunter2'];
    const all = await show(host, host.path('odd.jsonl'), ...value);
    expect(all.out).toMatch(/^ +3 .* a line without its end +.*redacted-value-/m);
    expect(all.out).not.toMatch(/dreamt|hunter2/);
    const one = await show(host, host.path('odd.jsonl'), '4', ...value);
    expect([one.code, one.out]).toEqual([2, '']);
    expect(one.said).toBe('wireproof: Record 4 is not shown redacted: a redacted copy leaves it out.\n');
    expect((await show(host, host.path('odd.jsonl'), '5', ...value)).said).toContain(
      'There is no record 5 in this recording: its last one is 4.',
    );
    expect((await show(host, host.path('odd.jsonl'), '3', ...value)).out).toContain('redacted-value-');
  });

  stdioTest('is read bit by bit', async ({ host }) => {
    const path = await record(host);
    const [header = '', ...lines] = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    const frame = lines.find((line) => line.includes('password')) as string;
    const notice = frame.replace('"id":2,', '').replace('"kim"', `"${'kim'.repeat(500)}"`);
    const many = Array.from({ length: 50_000 }, (_, n) => notice.replace(/^\{"n":\d+/, `{"n":${n + 1}`));
    writeFileSync(host.path('large.jsonl'), [header, ...many, ''].join('\n'));
    expect(statSync(host.path('large.jsonl')).size).toBeGreaterThan(80_000_000);
    const words = ['show', host.path('large.jsonl'), '--filter', 'kind:resp', ...rules];
    const started = host.start([process.execPath, wireproof, ...words]);
    let peak = 0;
    for (; started.isRunning; await new Promise((resolve) => setTimeout(resolve, 20))) {
      if (process.platform === 'linux') peak = Math.max(peak, peakOf(started.pid));
    }
    expect((await started.ended).code).toBe(0);
    expect(started.stdout.text).toContain('50,000 lines left out by the filter');
    expect(peak).toBeLessThan(250_000_000);
  });
});

/** 0 where the process has just ended. */
function peakOf(pid: number): number {
  try {
    return peakMemory(pid) || 0;
  } catch {
    return 0;
  }
}

const traces = fileURLToPath(new URL('../traces', import.meta.url));

describe('recordings of old', () => {
  stdioTest.for(readdirSync(traces))('%s is shown as before where no rule finds anything', async (name, { host }) => {
    const path = `${traces}/${name}`;
    for (const how of [[], ['--full'], ['--json'], ['--filter', 'kind:stray']]) {
      const plain = await show(host, path, ...how);
      const shown = await show(host, path, ...how, '--redact-value', 'no such thing');
      const without = (out: string): string[] =>
        out.split('\n').filter((line) => !/^Redacted: |^One record|"unit":"trace"/.test(line));
      expect(without(shown.out)).toEqual(without(plain.out));
    }
  });
});

describe('a recording of HTTP', () => {
  const token = 'tok-5f4dcc3b5aa765d61d8327deb882cf99';
  const form = `grant_type=refresh_token&refresh_token=${token}`;
  const formLines: Lines = [
    ['Content-Type', 'application/x-www-form-urlencoded'],
    ['Content-Length', String(form.length)],
  ];

  tapTest('is shown without its secrets, and so is each record of it', async ({ host }) => {
    const { url } = await host.serve((request, response) => {
      if (request.url === '/token') {
        response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ access_token: token }));
      } else if (request.url === '/events') {
        response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Mcp-Session-Id': 'the session' });
        response.end('id: 1\ndata: {"jsonrpc":"2.0","id":1,"result":{"pin":"1234"}}\n\n: hi\n\n');
      } else
        response.setHeader('Content-Type', 'application/json').end('{"jsonrpc":"2.0","id":1,"result":{"pin":"1234"}}');
    });
    const tap = await host.tapTo(url, ['--no-redact-secrets']);
    await ask(tap.under('/token?client_secret=s3cr3t-s3cr3t'), 'POST', formLines, form);
    await post(tap.under('/events'), '{"jsonrpc":"2.0","id":1,"method":"x"}', [['Authorization', `Bearer ${token}`]]);
    await post(tap.url, '{"jsonrpc":"2.0","id":1,"method":"x"}', [['Cookie', 'a=s3cr3t-s3cr3t']]);
    const recorded = await tap.stop();
    if (!recorded) throw new Error('nothing was recorded');
    const hidden = [token, 's3cr3t-s3cr3t', 'the session', '"1234"'];
    const how = ['--redact-secrets', '--redact-key', 'pin'];
    const all = await show(host, recorded.path, '--full', '--filter', 's:1', ...how);
    expectHidden(all.out, hidden);
    for (const { n } of recorded.records) {
      const { code, out, said } = await show(host, recorded.path, String(n), ...how);
      expect([n, code, said]).toEqual([n, 0, '']);
      expect(out).toMatch(new RegExp(`^Record ${n} `));
      expectHidden(out, hidden);
    }
    await run(host, 'export', '--format', 'trace', recorded.path, ...how, '-o', host.path('copy.jsonl'));
    const shown = await show(host, '--json', recorded.path, ...how);
    expectHidden(shown.out, hidden);
    expect(saidBy(shown.out)).toEqual(saidBy((await show(host, '--json', host.path('copy.jsonl'))).out));
    const found = await show(host, recorded.path, '--filter', token, '--redact-secrets');
    expect(found.out).toContain('Nothing fits the filter.');
  });
});
