import { readLatin1 } from './latin1.ts';
import { showUtf8 } from './utf8.ts';

const newline = 0x0a;
const carriageReturn = 0x0d;
const nothing = new Uint8Array(0);

/** Collects a line, or all lines up to an empty one, from bytes that were cut anywhere. */
export class SectionReader {
  /** What was read last, without the line end behind it, a byte a character; nothing where it goes on. */
  text: string | undefined;
  /** The same as bytes. */
  bytes: Uint8Array = nothing;
  private held = nothing;
  private length = 0;
  private isLineEmpty = true;
  private isAscii = true;
  private readonly longest: number;

  /** @param longest of what is collected. Bytes. */
  constructor(longest: number) {
    this.longest = longest;
  }

  get isEmpty(): boolean {
    return this.length === 0;
  }

  get isTooLong(): boolean {
    return this.length > this.longest;
  }

  /** The bytes of what goes on. */
  get begun(): Uint8Array {
    return this.held.subarray(0, this.length);
  }

  /** Reads up to the end of a line. @returns where that is, or where the bytes end */
  line(bytes: Uint8Array, from: number): number {
    return this.read(bytes, from, true);
  }

  /** Reads up to an empty line. @returns where that ends, or where the bytes end */
  section(bytes: Uint8Array, from: number): number {
    return this.read(bytes, from, false);
  }

  private read(bytes: Uint8Array, from: number, isLine: boolean): number {
    this.text = undefined;
    let { isLineEmpty } = this;
    let all = 0;
    let at = from;
    for (; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === newline) {
        if (isLine || isLineEmpty) break;
        isLineEmpty = true;
      } else if (byte !== carriageReturn) isLineEmpty = false;
      all |= byte;
    }
    if (all >= 0x80) this.isAscii = false;
    const isWhole = at < bytes.length;
    const to = isWhole ? at + 1 : at;
    if (isWhole && this.length === 0 && to - from <= this.longest) this.take(bytes.subarray(from, to));
    else {
      this.hold(bytes.subarray(from, to));
      this.isLineEmpty = isLineEmpty;
      if (isWhole && !this.isTooLong) this.take(this.begun);
    }
    return to;
  }

  private take(bytes: Uint8Array): void {
    const text = this.isAscii ? showUtf8(bytes) : readLatin1(bytes);
    this.bytes = bytes;
    this.text = text.slice(0, text.endsWith('\r\n') ? -2 : -1);
    this.held = nothing;
    this.length = 0;
    this.isLineEmpty = true;
    this.isAscii = true;
  }

  private hold(bytes: Uint8Array): void {
    const length = this.length + bytes.length;
    if (length > this.longest) {
      this.length = length;
      return;
    }
    if (length > this.held.length) {
      const larger = new Uint8Array(Math.max(256, length, Math.min(this.held.length * 2, this.longest)));
      larger.set(this.begun);
      this.held = larger;
    }
    this.held.set(bytes, this.length);
    this.length = length;
  }
}
