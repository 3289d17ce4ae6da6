import { annotationFault } from '../core/peer/param-headers.ts';
import { visibleText } from '../core/wire/visible-text.ts';
import type { Connection, Listed } from './connect.ts';

/** So many are told one by one. */
const mostTold = 10;

/**
 * Leaves tools out of the lists of a connection that ask for header lines in a way that is not allowed, and says which. On
 * HTTP a client has to (2026-07-28: server/tools, x-mcp-header).
 *
 * @param told says why to the user
 */
export function leaveOutFaultyTools(connection: Connection, told: (text: string) => void): void {
  connection.sift = (method, listed) => (method === 'tools/list' ? withoutFaulty(listed, told) : listed);
}

function withoutFaulty(listed: Listed, told: (text: string) => void): Listed {
  const faulty: string[] = [];
  const items = listed.items.filter(({ name, inputSchema }) => {
    const fault = annotationFault(inputSchema);
    if (fault === undefined) return true;
    const shown = JSON.stringify(name) ?? 'without a name';
    if (faulty.push(shown) <= mostTold) told(`the tool ${visibleText(shown)} is left out: ${visibleText(fault)}`);
    return false;
  });
  if (faulty.length === 0) return listed;
  const more = faulty.length - mostTold;
  if (more > 0) told(`${more} more tools are left out for the like`);
  const all = `${faulty.slice(0, mostTold).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return { trouble: `left out for their x-mcp-header: ${all}`, ...listed, items };
}
