import type { HeadEvent, HttpPlace, StreamName } from '../format.ts';
import { headerValue } from '../../wire/http-headers.ts';
import { encodingOf, StreamHeads } from '../http-heads.ts';
import { CopiedStream, type CopyTools } from './copied-stream.ts';
import type { BodyFacts } from './privacy.ts';

/** So many streams that were answered are kept for what is still to come of them. */
const mostAnswered = 1024;

/** One request and what comes back on it. */
interface CopiedHttpStream {
  heads: StreamHeads;
  /** Bodies that have begun and not ended, by side and leg. */
  bodies: Map<string, CopiedStream>;
}

/** Copies the bodies of a recording of HTTP, each by itself: how one is looked through, its heads say. */
export class CopiedBodies {
  private readonly tools: CopyTools;
  private readonly streams = new Map<number, CopiedHttpStream>();
  private readonly answered = new Set<number>();

  constructor(tools: CopyTools) {
    this.tools = tools;
  }

  head(event: HeadEvent): void {
    this.stream(event.s).heads.add(event);
  }

  /** @param isEvent The body is an event stream, whatever its head says. */
  of(place: HttpPlace, from: StreamName, isEvent = false): CopiedStream {
    const { heads, bodies } = this.stream(place.s);
    const key = keyOf(place, from);
    let body = bodies.get(key);
    if (!body) {
      bodies.set(key, (body = this.begin(factsOf(heads, place, from, isEvent), from)));
    }
    return body;
  }

  private begin(facts: BodyFacts, from: StreamName): CopiedStream {
    const { privacy } = this.tools;
    const unsearched = (): void => {
      if (from !== 'stderr') body.unsearched = privacy.unsearchedWords(from, facts.encoding ?? '');
    };
    const body: CopiedStream = new CopiedStream(from, privacy.body({ ...facts, unsearched }), this.tools);
    return body;
  }

  /** A body is over. */
  ended(place: HttpPlace, from: StreamName): CopiedStream {
    const body = this.of(place, from);
    this.stream(place.s).bodies.delete(keyOf(place, from));
    if (from === 'server') this.answered.add(place.s);
    if (this.answered.size > mostAnswered) this.forgetOne();
    return body;
  }

  /** Bodies that have not ended, and the streams that they belong to. */
  open(): { s: number; body: CopiedStream }[] {
    const open: { s: number; body: CopiedStream }[] = [];
    for (const [s, { bodies }] of this.streams) for (const body of bodies.values()) open.push({ s, body });
    return open;
  }

  /** The one that was answered first of those that nothing is open of. */
  private forgetOne(): void {
    for (const s of this.answered) {
      if ((this.streams.get(s)?.bodies.size ?? 0) > 0) continue;
      this.answered.delete(s);
      this.streams.delete(s);
      return;
    }
  }

  private stream(s: number): CopiedHttpStream {
    let stream = this.streams.get(s);
    if (!stream) this.streams.set(s, (stream = { heads: new StreamHeads(), bodies: new Map() }));
    return stream;
  }
}

const keyOf = ({ leg }: HttpPlace, from: StreamName): string => `${from} ${leg ?? ''}`;

function factsOf(heads: StreamHeads, { leg }: HttpPlace, from: StreamName, isEvent: boolean): BodyFacts {
  const target = heads.request?.target ?? '';
  const head = from === 'stderr' || isEvent ? undefined : heads.of(from, leg);
  if (!head) return { target, type: isEvent ? 'text/event-stream' : '', encoding: undefined };
  return { target, type: headerValue(head.lines, 'content-type') ?? '', encoding: encodingOf(head) };
}
