import { closeSync, createWriteStream, fstatSync, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';

/** Where bytes go. */
export interface Sink {
  /** Passes bytes on before it returns; false when the other end is full, and `drained` is called later. */
  write(bytes: Uint8Array, length: number): boolean;
  /** The stream is over: passed on once everything written before is. */
  end(): void;
  /** Bytes have been accepted that the other end has not taken. */
  readonly isFull: boolean;
  /** The other end has gone. */
  readonly isBroken: boolean;
}

export interface SinkEvents {
  drained: () => void;
  broken: () => void;
}

/** Our own standard output or error. */
export function ownSink(fd: 1 | 2, events: SinkEvents): Sink {
  const kind = fstatSync(fd);
  if (kind.isFIFO() || kind.isSocket()) {
    const socket = new Socket({ fd, readable: false, writable: true });
    return new DescriptorSink(fd, socket, events, () => giveUpDescriptor(fd));
  }
  // A terminal or a file may block: it is written by a thread of its own.
  return new DescriptorSink(-1, createWriteStream('', { fd, autoClose: false }), events, () => giveUpDescriptor(fd));
}

/** A child's standard input. */
export function childSink(stream: Writable, events: SinkEvents): Sink {
  const fd = (stream as { _handle?: { fd?: number } })._handle?.fd ?? -1;
  return new DescriptorSink(process.platform === 'win32' ? -1 : fd, stream, events, () => stream.end());
}

/** Closes a standard stream, with the null device in its place so that nothing else gets its number. */
function giveUpDescriptor(fd: number): void {
  try {
    closeSync(fd);
    openSync(process.platform === 'win32' ? 'NUL' : '/dev/null', 'r+');
  } catch {
    // Nobody is left to be told.
  }
}

/**
 * Writes to a non-blocking descriptor directly, which is a third cheaper than through its stream, and
 * leaves what it does not take to the stream.
 */
class DescriptorSink implements Sink {
  isFull = false;
  isBroken = false;
  private ending = false;
  private readonly fd: number;
  private readonly stream: Writable;
  private readonly events: SinkEvents;
  private readonly close: () => void;

  /** @param fd -1 where the descriptor may not be written directly. */
  constructor(fd: number, stream: Writable, events: SinkEvents, close: () => void) {
    this.fd = fd;
    this.stream = stream;
    this.events = events;
    this.close = close;
    stream.on('error', () => this.break());
  }

  write(bytes: Uint8Array, length: number): boolean {
    if (this.isBroken) return true;
    const done = this.isFull || this.fd < 0 ? 0 : this.writeNow(bytes, length);
    if (this.isBroken || done === length) return true;
    this.isFull = true;
    this.stream.write(bytes.slice(done, length), (error) => {
      if (error) this.break();
      else if (this.stream.writableLength === 0) this.drain();
    });
    return false;
  }

  end(): void {
    this.ending = true;
    if (!this.isFull && !this.isBroken) this.close();
  }

  private writeNow(bytes: Uint8Array, length: number): number {
    try {
      return writeSync(this.fd, bytes, 0, length);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EAGAIN' && code !== 'EWOULDBLOCK') this.break();
      return 0;
    }
  }

  private drain(): void {
    this.isFull = false;
    if (this.ending) this.close();
    this.events.drained();
  }

  private break(): void {
    if (this.isBroken) return;
    this.isBroken = true;
    this.isFull = false;
    this.events.broken();
    this.events.drained();
  }
}
