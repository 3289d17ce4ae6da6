const clock = String.raw`\d\d:\d\d:\d\d`;
/** The forms that a date of HTTP may have (RFC 9110, section 5.6.7). */
const usualDate = new RegExp(String.raw`^[A-Z][a-z]+, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} ${clock} GMT$`);
const oldDate = new RegExp(String.raw`^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d ${clock} \d{4}$`);

/**
 * How long a server wants to be left alone by `Retry-After` (RFC 9110, section 10.2.3).
 *
 * @param value of the header; a number of seconds, or a date
 * @param now milliseconds since 1970
 * @returns milliseconds; nothing where the header is not there, or says neither
 */
export function retryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = usualDate.test(value) ? value : oldDate.test(value) ? `${value} GMT` : '';
  const then = Date.parse(date);
  return Number.isNaN(then) ? undefined : Math.max(0, then - now);
}
