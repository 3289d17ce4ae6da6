import { readFileSync } from 'node:fs';
import type { Side } from '../../../src/core/protocol/message.ts';
import type { Head, HeaderLine, HttpEnd } from '../../../src/core/trace/format.ts';

/** A record as it stands in the file, read without wireproof's own reader. */
export interface HttpRecord {
  n: number;
  at: number;
  c: number;
  s?: number;
  from?: Side;
  leg?: Side;
  made?: boolean;
  head?: Head;
  trailers?: HeaderLine[];
  ended?: Side;
  sum?: HttpEnd['sum'];
  passed?: HttpEnd['passed'];
  why?: string;
  note?: { kind: string; text: string };
  redacted?: string[];
  [member: string]: unknown;
}

/** One request and all that came back on it. */
export class HttpStream {
  readonly records: readonly HttpRecord[];

  constructor(records: readonly HttpRecord[]) {
    this.records = records;
  }

  /** What the client asked. */
  get request(): Head {
    return this.head('client', 'client');
  }

  /** What the server was asked. */
  get forwarded(): Head {
    return this.head('client', 'server');
  }

  /** What the client was answered. */
  get response(): Head {
    return this.head('server', 'client');
  }

  /** What the server answered. */
  get answered(): Head {
    return this.head('server', 'server');
  }

  /** The 1xx statuses that came before the response. */
  get informational(): number[] {
    return this.heads('server').flatMap(({ head }) => (head?.status && head.status < 200 ? [head.status] : []));
  }

  /** The response was made by wireproof. */
  get isMade(): boolean {
    return this.heads('server').some(({ made }) => made === true);
  }

  /** How much of one side's body passed, and its digest. */
  sum(from: Side): HttpEnd['sum'] | undefined {
    return this.records.find(({ ended, sum }) => ended === from && sum)?.sum;
  }

  /** The bodies that one side said in one record each, as JSON, and the leg where it was seen. */
  bodies(from: Side): { leg: Side | undefined; json: unknown }[] {
    const said = this.records.filter((record) => record.from === from && !('held' in record));
    return said.flatMap(({ leg, msg }) => (msg === undefined ? [] : [{ leg, json: msg }]));
  }

  trailers(from: Side): readonly HeaderLine[] {
    return this.records.find((record) => record.from === from && record.trailers)?.trailers ?? [];
  }

  /** Why it is not whole, or not what the server said. */
  get why(): string {
    return this.records.flatMap(({ why, note }) => why ?? note?.text ?? []).join('; ');
  }

  private heads(from: Side): HttpRecord[] {
    return this.records.filter((record) => record.from === from && record.head);
  }

  private head(from: Side, leg: Side): Head {
    const heads = this.heads(from).filter(({ head }) => (head?.status ?? 200) >= 200);
    const { head } = heads.find((record) => record.leg === leg) ?? heads[0] ?? {};
    if (!head) throw new Error(`There is no head from the ${from}: ${JSON.stringify(this.records)}`);
    return head;
  }
}

/** A recording of HTTP. */
export class HttpTrace {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  get bytes(): Buffer {
    return readFileSync(this.path);
  }

  /** The lines of the file, each as it stands there. */
  get lines(): string[] {
    return this.bytes.toString().split('\n').slice(0, -1);
  }

  /** The first line. */
  get header(): Record<string, unknown> {
    return JSON.parse(this.lines[0] ?? '') as Record<string, unknown>;
  }

  get records(): HttpRecord[] {
    return this.lines.slice(1).map((line) => JSON.parse(line) as HttpRecord);
  }

  /** In the order of their numbers. */
  get streams(): HttpStream[] {
    const streams = new Map<number, HttpRecord[]>();
    for (const record of this.records) {
      if (record.s === undefined) continue;
      streams.set(record.s, [...(streams.get(record.s) ?? []), record]);
    }
    return [...streams].sort(([one], [other]) => one - other).map(([, records]) => new HttpStream(records));
  }

  /** The one stream, or the one whose request has this target. */
  stream(target?: string): HttpStream {
    const stream = this.streams.find(({ request }) => target === undefined || request.target === target);
    if (!stream) throw new Error(`No stream with the target ${target}`);
    return stream;
  }
}
