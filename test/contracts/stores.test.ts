import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StdioHeader } from '../../src/core/trace/format.ts';
import { findTrace } from '../../src/io/stores/find-trace.ts';
import { openStore } from '../../src/io/stores/open.ts';
import { readStore } from '../../src/io/stores/read-store.ts';
import { readStoredTrace, readStoredTraceNow } from '../../src/io/stores/store-folder.ts';
import { StoreLimit } from '../../src/io/stores/store-limit.ts';
import { newTraceId } from '../../src/io/stores/trace-id.ts';
import { TraceMaker } from '../trace-maker.ts';

let home = '';
let folder = '';
let env: NodeJS.ProcessEnv = {};

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'wireproof-stores-'));
  folder = join(home, 'traces');
  env = { WIREPROOF_HOME: home };
  mkdirSync(folder);
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

/** A process that is no more. */
const endedProcess = spawnSync(process.execPath, ['--version']).pid;
const now = Date.now();

interface Made {
  id: string;
  path: string;
}

/** A recording in the store that was started so many hours ago. */
function make(
  hoursAgo: number,
  state: 'running' | 'finished' | 'cut off' = 'finished',
  options: { bytes?: number; header?: Partial<StdioHeader> } = {},
): Made {
  const started = now - hoursAgo * 3_600_000;
  const id = options.header?.id ?? newTraceId(started);
  const header = {
    id,
    // A running one was started by this process, and so after it.
    started: new Date(state === 'running' ? Date.now() : started).toISOString(),
    pid: state === 'running' ? process.pid : endedProcess,
    ...options.header,
  };
  const maker = new TraceMaker({ header }).pass('server', `${'x'.repeat(options.bytes ?? 0)}\n`);
  const path = join(folder, `${id}.jsonl`);
  writeFileSync(path, state === 'finished' ? maker.close().bytes : maker.bytes);
  return { id, path };
}

const left = (): string[] => readdirSync(folder).sort();
const names = (...made: readonly Made[]): string[] => made.map(({ id }) => `${id}.jsonl`).sort();

describe('the limit of the store', () => {
  const apply = async (limit: number, path = join(folder, `${newTraceId(now)}.jsonl`)): Promise<number> => {
    let room = NaN;
    await new StoreLimit({ folder, path, limit, setRoom: (bytes) => (room = bytes) }).apply();
    return room;
  };

  test('while it is kept nothing goes, and what is left of it is room', async () => {
    const made = [make(2, 'finished', { bytes: 1000 }), make(1)];
    const used = made.reduce((sum, { path }) => sum + statSync(path).size, 0);
    expect(await apply(100_000)).toBe(100_000 - used);
    expect(left()).toEqual(names(...made));
  });

  test('the oldest go first, finished or cut off, until others take nine tenths of it', async () => {
    const [oldest, older, newer, newest] = [
      make(4, 'finished', { bytes: 10_000 }),
      make(3, 'cut off', { bytes: 10_000 }),
      make(2, 'finished', { bytes: 10_000 }),
      make(1, 'finished', { bytes: 10_000 }),
    ];
    await apply(45_000);
    expect(left()).toEqual(names(older, newer, newest));
    await apply(30_000);
    expect(left()).toEqual(names(newer, newest));
    expect(existsSync(oldest.path)).toBe(false);
  });

  test('running ones never go, nor does the one that is being made', async () => {
    const running = make(9, 'running', { bytes: 10_000 });
    const own = make(8, 'cut off', { bytes: 10_000 });
    make(7, 'finished', { bytes: 10_000 });
    expect(await apply(5000, own.path)).toBe(0);
    expect(left()).toEqual(names(running, own));
  });

  test('what is not known to be a finished recording stays', async () => {
    const empty = newTraceId(now - 9 * 3_600_000);
    const later = newTraceId(now - 8 * 3_600_000);
    writeFileSync(join(folder, `${empty}.jsonl`), '');
    writeFileSync(join(folder, `${later}.jsonl`), `{"wireproof":99,"x":"${'x'.repeat(10_000)}"}\n`);
    writeFileSync(join(folder, 'notes.jsonl'), 'x'.repeat(10_000));
    make(1, 'finished', { bytes: 1000 });
    await apply(5000);
    expect(left()).toEqual([`${empty}.jsonl`, `${later}.jsonl`, 'notes.jsonl'].sort());
  });

  test('a store that is not there is no trouble', async () => {
    rmSync(folder, { recursive: true });
    expect(await apply(5000)).toBe(5000);
  });
});

