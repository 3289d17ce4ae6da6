import { writeBase64, base64Length } from '../../wire/base64.ts';
import { writeUtf8 } from '../../wire/utf8.ts';

/** What was replaced, as far as a stand-in tells it. The last three are what the user asked for. */
export type SecretKind = 'token' | 'code' | 'secret' | 'session' | 'cookie' | 'proof' | 'key' | 'value' | 'path';

/** So many stand-ins are remembered: the same few secrets come with every request. */
const mostRemembered = 500;
const longestRemembered = 8192;

/** Hexadecimal stand-ins and UUIDs begin so. */
const hexMark = 'dedac7ed';
/** Base64 stand-ins begin so: it is "redacted-". */
const base64Mark = 'cmVkYWN0ZWQt';
const longestBase64 = 64;
/** {"alg":"none","redacted":true} */
const jwtHeader = 'eyJhbGciOiJub25lIiwicmVkYWN0ZWQiOnRydWV9';
const firstYear = 2160;

// In a URL some marks stand encoded.
const [at, colon, slash, equals, plus] = ['(?:@|%40)', '(?::|%3A)', '(?:/|%2F)', '(?:=|%3D)', '(?:\\+|%2B)'];
const time = `(?:[Tt ]|%20)\\d\\d${colon}\\d\\d${colon}\\d\\d(?:\\.\\d{1,12})?(?:[Zz]|${plus}00${colon}00)?`;

/** What every stand-in for a text looks like, so that one is told from a secret without the key. */
const looks = [
  'redacted-[a-z]+-[0-9a-f]{16}',
  `https${colon}${slash}${slash}redacted\\.invalid${slash}[0-9a-f]{16}`,
  `[0-9a-f]{16}${at}redacted\\.invalid`,
  `${hexMark}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`,
  `${hexMark.toUpperCase()}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}`,
  `(?:0x)?${hexMark}[0-9a-f]{8,}`,
  `(?:0x)?${hexMark.toUpperCase()}[0-9A-F]{8,}`,
  `${base64Mark}[0-9a-f]{9,}(?:A${equals}{1,2})?`,
  `${jwtHeader}\\.[\\w-]{44}\\.[\\w-]{40}`,
  `2(?:1[6-9]|2[0-5])\\d-\\d\\d-\\d\\d(?:${time})?`,
].join('|');
const whole = new RegExp(`^(?:${looks})$`);
/** What a text has to have in it for a stand-in to be there. */
const mayHave = new RegExp(`redacted|${hexMark}|${base64Mark}|${jwtHeader}|2[12]\\d\\d-`, 'i');

export const isStandIn = (text: string): boolean => whole.test(text);

/** From where to where stand-ins stand in a text; those that touch are one. */
export function standInSpans(text: string): { from: number; to: number }[] {
  if (!mayHave.test(text)) return [];
  const spans: { from: number; to: number }[] = [];
  for (const match of text.matchAll(new RegExp(looks, 'g'))) {
    const to = match.index + match[0].length;
    const last = spans.at(-1);
    if (last?.to === match.index) last.to = to;
    else spans.push({ from: match.index, to });
  }
  return spans;
}

/**
 * Makes what stands in a trace instead of a secret. The same secret always gets the same stand-in, so that it can
 * still be seen where it is used again; the key makes that a guess cannot be tried. A stand-in has the type
 * of the secret, and the format where it has one, so that what holds it stays valid.
 */
export class StandIns {
  private readonly keyed: (text: string) => string;
  private readonly remembered = new Map<string, string>();

  /** @param keyed The HMAC-SHA-256 of a text under the store's key, hexadecimal in lower case. */
  constructor(keyed: (text: string) => string) {
    this.keyed = keyed;
  }

  /** A text that is a stand-in already stays, and so does an empty one. */
  text(secret: string, kind: SecretKind): string {
    if (secret === '' || isStandIn(secret)) return secret;
    const digest = this.digest(secret);
    return inFormat(secret, digest) ?? `redacted-${kind}-${digest.slice(0, 16)}`;
  }

  /** For a number, as it is spelled in JSON: an integer stays one, and so does a fraction. It cannot be told from a number. */
  number(secret: string): string {
    const number = Number(secret);
    const digest = this.digest(Number.isSafeInteger(number) ? String(number) : secret);
    const isWhole = Number.isInteger(number) || !Number.isFinite(number);
    if (isWhole) return String(1 + (amount(digest, 0) % 999_999_999));
    return `0.${digits(digest, 8)}${1 + (amount(digest, 1) % 9)}`;
  }

