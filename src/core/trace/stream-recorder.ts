import { JsonScanner } from '../wire/json-scanner.ts';
import { cutLines } from '../wire/line-framer.ts';
import { writeUtf8 } from '../wire/utf8.ts';
import type { StreamName } from './format.ts';
import { type ItemOwner, ItemRecorder } from './item-recorder.ts';

const carriageReturn = 0x0d;

/** What comes in a longer chunk is taken as if it had come in several: lines are then never too long for one record. */
const longestChunk = 256 * 1024;

/** Makes records of one stream of a stdio connection: its items are lines. */
export class StreamRecorder {
  private readonly items: ItemRecorder;
  private at = 0;

  constructor(from: StreamName, owner: ItemOwner) {
    this.items = new ItemRecorder(owner, {
      origin: writeUtf8(`,"c":1,"from":"${from}"`),
      eol: (delimiter) => (delimiter === 1 ? '' : delimiter === 2 ? ',"eol":"\\r\\n"' : ',"eol":""'),
      scanner: from === 'stderr' ? undefined : new JsonScanner(),
    });
  }

  /** Bytes that no record holds yet, since their line goes on. */
  get pending(): number {
    return this.items.pending;
  }

  passed(bytes: Uint8Array, length: number, at: number): void {
    this.at = at;
    if (length <= longestChunk) cutLines(bytes, length, this.piece);
    else {
      for (let from = 0; from < length; from += longestChunk) {
        const chunk = bytes.subarray(from, Math.min(from + longestChunk, length));
        cutLines(chunk, chunk.length, this.piece);
      }
    }
  }

  /** Time has passed: writes what has stood still; true where something still waits to be. */
  settle(at: number): boolean {
    return this.items.settle(at);
  }

  /** The stream is over: what is held was its last line, without a newline. */
  end(): void {
    this.items.end();
  }

  private readonly piece = (bytes: Uint8Array, from: number, to: number, ends: boolean): void => {
    if (!ends || this.items.isOpen) this.items.add(bytes, from, to, ends, this.at);
    else this.items.whole(bytes, from, to, to - from > 1 && bytes[to - 2] === carriageReturn ? 2 : 1, this.at);
  };
}
