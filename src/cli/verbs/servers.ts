import { type ListedServer, listServers, type ServersResult } from '../../commands/servers.ts';
import { prettyLines, withoutUnseen } from '../../core/wire/json-text.ts';
import { cutToWidth } from '../../core/wire/text-width.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import type { FoundFile } from '../../io/hosts/find-servers.ts';
import { thisMachine } from '../../io/hosts/this-machine.ts';
import { readLoudness } from '../loudness.ts';
import { tell } from '../tell.ts';
import { openTerminal, type Terminal } from '../terminal.ts';
import { type Column, table } from '../text/table.ts';
import type { Given } from '../verbs.ts';

/** No command takes more columns, a pipe has no end of them; `--json` has all of it. */
const widestText = 100;

export default async function runServers({ options, words: [name] }: Given): Promise<number> {
  const loudness = readLoudness(options);
  const machine = thisMachine(process.env, process.cwd());
  const result = await listServers(machine, name);
  const terminal = openTerminal(options['color'] !== false);
  const isWhole = name !== undefined || loudness === 'verbose';
  if (options['json'] === true) await terminal.print(jsonOf(result));
  else if (loudness === 'quiet') {
    await terminal.print(names(result));
    for (const file of name === undefined ? result.files : []) if (file.state === 'broken') tell(fileNote(file) ?? '');
  } else {
    // Of one server, files that do not have it say nothing.
    const files = name === undefined ? result.files : [];
    await terminal.print((isWhole ? details : listing)({ ...result, files }, machine.home, terminal));
  }
  const isFaulty = result.servers.some(({ faulty }) => faulty !== undefined);
  const isBroken = name === undefined && result.files.some(({ state }) => state === 'broken');
  return isFaulty || isBroken ? 1 : 0;
}

const noServers =
  'No MCP servers are configured for any host that wireproof knows (docs/servers.md says where it looks).';

const jsonOf = (result: ServersResult): string =>
  `${[...prettyLines(withoutUnseen(JSON.stringify(result)))].join('\n')}\n`;

const names = ({ servers }: ServersResult): string => servers.map(({ target }) => `${visibleText(target)}\n`).join('');

function listing({ servers, files }: ServersResult, home: string, terminal: Terminal): string {
  const notes = files.map(fileNote).filter((note) => note !== undefined);
  const rows = servers.length > 0 ? serverTable(servers, home, terminal) : [noServers];
  return `${[...rows, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n')}\n`;
}

function serverTable(servers: readonly ListedServer[], home: string, { width = Infinity, ink }: Terminal): string[] {
  const mark = ink.glyph('…', '~');
  const column = (title: string, cell: (server: ListedServer) => string, more: Partial<Column> = {}): Column => ({
    title,
    cells: servers.map((server) => visibleText(cell(server))),
    ...more,
  });
  const isNoted = servers.some((server) => stateOf(server) !== '');
  const columns = [
    column('host', ({ host }) => host, { paint: (text) => ink.cyan(text) }),
    column('name', ({ name }) => name, { shrinksTo: 8 }),
    column('what', (server) => cutToWidth(visibleText(whatOf(server)), widestText, mark), { shrinksTo: 12 }),
    column('file', ({ file }) => shortPath(file, home), { shrinksTo: 12, dropped: 1 }),
    ...(isNoted ? [column('state', stateOf, { paint: (text) => ink.yellow(text) })] : []),
  ];
  const { head, rows } = table(columns, width, mark);
  return [ink.dim(head), ...rows];
}

function stateOf({ faulty, isDisabled, isHidden }: ListedServer): string {
  if (faulty !== undefined) return 'faulty';
  return [...(isDisabled ? ['disabled'] : []), ...(isHidden ? ['hidden'] : [])].join(', ');
}

const whatOf = ({ faulty, url, command = '', args = [] }: ListedServer): string =>
  faulty ?? url ?? [command, ...args].map(quoted).join(' ');

/** Words whose ends could not be told stand in quotes. */
const quoted = (word: string): string => (/^[^\s"']+$/.test(word) ? word : JSON.stringify(word));

const shortPath = (path: string, home: string): string =>
  path.startsWith(home) && /^[\\/]/.test(path.slice(home.length)) ? `~${path.slice(home.length)}` : path;

function fileNote(file: FoundFile): string | undefined {
  const name = `${visibleText(file.path)} (${file.host})`;
  if (file.state === 'read') return undefined;
  if (file.state !== 'broken') return `Found, not readable yet: ${name}, ${file.why}`;
  const { what, line, column } = file.fault;
  return `Broken: ${name}${line === undefined ? '' : `, line ${line}, column ${column}`}: ${visibleText(what)}`;
}

/** All there is to know of some servers, each with a paragraph of its own. */
function details({ servers, files }: ServersResult, home: string, { ink }: Terminal): string {
  const paragraphs = servers.map((server) => {
    const facts = factsOf(server, home).filter(([, fact]) => fact !== '');
    const lines = facts.map(([title, fact]) => `  ${ink.dim(title.padEnd(12))} ${visibleText(fact)}`);
    return [ink.bold(visibleText(server.target)), ...lines].join('\n');
  });
  const notes = files.map(fileNote).filter((note) => note !== undefined);
  return `${[...(paragraphs.length > 0 ? paragraphs : [noServers]), ...(notes.length > 0 ? [notes.join('\n')] : [])].join('\n\n')}\n`;
}

function factsOf(server: ListedServer, home: string): [string, string][] {
  const { file, scope, faulty, command, transport, env = [], envFile = '', cwd = '', headers = {}, note = '' } = server;
  const what = faulty === undefined ? (command === undefined ? 'URL' : 'command') : 'faulty';
  return [
    ['file', `${shortPath(file, home)} (${scope})`],
    [what, whatOf(server)],
    ['transport', transport === 'sse' ? 'HTTP+SSE, the older one' : ''],
    ['environment', env.join(', ')],
    ['more of it', envFile],
    ['directory', cwd],
    ...Object.entries(headers).map(([name, value]): [string, string] => ['header', `${name}: ${value}`]),
    ['state', faulty === undefined ? stateOf(server) : ''],
    ['note', note],
  ];
}
