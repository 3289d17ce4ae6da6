import type { HttpHeader } from '../core/trace/format.ts';
import { type Clock, isoTime } from './clock.ts';
import { openStore } from './stores/open.ts';
import type { Store } from './stores/trace-file.ts';
import { idInName, newTraceId } from './stores/trace-id.ts';

/** Where a recording goes, and what it says of itself. */
export interface NewTraceOptions {
  /** Where to record; the store where it is left out. */
  trace?: string | undefined;
  label?: string | undefined;
  /** The most bytes that the store may hold. */
  storeLimit: number;
  /** The name and version that stand in the trace. */
  by: string;
}

/** A trace that is to be written. */
export interface NewTrace {
  id: string;
  /** How it is found: its path, or its id in the store. */
  readonly name: string;
  store: Store;
  /** What the header of every recording says. */
  base: Pick<HttpHeader, 'wireproof' | 'id' | 'started' | 'by' | 'pid' | 'label'>;
  /** Watches over the size of the store, until the function that it returns is called. */
  keepWithinLimit: () => () => void;
}

/** @param at `env` is where wireproof's own folder is looked for, `tell` says something to the user */
export function newTrace(
  options: NewTraceOptions,
  at: { clock: Clock; env: NodeJS.ProcessEnv; tell: (text: string) => void },
): NewTrace {
  const { trace, label, storeLimit, by } = options;
  const { clock, env, tell } = at;
  const id = idInName(trace) ?? newTraceId(clock.startedAt);
  let name = trace ?? id;
  const moved = (path: string): void => {
    name = path;
    tell(`${trace} exists and is kept; recording to ${path}`);
  };
  const place = openStore({ id, trace, env, limit: storeLimit, moved });
  return {
    id,
    get name() {
      return name;
    },
    store: place.store,
    base: {
      wireproof: 1,
      id,
      started: isoTime(clock.startedAt),
      by,
      pid: process.pid,
      ...(label === undefined ? {} : { label }),
    },
    keepWithinLimit: () => place.keepWithinLimit(),
  };
}
