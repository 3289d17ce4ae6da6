import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { type Host, server, shell, test as stdioTest, type Started, wireproof } from './support/host.ts';
import { tapTest } from './support/http-host.ts';
import { ask, type Lines, post } from './support/http-raw.ts';
import { HttpTrace } from './support/http-trace.ts';
import { peakMemory } from './support/marked.ts';
import { readTrace } from './support/read-trace.ts';
import { spellings } from './support/spellings.ts';
import { until } from './support/until.ts';

interface Ran {
  code: number | null;
  out: Buffer;
  said: string;
}

async function run(host: Host, ...words: string[]): Promise<Ran> {
  const started = host.start([process.execPath, wireproof, ...words]);
  const { code } = await started.ended;
  return { code, out: started.stdout.bytes, said: started.stderr.text };
}

const exported = (host: Host, ...words: string[]): Promise<Ran> => run(host, 'export', '--format', 'trace', ...words);

const secret = 'hunter2/é"9';
const hello = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"user":"kim","password":${JSON.stringify(secret)}}}}\n`;

/** Records what `cat` gives back, and what it says on stderr. */
async function record(host: Host, input: string): Promise<string> {
  const tap = host.tap(shell('cat; echo "token=abc-123 was used" >&2'));
  tap.send(input);
  tap.endInput();
  await tap.ended;
  return host.recordings().at(-1) as string;
}

/** A recording that goes on. */
async function begin(host: Host): Promise<{ tap: Started; path: string }> {
  const tap = host.tap(server('behaves.mjs'));
  tap.send(hello);
  const path = await until('it is recorded', () => {
    const [made] = host.recordings();
    return made !== undefined && readFileSync(made, 'utf8').includes('"from":"server"') && made;
  });
  return { tap, path };
}

const expectHidden = (bytes: Buffer, secrets: readonly string[]): void => {
  const found = secrets.flatMap(spellings).filter((spelled) => bytes.includes(spelled));
  expect(found).toEqual([]);
};

describe('a recording of stdio', () => {
  const rules = ['--redact-key', 'password', '--redact-value', 'token=\\S+'];

  stdioTest('becomes a trace without its secrets, that everything works on', async ({ host }) => {
    const path = await record(host, hello);
    const before = readFileSync(path);
    const copy = host.path('copy.jsonl');
    expect(await exported(host, ...rules, '-o', copy)).toEqual({ code: 0, out: Buffer.alloc(0), said: '' });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expectHidden(readFileSync(copy), [secret, 'token=abc-123']);
    const read = readTrace(copy);
    expect(read.verification.gaps).toEqual([]);
    expect(read.header.id).toBe(basename(path, '.jsonl'));
    expect(read.frames('client')[0]?.redacted).toEqual(['/params/arguments/password']);
    expect(read.frames('stderr')[0]?.redacted).toEqual(['text']);

    const toStdout = await exported(host, path, ...rules, '--redact-secrets', '-o', '-');
    expect(toStdout).toEqual({ code: 0, out: readFileSync(copy), said: '' });
    const verified = await run(host, 'verify', copy);
    expect([verified.code, verified.said]).toEqual([0, '']);
    expect(verified.out.toString()).toMatch(
      /Complete: \d+ records, and every byte is as it was written\.\nIt is a redacted copy/,
    );
    const shown = await run(host, 'show', copy);
    expect(shown.out.toString()).toContain('login');
    expect(shown.out.toString()).toContain('redacted: a copy');
    const client = await run(host, 'bytes', copy, '--from', 'client');
    expect(JSON.parse(client.out.toString())).toMatchObject({
      params: { arguments: { user: 'kim', password: expect.stringMatching(/^redacted-key-[0-9a-f]{16}$/) as string } },
    });
    const other = host.path('elsewhere');
    mkdirSync(join(other, 'traces'), { recursive: true });
    copyFileSync(copy, join(other, 'traces', basename(path)));
    const listed = host.start([process.execPath, wireproof, 'ls'], { env: { WIREPROOF_HOME: other } });
    expect((await listed.ended).code).toBe(0);
    expect(listed.stdout.text).toMatch(/ finished\n$/);
    const again = await exported(host, copy, ...rules);
    expect(again.out.equals(readFileSync(copy))).toBe(true);
  });

  stdioTest('is told of where nothing was found, or it is not whole', async ({ host }) => {
    const path = await record(host, hello);
    const none = await exported(host, path, '--redact-key', 'pasword');
    expect([none.code, none.said]).toEqual([0, 'wireproof: nothing was found that had to be replaced\n']);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"kim"', '"tim"'));
    const changed = await exported(host, path, ...rules, '-o', host.path('changed.jsonl'));
    expect(changed.code).toBe(0);
    expect(changed.said).toMatch(
      /^wireproof: the recording is not complete, and the copy says so:\nwireproof: {3}client: bytes 1 to \d+, before record \d+, are not those that passed\n$/,
    );
    expect((await run(host, 'verify', host.path('changed.jsonl'))).code).toBe(1);
  });

  stdioTest('that goes on or was cut off has a copy that breaks off', async ({ host }) => {
    const { tap, path } = await begin(host);
    tap.send('{"jsonrpc":"2.0","password":"hun');
    await until('the beginning of the line is recorded', () => host.recorded('"held":0'));
    const running = await exported(host, ...rules);
    expect([running.code, running.said]).toEqual([
      0,
      'wireproof: the recording still goes on: the copy ends where it stands now\n',
    ]);
    const alive = host.path('alive.jsonl');
    await exported(host, ...rules, '-o', alive);
    expect((await run(host, 'verify', alive)).out.toString()).toContain('the recording was never closed');
    const followed = await run(host, 'show', '--follow', alive);
    expect([followed.code, followed.out.toString()]).toEqual([0, expect.stringContaining(`show ${alive} N\n`)]);
    expect(followed.out.toString()).toContain('The recording was cut off');
    tap.child.kill('SIGKILL');
    await tap.ended;
    appendFileSync(path, '{"n":');
    const cut = await exported(host, path, ...rules, '-o', host.path('cut.jsonl'));
    expect([cut.code, cut.said]).toEqual([0, 'wireproof: the recording was cut off, and so is the copy\n']);
    const copy = readTrace(host.path('cut.jsonl'));
    expect(copy.verification.gaps.map(({ kind }) => kind)).toEqual(['cut-off']);
    expect(copy.verification.isRunning).toBe(false);
    expect(copy.bytes('client').toString()).toMatch(/\n\{"jsonrpc":"2\.0","password":"redacted-key-[0-9a-f]{16}$/);
    expectHidden(copy.raw, [secret, '"hun']);
  });

  stdioTest('cannot be written over anything, nor by rules that are none', async ({ host }) => {
    const path = await record(host, hello);
    const before = readFileSync(path);
    writeFileSync(host.path('there'), 'kept');
    const cases: [string[], string][] = [
      [['export', path], '--format'],
      [['export', path, '--format', 'pdf'], 'trace'],
      [['export', path, '--format', 'trace', '-o', path], 'exists, and is kept'],
      [['export', path, '--format', 'trace', '-o', host.path('there')], 'exists, and is kept'],
      [['export', path, '--format', 'trace', '-o', host.path('no/such/folder')], 'Could not write the copy'],
      [['export', path, '--format', 'trace', '--redact-value', '(?=a)', '-o', host.path('new')], '(?=a)'],
      [['export', path, '--format', 'trace', '--redact-path', '$[', '-o', host.path('new')], '$['],
      [['export', wireproof, '--format', 'trace', '-o', host.path('new')], 'This is not a wireproof trace'],
      [['export', 'no-such-recording', '--format', 'trace', '-o', host.path('new')], 'wireproof ls'],
    ];
    for (const [words, message] of cases) {
      const { code, out, said } = await run(host, ...words);
      expect([words, code, out.length]).toEqual([words, 2, 0]);
      expect(said).toMatch(/^wireproof: /);
      expect(said).toContain(message);
    }
    expect(existsSync(host.path('new'))).toBe(false);
    const onto = host.start(shell(`"${process.execPath}" "${wireproof}" export --format trace "$1" >> "$1"`, path));
    expect((await onto.ended).code).toBe(2);
    expect(onto.stderr.text).toContain('The output is the recording itself');
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readFileSync(host.path('there'), 'utf8')).toBe('kept');
  });

  stdioTest('is read and written bit by bit, and a reader may leave', async ({ host }) => {
    const path = await record(host, hello);
    const [header = '', ...lines] = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    const frame = lines.find((line) => line.includes('"from":"client"')) as string;
    const many = Array.from({ length: 250_000 }, (_, n) => frame.replace(/^\{"n":\d+/, `{"n":${n + 1}`));
    writeFileSync(host.path('large.jsonl'), [header, ...many, ''].join('\n'));
    const started = host.start([
      process.execPath,
      wireproof,
      'export',
      '--format',
      'trace',
      host.path('large.jsonl'),
      ...rules,
      '-o',
      host.path('copy.jsonl'),
    ]);
    let peak = 0;
    for (; started.isRunning; await new Promise((resolve) => setTimeout(resolve, 20))) {
      if (process.platform === 'linux') peak = Math.max(peak, peakOf(started.pid));
    }
    expect((await started.ended).code).toBe(0);
    expect(statSync(host.path('copy.jsonl')).size).toBeGreaterThan(50_000_000);
    expect(peak).toBeLessThan(250_000_000);
    const early = host.start(
      shell(`"${process.execPath}" "${wireproof}" export --format trace "$1" | head -c 14`, host.path('large.jsonl')),
    );
    await early.ended;
    expect([early.stdout.text, early.stderr.text]).toEqual(['{"wireproof":1', '']);
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

describe('a recording of HTTP', () => {
  const token = 'tok-5f4dcc3b5aa765d61d8327deb882cf99';

  tapTest('gets the stand-ins that it would have got when it was made', async ({ host }) => {
    const { url } = await host.serve((request, response) => {
      if (request.url === '/token') {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
        response.end(gzipSync(JSON.stringify({ access_token: token, token_type: 'Bearer' })));
      } else if (request.url === '/events') {
        response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Mcp-Session-Id': 'the session' });
        response.end('id: 1\ndata: {"jsonrpc":"2.0","id":1,"result":{"pin":"1234"}}\n\n: hi\n\n');
      } else
        response.setHeader('Content-Type', 'application/json').end('{"jsonrpc":"2.0","id":1,"result":{"pin":1234}}');
    });
    const all = ['--redact-key', 'pin'];
    const [bare, hiding] = [await host.tapTo(url, ['--no-redact-secrets']), await host.tapTo(url, all)];
    for (const tap of [bare, hiding]) {
      const form = `grant_type=refresh_token&refresh_token=${token}`;
      await ask(tap.under('/token?client_secret=s3cr3t-s3cr3t'), 'POST', formLines(form), form);
      await post(tap.under('/events'), '{"jsonrpc":"2.0","id":1,"method":"x"}', [['Authorization', `Bearer ${token}`]]);
      await post(tap.url, '{"jsonrpc":"2.0","id":1,"method":"x","params":{"pin":"1234"}}', [
        ['Cookie', 'a=s3cr3t-s3cr3t'],
      ]);
    }
    const [recorded, captured] = [await bare.stop(), await hiding.stop()];
    if (!recorded || !captured) throw new Error('nothing was recorded');
    expect(recorded.bytes.includes(token)).toBe(true);
    const path = host.path('copy.jsonl');
    expect(await exported(host, recorded.path, ...all, '-o', path)).toMatchObject({ code: 0, said: '' });
    const copy = new HttpTrace(path);
    expectHidden(copy.bytes, [token, 's3cr3t-s3cr3t', 'the session', '"1234"', ':1234']);
    expect(readTrace(path).verification.gaps).toEqual([]);
    for (const part of ['redacted', 'head', 'msg', 'text', 'b64', 'passed']) {
      const [one, other] = [copy, captured].map(({ records }) => records.map((record) => JSON.stringify(record[part])));
      expect(said(one ?? [], [bare.url, hiding.url])).toEqual(said(other ?? [], [bare.url, hiding.url]));
    }
  });
});

const formLines = (form: string): Lines => [
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Content-Length', String(form.length)],
];

/** What the records of two taps say, without the ports that they have. */
const said = (parts: readonly (string | undefined)[], urls: readonly URL[]): string[] =>
  parts
    .filter((part) => part !== undefined)
    .map((part) => urls.reduce((text, { host }) => text.replaceAll(host, 'tap'), part))
    .map((part) => part.replaceAll(/"Date","[^"]*"/g, '"Date",""'))
    .sort();