describe('a new recording', () => {
  const moves: string[] = [];
  const open = (trace: string | undefined, id = newTraceId(now)) => {
    moves.length = 0;
    return openStore({ id, trace, env, limit: 1e9, moved: (path) => moves.push(path) }).store;
  };
  const record = async (trace: string | undefined, text: string, id?: string): Promise<void> => {
    const store = open(trace, id);
    for (const piece of text) expect(await store.append([Buffer.from(piece)])).toEqual({ kept: 1 });
    await store.close();
  };

  test('in the store is for its owner alone', async () => {
    rmSync(home, { recursive: true });
    const id = newTraceId(now);
    await record(undefined, 'abc', id);
    const path = join(folder, `${id}.jsonl`);
    expect(readFileSync(path, 'utf8')).toBe('abc');
    if (process.platform !== 'win32') {
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    }
  });

  test('never goes over a file that the user named and that holds something', async () => {
    const path = join(home, 'mine.jsonl');
    writeFileSync(path, 'old');
    await record(path, 'new');
    await record(path, 'newer');
    expect(moves).toEqual([join(home, 'mine-3.jsonl')]);
    expect(
      [path, join(home, 'mine-2.jsonl'), join(home, 'mine-3.jsonl')].map((file) => readFileSync(file, 'utf8')),
    ).toEqual(['old', 'new', 'newer']);
  });

  test('goes into a file that the user named where it is new or empty', async () => {
    const [fresh, empty] = [join(home, 'deep', 'fresh.jsonl'), join(home, 'empty')];
    writeFileSync(empty, '');
    await record(fresh, 'abc');
    await record(empty, 'abc');
    expect(moves).toEqual([]);
    expect([readFileSync(fresh, 'utf8'), readFileSync(empty, 'utf8')]).toEqual(['abc', 'abc']);
  });

  test('says what it could not keep', async () => {
    writeFileSync(join(home, 'file'), '');
    const store = open(join(home, 'file', 'trace.jsonl'));
    const { kept, error } = await store.append([Buffer.from('abc')]);
    expect([kept, error === undefined]).toEqual([0, false]);
    await store.close();
  });
});

describe('what a recording is, seen from its ends', () => {
  test.each(['running', 'finished', 'cut off'] as const)('%s', async (state) => {
    const { path } = make(1, state, { header: { label: 'x' } });
    const found = await readStoredTrace(path);
    expect(found).toMatchObject({
      path,
      state,
      size: statSync(path).size,
      header: { label: 'x' },
      counts: { messages: 0 },
    });
    expect(readStoredTraceNow(path)).toEqual(found);
  });

  const long = `{"id":2,"result":"${'x'.repeat(200_000)}"}\n`;
  const initialized = (text: string): string => `{"id":1,"result":{"x":"${text}","serverInfo":{"name":"files"}}}\n`;

  test.each([
    ['a long first answer, and nothing else', [initialized('x'.repeat(100_000))]],
    ['a long last record', [initialized(''), long]],
    ['long records all over', [initialized('x'.repeat(70_000)), long, long, long]],
    [
      'many records',
      [
        initialized(''),
        ...Array.from({ length: 3000 }, (_, id) => `{"id":${id},"method":"ping","x":"${'x'.repeat(50)}"}\n`),
      ],
    ],
  ])('with %s', async (_, lines) => {
    const path = join(folder, `${newTraceId(now)}.jsonl`);
    const maker = new TraceMaker({ header: { pid: endedProcess } })
      .pass('client', '{"id":1,"method":"initialize"}\n')
      .wait(1500);
    for (const line of lines) maker.pass('server', line);
    writeFileSync(path, maker.bytes);
    const expected = {
      state: 'cut off',
      server: 'files',
      length: maker.at,
      counts: { messages: lines.length + 1, errors: 0 },
    };
    expect(await readStoredTrace(path)).toMatchObject(expected);
    expect(readStoredTraceNow(path)).toMatchObject(expected);
  });

  test('with a header that is longer than what is read first', () => {
    const { path } = make(1, 'finished', { header: { command: ['node', 'x'.repeat(200_000)] } });
    expect(readStoredTraceNow(path)).toMatchObject({
      state: 'finished',
      header: { command: ['node', 'x'.repeat(200_000)] },
    });
  });

  test.each([
    ['it is empty', ''],
    ['This is not a wireproof trace', 'hello\n'],
    ['its first line does not end', `{"wireproof":1,"x":"${'x'.repeat(2_000_000)}`],
    ['update wireproof', '{"wireproof":2}\n'],
  ])('unreadable: %s', async (why, text) => {
    const path = join(folder, `${newTraceId(now)}.jsonl`);
    writeFileSync(path, text);
    const unreadable = { path, state: 'unreadable', size: text.length, why: expect.stringContaining(why) as unknown };
    expect(await readStoredTrace(path)).toEqual(unreadable);
    expect(readStoredTraceNow(path)).toEqual(unreadable);
  });

  test('gone', async () => {
    expect(await readStoredTrace(join(folder, 'x'))).toBeUndefined();
    expect(readStoredTraceNow(join(folder, 'x'))).toBeUndefined();
  });

  test('the store as a whole, newest first', async () => {
    const made = [make(3), make(2, 'cut off'), make(1, 'running')];
    writeFileSync(join(folder, 'other.txt'), 'x');
    const { entries } = await readStore(env);
    expect(entries.map(({ id, state }) => [id, state])).toEqual([
      [made[2]?.id, 'running'],
      [made[1]?.id, 'cut off'],
      [made[0]?.id, 'finished'],
    ]);
  });
});