  private digest(secret: string): string {
    const known = this.remembered.get(secret);
    if (known !== undefined) return known;
    const digest = this.keyed(secret);
    if (secret.length <= longestRemembered) {
      if (this.remembered.size === mostRemembered)
        this.remembered.delete(this.remembered.keys().next().value as string);
      this.remembered.set(secret, digest);
    }
    return digest;
  }
}

/** The stand-in in the secret's own format, where it has one. */
function inFormat(secret: string, digest: string): string | undefined {
  if (/^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(secret)) return jwt(digest);
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(secret)) return uuid(secret, digest);
  if (/^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(secret)) return `https://redacted.invalid/${digest.slice(0, 16)}`;
  if (secret.length <= 320 && /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(secret))
    return `${digest.slice(0, 16)}@redacted.invalid`;
  const found = /^\d{4}-\d\d-\d\d(?:([Tt ])\d\d:\d\d:\d\d(?:\.(\d{1,12}))?([Zz]|[+-]\d\d:?\d\d)?)?$/.exec(secret);
  if (found) return date(digest) + (found[1] === undefined ? '' : found[1] + timeOfDay(digest, found[2], found[3]));
  if (/^(?:0x[0-9a-f]{16,}|(?!\d+$)[0-9a-f]{16,})$/i.test(secret)) return hexadecimal(secret, digest);
  return isBase64(secret) ? base64(secret, digest) : undefined;
}

function jwt(digest: string): string {
  const payload = base64Url(`{"redacted":"${digest.slice(0, 18)}"}`);
  return `${jwtHeader}.${payload}.${digest.slice(-40)}`;
}

function base64Url(text: string): string {
  const bytes = writeUtf8(text);
  const letters = new Uint8Array(base64Length(bytes.length));
  writeBase64(bytes, 0, bytes.length, letters, 0);
  return String.fromCharCode(...letters)
    .replace(/=+$/, '')
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

/** Of the same version, since some ask for it. */
function uuid(secret: string, digest: string): string {
  const version = /[1-8]/.test(secret[14] as string) ? secret[14] : '8';
  const parts = [
    hexMark,
    digest.slice(0, 4),
    version + digest.slice(4, 7),
    `8${digest.slice(7, 10)}`,
    digest.slice(10, 22),
  ];
  return inCaseOf(secret, parts.join('-'));
}

function hexadecimal(secret: string, digest: string): string {
  const prefix = /^0x/i.test(secret) ? '0x' : '';
  const length = secret.length - prefix.length;
  const rest = digest.repeat(Math.ceil(length / digest.length)).slice(0, length - hexMark.length);
  return prefix + inCaseOf(secret.slice(prefix.length), hexMark + rest);
}

const inCaseOf = (secret: string, hex: string): string =>
  /[A-F]/.test(secret) && !/[a-f]/.test(secret) ? hex.toUpperCase() : hex;

/** Base64 (RFC 4648, section 4) that could not well be a word or a path. */
function isBase64(text: string): boolean {
  if (text.length < 24 || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return false;
  return text.endsWith('=') || [/[+/]/, /\d/, /[a-z]/, /[A-Z]/].every((letters) => letters.test(text));
}

function base64(secret: string, digest: string): string {
  const padding = secret.length - secret.replace(/=+$/, '').length;
  const length = Math.min(secret.length, longestBase64) - base64Mark.length;
  if (padding === 0) return base64Mark + digest.slice(0, length);
  // The letter before the padding has bits that must not be set.
  return `${base64Mark}${digest.slice(0, length - padding - 1)}A${'='.repeat(padding)}`;
}

function date(digest: string): string {
  const days = amount(digest, 0);
  const [year, month, day] = [days % 100, Math.floor(days / 100) % 12, Math.floor(days / 1200) % 28];
  return `${firstYear + year}-${two(month + 1)}-${two(day + 1)}`;
}

function timeOfDay(digest: string, fraction: string | undefined, zone: string | undefined): string {
  const seconds = amount(digest, 1) % 86_400;
  const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
  const rest = fraction === undefined ? '' : `.${digits(digest, fraction.length)}`;
  return `${time}${rest}${zone === undefined || /z/i.test(zone) ? (zone ?? '') : '+00:00'}`;
}

const two = (number: number): string => String(number).padStart(2, '0');

/** A number from a part of the digest: 48 bits. */
const amount = (digest: string, part: number): number => Number.parseInt(digest.slice(part * 12, part * 12 + 12), 16);

const digits = (digest: string, count: number): string =>
  String(amount(digest, 2) % 10 ** 12)
    .padStart(12, '0')
    .slice(-count);
