import type { SecretKind } from './stand-in.ts';

/** How parameters are redacted. Names and values come decoded, and a new value goes out decoded. */
export interface ParameterRules {
  kindOf(name: string): SecretKind | undefined;
  /** What takes a value's place; nothing where it stays. Without a kind it is no secret by its name. */
  replace(value: string, kind: SecretKind | undefined, name: string): string | undefined;
}

/**
 * Redacts `a=b&c=d`, as it stands in a URL or a form; only the values concerned are written anew.
 *
 * @param changed Told the name of each parameter that was changed.
 */
export function redactParameters(text: string, rules: ParameterRules, changed: (name: string) => void): string {
  const redactOne = (parameter: string): string => {
    const equals = parameter.indexOf('=');
    const name = decodeParameter(parameter.slice(0, Math.max(equals, 0)));
    const replaced = rules.replace(decodeParameter(parameter.slice(equals + 1)), rules.kindOf(name), name);
    if (replaced === undefined) return parameter;
    changed(name);
    return parameter.slice(0, equals + 1) + encode(replaced);
  };
  return text
    .split('&')
    .map((parameter) => cutAtSecret(parameter, rules).map(redactOne).join(';'))
    .join('&');
}

/** Some servers take semicolons for ampersands: a secret may begin behind one. */
function cutAtSecret(parameter: string, rules: ParameterRules): string[] {
  if (!parameter.includes(';')) return [parameter];
  const parts = parameter.split(';');
  const first = parts.findIndex((part) => rules.kindOf(decodeParameter(part.split('=', 1)[0] as string)) !== undefined);
  return first <= 0 ? [parameter] : [parts.slice(0, first).join(';'), parts.slice(first).join(';')];
}

/** Percent signs that encode nothing stand for themselves. */
export const decodePercent = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });

const decodeParameter = (text: string): string => decodePercent(text.replaceAll('+', ' '));

export const encode = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'));
