import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HttpTraceMaker } from '../../test/http-trace-maker.ts';
import { TraceMaker } from '../../test/trace-maker.ts';
import { bytes, type BytesResult, type WantedBytes } from './bytes.ts';

let folder = '';
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'wireproof-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function kept(trace: Uint8Array): string {
  const path = join(folder, 'trace.jsonl');
  writeFileSync(path, trace);
  return path;
}

async function given(trace: Uint8Array, wanted: WantedBytes): Promise<{ text: string; result: BytesResult }> {
  const chunks: Buffer[] = [];
  const output = new Writable({
    write: (chunk: Buffer, _, done) => {
      chunks.push(chunk);
      done();
    },
  });
  const result = await bytes(kept(trace), wanted, output);
  return { text: Buffer.concat(chunks).toString(), result };
}

describe('of a recording of HTTP', () => {
  const maker = new HttpTraceMaker();
  const first = maker.stream().ask({ body: 'one' }).open();
  const second = maker.stream().ask({ body: 'two' }).open();
  first.pass('server', 'data: a\n\n');
  second.pass('server', 'data: b\n\n');
  first.pass('server', 'data: c').end('server', 'gone');
  second.end('server');
  const mapped = maker.stream().ask({ method: 'GET' });
  mapped.head('server', { version: '1.1', status: 200, lines: [] });
  for (const leg of ['server', 'client'] as const) {
    mapped.begin('server', {}, leg).pass('server', `(${leg})`, leg).end('server', undefined, leg);
  }
  maker.close();

  test.each<[string, WantedBytes, string]>([
    ['one body', { from: 'server', stream: 1 }, 'data: a\n\ndata: c'],
    ['another', { from: 'client', stream: 2 }, 'two'],
    ['all of one side, as their records stand', { from: 'client' }, 'onetwo'],
    ['of those in two forms, the one on the client side', { from: 'server' }, 'data: a\n\ndata: b\n\ndata: c(client)'],
    ['or the one on the other', { from: 'server', leg: 'server' }, 'data: a\n\ndata: b\n\ndata: c(server)'],
    ['a stream without a body', { from: 'client', stream: 3 }, ''],
    ['there is no stderr', { from: 'stderr' }, ''],
  ])('%s', async (_, wanted, expected) => {
    const { text, result } = await given(maker.bytes, wanted);
    expect(text).toBe(expected);
    expect(result).toEqual({ bytes: expected.length, gaps: [], isRunning: false, readerLeft: false });
  });

  test('a stream that is not there', async () => {
    await expect(given(maker.bytes, { from: 'client', stream: 4 })).rejects.toThrow('its last one is 3');
    await expect(given(maker.bytes, { from: 'client', stream: 0 })).rejects.toThrow('no stream 0');
  });

  test('a gap in another body is no gap in this one', async () => {
    const trace = Buffer.from(maker.bytes.toString().replace('"text":"two"', '"text":"TWO"'));
    expect((await given(trace, { from: 'client', stream: 1 })).result.gaps).toEqual([]);
    expect((await given(trace, { from: 'client', stream: 2 })).result.gaps).toMatchObject([
      { kind: 'differs', text: expect.stringContaining('client, stream 2') as string },
    ]);
    expect((await given(trace, { from: 'client' })).result.gaps).toHaveLength(1);
    expect((await given(trace, { from: 'server' })).result.gaps).toEqual([]);
  });

  test('what a recording that broke off has of a body', async () => {
    const cut = new HttpTraceMaker();
    cut.stream().ask().open().pass('server', 'data: half');
    cut.wait(50);
    const { text, result } = await given(cut.bytes, { from: 'server' });
    expect(text).toBe('data: half');
    expect(result.gaps).toMatchObject([{ kind: 'cut-off' }]);
  });
});

test('one of stdio has no streams, and is not asked for them when it is too late', async () => {
  const trace = new TraceMaker().pass('client', 'hello\n').close().bytes;
  expect((await given(trace, { from: 'client' })).text).toBe('hello\n');
  const out = join(folder, 'out');
  writeFileSync(out, 'precious');
  await expect(bytes(kept(trace), { from: 'client', stream: 1 }, out)).rejects.toThrow('one of stdio');
  await expect(bytes(kept(trace), { from: 'client', leg: 'server' }, out)).rejects.toThrow('one of stdio');
  expect(readFileSync(out, 'utf8')).toBe('precious');
});
