import { idKey } from '../protocol/id.ts';
import { otherSide, type Side } from '../protocol/message.ts';
import { showUtf8 } from '../wire/utf8.ts';
import { WireproofError } from '../wireproof-error.ts';
import { failed } from './connection-facts.ts';
import { readTokens, type FilterToken } from './filter-tokens.ts';
import { toolName } from './open-exchanges.ts';
import { pathOf } from './http-heads.ts';
import { stateOfStream } from './stream-state.ts';
import type { ExchangeUnit, FramedMessage, FrameUnit, HttpHeads, Status, StreamUnit, Unit } from './unit.ts';

const kinds = ['req', 'resp', 'notify', 'stderr', 'stray', 'http'] as const;
type Kind = (typeof kinds)[number];
const statuses: readonly Status[] = ['ok', 'error', 'pending', 'cancelled', 'late'];
const sides: readonly Side[] = ['client', 'server'];

/** One of the things that a unit is, as the filter sees it. */
interface Face {
  kind: Kind;
  from: Side;
  method?: string | undefined;
  tool?: string | undefined;
  id?: string | undefined;
  status?: Status | undefined;
  /** Of its stream on HTTP. */
  heads?: HttpHeads | undefined;
}

/** What the user wants to see: every part of it has to fit. */
export class Filter {
  private readonly faceTests: ((face: Face) => boolean)[] = [];
  private readonly placeTests: ((unit: Unit) => boolean)[] = [];
  private readonly texts: string[] = [];
  private wantsResponses = false;
  private asksStatus = false;
  private asksStreams = false;

  /** @throws WireproofError `bad-usage` that says what is allowed. */
  constructor(words: string) {
    for (const token of readTokens(words)) this.add(token);
  }

  /** Nothing is asked for, so everything fits. */
  get isEmpty(): boolean {
    return this.faceTests.length === 0 && this.placeTests.length === 0 && this.texts.length === 0;
  }

  /** A request alone cannot fit: what became of it is asked for. */
  get needsOutcome(): boolean {
    return this.asksStatus || this.wantsResponses;
  }

  /** Streams on HTTP are asked for, those too that have nothing to say beside their exchanges. */
  get wantsStreams(): boolean {
    return this.asksStreams;
  }

  matches(unit: Unit): boolean {
    if (!this.placeTests.every((test) => test(unit))) return false;
    if (this.faceTests.length > 0) {
      const fits = (face: Face): boolean => this.faceTests.every((test) => test(face));
      if (!this.facesOf(unit).some(fits)) return false;
    }
    if (this.texts.length === 0) return true;
    const text = textOf(unit).toLowerCase();
    return this.texts.every((wanted) => text.includes(wanted));
  }

  private add({ name, value, isQuoted }: FilterToken): void {
    switch (name) {
      case undefined:
        this.texts.push(value.toLowerCase());
        break;
      case 'tool':
        this.test((face, fits) => face.tool !== undefined && fits(face.tool), glob(value));
        break;
      case 'method':
        this.test((face, fits) => face.method !== undefined && fits(face.method), glob(value));
        break;
      case 'id':
        this.test((face, key) => face.id !== undefined && idKey(face.id) === key, idKey(idToken(value, isQuoted)));
        break;
      case 'from':
        this.test((face, side) => face.from === side, oneOf(name, value, sides));
        break;
      case 'kind':
        this.wantsResponses ||= value === 'resp';
        this.asksStreams ||= value === 'http';
        this.test((face, kind) => face.kind === kind, oneOf(name, value, kinds));
        break;
      case 'status':
        this.asksStatus = true;
        this.test((face, status) => face.status === status, oneOf(name, value, statuses));
        break;
      case 'c':
        this.placeTests.push(({ c }) => c === Number(value));
        break;
      case 's':
        this.asksStreams = true;
        this.placeTests.push((unit) => streamsOf(unit).includes(Number(value)));
        break;
      case 'path':
        this.test(({ heads }, fits) => fits(pathOf(heads?.request?.target ?? '')), glob(value));
        break;
      case 'http':
        this.http(value);
    }
  }

  private http(value: string): void {
    this.asksStreams = true;
    if (/^\d/.test(value)) {
      this.asksStatus = true;
      this.test(({ heads }, fits) => fits(heads?.response?.status), statusTest(value));
    } else this.test(({ heads }, method) => heads?.request?.method?.toUpperCase() === method, value.toUpperCase());
  }

  private test<T>(fits: (face: Face, value: T) => boolean, value: T): void {
    this.faceTests.push((face) => fits(face, value));
  }

  /** What became of the requests on a stream is told by their exchanges, and by the stream too only where it is asked for. */
  private statusOf(stream: StreamUnit): Status | undefined {
    const state = stream.requests > 0 && !this.asksStreams ? undefined : stateOfStream(stream);
    return state === 'moved' ? undefined : state;
  }

