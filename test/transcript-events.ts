import type { StreamName, TraceEvent } from '../src/core/trace/format.ts';

const streams: Readonly<Record<string, StreamName>> = { '>': 'client', '<': 'server', '!': 'stderr' };

/**
 * The events of a conversation: `>` from the client, `<` from the server, with `jsonrpc` filled in; `>|` and
 * `<|` exactly as written, `!` on stderr; `opened` and `closed`. A line without `\n` gets one; `\z` at its end
 * stands for none. Each comes 10 ms after the one before.
 */
export const eventsOf = (...lines: readonly string[]): TraceEvent[] => lines.map(eventOf);

function eventOf(line: string, index: number): TraceEvent {
  const base = { c: 1, n: index + 1, at: (index + 1) * 10 };
  if (line === '') return { ...base, kind: 'ended', from: 'stderr' };
  if (line === 'opened') return { ...base, kind: 'opened', pid: 4711 };
  if (line === 'closed') return { ...base, kind: 'closed', closed: { exit: 0 } };
  const from = streams[line[0] as string];
  if (!from) throw new Error(`No such line: ${line}`);
  return frame(base, from, from === 'stderr' || line[1] === '|' ? line.slice(line[1] === '|' ? 2 : 1) : fill(line));
}

const fill = (line: string): string => line.slice(1).trim().replace(/^\{/, '{"jsonrpc":"2.0",');

function frame(base: { c: number; n: number; at: number }, from: StreamName, line: string): TraceEvent {
  const eol = line.endsWith('\\z') ? '' : line.endsWith('\r') ? '\r\n' : '\n';
  const text = line.replace(/\\z$|\r$/, '');
  return { ...base, kind: 'frame', from, bytes: Buffer.from(text + eol), eol, form: 'text' };
}
