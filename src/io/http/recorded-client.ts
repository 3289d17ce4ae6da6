import type { HeaderLine } from '../../core/trace/format.ts';
import { headerValue, isNamed, lowerName } from '../../core/wire/http-headers.ts';
import type { ResponseHead } from '../../core/wire/http-response-framer.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import type { HttpRecording } from './http-recording.ts';
import { inflate } from './inflate.ts';
import { beginningOf } from './not-http.ts';
import { PassageRecord } from './passage-record.ts';
import { type AnswerListener, type Broken, RecordedExchange } from './recorded-exchange.ts';
import type { RouteOptions } from './route.ts';
import type { TracePrivacy } from './trace-privacy.ts';
import { Upstream } from './upstream.ts';

/** What is to be asked. `Host`, and what frames the body, are added to the lines. */
export interface ClientRequest {
  method: string;
  lines: readonly HeaderLine[];
  body?: Uint8Array | undefined;
}

/** A small answer, whole. */
export interface ClientAnswer {
  status: number;
  reason: string;
  lines: readonly HeaderLine[];
  /** Without its `Content-Encoding`. */
  body: Buffer;
}

export interface RecordedClientOptions {
  recording: HttpRecording;
  /** What of an origin does not reach the recording. */
  privacy: (origin: string) => TracePrivacy;
  /** How servers are reached. */
  reach: Omit<RouteOptions, 'target'>;
}

/** Who made the requests, where recordings of a proxy have a client's address. */
const peer = 'wireproof';

/** Longest answer to `request`. Bytes. */
const longest = 4 * 1024 * 1024;
/** How long an answer to `request` may take. Milliseconds. */
const usualPatience = 30_000;

/** What frames a message is said by who sends it. */
const framing: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'connection']);

/** Makes HTTP requests of wireproof's own, to any origin, and records all of them and their answers in one trace. */
export class RecordedClient {
  private readonly options: RecordedClientOptions;
  private readonly upstreams = new Map<string, Upstream>();

  constructor(options: RecordedClientOptions) {
    this.options = options;
  }

  /** @throws WireproofError `bad-usage` where certificates cannot be read, or the environment names no proxy */
  prepare(url: URL): void {
    this.upstreamOf(url);
  }

  /**
   * Begins a request; its answer is heard of as it comes.
   *
   * @throws WireproofError `bad-usage` where a header line cannot be sent, or certificates cannot be read
   */
  begin(url: URL, { method, lines, body }: ClientRequest, listener: AnswerListener): RecordedExchange {
    const { recording, privacy } = this.options;
    const path = url.pathname + url.search;
    const upstream = this.upstreamOf(url);
    const request = { method, path, lines: sentLines(url, lines, body), body: body && asBuffer(body) };
    const record = new PassageRecord({ recording, privacy: privacy(url.origin), target: path, c: 1, peer });
    return new RecordedExchange({ upstream, recording, record }, request, listener);
  }

  /**
   * Makes a small request and waits for all of its answer. Redirects are answers like others.
   *
   * @throws WireproofError `server-unreachable` where there is no whole answer in time
   */
  request(url: URL, request: ClientRequest, patience = usualPatience): Promise<ClientAnswer> {
    return new Promise((resolve, reject) => {
      const answer = new SmallAnswer((found) => {
        clearTimeout(timer);
        if ('status' in found) resolve(found);
        else reject(new WireproofError('server-unreachable', `No answer from ${url.origin}: ${found.what}.`));
      });
      const exchange = this.begin(url, request, answer);
      const giveUp = (what: string): void => {
        exchange.drop(what);
        answer.over({ what, neverLeft: false });
      };
      const timer = setTimeout(() => giveUp(`there was none in ${patience} ms`), patience);
      answer.onTooLong = () => giveUp(`it is longer than ${longest} bytes`);
    });
  }

  /** Records what no request shows. */
  note(kind: string, text: string): void {
    this.options.recording.note(kind, text);
  }

  /** Closes all connections. */
  close(): void {
    for (const upstream of this.upstreams.values()) upstream.close();
  }

  private upstreamOf(url: URL): Upstream {
    const known = this.upstreams.get(url.origin);
    if (known) return known;
    const upstream = new Upstream({ ...this.options.reach, target: new URL(url.origin) });
    upstream.onStray = (bytes) =>
      this.options.recording.note('not-http', beginningOf(bytes, 'the server sent what nobody had asked for'));
    this.upstreams.set(url.origin, upstream);
    return upstream;
  }
}

/** Collects a small answer. */
class SmallAnswer implements AnswerListener {
  onTooLong: () => void = () => undefined;
  private readonly settle: (found: ClientAnswer | Broken) => void;
  private received: ResponseHead | undefined;
  private chunks: Buffer[] = [];
  private length = 0;

  constructor(settle: (found: ClientAnswer | Broken) => void) {
    this.settle = settle;
  }

  head(head: ResponseHead): void {
    this.received = head;
  }

  body(bytes: Buffer): void {
    this.length += bytes.length;
    if (this.length > longest) this.onTooLong();
    else this.chunks.push(bytes);
  }

  over(broken: Broken | undefined): void {
    const { received } = this;
    if (broken || !received) {
      this.settle(broken ?? { what: 'it said nothing', neverLeft: false });
      return;
    }
    const { status, reason, lines } = received;
    this.settle({ status, reason, lines, body: plainBody(lines, Buffer.concat(this.chunks)) });
  }
}

/** A body without its `Content-Encoding`; as it came, where that cannot be undone. */
export function plainBody(lines: readonly HeaderLine[], body: Buffer): Buffer {
  const encoding = headerValue(lines, 'content-encoding');
  const plain = encoding === undefined ? undefined : inflate(encoding, body);
  return plain ? asBuffer(plain) : body;
}

/** @throws WireproofError `bad-usage` where a name is none, or a value would end its line */
export function checkLines(lines: readonly HeaderLine[]): void {
  for (const [name, value] of lines) {
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
      throw new WireproofError('bad-usage', `${JSON.stringify(name)} is no name of a header.`);
    }
    // oxlint-disable-next-line no-control-regex -- what no header line may hold (RFC 9110, section 5.5)
    if (/[\0-\x08\x0a-\x1f\x7f]/.test(value)) {
      throw new WireproofError('bad-usage', `The value of the header ${name} has control characters in it.`);
    }
  }
}

function sentLines(url: URL, lines: readonly HeaderLine[], body: Uint8Array | undefined): HeaderLine[] {
  checkLines(lines);
  const kept = lines.filter(([name]) => !framing.has(lowerName(name)));
  const host = kept.find((line) => isNamed(line, 'host'));
  return [
    host ?? ['Host', url.host],
    ...kept.filter((line) => line !== host),
    ...(body ? [['Content-Length', String(body.length)] as const] : []),
    ['Connection', 'keep-alive'],
  ];
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
