import { readLatin1, writeLatin1 } from '../../wire/latin1.ts';
import { joinBytes } from '../../wire/line-framer.ts';
import { sseLines } from '../../wire/sse-framer.ts';
import { readUtf8, showUtf8, writeUtf8 } from '../../wire/utf8.ts';
import { type BodyKind, bodyKind, isEvents, isForm } from './body-kind.ts';
import type { CompiledRules, Effort } from './compiled-rules.ts';
import { redactEvents } from './event-redaction.ts';
import { innerPlaces, outerPlaces } from './inner-places.ts';
import { isJson } from './json-redaction.ts';
import { multipartParts, type Part } from './multipart.ts';
import { looksLikeOAuth } from './oauth-body.ts';
import type { RedactedBytes, RedactedText, Redactor } from './redactor.ts';
import { effortFor } from './value-redaction.ts';

/** What was put in can make a body look like something else. Where that goes on and on the whole is replaced. */
const mostRounds = 5;
/** A part of a multipart body may be one itself, so many times one in another. */
const deepestPart = 3;

/** What is said of a body, or of a part of one. */
interface BodyOrigin {
  /** As its `Content-Type` says; empty where nothing does. */
  type: string;
  /** The path that the request went to. */
  path: string;
  /** The places that an earlier redaction has replaced. */
  earlier: readonly string[];
  /** It is a line that a process wrote. */
  isLine?: boolean;
}

/** How deep in a body something stands, and what searches in it may still cost. */
interface Within {
  depth: number;
  effort: Effort;
}

interface BodyRedactionOptions {
  rules: CompiledRules;
  redactor: Redactor;
  /** The path of the server's MCP endpoint. */
  endpoint: string;
  /** One stand-in for all of it. */
  all(bytes: Uint8Array): RedactedBytes | undefined;
  /** Told when a session may have been learned, which is replaced in heads too. */
  learned(): void;
}

/** Redacts bodies, lines and events by what they are. */
export class BodyRedaction {
  private readonly options: BodyRedactionOptions;
  private readonly redactor: Redactor;
  private readonly looksEverywhere: boolean;

  constructor(options: BodyRedactionOptions) {
    this.options = options;
    this.redactor = options.redactor;
    const { keys, values, paths } = options.rules;
    this.looksEverywhere = keys.size + values.length + paths.length > 0;
  }

  redact(body: Uint8Array, origin: BodyOrigin): RedactedBytes | undefined {
    if (isEvents(origin.type) && !beginsAsJson(body)) return this.events(body, origin);
    return this.settled(body, origin, { depth: 0, effort: effortFor(body.length) });
  }

  /** Only what the user's expressions match. */
  anyText(bytes: Uint8Array, effort?: Effort): RedactedBytes | undefined {
    if (this.options.rules.values.length === 0) return undefined;
    return changed(bytes, this.redactor.text(textOf(bytes), effort));
  }

  /** Looks again until nothing is found: what stands there then is left as it is when it comes once more. */
  private settled(body: Uint8Array, origin: BodyOrigin, within: Within): RedactedBytes | undefined {
    let now = body;
    const places = new Set<string>();
    for (let round = 0; round < mostRounds; round++) {
      const found = this.once(now, { ...origin, earlier: [...origin.earlier, ...places] }, within);
      if (!found) return places.size === 0 ? undefined : { bytes: now, redacted: [...places] };
      now = found.bytes;
      for (const place of found.redacted) places.add(place);
      if (found.isSettled) return { bytes: now, redacted: [...places] };
    }
    return this.options.all(body);
  }

  private once(body: Uint8Array, origin: BodyOrigin, within: Within): Found | undefined {
    const text = textOf(body);
    const kind = bodyKind(text, origin.type, origin.isLine);
    let now = body;
    const places: string[] = [];
    for (const search of this.searches(body, text, kind, origin, within)) {
      const found = search(now, [...origin.earlier, ...places]);
      if (!found) continue;
      now = found.bytes;
      places.push(...found.redacted);
    }
    if (now === body) return undefined;
    const isSettled = kind === 'json' && !isForm(origin.type) && bodyKind(textOf(now), origin.type) === 'json';
    return { bytes: now, redacted: places, isSettled };
  }

