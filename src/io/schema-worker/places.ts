import type { JsonObject } from '../../core/protocol/message.ts';
import { fragmentPointer } from '../../core/peer/schema-reference.ts';

/** Where in a document the schemas stand that have a name: `$id` and `$anchor`. Places are JSON pointers. */
export class Places {
  private readonly identifiers = new Map<string, string>();
  private readonly anchors = new Map<string, string>();

  /**
   * Notes what a schema is called.
   *
   * @returns the place that references in it are relative to
   */
  note(schema: JsonObject, pointer: string, base: string): string {
    const identifier = schema['$id'];
    const anchors = [schema['$anchor'], schema['$dynamicAnchor']];
    // In draft-07 an identifier may be an anchor; and beside `$ref` it is nothing there.
    if (typeof identifier === 'string' && identifier.startsWith('#')) anchors.push(identifier.slice(1));
    const isNamed = typeof identifier === 'string' && !identifier.startsWith('#') && identifier !== '';
    if (isNamed) this.identifiers.set(identifier.replace(/#$/, ''), pointer);
    const inner = isNamed ? pointer : base;
    for (const anchor of anchors) {
      if (typeof anchor === 'string') this.anchors.set(`${inner}#${anchor}`, pointer);
    }
    return inner;
  }

  /** The place that a reference means; nothing where that is not in the document, as far as can be told. */
  find(reference: string, base: string): string | undefined {
    const hash = reference.indexOf('#');
    const resource = hash < 0 ? reference : reference.slice(0, hash);
    const fragment = hash < 0 ? '' : reference.slice(hash + 1);
    const from = resource === '' ? base : this.identifiers.get(resource);
    if (from === undefined) return undefined;
    const pointer = fragmentPointer(fragment);
    return pointer === undefined ? this.anchors.get(`${from}#${fragment}`) : from + pointer;
  }
}
