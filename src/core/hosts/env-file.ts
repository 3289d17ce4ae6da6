/** The variables of an `.env` file: `NAME=value` lines, `export` before and quotes around allowed, `#` begins a comment. */
export function readEnvFile(text: string): Record<string, string> {
  const variables: [string, string][] = [];
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    const found = /^\s*(?:export\s+)?([\w.-]+)\s*=\s*(.*?)\s*$/.exec(line);
    if (found) variables.push([found[1] as string, valueOf(found[2] as string)]);
  }
  return Object.fromEntries(variables);
}

function valueOf(written: string): string {
  const quoted = /^(["'`])(.*)\1(?:\s+#.*)?$/.exec(written);
  if (!quoted) return written.replace(/(?:^|\s+)#.*$/, '');
  const [, quote, inside = ''] = quoted;
  return quote === '"' ? inside.replaceAll('\\n', '\n').replaceAll('\\r', '\r') : inside;
}
