import { fstatSync } from 'node:fs';
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';
import type { Readable } from 'node:stream';
import { giveUpDescriptor } from './give-up-descriptor.ts';

/** Where bytes come from. `start` hands over each chunk as it is read; one that says false stops the reading until `resume`. */
export interface Source {
  /** `bytes` is only good until the call returns: the next chunk is read into the same array. */
  start(chunk: (bytes: Uint8Array, length: number) => boolean, ended: () => void): void;
  resume(): void;
  /** Stops reading for good and lets go of the descriptor. */
  close(): void;
}

const chunkSize = 64 * 1024;

/** `handle` is what Node makes its own sockets of; its types leave it out. */
type SocketOrigin = SocketConstructorOpts & { handle?: object; onread: OnReadOpts };

/** Our own standard input. */
export function stdinSource(): Source {
  const kind = fstatSync(0);
  if (kind.isFIFO() || kind.isSocket()) return socketSource({ fd: 0 }, () => giveUpDescriptor(0));
  return streamSource(process.stdin);
}

/**
 * A pipe from a child. A socket of `child_process` makes a new buffer for each chunk; one built on the same
 * handle with a buffer of its own costs an eighth less per round trip (see docs/decisions).
 */
export function childSource(stream: Readable): Source {
  const handle = (stream as { _handle?: object })._handle;
  // When the child exits, Node resumes the stream that it made itself, and that may find the handle closed.
  stream.on('error', () => undefined);
  return handle && process.platform !== 'win32' ? socketSource({ handle }) : streamSource(stream);
}

function socketSource(origin: { fd: number } | { handle: object }, closed: () => void = () => undefined): Source {
  let chunk: (bytes: Uint8Array, length: number) => boolean = () => true;
  const onread = { buffer: Buffer.allocUnsafe(chunkSize), callback: callChunk };
  function callChunk(length: number, bytes: Uint8Array): boolean {
    return chunk(bytes, length);
  }
  const options: SocketOrigin = { ...origin, readable: true, writable: false, onread };
  const socket = new Socket(options);
  return {
    start(onChunk, ended) {
      chunk = onChunk;
      onceOver(socket, ended);
      socket.resume();
    },
    resume: () => void socket.resume(),
    close: () => void socket.destroy().once('close', closed),
  };
}

function streamSource(stream: Readable): Source {
  return {
    start(chunk, ended) {
      stream.on('data', (bytes: Buffer) => {
        if (!chunk(bytes, bytes.length)) stream.pause();
      });
      onceOver(stream, ended);
    },
    resume: () => void stream.resume(),
    close: () => void stream.destroy(),
  };
}

/** An error on reading ends a stream as its end does: nothing more will come. */
function onceOver(stream: Readable, ended: () => void): void {
  let over = false;
  const once = (): void => {
    if (!over) ended();
    over = true;
  };
  stream.on('end', once).on('error', once).on('close', once);
}
