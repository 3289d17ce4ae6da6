import { isUndone, type Lost } from '../io/channels/channel.ts';

/** Whether a request that got no answer was carried out, as a person is told. */
export function fateOf(lost: Lost): string {
  if (!isUndone(lost)) return 'It may have been carried out: look before you repeat it.';
  return lost.neverLeft ? 'It never left: nothing was done.' : 'It was refused: nothing was done.';
}
