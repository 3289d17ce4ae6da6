import type { Head, HeaderLine } from '../../core/trace/format.ts';
import type { CompiledRules, ValuePattern } from '../../core/trace/redaction/compiled-rules.ts';
import type { RedactedJson } from '../../core/trace/redaction/head-texts.ts';
import { lowerName } from '../../core/wire/http-headers.ts';
import { TracePrivacy } from './trace-privacy.ts';

/** What a recording is read by, and no secret: these stay as they are. */
const plain: ReadonlySet<string> = new Set(['accept', 'content-type', 'host', 'mcp-protocol-version', 'user-agent']);
/** A shorter value is replaced in its own line only: it may be a part of any word. */
const shortest = 6;

/**
 * Keeps the values of the user's own header lines out of a trace: any of them may be a secret, whatever its name. A server
 * may send one back anywhere.
 */
export class GivenLinesPrivacy extends TracePrivacy {
  private readonly given: ReadonlySet<string>;

  /** @param lines the user's own, as they are sent or as they were written */
  constructor(
    rules: CompiledRules,
    keyed: (text: string) => string,
    { endpoint, lines }: { endpoint: string; lines: readonly HeaderLine[] },
  ) {
    const secret = rules.secrets ? lines.filter(([name]) => !plain.has(lowerName(name))) : [];
    super({ ...rules, values: [...rules.values, ...patternsFor(secret)] }, keyed, endpoint);
    this.given = new Set(secret.flatMap(([name, value]) => spellings(value).map((one) => keyOf(name, one))));
  }

  override headText(head: Head): RedactedJson {
    const places: string[] = [];
    const lines = head.lines.map(([name, value]): HeaderLine => {
      const isGiven = this.given.has(keyOf(name, value));
      // Of credentials the scheme is kept.
      if (!isGiven || scheme.test(value)) return [name, value];
      places.push(JSON.stringify(`header:${name}`));
      return [name, this.standInFor(value)];
    });
    if (places.length === 0) return super.headText(head);
    const made = super.headText({ ...head, lines });
    return { ...made, places: [...new Set([...places, ...made.places.split(',')])].filter(Boolean).join(',') };
  }
}

const scheme = /^(?:Basic|Bearer|DPoP|Token) +(?=\S)/i;

const keyOf = (name: string, value: string): string => `${lowerName(name)}: ${value}`;

/** As text, and as its bytes stand in a head. */
const spellings = (value: string): string[] => [...new Set([value, Buffer.from(value).toString('latin1')])];

/** As a URL has it. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\ufffd'));
}

function patternsFor(lines: readonly HeaderLine[]): ValuePattern[] {
  const wanted = lines
    .flatMap(([, value]) => [value.replace(scheme, ''), value])
    .filter((one) => one.length >= shortest);
  const spelled = wanted.flatMap(spellings).flatMap((one) => [one, percentEncoded(one)]);
  return [...new Set(spelled)].map(literally);
}

/** Finds a text as it is. */
function literally(wanted: string): ValuePattern {
  return {
    isIn: (text) => text.includes(wanted),
    spans(text) {
      const spans = [];
      for (let from = text.indexOf(wanted); from >= 0; from = text.indexOf(wanted, from + wanted.length)) {
        spans.push({ from, to: from + wanted.length });
      }
      return spans;
    },
  };
}
