import { validate, type ValidationResult } from '@cfworker/json-schema';
import type { Plan } from './plan-schema.ts';
import { Problems, type SchemaError } from './problems.ts';

/** What came of checking a value: it fits, or it does not and why, or that could not be found out and why. */
export type Verdict = { ok: true } | { errors: SchemaError[] } | { unchecked: string };

/** The most errors that are told. */
const mostErrors = 50;

/** Checks a value in this thread, however long that takes. */
export function checkValue(plan: Plan, value: unknown): Verdict {
  try {
    const { valid, errors } = found(plan, value);
    return valid ? { ok: true } : { errors: new Problems(plan, value).of(errors).slice(0, mostErrors) };
  } catch (error) {
    // The library calls itself for what is inside of something: there is an end to that.
    if (error instanceof RangeError) return { unchecked: tooDeep };
    return { unchecked: `the value could not be checked: ${(error as Error).message}` };
  }
}

const tooDeep =
  'this schema is too expensive to check: it refers to itself without end, or the value is nested too deeply';

function found(plan: Plan, value: unknown): ValidationResult {
  try {
    return run(plan, value, false);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // There may have been more errors than the library can hand on; then the first has to do.
    return run(plan, value, true);
  }
}

function run({ root, dialect, lookup }: Plan, value: unknown, isShort: boolean): ValidationResult {
  return validate(value, root, dialect, lookup, isShort);
}
