import { expect } from 'vitest';
import { type Host, server, test, type Started } from './support/host.ts';
import { digest } from './support/read-trace.ts';
import { until } from './support/until.ts';

const conversation = [
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"example-host","version":"1.0.0"}}}',
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"},"_meta":{"progressToken":"p"}}}',
]
  .map((line) => `${line}\n`)
  .join('');

interface Case {
  file: string;
  /** The server has said all that it says before its input ends. */
  isThrough?: (output: string) => boolean;
  code?: number;
  /** How each line of its output is recorded, where that is to be seen: the payload, and a delimiter other than newline. */
  forms?: string[];
}

const lastAnswer = /"id":3[^\n]*\n/;

const cases: Case[] = [
  { file: 'behaves.mjs', forms: ['msg', 'msg', 'msg'] },
  { file: 'banner-on-stdout.mjs', forms: ['text', 'msg', 'msg', 'msg'] },
  { file: 'status-object-on-stdout.mjs', forms: ['msg', 'msg', 'msg', 'msg'] },
  { file: 'coloured-log-on-stdout.mjs', forms: ['text', 'msg', 'msg', 'text', 'msg'] },
  { file: 'pretty-printed-message.mjs' },
  { file: 'carriage-returns.mjs', forms: ['msg\r\n', 'msg\r\n', 'msg\r\n'] },
  { file: 'byte-by-byte.mjs', forms: ['msg', 'msg', 'msg'] },
  { file: 'line-separators-in-string.mjs', forms: ['msg', 'msg', 'msg'] },
  { file: 'invalid-utf8.mjs', forms: ['msg', 'b64', 'msg'] },
  { file: 'answer-without-newline.mjs', isThrough: (output) => output.endsWith('"1.0.0"}}}'), forms: ['msg(none)'] },
  { file: 'progress-flood.mjs' },
  {
    file: 'blank-lines.mjs',
    forms: Array.from({ length: 4 }, (_, index) => ['text', 'text', 'text\r\n', index === 1 ? '' : 'msg'])
      .flat()
      .filter(Boolean),
  },
  {
    file: 'dies-mid-message.mjs',
    isThrough: (output) => /"id":3[^\n]*"text"/.test(output),
    code: 3,
    forms: ['msg', 'msg', 'text(none)'],
  },
  { file: 'talks-after-input.mjs', forms: ['msg', 'msg', 'msg', 'msg', 'msg', 'msg'] },
];

/** One conversation, its input held open until the server is through. */
async function converse(started: Started, { isThrough = (output) => lastAnswer.test(output) }: Case) {
  started.send(conversation);
  await until('the server is through', () => isThrough(started.stdout.tail) || !started.isRunning);
  started.endInput();
  const { code, signal } = await started.ended;
  return { code, signal, stdout: digest(started.stdout.bytes), stderr: digest(started.stderr.bytes) };
}

const formsIn = (host: Host) =>
  host
    .trace()
    .frames('server')
    .map(({ form, eol }) => form + (eol === '\n' ? '' : eol === '' ? '(none)' : eol));

test.concurrent.for(cases)('$file is passed on and recorded exactly', async (peer, { host }) => {
  const [alone, tapped] = await Promise.all([
    converse(host.start(server(peer.file)), peer),
    converse(host.tap(server(peer.file)), peer),
  ]);
  expect(tapped).toEqual(alone);
  expect(tapped.code).toBe(peer.code ?? 0);
  const trace = host.trace();
  expect(digest(trace.bytes('server'))).toBe(alone.stdout);
  expect(digest(trace.bytes('stderr'))).toBe(alone.stderr);
  expect(trace.bytes('client').toString()).toBe(conversation);
  expect(trace.verification.gaps).toEqual([]);
  if (peer.forms) expect(formsIn(host)).toEqual(peer.forms);
  await host.nothingLeft();
});

test('a server that lives on after its input is ended, and the trace says how', async ({ host }) => {
  const tap = host.tap(server('lives-on-after-input.mjs'), { words: ['--grace', '2s'] });
  tap.send(conversation);
  await tap.line('"id":3');
  tap.endInput();
  expect(await tap.ended).toEqual({ code: 143, signal: null });
  expect(host.trace().notes()).toEqual(['signal']);
  expect(host.trace().verification.gaps).toEqual([]);
  await host.nothingLeft();
});
