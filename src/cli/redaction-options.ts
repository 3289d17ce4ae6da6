import type { RedactionRules } from '../core/trace/redaction/rules.ts';
import type { Given } from './verbs.ts';

/** What `--redact-…` options say. */
export const readRedaction = (options: Given['options']): RedactionRules => ({
  secrets: options['redactSecrets'] !== false,
  keys: texts(options['redactKey']),
  values: texts(options['redactValue']),
  paths: texts(options['redactPath']),
});

/** The same for a verb that replaces something only where it is asked to. */
export function readAskedRedaction(options: Given['options']): RedactionRules | undefined {
  const rules = readRedaction(options);
  return options['redactSecrets'] === true || hasOwnRules(rules) ? rules : undefined;
}

/** There is more to replace than the secrets of HTTP and OAuth. */
export const hasOwnRules = ({ keys, values, paths }: RedactionRules): boolean =>
  keys.length + values.length + paths.length > 0;

/** What is said where the user's own rules have found nothing: one of them may be misspelled. */
export const foundNothing = 'nothing was found that had to be replaced';

const texts = (given: string | boolean | string[] | undefined): string[] => (Array.isArray(given) ? given : []);
