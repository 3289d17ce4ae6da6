/**
 * Whether a request is for this listener: a page from elsewhere whose name was made to point here says its own name
 * (specification: basic/transports, security warning on DNS rebinding).
 *
 * @param listensOn the address listened on
 * @param allowed names that the user allows; with a port, only that
 */
export function isAllowedHost(host: string | undefined, listensOn: string, allowed: readonly string[]): boolean {
  if (host === undefined) return false;
  const value = host.toLowerCase();
  const name = value.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (allowed.some((entry) => [value, name].includes(entry.toLowerCase()))) return true;
  if (name === 'localhost' || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name)) return true;
  return name === listensOn.toLowerCase() && !['0.0.0.0', '::'].includes(listensOn);
}
