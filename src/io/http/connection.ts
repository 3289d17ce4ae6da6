import type { Socket } from 'node:net';
import { headerValue } from '../../core/wire/http-headers.ts';
import { HttpResponseFramer, type ResponseHead } from '../../core/wire/http-response-framer.ts';
import type { Exchange } from './exchange.ts';

/** Largest head of a response that is taken. Bytes. */
const largestHead = 256 * 1024;

/** What its owner is told of a connection. */
export interface ConnectionOwner {
  /** The response is over, and another request can be sent. */
  free(connection: Connection): void;
  gone(connection: Connection): void;
  /** The server said something that nobody had asked for. */
  stray(bytes: Uint8Array): void;
}

/** A connection to the server, with one exchange on it at a time. */
export class Connection {
  /** There from `opened` on. */
  socket!: Socket;
  /** Until when the server keeps it while nothing is asked, as far as it says so. Milliseconds, as `performance.now()`. */
  keptUntil = Infinity;
  private readonly owner: ConnectionOwner;
  private readonly framer = new HttpResponseFramer(largestHead);
  private exchange: Exchange | undefined;

  constructor(owner: ConnectionOwner) {
    this.owner = owner;
  }

  /** Its socket is connected; whoever made it hands on to `take` what comes. */
  opened(socket: Socket): void {
    const { owner } = this;
    this.socket = socket;
    socket.on('drain', () => this.exchange?.drained());
    socket.on('end', () => this.ended());
    socket.on('error', (error) => this.broken(error));
    socket.on('close', () => {
      this.broken(closed());
      owner.gone(this);
    });
  }

  begin(exchange: Exchange): void {
    this.exchange = exchange;
    this.framer.expect(exchange.method);
    exchange.connected(this);
  }

  /** @returns false where more had better wait */
  write(parts: readonly (Buffer | string)[]): boolean {
    const { socket } = this;
    if (parts.length > 1) socket.cork();
    let taken = true;
    for (const part of parts) taken = typeof part === 'string' ? socket.write(part, 'latin1') : socket.write(part);
    if (parts.length > 1) socket.uncork();
    return taken;
  }

  /** The response of this exchange is whole. */
  over(exchange: Exchange): void {
    this.exchange = undefined;
    if (exchange.isRequestWhole && this.framer.canBeUsedAgain) {
      // Who stopped reading is not there any more.
      this.socket.resume();
      this.owner.free(this);
    } else this.destroy();
  }

  destroy(): void {
    this.exchange = undefined;
    this.socket.destroy();
  }

  /** Bytes have come, and will not change any more. */
  take(bytes: Buffer): void {
    const pieces = this.framer.feed(bytes);
    for (const piece of pieces) if (piece.kind === 'head') this.keptUntil = keptUntil(piece.head);
    this.exchange?.take(pieces);
    const last = pieces.at(-1);
    if (last?.kind !== 'stray') return;
    this.owner.stray(last.bytes);
    this.destroy();
  }

  private ended(): void {
    const [piece] = this.framer.end();
    if (piece?.kind === 'end') this.exchange?.take([piece]);
    this.broken(closed(), piece?.kind === 'fault' ? piece.begins : undefined);
    this.socket.destroy();
  }

  private broken(error: NodeJS.ErrnoException, begins?: Uint8Array): void {
    const { exchange } = this;
    this.exchange = undefined;
    exchange?.failed(error, begins);
  }
}

/** `Keep-Alive: timeout=5`: a request that comes later than a second before would find it closed. */
function keptUntil({ lines }: ResponseHead): number {
  const timeout = /\btimeout=(\d+)/i.exec(headerValue(lines, 'keep-alive') ?? '')?.[1];
  return timeout === undefined ? Infinity : performance.now() + Number(timeout) * 1000 - 1000;
}

const closed = (): NodeJS.ErrnoException =>
  Object.assign(new Error('it closed the connection'), { code: 'ECONNRESET' });
