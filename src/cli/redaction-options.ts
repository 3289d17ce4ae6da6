import type { RedactionRules } from '../core/trace/redaction/rules.ts';
import type { Given } from './verbs.ts';

/** What `--redact-…` options say. */
export const readRedaction = (options: Given['options']): RedactionRules => ({
  secrets: options['redactSecrets'] !== false,
  keys: texts(options['redactKey']),
  values: texts(options['redactValue']),
  paths: texts(options['redactPath']),
});

const texts = (given: string | boolean | string[] | undefined): string[] => (Array.isArray(given) ? given : []);
