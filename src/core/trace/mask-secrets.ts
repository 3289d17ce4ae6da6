export const mask = '<secret>';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Words that make a name secret wherever they stand in it. */
const secretWords = words(
  'token tokens secret secrets password passwords passwd passphrase apikey apikeys authorization credential credentials jwt pat',
);
/** Words that do so before `key`. */
const secretKeys = words('api access private secret auth encryption signing service master');
/** Words that do so at the end of a name. */
const secretEnds = words('key keys pass pwd pw auth bearer cookie cookies session signature sig');
/** What a name ends with that only says something about a secret. */
const harmlessEnds = words(
  'limit limits count budget size length max min type name file path dir url uri endpoint issuer ttl timeout expiry ' +
    'lifetime env var header prefix provider method mode store algorithm format rate window usage required',
);
const harmlessKeys = words('public primary sort partition foreign hot row cache group');
const secretCodes = words('auth oauth authorization device verification access otp pin');
/** An option that begins so takes no value. */
const negations = words('no disable skip without');
/** A name in one piece: `authtoken`, `clientsecret`, `dbpass`. */
const secretPiece = /(?:token|secret|password|passwd|passphrase|apikey|(?<!by|com|tres|sur|under|over)pass)$/;

/** Shapes that services give their tokens: a known beginning and a long rest. */
const secretValue =
  /^(?:sk-|sk_|pk_|rk_|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|xox[abeoprs]-|npm_|hf_|pplx-|AKIA|ASIA|AIza|ya29\.|eyJ)[\w.~+/=-]{12,}$/;
/** Values that give nothing away, and references that nobody has put a value in for: that is worth seeing. */
const harmlessValue =
  /^(?:true|false|none|null|on|off|yes|no|basic|oauth2?|bearer|jwt|env|auto|required|optional|disabled|enabled|\$\{?\w+\}?|%\w+%)$/i;

/** A command with the arguments masked that look like secrets: by the name of their option, or by their own shape. */
export function maskSecrets(command: readonly string[]): string[] {
  return command.map((word, index) =>
    index === 0 ? word : maskArgument(word, index > 1 ? command[index - 1] : undefined),
  );
}

/** @param before The word before it, which may be the option whose value it is. */
function maskArgument(word: string, before: string | undefined): string {
  const option = before !== undefined && !word.startsWith('-') ? /^--?([a-z][^=\s]*)$/i.exec(before)?.[1] : undefined;
  if (option === undefined) return maskWord(word);
  if (takesSecret(option)) return maskValue(option, word);
  // curl and its kind: a name and a password. Numbers are a user and a group.
  if (/^u(?:ser)?$/i.test(option) && /^[^:/\s]+:(?!\d+$)[^/\s]/.test(word)) return `${word.split(':', 1)[0]}:${mask}`;
  return maskWord(word);
}

const takesSecret = (option: string): boolean => isSecretName(option) && !negations.has(wordsOf(option)[0] as string);

function maskWord(word: string): string {
  if (secretValue.test(word)) return mask;
  if (/^\s*[{[]/.test(word)) return maskJson(word);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return maskUrl(word);
  const header = /^([\w-]+):\s*(\S.*)$/s.exec(word);
  if (header && isSecretName(header[1] as string))
    return `${header[1]}: ${maskValue(header[1] as string, header[2] as string)}`;
  if (/^bearer\s+\S/i.test(word)) return `Bearer ${mask}`;
  const assignment = /^(-{0,2}[\w.-]+)=(.*)$/s.exec(word);
  if (assignment) return maskAssignment(assignment[1] as string, assignment[2] as string);
  // A command for a shell, or a part of one.
  if (/\s/.test(word)) return maskWords(word);
  const equals = word.indexOf('=');
  return equals < 0 ? word : maskAssignment(word.slice(0, equals), word.slice(equals + 1));
}

const maskAssignment = (name: string, value: string): string =>
  `${name}=${isSecretName(name) ? maskValue(name, value) : maskWord(value)}`;

function maskWords(text: string): string {
  const pieces = text.split(/(\s+)/);
  return pieces.map((piece, index) => (index % 2 === 1 ? piece : maskArgument(piece, pieces[index - 2]))).join('');
}

function maskValue(name: string, value: string): string {
  if (value === '' || harmlessValue.test(value)) return value;
  // As many tokens as that are a number of tokens.
  if (/tokens$/i.test(name) && /^\d{1,9}$/.test(value)) return value;
  return mask;
}

const maskJson = (json: string): string =>
  json.replace(
    /"((?:[^"\\]|\\.)*)"(\s*:\s*)"((?:[^"\\]|\\.)*)"/g,
    (whole, name: string, colon: string, value: string) =>
      isSecretName(name)
        ? `"${name}"${colon}"${maskValue(name, value)}"`
        : whole.replace(/"[^"]*"$/, () => `"${maskWord(value)}"`),
  );

function maskUrl(url: string): string {
  const [, start = '', path = '', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)([^?#]*)(.*)$/is.exec(url) ?? [];
  return (
    start.replace(/^([^:]*:\/\/).*@/, `$1${mask}@`) +
    path.replace(/[^/]+/g, (segment) => (isRandom(segment) || secretValue.test(segment) ? mask : segment)) +
    rest.replace(/([?&#;])([^=&#;]+)=([^&#;]*)/g, (whole, mark: string, name: string, value: string) => {
      if (isSecretName(name)) return `${mark}${name}=${maskValue(name, value)}`;
      return secretValue.test(value) ? `${mark}${name}=${mask}` : whole;
    })
  );
}

/** Some services give out addresses that are a secret themselves: a part of their path is what nobody would write. */
const isRandom = (segment: string): boolean =>
  /^[0-9a-f-]{32,}$/i.test(segment) ||
  (/^[\w=~-]{20,}$/.test(segment) && [/\d/, /[a-z]/, /[A-Z]/].every((kind) => kind.test(segment)));

/** `OPENAI_API_KEY`, `--accessToken` and `x-api-key`, but not `--token-limit`, `--author` or `--keyboard`. */
function isSecretName(name: string): boolean {
  const parts = wordsOf(name);
  const last = parts.at(-1);
  if (last === undefined || harmlessEnds.has(last)) return false;
  const before = parts.at(-2) ?? '';
  if (/^keys?$/.test(last) && harmlessKeys.has(before)) return false;
  if (last === 'id') return before === 'session';
  if (last === 'code') return parts.length === 1 || secretCodes.has(before);
  if (secretEnds.has(last) || secretPiece.test(last)) return true;
  return parts.some(
    (word, index) => secretWords.has(word) || (word === 'key' && secretKeys.has(parts[index - 1] ?? '')),
  );
}

/** The words that a name is put together from, in lower case and without numbers at its end. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !/^\d+$/.test(word));
