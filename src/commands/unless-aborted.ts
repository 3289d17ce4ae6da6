/** What a promise comes to; nothing where the signal says stop first. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (signal?.aborted) return undefined;
  let stop: () => void = () => undefined;
  const stopped = new Promise<undefined>((resolve) => (stop = () => resolve(undefined)));
  signal?.addEventListener('abort', stop);
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
