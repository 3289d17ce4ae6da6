import type { HeaderLine } from '../../core/trace/format.ts';
import type { ResponseHead, ResponsePiece } from '../../core/wire/http-response-framer.ts';
import type { Connection } from './connection.ts';

/** Hears of a response as it comes. */
export interface ResponseListener {
  /** 1xx: another head follows. */
  information(head: ResponseHead): void;
  /** @param isLast nothing of the response has come behind it yet */
  head(head: ResponseHead, isLast: boolean): void;
  /** @param isLast nothing of the response follows but its end */
  body(bytes: Buffer, isLast: boolean): void;
  trailers(lines: readonly HeaderLine[]): void;
  /** The response is whole. */
  end(): void;
  /** There is none, or no more of it. @param begins what came instead of HTTP */
  failed(error: NodeJS.ErrnoException, begins?: Uint8Array): void;
}

/** So much of a body goes out in one piece with the head before it. Bytes. */
const joined = 16 * 1024;
const lineEnd = '\r\n';

/** One request to the server, and its response. */
export class Exchange {
  readonly method: string;
  /** Its connection had been used before: it may turn out to be closed. */
  isReused = false;
  private readonly listener: ResponseListener;
  private readonly isChunked: boolean;
  /** The head, until it is written together with what follows. */
  private head: string;
  private connection: Connection | undefined;
  /** What cannot be written yet, since there is no connection. */
  private waiting: (Buffer | string)[] = [];
  private whenDrained: (() => void)[] = [];
  private isPaused = false;
  private isSent = false;
  private isOver = false;
  private giveUp: (() => void) | undefined;

  /** @param head the request line and the header lines, with the empty line behind them */
  constructor(options: { method: string; head: string; isChunked: boolean; listener: ResponseListener }) {
    this.method = options.method;
    this.head = options.head;
    this.isChunked = options.isChunked;
    this.listener = options.listener;
  }

  /** The whole request is on its way. */
  get isRequestWhole(): boolean {
    return this.isSent;
  }

  /** Something of it has gone out: there is a connection. */
  get hasLeft(): boolean {
    return this.connection !== undefined;
  }

  /** Passes on a part of the body. @returns false where more had better wait for `onceDrained` */
  write(bytes: Buffer): boolean {
    if (this.isOver || bytes.length === 0) return true;
    const before = this.isChunked ? this.takeHead() + bytes.length.toString(16) + lineEnd : this.takeHead();
    const after = this.isChunked ? lineEnd : '';
    if (before === '') return this.send([bytes]);
    if (bytes.length > joined) return this.send([before, bytes, after]);
    const all = Buffer.allocUnsafe(before.length + bytes.length + after.length);
    all.write(before, 0, 'latin1');
    all.set(bytes, before.length);
    if (after !== '') all.write(after, before.length + bytes.length, 'latin1');
    return this.send([all]);
  }

  /** What is known so far goes out now: nothing else may be coming for a while. */
  flush(): void {
    if (this.head !== '') this.send([this.takeHead()]);
  }

  /** The request is whole. */
  end(trailers: readonly HeaderLine[] = []): void {
    if (this.isOver) return;
    const last = this.isChunked ? `0${lineEnd}${headText(trailers)}` : '';
    const rest = this.takeHead() + last;
    this.isSent = true;
    if (rest !== '') this.send([rest]);
  }

  onceDrained(go: () => void): void {
    this.whenDrained.push(go);
  }

  /** Reads no more of the response for now. */
  pause(): void {
    this.isPaused = true;
    this.connection?.socket.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.connection?.socket.resume();
  }

  /** Nobody wants to hear of it any more. */
  destroy(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.giveUp?.();
    this.connection?.destroy();
  }

  /** @internal @param giveUp stops the making of a connection */
  connecting(giveUp: () => void): void {
    this.giveUp = giveUp;
  }

  /** @internal */
  connected(connection: Connection): void {
    if (this.isOver) return;
    this.giveUp = undefined;
    this.connection = connection;
    const { waiting } = this;
    this.waiting = [];
    if (this.isPaused) connection.socket.pause();
    if (waiting.length === 0 || connection.write(waiting)) this.drained();
  }

  /** @internal */
  drained(): void {
    const { whenDrained } = this;
    this.whenDrained = [];
    for (const go of whenDrained) go();
  }

  /** @internal What came on its connection, as far as it is of this response. */
  take(pieces: readonly ResponsePiece[]): void {
    for (let at = 0; at < pieces.length && !this.isOver; at++) {
      const piece = pieces[at] as ResponsePiece;
      const { listener } = this;
      switch (piece.kind) {
        case 'body':
          listener.body(asBuffer(piece.bytes), pieces[at + 1]?.kind === 'end');
          break;
        case 'trailers':
          listener.trailers(piece.lines);
          break;
        case 'end':
          this.isOver = true;
          this.connection?.over(this);
          listener.end();
          break;
        case 'fault':
          this.failed(noHttp(piece.why), piece.begins);
          break;
        case 'stray':
          break;
        case 'information':
          listener.information(piece.head);
          break;
        default:
          listener.head(piece.head, at === pieces.length - 1);
      }
    }
  }

  /** @internal */
  failed(error: NodeJS.ErrnoException, begins?: Uint8Array): void {
    if (this.isOver) return;
    this.isOver = true;
    this.connection?.destroy();
    this.listener.failed(error, begins);
  }

  private takeHead(): string {
    const { head } = this;
    this.head = '';
    return head;
  }

  private send(parts: (Buffer | string)[]): boolean {
    if (this.connection) return this.connection.write(parts);
    this.waiting.push(...parts);
    return false;
  }
}

/** Header lines as they are sent, with the empty line behind them. */
export function headText(lines: readonly HeaderLine[]): string {
  let text = '';
  for (const [name, value] of lines) text += `${name}: ${value}${lineEnd}`;
  return text + lineEnd;
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const noHttp = (why: string): NodeJS.ErrnoException => Object.assign(new Error(why), { code: 'NO_HTTP' });
