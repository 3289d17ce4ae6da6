import type { Machine } from '../machine.ts';
import { readMessages } from '../protocol/message.ts';
import { joinBytes } from '../wire/line-framer.ts';
import { readUtf8, showUtf8 } from '../wire/utf8.ts';
import { parse } from './read-frame.ts';
import type { FrameUnit } from './unit.ts';

const mostLines = 10_000;
const mostBytes = 1024 * 1024;

/**
 * Finds JSON that stands on several lines of one stream, as a pretty-printer leaves it: such lines are held
 * while they may still become one value, and come out as one stray frame, or one by one where they do not.
 */
export class SpreadLines implements Machine<FrameUnit, FrameUnit> {
  private run: FrameUnit[] = [];
  private bytes = 0;
  private depth = 0;

  feed(frame: FrameUnit): FrameUnit[] {
    if (this.run.length === 0) return this.begin(frame);
    const depth = mayBeInside(frame) ? depthAfter(showUtf8(frame.bytes), this.depth) : undefined;
    if (depth === undefined) return [...this.end(), ...this.begin(frame)];
    this.hold(frame, depth);
    if (depth === 0) return this.close();
    return this.run.length >= mostLines || this.bytes > mostBytes ? this.end() : [];
  }

  /** What is held, line by line. */
  end(): FrameUnit[] {
    const { run } = this;
    this.run = [];
    this.bytes = 0;
    return run;
  }

  private begin(frame: FrameUnit): FrameUnit[] {
    if (frame.stray?.why !== 'not JSON' || frame.size > mostBytes) return [frame];
    const text = showUtf8(frame.bytes);
    const depth = /^\s*[{[]/.test(text) ? depthAfter(text, 0) : undefined;
    if (depth === undefined || depth === 0) return [frame];
    this.hold(frame, depth);
    return [];
  }

  private hold(frame: FrameUnit, depth: number): void {
    this.run.push(frame);
    this.bytes += frame.size;
    this.depth = depth;
  }

  private close(): FrameUnit[] {
    const run = this.end();
    const [first] = run as [FrameUnit];
    const last = run.at(-1) as FrameUnit;
    const bytes = joinBytes(run.map((frame) => frame.bytes));
    const json = parse(readUtf8(bytes) ?? '');
    if (!json) return run;
    const records = run.flatMap((frame) => frame.records);
    const redacted = [...new Set(run.flatMap((frame) => frame.redacted ?? []))];
    const stray = { why: 'spread', lines: run.length, holds: readMessages(json.value) } as const;
    const whole = { ...last, since: first.since, records, bytes, size: bytes.length, stray };
    return [redacted.length > 0 ? { ...whole, redacted } : whole];
  }
}

const mayBeInside = ({ stray, size, bytes }: FrameUnit): boolean =>
  stray !== undefined && size === bytes.length && stray.why !== 'not UTF-8' && stray.why !== 'incomplete';

/**
 * How many arrays and objects are open after this line; nothing where it cannot be the inside of one value: JSON
 * strings do not reach over the end of a line, and nothing stands behind the last bracket.
 */
function depthAfter(line: string, before: number): number | undefined {
  let depth = before;
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] as string;
    if (letter === '"') {
      at = endOfString(line, at);
      if (at < 0) return undefined;
    } else if (letter === '{' || letter === '[') depth++;
    else if ((letter === '}' || letter === ']') && --depth === 0)
      return /^\s*$/.test(line.slice(at + 1)) ? 0 : undefined;
  }
  return depth;
}

/** The place of the closing quote; -1 where there is none. */
function endOfString(line: string, from: number): number {
  for (let at = from + 1; at < line.length; at++) {
    if (line[at] === '"') return at;
    if (line[at] === '\\') at++;
  }
  return -1;
}
