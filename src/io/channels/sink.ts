import { createWriteStream, fstatSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { giveUpDescriptor } from './give-up-descriptor.ts';

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

/** Our own standard output. */
export function stdoutSink(events: SinkEvents): Sink {
  const kind = fstatSync(1);
  if (!kind.isFIFO() && !kind.isSocket()) return threadSink(1, events);
  // A socket tells that its reader has gone, a pipe only who writes to it. One that is also our input is read there.
  const readable = kind.isSocket() && fstatSync(0).ino !== kind.ino;
  const socket = new Socket({ fd: 1, readable, writable: true, allowHalfOpen: true });
  // Node still watches the descriptor until the socket is closed.
  const close = (): void => void socket.destroy().once('close', () => giveUpDescriptor(1));
  const sink = new DescriptorSink(1, socket, events, close);
  if (readable) socket.on('end', () => sink.lookForReader()).resume();
  return sink;
}

/** Our own standard error. It stays open when the server's has ended: we may have something to say ourselves. */
export function stderrSink(events: SinkEvents): Sink {
  const kind = fstatSync(2);
  if (!kind.isFIFO() && !kind.isSocket()) return threadSink(2, events);
  // Node makes this stream itself, whenever a socket is destroyed, and fails where it finds the descriptor in use.
  return new DescriptorSink(2, process.stderr, events, () => undefined);
}

/** A terminal or a file may block: it is written by a thread of its own. */
function threadSink(fd: 1 | 2, events: SinkEvents): Sink {
  const close = fd === 1 ? () => giveUpDescriptor(fd) : () => undefined;
  return new DescriptorSink(-1, createWriteStream('', { fd, autoClose: false }), events, close);
}

/** A child's standard input. */
export function childSink(stream: Writable, events: SinkEvents): Sink {
  const fd = (stream as { _handle?: { fd?: number } })._handle?.fd ?? -1;
  return new DescriptorSink(process.platform === 'win32' ? -1 : fd, stream, events, () => stream.end());
}

const nothing = new Uint8Array(0);

/**
 * Writes to a non-blocking descriptor directly, which is a third cheaper than through its stream, and
 * leaves what it does not take to the stream.
 */
class DescriptorSink implements Sink {
  isFull = false;
  isBroken = false;
  private ending = false;
  /** What the descriptor did not take, until the stream has passed it on. */
  private rest = new Uint8Array(0);
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
    const rest = this.isFull
      ? Uint8Array.prototype.slice.call(bytes, done, length)
      : this.keepRest(bytes, done, length);
    this.isFull = true;
    this.stream.write(rest, (error) => {
      if (error) this.break();
      else if (this.stream.writableLength === 0) this.drain();
    });
    return false;
  }

  end(): void {
    this.ending = true;
    if (!this.isFull && !this.isBroken) this.close();
  }

  /** The other end of the socket writes no more: has it gone, or will it still read? */
  lookForReader(): void {
    this.writeNow(nothing, 0);
  }

  /** The source's array will be read into again. This one too, when the stream has passed it on. */
  private keepRest(bytes: Uint8Array, from: number, to: number): Uint8Array {
    if (this.rest.length < to - from) this.rest = new Uint8Array(Math.max(to - from, 64 * 1024));
    this.rest.set(bytes.subarray(from, to));
    return this.rest.subarray(0, to - from);
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
