import type { Machine } from '../machine.ts';

const newline = 0x0a;

/**
 * Cuts bytes at 0x0A and nowhere else (specification: basic/transports, stdio). `piece` is told of each
 * stretch of a line within these bytes, and whether the line ends with it, its newline then included.
 */
export function cutLines(
  bytes: Uint8Array,
  length: number,
  piece: (bytes: Uint8Array, from: number, to: number, ends: boolean) => void,
): void {
  let from = 0;
  while (from < length) {
    const at = bytes.indexOf(newline, from);
    const ends = at >= 0 && at < length;
    const to = ends ? at + 1 : length;
    piece(bytes, from, to, ends);
    from = to;
  }
}

/** Bytes cut anywhere in; whole lines out, each with its newline; at the end, the line that has none. */
export class LineFramer implements Machine<Uint8Array, Uint8Array> {
  private held: Uint8Array[] = [];

  feed(chunk: Uint8Array): Uint8Array[] {
    const lines: Uint8Array[] = [];
    cutLines(chunk, chunk.length, (bytes, from, to, ends) => {
      this.held.push(bytes.subarray(from, to));
      if (ends) lines.push(this.takeHeld());
    });
    return lines;
  }

  end(): Uint8Array[] {
    return this.held.length > 0 ? [this.takeHeld()] : [];
  }

  private takeHeld(): Uint8Array {
    const line = joinBytes(this.held);
    this.held = [];
    return line;
  }
}

/** One array with the bytes of all; the array itself where there is only one. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0] as Uint8Array;
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
