import { Command, CommanderError } from 'commander';
import { WireproofError } from '../core/wireproof-error.ts';
import { openStdout } from './stdout.ts';
import { tell } from './tell.ts';
import { verbs } from './verbs.ts';
import { version } from './version.ts';

/** Exit codes (the interface): nothing wrong, something was found, could not do it. */
export const exitCodes = { well: 0, found: 1, unable: 2 } as const;

/** Runs one command line and gives the exit code. */
export async function run(words: string[]): Promise<number> {
  let code: number = exitCodes.well;
  const program = new Command('wireproof')
    .description('Stand on the wire between an MCP host and its servers: record every byte, read it, prove it.')
    .version(version, '-V, --version', 'say the version')
    .helpOption('-h, --help', 'say this')
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut, outputError: (text) => complain(text, 'wireproof --help') });
  // Only what was asked for is defined: a verb has to start fast, and there are many.
  const asked = verbs.filter((verb) => verb.name === words[0]);
  for (const verb of asked.length > 0 ? asked : verbs) {
    const command = verb.define(
      program
        .command(verb.name)
        .summary(verb.summary)
        .description(verb.description ?? verb.summary),
    );
    command
      .exitOverride()
      .configureOutput({ writeOut, outputError: (text) => complain(text, `wireproof ${verb.name} --help`) });
    command.action(async (...given: unknown[]) => {
      const options = command.opts<Record<string, string | boolean | string[] | undefined>>();
      const { default: act } = await verb.load();
      const dashes = words.indexOf('--');
      const behindDashes = dashes < 0 ? [] : words.slice(dashes + 1);
      code = await act({ options, words: given.slice(0, -2).flat() as string[], behindDashes });
    });
  }
  try {
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.well : exitCodes.unable;
  if (!(error instanceof WireproofError)) throw error;
  tell(error.message);
  return exitCodes.unable;
}

/** Help and version. */
function writeOut(text: string): void {
  openStdout().write(text);
}

/** Says what was wrong with the words, on one line, and where to read how they should be. */
function complain(text: string, help: string): void {
  const what = text
    .trim()
    .replace(/^error: /, '')
    .replaceAll('\n', ' ');
  tell(`${what} (see: ${help})`);
}
