import { createHmac } from 'node:crypto';
import type { FrameEvent, TraceEvent } from '../src/core/trace/format.ts';
import { StandIns } from '../src/core/trace/redaction/stand-in.ts';
import { Exchanges } from '../src/core/trace/exchanges.ts';
import type { Redaction } from '../src/core/trace/redaction/redacted-records.ts';
import { RedactedTrace, type Copied } from '../src/core/trace/redaction/redacted-trace.ts';
import { RedactedView, type ViewItem } from '../src/core/trace/redaction/redacted-view.ts';
import { compileRules, type RedactionRules } from '../src/core/trace/redaction/rules.ts';
import { TraceReader } from '../src/core/trace/trace-reader.ts';
import { unitJson } from '../src/core/trace/unit-json.ts';
import { type Verification, Verifier } from '../src/core/trace/verify.ts';
import { inflate } from '../src/io/http/inflate.ts';
import { keyedHasher, keyedText } from '../src/io/stores/redaction-key.ts';
import { sha256 } from './trace-maker.ts';

const key = Buffer.from('the key of a store');

/** Makes the stand-ins that copies have here. */
export const standIns = new StandIns((text) => createHmac('sha256', key).update(text).digest('hex'));

function redaction(rules: Partial<RedactionRules>, mostGathered: number | undefined): Redaction {
  return {
    rules: compileRules({ secrets: true, keys: [], values: [], paths: [], ...rules }),
    keyed: keyedText(key),
    keyedHasher: keyedHasher(key),
    hasher: sha256,
    inflate,
    ...(mostGathered === undefined ? {} : { mostGathered }),
  };
}

/** A redacted copy of a trace. */
export function copyOf(
  trace: Uint8Array,
  rules: Partial<RedactionRules> = {},
  { chunk = trace.length, mostGathered = undefined as number | undefined } = {},
): { bytes: Buffer; copied: Copied } {
  const copy = new RedactedTrace(redaction(rules, mostGathered));
  const reader = new TraceReader();
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < trace.length; at += Math.max(1, chunk)) {
    for (const item of reader.feed(Uint8Array.from(trace.subarray(at, at + Math.max(1, chunk)))))
      blocks.push(...copy.feed(item));
  }
  for (const item of reader.end()) blocks.push(...copy.feed(item));
  blocks.push(...copy.end());
  return { bytes: Buffer.concat(blocks), copied: copy.copied };
}

/** What a trace holds when it is shown redacted. */
export function viewOf(
  trace: Uint8Array,
  rules: Partial<RedactionRules> = {},
  { mostGathered = undefined as number | undefined } = {},
): { items: ViewItem[]; events: TraceEvent[]; replaced: number } {
  const view = new RedactedView(redaction(rules, mostGathered));
  const reader = new TraceReader();
  const given = [...reader.feed(Uint8Array.from(trace)), ...reader.end()];
  const items = [...given.flatMap((item) => view.feed(item)), ...view.end()];
  const events = items.flatMap((item) => ('event' in item ? [item.event] : []));
  return { items, events, replaced: view.replaced };
}

/** The units of a trace as `show` gives them. */
export function unitsOf(events: readonly TraceEvent[]): string[] {
  const exchanges = new Exchanges({ decode: inflate });
  const units = [...events.flatMap((event) => exchanges.feed(event)), ...exchanges.end()];
  return units.filter((unit) => !('what' in unit) || unit.what !== 'held').map(unitJson);
}

/** Without the numbers of records, and the notes that a copy has of itself. */
export const unnumbered = (units: readonly string[]): string[] =>
  units
    .filter((unit) => !/"note":"(?:redacted|incomplete)"/.test(unit))
    .map((unit) => unit.replaceAll(/"(?:n|first)":\d+/g, '"n":0').replaceAll(/,"records":\[[\d,]+\]/g, ''));

/** What is made of a trace: its events, and the proof. */
export function readBack(trace: Uint8Array): { events: TraceEvent[]; verification: Verification } {
  const reader = new TraceReader();
  const verifier = new Verifier(sha256);
  const items = [...reader.feed(Uint8Array.from(trace)), ...reader.end()];
  for (const item of items) verifier.feed(item);
  return { events: items.flatMap((item) => ('event' in item ? [item.event] : [])), verification: verifier.end() };
}

/**
 * The same trace with some of its items in parts, as long ones stand in it.
 *
 * @param cuts decides where each item is cut: nothing leaves it whole
 */
export function inParts(trace: Buffer, cuts: (body: Buffer) => readonly number[]): Buffer {
  const [header = '', ...lines] = trace.toString().split('\n').slice(0, -1);
  const { events } = readBack(trace);
  let n = 0;
  const written = lines.flatMap((line, index) => {
    const event = events[index] as TraceEvent;
    const records = event.kind === 'frame' && event.part === undefined ? partsOf(event, cuts) : undefined;
    return (records ?? [line.replace(/^\{"n":\d+,/, '{')]).map((record) => `{"n":${++n},${record.slice(1)}`);
  });
  return Buffer.from([header, ...written, ''].join('\n'));
}

function partsOf(event: FrameEvent, cuts: (body: Buffer) => readonly number[]): string[] | undefined {
  const { at, c, s, from, leg, isEvent, eol, redacted } = event;
  const bytes = Buffer.from(event.bytes);
  const body = s === undefined ? bytes.subarray(0, bytes.length - eol.length) : bytes;
  const places = [0, ...[...cuts(body)].sort((one, other) => one - other), body.length];
  if (places.length === 2) return undefined;
  return places.slice(1).map((to, index) => {
    const piece = body.subarray(places[index], to);
    const isLast = index === places.length - 2;
    const text = piece.toString();
    return JSON.stringify({
      at,
      c,
      ...(s === undefined ? {} : { s }),
      from,
      ...(leg === undefined ? {} : { leg }),
      ...(isEvent ? { sse: '' } : {}),
      ...(s === undefined && isLast && eol !== '\n' ? { eol } : {}),
      part: index + 1,
      ...(isLast ? { last: true } : {}),
      ...(redacted ? { redacted } : {}),
      ...(Buffer.from(text).equals(piece) ? { text } : { b64: piece.toString('base64') }),
    });
  });
}
