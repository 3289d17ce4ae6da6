import { tapHttp } from '../../commands/tap-http.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import { leave } from '../../io/leave.ts';
import { howCalled } from '../how-called.ts';
import { readDuration, readSize } from '../quantities.ts';
import { readRedaction } from '../redaction-options.ts';
import { stopSignals } from '../stop-signals.ts';
import { tell } from '../tell.ts';
import type { Given } from '../verbs.ts';
import { by } from '../version.ts';

/** `tap --listen … --to …`. */
export async function runTapHttp({ options, words }: Given): Promise<number> {
  const text = (name: string): string | undefined => options[name] as string | undefined;
  if (words.length > 0) {
    throw new WireproofError('bad-usage', 'Either --listen and --to, or -- and a command to start: not both.');
  }
  refuseMeaningless(options);
  await tapHttp(
    {
      listen: readListen(text('listen')),
      listenAnywhere: options['listenAnywhere'] === true,
      to: readTarget(text('to')),
      allowHosts: (options['allowHost'] as string[] | undefined) ?? [],
      rewrites: options['rewrite'] !== false,
      ca: text('ca'),
      insecure: options['insecure'] === true,
      redaction: readRedaction(options),
      env: process.env,
      trace: text('trace'),
      label: text('label'),
      storeLimit: readSize(text('storeLimit') as string, '--store-limit'),
      grace: readDuration(text('grace') as string, '--grace'),
      by,
    },
    {
      calledAs: howCalled(),
      tell,
      onStop: (stop) => {
        for (const signal of stopSignals) process.on(signal, () => stop(`wireproof got ${signal}`));
      },
    },
  );
  return leave(0);
}

/** `7000`, `127.0.0.1:7000` or `[::1]:7000`. */
function readListen(text: string | undefined): { host: string; port: number } {
  if (text === undefined)
    throw new WireproofError('bad-usage', '--to needs --listen [HOST:]PORT: where clients reach it.');
  const [, host = '127.0.0.1', digits = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535) {
    throw new WireproofError('bad-usage', `--listen "${text}" is no port. Write --listen 7000, or --listen HOST:7000.`);
  }
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port };
}

function readTarget(text: string | undefined): URL {
  if (text === undefined)
    throw new WireproofError('bad-usage', '--listen needs --to URL: the server that requests pass to.');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new WireproofError(
      'bad-usage',
      `--to "${text}" is no address of a server. Write it like https://host.example/mcp.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new WireproofError(
      'bad-usage',
      '--to takes no name and password in the URL: the client sends what the server wants to see (Authorization).',
    );
  }
  // What stands behind # is never sent.
  url.hash = '';
  return url;
}

/** What is asked for and could not be done is said, not ignored. */
function refuseMeaningless(options: Given['options']): void {
  const refuse = (option: string, why: string): never => {
    throw new WireproofError('bad-usage', `${option} means nothing here: ${why}`);
  };
  if (options['cwd'] !== undefined) refuse('--cwd', 'with --listen no program is started.');
  if (options['e'] !== undefined) refuse('-e', 'with --listen no program is started.');
  if (!/^http:/i.test((options['to'] as string | undefined) ?? '')) return;
  const why = 'the URL of --to begins with http:, and there are no certificates.';
  if (options['ca'] !== undefined) refuse('--ca', why);
  if (options['insecure'] === true) refuse('--insecure', why);
}
