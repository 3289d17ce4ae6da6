import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { test as plainTest } from 'vitest';
import { marked, markName } from './marked.ts';
import { readTrace, type TraceRead } from './read-trace.ts';
import { until } from './until.ts';

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export const wireproof = pathOf('../../../dist/wireproof.cjs');
/** The path of a program in test/servers. */
export const serverFile = (name: string): string => pathOf(`../../servers/${name}`);
/** A program in test/servers as a command. */
export const server = (name: string, ...args: string[]): string[] => [process.execPath, serverFile(name), ...args];
/** A few lines of shell as a command. */
export const shell = (script: string, ...args: string[]): string[] => ['sh', '-c', script, 'sh', ...args];

export interface StartOptions {
  /** What stands before `--`. */
  words?: readonly string[];
  env?: Record<string, string>;
  cwd?: string;
  stdio?: StdioOptions;
  /** Do not read what comes until `read` is called. */
  stalls?: readonly ('stdout' | 'stderr')[];
  /** Arguments of Node itself. */
  node?: readonly string[];
}

/** A stream of a child as far as it has come. */
export class Collected {
  hasEnded = false;
  private chunks: Buffer[] = [];

  constructor(stream: Readable | null, isStalled: boolean) {
    if (!stream) return;
    stream.on('end', () => (this.hasEnded = true)).on('error', () => undefined);
    if (!isStalled) this.read(stream);
  }

  read(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => this.chunks.push(chunk));
  }

  get bytes(): Buffer {
    if (this.chunks.length > 1) this.chunks = [Buffer.concat(this.chunks)];
    return this.chunks[0] ?? Buffer.alloc(0);
  }

  get length(): number {
    return this.chunks.reduce((sum, { length }) => sum + length, 0);
  }

  get text(): string {
    return this.bytes.toString();
  }

  /** The last few thousand characters. */
  get tail(): string {
    return this.bytes.subarray(-4096).toString();
  }

  get lines(): string[] {
    return this.text.split('\n').slice(0, -1);
  }
}

/** A program that the test started, and what came out of it. */
export class Started {
  readonly child: ChildProcess;
  readonly stdout: Collected;
  readonly stderr: Collected;
  /** When the process has ended and its streams have, too. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** When the process has ended. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly startedAt = performance.now();

  constructor(child: ChildProcess, stalls: readonly string[]) {
    this.child = child;
    this.stdout = new Collected(child.stdout, stalls.includes('stdout'));
    this.stderr = new Collected(child.stderr, stalls.includes('stderr'));
    child.stdin?.on('error', () => undefined);
    this.ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
    this.exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  }

  get pid(): number {
    return this.child.pid as number;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  send(bytes: string | Uint8Array): void {
    this.child.stdin?.write(bytes);
  }

  /** Writes and waits until all of it is gone. */
  sendAll(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) =>
      this.child.stdin?.write(bytes, (error) => (error ? reject(error) : resolve())),
    );
  }

  endInput(): void {
    this.child.stdin?.end();
  }

  /** Begins to read a stream that was stalled. */
  read(name: 'stdout' | 'stderr'): void {
    this[name].read(this.child[name] as Readable);
  }

  /** Waits until this many lines, or a line with this text, have come. */
  line(wanted: string | number, name: 'stdout' | 'stderr' = 'stdout'): Promise<string> {
    return until(`${name} shows ${wanted}`, () => {
      const { lines } = this[name];
      return typeof wanted === 'number' ? lines[wanted - 1] : lines.find((line) => line.includes(wanted));
    });
  }
}

/** What a test starts, as a host would; everything carries a mark, and is gone when the test is over. */
export class Host {
  readonly folder = mkdtempSync(join(tmpdir(), 'wireproof-e2e-'));
  readonly home = join(this.folder, 'home');
  readonly mark = randomUUID();
  private readonly started: Started[] = [];

  get env(): NodeJS.ProcessEnv {
    return { ...process.env, WIREPROOF_HOME: this.home, [markName]: this.mark };
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Starts `wireproof tap` with this server. */
  tap(command: readonly string[], options: StartOptions = {}): Started {
    const { words = [], node = [] } = options;
    return this.start([process.execPath, ...node, wireproof, 'tap', ...words, '--', ...command], options);
  }

  /** Starts any program. */
  start(command: readonly string[], options: Omit<StartOptions, 'words'> = {}): Started {
    const [file = '', ...args] = command;
    const child = spawn(file, args, {
      env: { ...this.env, ...options.env },
      cwd: options.cwd ?? this.folder,
      stdio: options.stdio ?? 'pipe',
    });
    const started = new Started(child, options.stalls ?? []);
    this.started.push(started);
    return started;
  }

  /** The recordings in the store that hold anything, oldest first. */
  recordings(): string[] {
    const folder = join(this.home, 'traces');
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .sort()
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).size > 0);
  }

  /** The one recording, or the file that is named. */
  trace(path = this.recordings().at(-1) as string): TraceRead {
    return readTrace(path);
  }

  /** Does a recording hold this text already? */
  recorded(text: string): boolean {
    return this.recordings().some((path) => readFileSync(path, 'latin1').includes(text));
  }

  /** Processes of this test that run still. */
  left(): number[] {
    return marked(this.mark);
  }

  /** Waits until nothing of this test runs any more. */
  async nothingLeft(bound?: number): Promise<void> {
    await until(`nothing is left running: ${this.left().join(', ')}`, () => this.left().length === 0, bound);
  }

  async clearUp(): Promise<void> {
    for (const { child } of this.started) child.kill('SIGKILL');
    for (let tries = 0; tries < 50 && this.left().length > 0; tries++) {
      for (const pid of this.left()) kill(pid);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    for (const { child } of this.started) for (const stream of child.stdio) stream?.destroy();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** A test that gets a host of its own. */
export const test = plainTest.extend<{ host: Host }>({
  // oxlint-disable-next-line no-empty-pattern
  host: async ({}, use) => {
    const host = new Host();
    await use(host);
    await host.clearUp();
  },
});
