/** Milliseconds on a clock that never goes back, and the moment of its zero. */
export interface Clock {
  /** Milliseconds since `startedAt`. */
  now(): number;
  /** Milliseconds since 1970, UTC. */
  readonly startedAt: number;
}

/** A clock whose zero is now. */
export function startClock(): Clock {
  const zero = performance.now();
  return { startedAt: performance.timeOrigin + zero, now: () => performance.now() - zero };
}

/** ISO 8601 in UTC with microseconds. */
export function isoTime(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  const micros = Math.floor((milliseconds - whole) * 1000);
  return new Date(whole).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`);
}
