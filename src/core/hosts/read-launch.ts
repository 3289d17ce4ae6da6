import { isObject, type JsonObject } from '../protocol/message.ts';
import type { Launch, Shape } from './host.ts';

/** What an entry of a host's file says is to be started or called. */
export function readLaunch(entry: unknown, shape: Shape): Launch {
  if (!isObject(entry)) return faulty('is no object');
  if (shape === 'opencode') return openCode(entry);
  return shape === 'codex' ? codex(entry) : common(entry);
}

/** Whether the host is told to leave it alone. */
export const isSwitchedOff = (entry: unknown): boolean =>
  isObject(entry) && (entry['disabled'] === true || entry['enabled'] === false);

const faulty = (why: string): Launch => ({ kind: 'faulty', why });

/** The names that hosts have for a URL. Of two, the first counts: Gemini has `httpUrl` beside the older `url`. */
const urlNames = ['httpUrl', 'serverUrl', 'url', 'uri', 'baseUrl'] as const;

function common(entry: JsonObject): Launch {
  // Older files of Zed have an object here.
  const { command } = entry;
  if (isObject(command)) return common({ ...entry, ...command, command: command['path'] });
  if (command !== undefined) return started(command, entry['args'], entry['env'] ?? entry['envs'], entry);
  const name = urlNames.find((name) => entry[name] !== undefined);
  if (name === undefined) return faulty('says neither a command nor a URL');
  return called(entry[name], entry['headers'], isOldSse(entry) ? 'sse' : 'http');
}

/** `http`, `streamable-http`, `streamableHttp`, `streamable_http` and nothing are one. */
const isOldSse = ({ type, transport }: JsonObject): boolean => (type ?? transport) === 'sse';

/** `"command": ["npx", "pkg"]`, and `environment`. */
function openCode(entry: JsonObject): Launch {
  const { command } = entry;
  if (command === undefined) return common(entry);
  if (!Array.isArray(command) || command.length === 0) return faulty('its "command" is no list of words');
  return started(command[0], command.slice(1), entry['environment'], entry);
}

/** Its headers may stand in the environment: `bearer_token_env_var`, `env_http_headers`. */
function codex(entry: JsonObject): Launch {
  const launch = common({ ...entry, headers: entry['http_headers'] });
  if (launch.kind === 'stdio' || launch.kind === 'faulty') return launch;
  const named = texts(entry['env_http_headers']);
  if (named === undefined) return faulty('its "env_http_headers" are no texts by name');
  const headerVariables = Object.entries(named).map(([name, variable]) => [name, { before: '', variable }]);
  const bearer = entry['bearer_token_env_var'];
  if (typeof bearer === 'string') headerVariables.push(['Authorization', { before: 'Bearer ', variable: bearer }]);
  return { ...launch, headerVariables: Object.fromEntries(headerVariables) };
}

function started(command: unknown, args: unknown, env: unknown, { cwd, envFile }: JsonObject): Launch {
  if (typeof command !== 'string' || command === '') return faulty('its "command" is no text');
  const words = (args ?? []) as unknown;
  if (!Array.isArray(words) || !words.every(isWord)) return faulty('its "args" are no list of texts');
  const variables = texts(env);
  if (variables === undefined) return faulty('its variables of the environment are no texts by name');
  return {
    kind: 'stdio',
    command,
    args: words.map(String),
    env: variables,
    ...(typeof cwd === 'string' && cwd !== '' ? { cwd } : {}),
    ...(typeof envFile === 'string' && envFile !== '' ? { envFile } : {}),
  };
}

function called(url: unknown, headers: unknown, kind: 'http' | 'sse'): Launch {
  if (typeof url !== 'string' || url === '') return faulty('its URL is no text');
  const read = texts(headers);
  if (read === undefined) return faulty('its "headers" are no texts by name');
  return { kind, url, headers: read, headerVariables: {} };
}

const isWord = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** An object of texts; numbers are read as such, `null` stands for nothing. */
function texts(value: unknown): Record<string, string> | undefined {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).filter(([, text]) => text !== null);
  if (!entries.every(([, text]) => isWord(text))) return undefined;
  return Object.fromEntries(entries.map(([name, text]) => [name, String(text)]));
}