  /** What only looks like something may be any text. */
  private searches(body: Uint8Array, text: string, kind: BodyKind, origin: BodyOrigin, within: Within): PartSearch[] {
    const { effort } = within;
    const asText: PartSearch = (bytes) => this.anyText(bytes, effort);
    const asForm: PartSearch = (bytes, earlier) => changed(bytes, this.redactor.form(textOf(bytes), earlier, effort));
    switch (kind) {
      case 'json': {
        const asJson: PartSearch = (bytes, earlier) => this.json(bytes, text, { ...origin, earlier }, effort);
        return isForm(origin.type) && !isJson(text) ? [asJson, asForm] : [asJson];
      }
      case 'form':
        return isForm(origin.type) ? [asForm] : [asForm, asText];
      case 'events':
        return [(bytes, earlier) => this.events(bytes, { ...origin, earlier }), asText];
      case 'multipart': {
        const parts = within.depth < deepestPart ? multipartParts(body, origin.type) : [];
        if (parts.length === 0) return [asText];
        return [(bytes, earlier) => this.parts(bytes, parts, { ...origin, earlier }, within), asText];
      }
      case 'text':
        return [asText];
    }
  }

  private json(bytes: Uint8Array, text: string, origin: BodyOrigin, effort: Effort): RedactedBytes | undefined {
    const { path, earlier } = origin;
    const other = path === this.options.endpoint ? 'message' : 'other';
    return this.redactor.json(bytes, looksLikeOAuth(text, path) ? 'oauth' : other, earlier, effort);
  }

  /** Events, or what the one line of data of an event is, where that is JSON. */
  private events(item: Uint8Array, origin: BodyOrigin): RedactedBytes | undefined {
    if (!this.looksEverywhere && !namesEndpoint(item)) return undefined;
    return redactEvents(item, {
      data: (data, type) => {
        if (type === 'endpoint') return this.endpointOf(data);
        return this.looksEverywhere ? this.redact(data, { ...origin, type: 'application/json' }) : undefined;
      },
      other: (value) => this.anyText(value),
    });
  }

  private endpointOf(data: Uint8Array): RedactedBytes | undefined {
    const { url, redacted } = this.redactor.endpoint(textOf(data));
    this.options.learned();
    return changed(data, { text: url, redacted });
  }

  private parts(
    body: Uint8Array,
    parts: readonly Part[],
    origin: BodyOrigin,
    within: Within,
  ): RedactedBytes | undefined {
    const pieces: Uint8Array[] = [];
    const places = new Set<string>();
    let done = 0;
    for (const part of parts) {
      const found = this.part(body.subarray(part.from, part.to), part, origin, within);
      if (!found) continue;
      pieces.push(body.subarray(done, part.from), found.bytes);
      done = part.to;
      for (const place of found.redacted) places.add(place);
    }
    return done === 0 ? undefined : { bytes: joinBytes([...pieces, body.subarray(done)]), redacted: [...places] };
  }

  private part(
    content: Uint8Array,
    { name, type }: Part,
    origin: BodyOrigin,
    { depth, effort }: Within,
  ): RedactedBytes | undefined {
    const place = `form:${this.redactor.text(name).text}`;
    const named = this.redactor.field(name, textOf(content), effort);
    if (named !== undefined)
      return changed(content, { text: named, redacted: named === textOf(content) ? [] : [place] });
    const inside = { type, path: origin.path, earlier: innerPlaces(place, origin.earlier) };
    const found = this.settled(content, inside, { depth: depth + 1, effort });
    return found && { bytes: found.bytes, redacted: outerPlaces(place, found.redacted) };
  }
}

type Found = RedactedBytes & { isSettled: boolean };
type PartSearch = (bytes: Uint8Array, earlier: readonly string[]) => RedactedBytes | undefined;

const textOf = (bytes: Uint8Array): string => readUtf8(bytes) ?? readLatin1(bytes);

function beginsAsJson(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf);
  return first === 0x7b || first === 0x5b;
}

const namesEndpoint = (events: Uint8Array): boolean =>
  sseLines(events, true).some(
    ({ name, from, to }) => name === 'event' && showUtf8(events.subarray(from, to)) === 'endpoint',
  );

/** Text as bytes again; bytes that were no UTF-8 were read as the characters of their numbers. */
function changed(before: Uint8Array, { text, redacted }: RedactedText): RedactedBytes | undefined {
  if (redacted.length === 0) return undefined;
  return { bytes: readUtf8(before) === undefined ? writeLatin1(text) : writeUtf8(text), redacted };
}
