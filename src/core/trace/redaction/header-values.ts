/** How authentication may be done (IANA's HTTP Authentication Schemes, and what is seen besides): no secret. */
const schemes =
  'basic|bearer|concealed|digest|dpop|gnap|hoba|mutual|negotiate|ntlm|oauth|privatetoken|scram-sha-1|scram-sha-256|vapid|' +
  'token|apikey|api-key|hawk|aws4-hmac-sha256';
/** The scheme, with what is often put around it by mistake, or twice. */
const beforeCredentials = new RegExp(`^\\s*(?:["']?(?:${schemes})(?:[\\s:="',]+|$))*`, 'i');

/** The value of `Authorization` and its like: all but the scheme. */
export function redactCredentials(value: string, replace: (secret: string, scheme: string) => string): string {
  const [scheme] = beforeCredentials.exec(value) as unknown as [string];
  return scheme + replace(value.slice(scheme.length), scheme.trim().toLowerCase());
}

/** The value of `Cookie`: names stay. */
export const redactCookies = (value: string, replace: (secret: string, name: string) => string): string =>
  value
    .split(';')
    .map((cookie) => redactCookie(cookie, replace))
    .join(';');

/** The value of `Set-Cookie`: name and attributes stay. */
export function redactSetCookie(value: string, replace: (secret: string, name: string) => string): string {
  const end = value.indexOf(';');
  return end < 0 ? redactCookie(value, replace) : redactCookie(value.slice(0, end), replace) + value.slice(end);
}

function redactCookie(cookie: string, replace: (secret: string, name: string) => string): string {
  const name = cookie.slice(0, cookie.indexOf('=') + 1);
  const rest = cookie.slice(name.length);
  const value = rest.trim();
  const start = rest.length - rest.trimStart().length;
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  const inside = isQuoted ? value.slice(1, -1) : value;
  const replaced = replace(inside, name.slice(0, -1).trim());
  return name + rest.slice(0, start) + (isQuoted ? `"${replaced}"` : replaced) + rest.slice(start + value.length);
}
