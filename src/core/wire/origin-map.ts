import { formParameters, queryParameters, resourceMetadataValues, type Parameter } from './header-values.ts';
import { isNamed } from './http-headers.ts';
import { placedStrings, type PlacedString } from './json-strings.ts';
import { jsonString, originLength, replaceOrigins, type Spelled } from './origin-spelling.ts';

/** A document in which a server names itself by URL: RFC 9728, section 2; RFC 8414, section 2, and OpenID Connect Discovery. */
export type BodyKind = 'resource-metadata' | 'issuer-metadata';

/** Header lines as they came: names as they were spelled, in order, some of them more than once. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** A body for the client. */
export interface MappedBody {
  text: string;
  /** What in it could not be mapped and still leads past the tap. */
  notes: string[];
}

/**
 * Leads a client through a tap: URLs of the target's origin become URLs of the tap's own origin on the way to the
 * client, and back on the way to the server, in the places that the specifications name and nowhere else. What a
 * client compares (`resource`, `issuer`, `iss`) then agrees with the URL that it uses. Only the origin in a URL is
 * replaced; all around it stays as it is spelled. Every method that may answer `undefined` says by it that
 * nothing is to be changed.
 */
export class OriginMap {
  private readonly target: string;
  private readonly own: string;

  /**
   * @param target `https://host:8443`
   * @param own `http://127.0.0.1:7000`: how this client names the tap. To be taken from a `Host` line only where
   *   that host is one of the tap's own: what a page of this origin sends, the server will take for its own page's.
   */
  constructor(target: string, own: string) {
    this.target = new URL(target).origin;
    this.own = new URL(own).origin;
  }

  /** An absolute URL of the target's origin (RFC 6454, section 4) as one of the tap's; any other text as it is. */
  toClient(url: string): string {
    return withOrigin(url, this.target, this.own);
  }

  /** An absolute URL of the tap's own origin as one of the target's; any other text as it is. */
  toServer(url: string): string {
    return withOrigin(url, this.own, this.target);
  }

  /**
   * `Location` and `Content-Location` (RFC 9110, sections 10.2.2 and 8.7), `iss` in a `Location` that is an
   * authorization response (RFC 9207, section 2), and `resource_metadata` in `WWW-Authenticate` (RFC 9728,
   * section 5.1). `Access-Control-Allow-Origin` names the client's origin and stays.
   */
  responseHeaders(lines: HeaderLines): [string, string][] | undefined {
    return mapLines(lines, ['location', 'content-location', 'www-authenticate'], (name, value) => {
      if (name === 'location') return this.toClient(this.withIssuer(value));
      if (name === 'content-location') return this.toClient(value);
      return this.forClient(value, resourceMetadataValues(value));
    });
  }

  /** `https://app/callback?code=…&iss=…`: the issuer in a response (RFC 6749, sections 4.1.2 and 4.1.2.1) sent by redirect. */
  private withIssuer(location: string): string {
    const parameters = [...queryParameters(location)];
    // Elsewhere `iss` is told to somebody who does not come through the tap (OpenID Connect Core, section 4).
    if (!parameters.some(({ name }) => name === 'code' || name === 'error')) return location;
    return this.forClient(location, named(parameters, 'iss'));
  }

  /**
   * The JSON of a metadata document: RFC 9728, section 2 for a resource; RFC 8414, section 2, RFC 8705, section 5
   * and RFC 9728, section 4 for an issuer.
   *
   * @param text With its byte-order mark, if it has one.
   */
  responseBody(kind: BodyKind, text: string): MappedBody | undefined {
    if (!isJson(text)) return undefined;
    const values: Spelled[] = [];
    let isSigned = false;
    for (const { path, from, to } of placedStrings(text)) {
      if (namesUrl(kind, path)) values.push({ from, to, spelling: jsonString });
      isSigned ||= path.length === 1 && path[0] === 'signed_metadata';
    }
    const mapped = replaceOrigins(text, values, this.target, this.own);
    if (mapped === undefined && !isSigned) return undefined;
    return { text: mapped ?? text, notes: isSigned ? [this.signedNote()] : [] };
  }

  private signedNote(): string {
    return `signed_metadata is signed and stays as it is: URLs of ${this.target} in it lead a client past ${this.own}`;
  }

  /** The data of an `endpoint` event of HTTP+SSE (specification 2024-11-05: basic/transports), absolute or relative. */
  sseEndpoint(data: string): string | undefined {
    return unlessSame(this.toClient(data), data);
  }

  /**
   * `/authorize?…&resource=…`: each `resource` of a query (RFC 8707, section 2). No other parameter, least of all
   * `redirect_uri`: that is the client's address, not the server's.
   */
  requestTarget(target: string): string | undefined {
    if (!target.includes('?')) return undefined;
    return replaceOrigins(target, named(queryParameters(target), 'resource'), this.own, this.target);
  }

