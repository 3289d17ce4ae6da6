import type { Head } from '../format.ts';
import { PairMemory } from './pair-memory.ts';
import type { Redactor } from './redactor.ts';

/** A part of a trace's record, as JSON, and the places in it that were replaced, each as JSON, with commas between them. */
export interface RedactedJson {
  json: string;
  places: string;
}

/** Writes heads out, with stand-ins in them. What they are made of is remembered: the same comes with every request. */
export class HeadTexts {
  private readonly redactor: Redactor;
  private readonly requests = new PairMemory<RedactedJson>();
  private readonly responses = new PairMemory<RedactedJson>();
  private readonly lines = new PairMemory<RedactedJson>();

  constructor(redactor: Redactor) {
    this.redactor = redactor;
  }

  of(head: Head): RedactedJson {
    const { target, version } = head;
    const start = target === undefined ? this.responseStart(head) : this.requestStart(head.method ?? '', target);
    let lines = '';
    let { places } = start;
    for (const [name, value] of head.lines) {
      const line = this.lines.get(name, value) ?? this.makeLine(name, value);
      lines += lines === '' ? line.json : `,${line.json}`;
      if (line.places !== '' && !places.includes(line.places)) places += (places === '' ? '' : ',') + line.places;
    }
    return { json: `{"version":${JSON.stringify(version)},${start.json},"lines":[${lines}]}`, places };
  }

  /** What is replaced may be something else from now on. */
  forget(): void {
    for (const memory of [this.requests, this.responses, this.lines]) memory.forget();
  }

  private requestStart(method: string, passed: string): RedactedJson {
    const known = this.requests.get(method, passed);
    if (known) return known;
    const { target, redacted } = this.redactor.target(passed);
    const json = `"method":${JSON.stringify(method)},"target":${JSON.stringify(target)}`;
    const places = redacted.map((place) => JSON.stringify(place)).join(',');
    return this.requests.set(method, passed, { json, places }, json.length + places.length);
  }

  private responseStart({ status, reason }: Head): RedactedJson {
    if (reason === undefined) return { json: `"status":${status}`, places: '' };
    const known = this.responses.get(String(status), reason);
    if (known) return known;
    const { text, redacted } = this.redactor.text(reason);
    const json = `"status":${status},"reason":${JSON.stringify(text)}`;
    const places = redacted.length > 0 ? '"reason"' : '';
    return this.responses.set(String(status), reason, { json, places }, json.length);
  }

  private makeLine(name: string, value: string): RedactedJson {
    const { lines, redacted } = this.redactor.headers([[name, value]]);
    const json = JSON.stringify(lines[0]);
    const places = redacted.map((place) => JSON.stringify(place)).join(',');
    return this.lines.set(name, value, { json, places }, json.length + places.length);
  }
}
