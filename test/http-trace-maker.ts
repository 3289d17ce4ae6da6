import { createHmac } from 'node:crypto';
import type { Redaction } from '../src/core/trace/body-recorder.ts';
import type { Closed, Head, HeaderLine, HttpHeader, HttpPlace, Leg, TraceEvent } from '../src/core/trace/format.ts';
import { HttpRecorder } from '../src/core/trace/http-recorder.ts';
import type { HttpStreamRecorder } from '../src/core/trace/http-stream-recorder.ts';
import type { BodyForm } from '../src/core/trace/side-recorder.ts';
import type { Hasher } from '../src/core/trace/running-sum.ts';
import { digest } from '../src/io/sha256.ts';
import { TraceReader } from '../src/core/trace/trace-reader.ts';
import type { Side } from '../src/core/protocol/message.ts';
import { sha256 } from './trace-maker.ts';

export const storeKey = 'the key of a store';

function keyed(): Hasher {
  const hmac = createHmac('sha256', storeKey);
  return { update: (bytes) => void hmac.update(bytes), digest: () => hmac.digest('hex') };
}

export const someHttpHeader: HttpHeader = {
  wireproof: 1,
  id: '01KBXM2Q9ZC8V4T6W1R0D5F7GH',
  started: '2026-11-30T10:48:31.123456Z',
  by: 'wireproof 0.1.0',
  pid: 4700,
  transport: 'http',
  listen: 'http://127.0.0.1:7000/mcp',
  to: 'https://host/mcp',
};

interface Asked {
  method?: string;
  target?: string;
  lines?: readonly HeaderLine[];
  body?: string | Uint8Array;
  redact?: Redaction['redact'];
}

interface Answered {
  status?: number;
  reason?: string;
  lines?: readonly HeaderLine[];
  body?: string | Uint8Array;
  redact?: Redaction['redact'];
  /** wireproof made it. */
  made?: boolean;
}

/** Records what is said to have passed on HTTP, and hands out the trace. */
export class HttpTraceMaker {
  readonly recorder = new HttpRecorder({ hasher: sha256, keyed, digest });
  at = 0;
  private readonly stored: Uint8Array[] = [];

  constructor(header: Partial<HttpHeader> = {}) {
    this.recorder.begin({ ...someHttpHeader, ...header });
  }

  /** A request comes. */
  stream(c = 1, peer = '127.0.0.1'): MadeStream {
    return new MadeStream(this, this.recorder.stream(++this.at, c, peer));
  }

  /** A message is posted, and answered with JSON, or with 202 where there is no answer. */
  post(message: string, answer?: string, { c = 1, lines = [] as readonly HeaderLine[] } = {}): MadeStream {
    const stream = this.stream(c).ask({ body: message, lines });
    if (answer === undefined) return stream.answer({ status: 202 });
    return stream.answer({ lines: [['Content-Type', 'application/json']], body: answer });
  }

  /** Nothing passes for so many milliseconds. */
  wait(milliseconds: number): this {
    this.at += milliseconds;
    this.recorder.tick(this.at);
    return this;
  }

  /** The store takes what waits. */
  store(): this {
    const taken = this.recorder.staging.take();
    for (const block of taken) this.stored.push(block.slice());
    this.recorder.staging.written(taken);
    return this;
  }

  close(closed: Closed = { why: 'told to stop' }): this {
    this.recorder.closed(++this.at, closed);
    return this;
  }

  /** The trace as it stands in the file. */
  get bytes(): Buffer {
    return Buffer.concat(this.store().stored);
  }

  get lines(): string[] {
    return this.bytes.toString().split('\n').slice(0, -1);
  }

  /** What a reader finds in it. */
  get events(): TraceEvent[] {
    const reader = new TraceReader();
    const items = [...reader.feed(new Uint8Array(this.bytes)), ...reader.end()];
    return items.flatMap((item) => {
      if ('damaged' in item || 'torn' in item) throw new Error(`No record: ${JSON.stringify(item)}`);
      return 'event' in item ? [item.event] : [];
    });
  }
}

/** One request and all that comes back on it, a millisecond for each thing. */
export class MadeStream {
  readonly recorder: HttpStreamRecorder;
  private readonly maker: HttpTraceMaker;

  constructor(maker: HttpTraceMaker, recorder: HttpStreamRecorder) {
    this.maker = maker;
    this.recorder = recorder;
  }

  get s(): number {
    return this.recorder.s;
  }

  ask({ method = 'POST', target = '/mcp', lines = [], body = '', redact }: Asked = {}): this {
    this.head('client', { version: '1.1', method, target, lines: [['Host', '127.0.0.1:7000'], ...lines] });
    this.begin('client', { redact });
    if (body.length > 0) this.pass('client', body);
    return this.end('client');
  }

  answer({ status = 200, reason = '', lines = [], body = '', redact, made = false }: Answered = {}): this {
    this.head('server', { version: '1.1', status, reason, lines }, [], made ? { made } : {});
    this.begin('server', { redact });
    if (body.length > 0) this.pass('server', body);
    return this.end('server');
  }

  /** An event stream begins. */
  open(lines: readonly HeaderLine[] = []): this {
    this.head('server', { version: '1.1', status: 200, lines: [['Content-Type', 'text/event-stream'], ...lines] });
    return this.begin('server', { isEventStream: true });
  }

  head(from: Side, head: Head, redacted: readonly string[] = [], place: Omit<HttpPlace, 's'> = {}): this {
    this.recorder.head(++this.maker.at, from, head, redacted, place);
    return this;
  }

  begin(from: Side, form: Partial<BodyForm> = {}, leg?: Leg): this {
    this.recorder.body(from, { isEventStream: false, ...form }, leg);
    return this;
  }

  pass(from: Side, bytes: string | Uint8Array, leg?: Leg): this {
    this.recorder.passed(++this.maker.at, from, Buffer.from(bytes), leg);
    return this;
  }

  /** A server-sent event with one line of data. */
  event(data: string, id?: string): this {
    return this.pass('server', `${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`);
  }

  note(kind: string, text: string): this {
    this.recorder.note(++this.maker.at, kind, text);
    return this;
  }

  end(from: Side, why?: string, leg?: Leg): this {
    this.recorder.end(++this.maker.at, from, why, leg);
    return this;
  }
}
