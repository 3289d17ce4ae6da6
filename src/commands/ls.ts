import { readStore, type StoreEntry } from '../io/stores/read-store.ts';

export interface ListedTrace {
  /** As much of the id as names it among all others here. */
  shortId: string;
  entry: StoreEntry;
}

export interface LsResult {
  folder: string;
  /** Newest first. */
  traces: ListedTrace[];
}

/** The time of an id, to the millisecond: what comes later never begins like it. */
const timeLength = 10;

/**
 * The recordings in the store.
 *
 * @throws WireproofError `store-unusable`
 */
export async function ls(env: NodeJS.ProcessEnv): Promise<LsResult> {
  const { folder, entries } = await readStore(env);
  const length = tellingLength(entries.map(({ id }) => id));
  return { folder, traces: entries.map((entry) => ({ shortId: entry.id.slice(0, length), entry })) };
}

/** How many characters tell these ids apart; they are sorted, so only neighbours need to be looked at. */
function tellingLength(ids: readonly string[]): number {
  let length = timeLength;
  for (let index = 1; index < ids.length; index++) {
    const [one, other] = [ids[index - 1] as string, ids[index] as string];
    while (length < one.length && one.slice(0, length) === other.slice(0, length)) length++;
  }
  return length;
}
