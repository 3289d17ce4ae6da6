/** How long a condition may take to come true before it counts as failed: far longer than it ever should. Milliseconds. */
const patience = 30_000;

/** Looks again and again until a condition holds, and gives what it gave. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  bound = patience,
): Promise<Exclude<T, false | undefined | null>> {
  const end = Date.now() + bound;
  for (;;) {
    const seen = await look();
    if (seen !== false && seen !== undefined && seen !== null) return seen as Exclude<T, false | undefined | null>;
    if (Date.now() > end) throw new Error(`It did not come true in ${bound} ms: ${what}`);
    await pause(10);
  }
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
