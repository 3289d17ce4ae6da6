import { spawn } from 'node:child_process';
import { basename, join } from 'node:path';
import { isObject, type JsonObject } from '../core/protocol/message.ts';
import type { Era } from '../core/protocol/revision.ts';
import type { FrameEvent, StreamName, TraceEvent } from '../core/trace/format.ts';
import { parseBody } from '../core/wire/parse-body.ts';
import { showUtf8 } from '../core/wire/utf8.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import { homeFolder, tracesFolder } from '../io/stores/paths.ts';
import { readTrace } from '../io/stores/read-trace.ts';
import { newTraceId } from '../io/stores/trace-id.ts';
import { verify, type VerifyResult } from './verify.ts';

export interface DemoOptions {
  era: Era;
  /** The program that `wireproof` is, and the folder that holds the examples. */
  program: string;
  examples: string;
  env: NodeJS.ProcessEnv;
}

/** A message as it crossed. */
export interface DemoMessage {
  /** Its record in the trace. */
  n: number;
  /** Milliseconds since the recording began. */
  at: number;
  from: StreamName;
  method: string | undefined;
  /** For an answer: milliseconds since its request. */
  took: number | undefined;
  /** The line, exactly. */
  text: string;
}

export type DemoStep = 'Initialize' | 'Discover' | 'Call';

/** What one call was to show, and what its answer said. */
export interface DemoOutcome {
  call: string;
  expected: string;
  got: string;
  ok: boolean;
}

export interface DemoResult {
  era: Era;
  revision: string;
  id: string;
  trace: string;
  hostPid: number | undefined;
  serverPid: number | undefined;
  steps: Record<DemoStep, DemoMessage[]>;
  outcomes: DemoOutcome[];
  /** The sums taken as the bytes passed are those of what the trace gives back. */
  isComplete: boolean;
  ok: boolean;
  /** What the client, or the recording, said was wrong. */
  problems: string[];
}

const conversations = {
  legacy: { file: 'one-exchange.mjs', revision: '2025-11-25' },
  modern: { file: 'one-exchange-modern.mjs', revision: '2026-07-28' },
} as const;

const expectations = [
  { call: 'count_words {"text":"Tools return evidence"}', expected: '3' },
  { call: 'count_words {"text":""}', expected: '0' },
  { call: 'count_words {"text":42}', expected: 'isError' },
] as const;

/** Runs one complete exchange between real processes, with `tap` between them, and tells what crossed. */
export async function demo(options: DemoOptions): Promise<DemoResult> {
  const { file, revision } = conversations[options.era];
  const example = join(options.examples, file);
  const id = newTraceId(Date.now());
  const trace = join(tracesFolder(homeFolder(options.env)), `${id}.jsonl`);
  const tap = [options.program, 'tap', '--trace', trace, '--label', basename(file, '.mjs')];
  const host = await runHost(
    [example, '--', process.execPath, ...tap, '--', process.execPath, example, '--server'],
    options.env,
  );
  const { events, verified } = await readDemo(trace);
  const isComplete = verified.state === 'complete';
  const messages = events.filter((event) => event.kind === 'frame' && event.from !== 'stderr') as FrameEvent[];
  const steps = intoSteps(messages);
  const outcomes = intoOutcomes(steps.Call);
  const problems = [
    ...(host.code === 0 ? [] : [host.said || `the client ended with ${host.code}`]),
    ...verified.gaps.map(({ text }) => text),
  ];
  return {
    era: options.era,
    revision,
    id,
    trace,
    hostPid: host.pid,
    serverPid: events.find((event) => event.kind === 'opened')?.pid,
    steps,
    outcomes,
    isComplete,
    ok: host.code === 0 && isComplete && outcomes.every(({ ok }) => ok),
    problems,
  };
}

interface HostRun {
  pid: number | undefined;
  code: number;
  said: string;
}

/** The host, which starts the tap, which starts the server. What it prints itself is told from the trace instead. */
function runHost(words: readonly string[], env: NodeJS.ProcessEnv): Promise<HostRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'pipe'], windowsHide: true });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said = (said + showUtf8(chunk)).slice(-4000)));
    child.on('error', (cause) =>
      reject(new WireproofError('demo-failed', `Could not start Node.js: ${cause.message}`, { cause })),
    );
    child.on('close', (code) => {
      const complaint = said
        .split('\n')
        .filter((line) => line.startsWith('client: ') || line.startsWith('wireproof: '));
      resolve({ pid: child.pid, code: code ?? 1, said: complaint.join('; ') });
    });
  });
}

async function readDemo(path: string): Promise<{ events: TraceEvent[]; verified: VerifyResult }> {
  const events: TraceEvent[] = [];
  try {
    for await (const items of readTrace(path))
      events.push(...items.flatMap((item) => ('event' in item ? [item.event] : [])));
    return { events, verified: await verify(path) };
  } catch (cause) {
    throw new WireproofError('demo-failed', `The demo left no recording at ${path}: is that folder writable?`, {
      cause,
    });
  }
}

const stepOf: Readonly<Record<string, DemoStep>> = {
  initialize: 'Initialize',
  'notifications/initialized': 'Initialize',
  'server/discover': 'Initialize',
  'tools/list': 'Discover',
  'tools/call': 'Call',
};

function intoSteps(frames: readonly FrameEvent[]): Record<DemoStep, DemoMessage[]> {
  const steps: Record<DemoStep, DemoMessage[]> = { Initialize: [], Discover: [], Call: [] };
  const asked = new Map<unknown, { step: DemoStep; at: number }>();
  for (const frame of frames) {
    const json = parseBody(frame.bytes);
    if (!isObject(json)) continue;
    const method = typeof json['method'] === 'string' ? json['method'] : undefined;
    const question = method === undefined ? asked.get(json['id']) : undefined;
    const step = question?.step ?? stepOf[method ?? ''];
    if (!step) continue;
    if (method !== undefined && 'id' in json) asked.set(json['id'], { step, at: frame.at });
    const took = question && toMicroseconds(frame.at - question.at);
    steps[step].push({
      n: frame.n,
      at: frame.at,
      from: frame.from,
      method,
      took,
      text: showUtf8(frame.bytes).trimEnd(),
    });
  }
  return steps;
}

/** Milliseconds as precise as the times of records are. */
const toMicroseconds = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;

function intoOutcomes(calls: readonly DemoMessage[]): DemoOutcome[] {
  const answers = calls.filter(({ from }) => from === 'server').map(({ text }) => said(JSON.parse(text) as JsonObject));
  return expectations.map(({ call, expected }, index) => {
    const got = answers[index] ?? 'no answer';
    return { call, expected, got, ok: got === expected || got.startsWith(`${expected}: `) };
  });
}

/** What a result of a call says: its first text, marked where it is an error. */
function said({ result, error }: JsonObject): string {
  if (isObject(error)) return `error ${String(error['code'])}: ${String(error['message'])}`;
  const content = isObject(result) && Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  const text = content.map((item) => (isObject(item) ? String(item['text']) : '')).join(' ');
  return isObject(result) && result['isError'] === true ? `isError: ${text}` : text;
}