describe('a recording is found', () => {
  const refuses = (code: string, words: string): unknown =>
    expect.objectContaining({ code, message: expect.stringContaining(words) as unknown });

  test('by its path, its id, the beginning of its id in either case, or for being the newest', async () => {
    const older = make(100);
    const newer = make(1);
    expect(await findTrace(older.path, env)).toBe(older.path);
    expect(await findTrace(older.id, env)).toBe(older.path);
    expect(await findTrace(older.id.slice(0, 8), env)).toBe(older.path);
    expect(await findTrace(older.id.slice(0, 12).toLowerCase(), env)).toBe(older.path);
    expect(await findTrace(undefined, env)).toBe(newer.path);
  });

  test('for being the newest that holds anything', async () => {
    const made = make(1);
    writeFileSync(join(folder, `${newTraceId(now)}.jsonl`), '');
    expect(await findTrace(undefined, env)).toBe(made.path);
  });

  test('by a path that is a link, and one that is no regular file', async () => {
    const made = make(1);
    const link = join(home, 'link');
    symlinkSync(made.path, link);
    expect(await findTrace(link, env)).toBe(link);
    expect(await findTrace('/dev/null', env)).toBe('/dev/null');
  });

  test.each<[string, string | undefined, string]>([
    ['an empty store', undefined, 'There are no recordings yet'],
    ['an id in an empty store', '01KB12345', 'there are no recordings yet'],
    ['a path', './nothing.jsonl', 'There is no file "./nothing.jsonl"'],
    ['a folder', '/', '"/" is a folder'],
  ])('or it is said what was looked for: %s', async (_, word, message) => {
    await expect(findTrace(word, env)).rejects.toThrow(refuses('trace-not-found', message));
  });

  test('or it is said that the word is too short, or fits nothing', async () => {
    const { id } = make(1);
    await expect(findTrace(id.slice(0, 7), env)).rejects.toThrow(refuses('trace-not-found', 'too short for an id'));
    await expect(findTrace('nothing-like-it', env)).rejects.toThrow(refuses('trace-not-found', 'whose id begins with'));
    await expect(findTrace('01KB0000000000000000000000', env)).rejects.toThrow(
      refuses('trace-not-found', 'with the id'),
    );
  });

  test('or it is said which it could be', async () => {
    const ids = ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map(
      (letter) => make(1, 'finished', { header: { id: `01KB0000AA00000000000000${letter}0` } }).id,
    );
    await expect(findTrace('01kb0000', env)).rejects.toThrow(refuses('trace-ambiguous', 'fits 7 recordings'));
    await expect(findTrace('01KB0000', env)).rejects.toThrow(refuses('trace-ambiguous', `${ids[6]}\n${ids[5]}`));
    await expect(findTrace('01KB0000', env)).rejects.toThrow(refuses('trace-ambiguous', 'and 2 more'));
  });

  test('or it is said that the word is a file, too', async () => {
    const { id, path } = make(1);
    const before = process.cwd();
    process.chdir(home);
    try {
      const word = id.slice(0, 10);
      writeFileSync(word, 'something else');
      await expect(findTrace(word, env)).rejects.toThrow(refuses('trace-ambiguous', `Write ./${word} for the file`));
      expect(await findTrace(`./${word}`, env)).toBe(`./${word}`);
      rmSync(word);
      symlinkSync(path, word);
      expect(await findTrace(word, env)).toBe(word);
    } finally {
      process.chdir(before);
    }
  });

  test('or it is said that the store cannot be used', async () => {
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    await expect(findTrace(undefined, env)).rejects.toThrow(refuses('store-unusable', folder));
  });
});
