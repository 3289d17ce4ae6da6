import { isObject, type JsonObject } from '../protocol/message.ts';

/** So many are known at most: a list may have no end. */
const most = 20_000;

/** The tools that a server listed last, by their names, which need not be unique (server/tools, tool names). */
export class ListedTools {
  private readonly byName = new Map<string, JsonObject[]>();
  private count = 0;

  /** Takes a page of the list. The first page begins a new list. */
  take(result: unknown, isFirstPage: boolean): void {
    const given = isObject(result) ? result['tools'] : undefined;
    if (!Array.isArray(given)) return;
    if (isFirstPage) {
      this.byName.clear();
      this.count = 0;
    }
    for (const tool of given) if (isObject(tool)) this.add(tool);
  }

  /** All tools of that name, in the order of the list. */
  named(name: unknown): readonly JsonObject[] {
    return typeof name === 'string' ? (this.byName.get(name) ?? []) : [];
  }

  private add(tool: JsonObject): void {
    const { name } = tool;
    if (typeof name !== 'string' || this.count++ >= most) return;
    this.byName.set(name, [...this.named(name), tool]);
  }
}