  private facesOf(unit: Unit): Face[] {
    if (unit.unit === 'connection') return [];
    if (unit.unit === 'exchange') return [exchangeFace(unit, this.wantsResponses)];
    if (unit.unit === 'stream')
      return [{ kind: 'http', from: 'client', heads: headsOf(unit), status: this.statusOf(unit) }];
    if (unit.from === 'stderr') return [{ kind: 'stderr', from: 'server' }];
    const { from, heads } = unit;
    if (unit.messages.length > 0) return unit.messages.map((message) => ({ ...messageFace(message, from), heads }));
    return [{ kind: unit.s !== undefined && !unit.stray ? 'http' : 'stray', from, heads }];
  }
}

function exchangeFace(exchange: ExchangeUnit, asResponse: boolean): Face {
  const { method, tool, id, status, from, answer } = exchange;
  const asked = { method, tool, id, status, heads: exchange.request.heads };
  return asResponse && answer ? { kind: 'resp', from: otherSide(from), ...asked } : { kind: 'req', from, ...asked };
}

function messageFace(framed: FramedMessage, from: Side): Face {
  const { message, id, link } = framed;
  if (message.kind === 'request') return { kind: 'req', from, method: message.method, tool: toolName(framed), id };
  if (message.kind === 'notification') return { kind: 'notify', from, method: message.method };
  const of = link?.is === 'answer' ? link.of : undefined;
  return { kind: 'resp', from, method: of?.method, tool: of?.tool, id, status: failed(message) ? 'error' : 'ok' };
}

const headsOf = ({ request, response }: StreamUnit): HttpHeads => ({ request, response });

/** The streams on HTTP that a unit has to do with. */
function streamsOf(unit: Unit): (number | undefined)[] {
  if (unit.unit === 'exchange') return [unit.request.s, unit.answer?.s];
  return 's' in unit ? [unit.s] : [];
}

/** `404`, or `4xx` for all of a kind. */
function statusTest(value: string): (status: number | undefined) => boolean {
  if (!/^\d(?:xx|\d\d)$/i.test(value)) {
    throw new WireproofError('bad-usage', `http:${value} is no filter: write http:404, http:4xx or http:GET.`);
  }
  const isKind = value.toLowerCase().endsWith('xx');
  const wanted = Number(value.slice(0, isKind ? 1 : 3));
  return (status) => status !== undefined && (isKind ? Math.floor(status / 100) : status) === wanted;
}

/** All that a unit says, to be looked through for a text. */
function textOf(unit: Unit): string {
  if (unit.unit === 'frame') return frameText(unit);
  if (unit.unit === 'stream') return streamText(unit);
  if (unit.unit === 'exchange') {
    const { request, answer, method, tool } = unit;
    return [method, tool ?? '', showUtf8(request.json), answer ? showUtf8(answer.json) : ''].join('\n');
  }
  if (unit.what === 'unknown') return Object.keys(unit.json).join(' ');
  return 'facts' in unit ? JSON.stringify({ ...unit, facts: undefined }) : JSON.stringify(unit);
}

function streamText({ request, response, ends, refusal }: StreamUnit): string {
  const heads = [request, response].filter((head) => head !== undefined);
  const said = heads.map(({ method, target, status, reason, lines }) => {
    const start = [method ?? status, target ?? reason].join(' ');
    return [start].concat(lines.map(([name, value]) => `${name}: ${value}`)).join('\n');
  });
  const whys = [ends.client?.why ?? '', ends.server?.why ?? ''];
  return [...said, ...whys, refusal ? showUtf8(refusal) : ''].join('\n');
}

function frameText({ bytes, content, messages, from }: FrameUnit): string {
  const links = messages.map(({ link }) => (link?.is === 'answer' ? `${link.of.method} ${link.of.tool ?? ''}` : ''));
  return [from, showUtf8(bytes), content ? showUtf8(content) : '', ...links].join('\n');
}

/** Fits whole texts; `*` stands for any characters. Takes time in proportion to the text. */
function glob(pattern: string): (text: string) => boolean {
  const [first, ...rest] = pattern.split('*') as [string, ...string[]];
  const last = rest.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
    let at = first.length;
    for (const piece of rest) {
      const found = text.indexOf(piece, at);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return at <= text.length - last.length;
  };
}

/** `id:5` is the number, `id:"5"` the string; what is no number is a string without quotes too. */
function idToken(value: string, isQuoted: boolean): string {
  const isNumber = /^-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,6})?$/.test(value);
  return !isQuoted && (isNumber || value === 'null') ? value : JSON.stringify(value);
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found !== undefined) return found;
  throw new WireproofError('bad-usage', `${name}:${value} is no filter: write ${name}:${allowed.join(`, ${name}:`)}.`);
}