  /**
   * `application/x-www-form-urlencoded`, to a token endpoint for instance: each `resource` (RFC 8707, section 2)
   * and, for token exchange, each `audience` (RFC 8693, section 2.1).
   */
  formBody(text: string): string | undefined {
    return replaceOrigins(text, named(formParameters(text), 'resource', 'audience'), this.own, this.target);
  }

  /**
   * `Referer` (RFC 9110, section 10.1.3), and `Origin` (RFC 6454, section 7) where it is exactly the tap's own: the
   * page then came from the server, through the tap. Any other `Origin` is for the server to judge, and passes.
   */
  requestHeaders(lines: HeaderLines): [string, string][] | undefined {
    return mapLines(lines, ['referer', 'origin'], (name, value) => {
      if (name === 'referer') return this.toServer(value);
      return value === this.own ? this.target : value;
    });
  }

  private forClient(text: string, values: Iterable<Spelled>): string {
    return replaceOrigins(text, values, this.target, this.own) ?? text;
  }
}

/**
 * What a response body is by where it was asked for: the well-known path in front of the path of what it describes
 * (RFC 9728, section 3.1; RFC 8414, section 3.1), or behind it (OpenID Connect Discovery, section 4; servers do it
 * with all three). Only a 200, and only with a type that says JSON or nothing: files without an ending get those.
 *
 * @param target The path, with or without a query, as the server is asked for it.
 */
export function bodyKind(target: string, contentType: string | undefined, status: number): BodyKind | undefined {
  if (status !== 200 || !mayBeJson(contentType)) return undefined;
  const [path = ''] = target.split(/[?#]/, 1);
  const [, before, after = ''] = /^\/\.well-known\/([^/]+)|\/\.well-known\/([^/]+)$/.exec(path) ?? [];
  return documents.get(before ?? after);
}

const documents: ReadonlyMap<string, BodyKind> = new Map([
  ['oauth-protected-resource', 'resource-metadata'],
  ['oauth-authorization-server', 'issuer-metadata'],
  ['openid-configuration', 'issuer-metadata'],
]);

function mayBeJson(contentType = ''): boolean {
  const [type = ''] = contentType.toLowerCase().split(';', 1);
  return /^(?:|(?:application|text)\/json|[^ ]+\+json|text\/plain|application\/octet-stream)$/.test(type.trim());
}

/** Whether a string at this path in the document is the URL of something that may be behind the tap. */
function namesUrl(kind: BodyKind, path: PlacedString['path']): boolean {
  const [outer, inner] = path;
  if (path.length > 2 || typeof outer !== 'string') return false;
  const { urls, array, object } = places[kind];
  if (inner === undefined) return urls.test(outer);
  return typeof inner === 'number' ? array === outer : object === outer && urls.test(inner);
}

const places: Readonly<Record<BodyKind, { urls: RegExp; array: string; object?: string }>> = {
  'resource-metadata': {
    // What people are to read may be there in several languages: `resource_tos_uri#de` (RFC 9728, section 2.1).
    urls: /^(?:resource|jwks_uri|resource_(?:documentation|policy_uri|tos_uri)(?:#.*)?)$/s,
    array: 'authorization_servers',
  },
  'issuer-metadata': {
    urls: /^(?:issuer|service_documentation|.*_endpoint|.*_uri)$/s,
    array: 'protected_resources',
    object: 'mtls_endpoint_aliases',
  },
};

function isJson(text: string): boolean {
  try {
    // `JSON.parse` takes no byte-order mark; those who read a response as JSON leave it away first.
    JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
    return true;
  } catch {
    return false;
  }
}

function withOrigin(url: string, from: string, to: string): string {
  const length = originLength(url, from);
  return length === 0 ? url : to + url.slice(length);
}

function* named(parameters: Iterable<Parameter>, ...names: string[]): Generator<Spelled> {
  for (const parameter of parameters) if (names.includes(parameter.name)) yield parameter;
}

/** @param map Is told those of the names that a line has, in lower case. */
function mapLines<Name extends string>(
  lines: HeaderLines,
  names: readonly Name[],
  map: (name: Name, value: string) => string,
): [string, string][] | undefined {
  let mapped: [string, string][] | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as HeaderLines[number];
    for (const name of names) {
      if (!isNamed(line, name)) continue;
      const value = map(name, line[1]);
      if (value === line[1]) continue;
      mapped ??= lines.map(([spelled, kept]) => [spelled, kept]);
      mapped[at] = [line[0], value];
    }
  }
  return mapped;
}

const unlessSame = (mapped: string, given: string): string | undefined => (mapped === given ? undefined : mapped);
