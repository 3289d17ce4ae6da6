import type { Target } from '../commands/open-server.ts';
import { targetName } from '../core/hosts/host.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import { readEnvironment } from './environment.ts';
import type { Given } from './verbs.ts';

/**
 * Which server, and what is asked of it: a command behind `--`, a URL, or a server that a host on this machine has configured.
 *
 * @param told says something to the user
 * @throws WireproofError `bad-usage`
 */
export async function readTarget(
  { options, words, behindDashes }: Given,
  told: (text: string) => void,
): Promise<{ target: Target; words: readonly string[] }> {
  if (behindDashes.length > 0) {
    const env = readEnvironment(options['e'] as string[] | undefined);
    const target = { command: behindDashes, cwd: options['cwd'] as string | undefined, env };
    return { target, words: words.slice(0, words.length - behindDashes.length) };
  }
  const [first, ...rest] = words;
  if (first !== undefined && /^https?:\/\//i.test(first) && URL.canParse(first)) {
    return {
      target: { url: new URL(first), lines: readHeaders(options['header'] as string[] | undefined) },
      words: rest,
    };
  }
  if (first === undefined) {
    throw new WireproofError(
      'bad-usage',
      'Which server? Write its URL, -- and the command that starts it, or its name in the configuration of a host (see: wireproof servers).',
    );
  }
  return { target: await configured(first, options, told), words: rest };
}

/** A server that a host has configured. What a file in a project says is told before it is done. */
async function configured(name: string, options: Given['options'], told: (text: string) => void): Promise<Target> {
  const { resolveServer } = await import('../io/hosts/resolve-server.ts');
  const { thisMachine } = await import('../io/hosts/this-machine.ts');
  const { target, server, unset } = await resolveServer(name, thisMachine(process.env, process.cwd()));
  told(`${targetName(server)}, as ${server.file} has it${server.isDisabled ? ' (the host has it disabled)' : ''}`);
  if (unset.length > 0) told(`its entry refers to variables that are not set here: ${unset.join(', ')}`);
  if (target.kind !== 'stdio') {
    const own = Object.entries(target.headers);
    return { url: new URL(target.url), lines: [...own, ...readHeaders(options['header'] as string[] | undefined)] };
  }
  const env = { ...readEnvironment(options['e'] as string[] | undefined), ...target.env };
  return { command: [target.command, ...target.args], cwd: (options['cwd'] as string | undefined) ?? target.cwd, env };
}

/** What was typed may be a secret: it is not said again. */
function readHeaders(given: readonly string[] = []): [string, string][] {
  return given.map((line, index) => {
    const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/s.exec(line) ?? [];
    if (name !== '') return [name, value];
    const which = given.length > 1 ? `The ${index + 1}. --header` : 'What stands behind --header';
    throw new WireproofError('bad-usage', `${which} is no header line. Write --header 'Name: value'.`);
  });
}
