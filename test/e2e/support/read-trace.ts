import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type FrameEvent,
  type StreamName,
  streamNames,
  type TraceEvent,
  type TraceHeader,
} from '../../../src/core/trace/format.ts';
import { StreamBytes } from '../../../src/core/trace/stream-bytes.ts';
import { type TraceItem, TraceReader } from '../../../src/core/trace/trace-reader.ts';
import { type Verification, Verifier } from '../../../src/core/trace/verify.ts';

/** A trace file as it stands. */
export interface TraceRead {
  path: string;
  raw: Buffer;
  header: TraceHeader;
  events: TraceEvent[];
  /** Lines that are no record; the last one where it is torn is not among them. */
  damaged: number;
  /** It has its closing record. */
  isClosed: boolean;
  verification: Verification;
  /** The exact bytes of one stream. */
  bytes(from: StreamName): Buffer;
  frames(from: StreamName): FrameEvent[];
  notes(): string[];
}

export function readTrace(path: string): TraceRead {
  const raw = readFileSync(path);
  const items = itemsOf(raw);
  const verifier = new Verifier(sha256);
  for (const item of items) verifier.feed(item);
  const events = items.flatMap((item) => ('event' in item ? [item.event] : []));
  const header = items.flatMap((item) => ('header' in item ? [item.header] : []))[0];
  if (!header) throw new Error(`${path} has no header`);
  const streams = new Map(streamNames.map((from) => [from, bytesOf(events, from)]));
  return {
    path,
    raw,
    header,
    events,
    damaged: items.filter((item) => 'damaged' in item).length,
    isClosed: events.at(-1)?.kind === 'closed',
    verification: verifier.end(),
    bytes: (from) => streams.get(from) as Buffer,
    frames: (from) => events.filter((event): event is FrameEvent => event.kind === 'frame' && event.from === from),
    notes: () => events.flatMap((event) => (event.kind === 'note' ? [event.note] : [])),
  };
}

function itemsOf(raw: Buffer): TraceItem[] {
  const reader = new TraceReader();
  const items: TraceItem[] = [];
  for (let at = 0; at < raw.length; at += 1 << 20) items.push(...reader.feed(raw.subarray(at, at + (1 << 20))));
  return [...items, ...reader.end()];
}

function bytesOf(events: readonly TraceEvent[], from: StreamName): Buffer {
  const stream = new StreamBytes(from);
  return Buffer.concat([...events.flatMap((event) => stream.feed(event)), ...stream.end()]);
}

export const sha256 = (): { update(bytes: Uint8Array): void; digest(): string } => {
  const hash = createHash('sha256');
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.copy().digest('hex') };
};

export const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
