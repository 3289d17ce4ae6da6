/** What a server wants, as it says with 401 or 403 (RFC 6750, section 3; RFC 9728, section 5.1). */
export interface BearerChallenge {
  /** Where the metadata of the resource is. */
  resourceMetadata?: string;
  /** The scopes that are needed, with spaces between. */
  scope?: string;
  error?: string;
}

interface Challenge {
  scheme: string;
  parameters: Map<string, string>;
}

// A name and its value, quoted or not. No URL is a token (RFC 9110, section 11.2), and yet some servers do not quote it.
const parameter = /[\s,]*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(?:"((?:[^"\\]|\\[^])*)"|([^\s,"]*))/y;
const word = /[\s,]*([^\s,="]+)/y;

/** All challenges of a `WWW-Authenticate` header, several lines of which are joined by commas (RFC 9110, section 11.6.1). */
function readChallenges(header: string): Challenge[] {
  const challenges: Challenge[] = [];
  let at = 0;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(header);
    if (found) at = pattern.lastIndex;
    return found;
  };
  while (at < header.length) {
    const current = challenges.at(-1);
    const found = current && next(parameter);
    if (found) {
      const [, name = '', quoted, bare = ''] = found;
      const value = quoted === undefined ? bare : quoted.replaceAll(/\\([^])/g, '$1');
      const key = name.toLowerCase();
      if (!current.parameters.has(key)) current.parameters.set(key, value);
      continue;
    }
    const [, scheme] = next(word) ?? [];
    if (scheme === undefined) at++;
    else challenges.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
  }
  return challenges;
}

/** What a `WWW-Authenticate` header says of bearer tokens; the first challenge that names metadata, where there are several. */
export function bearerChallenge(header: string | undefined): BearerChallenge {
  const bearer = readChallenges(header ?? '').filter(({ scheme }) => scheme === 'bearer');
  const chosen = bearer.find(({ parameters }) => parameters.has('resource_metadata')) ?? bearer[0];
  const resourceMetadata = chosen?.parameters.get('resource_metadata');
  const scope = chosen?.parameters.get('scope');
  const error = chosen?.parameters.get('error');
  return {
    ...(resourceMetadata ? { resourceMetadata } : {}),
    ...(scope ? { scope } : {}),
    ...(error ? { error } : {}),
  };
}
