import { idKey } from '../protocol/id.ts';

/** So many are kept count of; the ones beyond are not waited for. */
const most = 65_536;

/** The client's requests that the server has not answered yet, by exact id. */
export class OpenRequests {
  private readonly keys = new Map<string | number, number>();

  get count(): number {
    return this.keys.size;
  }

  /** @param id A whole number, or the id as a JSON token. */
  sent(id: number | string): void {
    const key = keyOf(id);
    const open = this.keys.get(key) ?? 0;
    if (open > 0 || this.keys.size < most) this.keys.set(key, open + 1);
  }

  settled(id: number | string): void {
    const key = keyOf(id);
    const open = this.keys.get(key);
    if (open === undefined) return;
    if (open > 1) this.keys.set(key, open - 1);
    else this.keys.delete(key);
  }
}

/** A plain number is its own key; `1.0` is the same id as `1` and gets the same one. */
function keyOf(id: number | string): string | number {
  if (typeof id === 'number') return id;
  const key = idKey(id);
  const whole = /^n(\d+)e(\d+)$/.exec(key);
  if (!whole) return key === 'n0' ? 0 : key;
  const digits = `${whole[1]}${'0'.repeat(Math.min(Number(whole[2]), 20))}`;
  return digits.length <= 15 ? Number(digits) : key;
}
